import { closeSync, mkdtempSync, rmSync } from 'node:fs';
import { open as openInspector } from 'node:inspector';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { functionNames } from '../functions/worker.ts';
import { type Backend, Gateway, type GatewayPlan } from '../gateway/gateway.ts';
import { HostedFunctions } from '../limits/hosted.ts';
import { platformLimits } from '../limits/limits.ts';
import { denoProgram, postgresNative, supabaseCommand } from '../postgres/binaries.ts';
import { type Cluster, databaseUrl, freePort } from '../postgres/postgres.ts';
import type { Sql } from '../postgres/template.ts';
import { errorText, PlainFailure } from '../user_error.ts';
import { PastBringer } from './backtests.ts';
import { dashboardDist, freshDashboard } from './dashboard.ts';
import { DataFolder, supervisor } from './data_folder.ts';
import {
  connectOwner,
  databaseName,
  deploySettings,
  postgresService,
  prepareCluster,
  prepareDatabase,
} from './database.ts';
import { elapsed, lastWords, openLog, progress, say } from './log.ts';
import { MarketClock } from './market_clock.ts';
import type { StartOptions } from './options.ts';
import { untilPriced, untilRead } from './readiness.ts';
import { Reaper } from './reaper.ts';
import { folderAt, register, unregister } from './registry.ts';
import type { Service, ServiceEvents } from './service.ts';
import {
  authService,
  functionEnvironment,
  functionService,
  type Ground,
  jobsService,
  realtimeService,
} from './services.ts';
import { recordingSpan } from './timeline.ts';
import { liveVenues, venuesService } from './venues.ts';

/** Where inspectors are by custom: ours, then each function's. */
const firstInspector = 9_229;

/** Everything that `npm start` runs. `start` resolves when it is ready; `stop` ends all of it, also in the middle of a start. */
export class Stack {
  readonly #options: StartOptions;
  readonly #data: DataFolder;
  readonly #sockets: string;
  readonly #reaper: Reaper;
  readonly #logs: number[] = [];
  readonly #services: Service[] = [];
  readonly #inspectors: Record<string, number> = {};
  #postgres: Service | undefined;
  #gateway: Gateway | undefined;
  #clock: MarketClock | undefined;
  #tellVenues: Parameters<MarketClock['release']>[1] = () => {};
  #shownTimer: NodeJS.Timeout | undefined;
  #past: PastBringer | undefined;
  #hosted: HostedFunctions | undefined;
  #stopped: Promise<void> | undefined;
  #stopping = false;
  readonly #leaving = new AbortController();

  constructor(options: StartOptions) {
    this.#options = options;
    // Before anything is made: a missing program, or a recording that is none, must not leave a data folder behind.
    postgresNative();
    denoProgram();
    supabaseCommand();
    if (options.replay) recordingSpan(options.replay);
    this.#data = DataFolder.open(options.folder);
    this.#sockets = mkdtempSync(join(tmpdir(), 'parallax-'));
    this.#reaper = new Reaper(() => this.#say('reaper: died; another has taken its place'));
    this.#reaper.watch({ remove: this.#sockets });
  }

  readonly #events: ServiceEvents = {
    say: (line) => this.#say(line),
    changed: () => this.#tellReaper(),
  };

  #say(line: string): void {
    if (!this.#stopping) say(line);
  }

  #tellReaper(): void {
    const pids = [...this.#services.flatMap((service) => service.pid ?? []), ...(this.#hosted?.pids ?? [])];
    const postgres = this.#postgres?.pid;
    this.#reaper.watch({ pids, remove: this.#sockets, ...(postgres === undefined ? {} : { postgres }) });
  }

  /** Starts one service and says so in one line. */
  async #bring(service: Service): Promise<void> {
    if (this.#stopping) return;
    this.#services.push(service);
    const words = await service.start().catch((error: unknown) => {
      const log = join(this.#data.path, 'logs');
      throw new PlainFailure(`${errorText(error)}. Its log in ${log} says why${lastWords(log, service.plan.name)}`);
    });
    this.#say(`${service.plan.name.padEnd(18)} ${words ?? 'up'}`);
  }

  async start(): Promise<void> {
    const { port, source } = this.#options;
    const data = this.#data;
    this.#settle();
    const notice = noticeFor(this.#options);
    if (this.#options.inspect) {
      this.#inspectors[supervisor] = await freePort(firstInspector);
      openInspector(this.#inspectors[supervisor], '127.0.0.1');
    }

    // The door first: a taken port must be said before a minute of work, and requests meanwhile wait for their worker.
    const backends = new Map<string, Backend>();
    for (const name of functionNames()) backends.set(name, comingUp(`The function ${name}`, this.#sockets));
    const gatewayPlan: GatewayPlan = {
      port,
      functions: backends,
      auth: comingUp('Auth', this.#sockets),
      realtime: comingUp('Realtime', this.#sockets),
      dashboard: dashboardDist,
      notice,
      publishableKey: data.secrets.publishable,
    };
    this.#gateway = new Gateway(gatewayPlan);
    await this.#gateway.listen();
    this.#say(`gateway            http://127.0.0.1:${port}`);

    const dashboard = freshDashboard().then((words) =>
      this.#say(`dashboard          http://127.0.0.1:${port}/ (${words})`),
    );
    const clock = new MarketClock(this.#options, data.lastShown());
    this.#clock = clock;
    if (notice) this.#say(notice);
    const log = (name: string) => {
      const handle = openLog(data.path, name);
      this.#logs.push(handle);
      return handle;
    };
    // Venues know nothing of the database, so they come up beside it: they keep one core busy, it the other.
    const venues = this.#venues(log, clock);
    venues.catch(() => {});

    const cluster = await prepareCluster(data, port + 1);
    // Between this look and the spawn nothing can happen: a process started after `stop` would be nobody's.
    if (this.#stopping) return;
    const server = postgresService(cluster, this.#events);
    this.#postgres = server;
    const where = await server.start();
    this.#say(`postgres           ${where}`);
    const migrations = await prepareDatabase(cluster, data, this.#leaving.signal);
    this.#say(`migrations         ${migrations}`);
    if (this.#stopping) return;

    const ground: Ground = {
      cluster,
      data,
      port,
      sockets: this.#sockets,
      events: this.#events,
      log,
    };
    await deploySettings(cluster, data, {
      projectUrl: `http://127.0.0.1:${port}`,
      restDelaySeconds: this.#options.restDelaySeconds,
      webhookAllow: this.#options.webhookAllow,
      segments: clock.segments,
    });
    this.#keepShown(clock);

    const [auth, realtime] = [authService(ground), realtimeService(ground)];
    gatewayPlan.auth = backendOf('Auth', auth);
    gatewayPlan.realtime = backendOf('Realtime', realtime);
    const services = [auth.service, realtime.service, jobsService(ground)];
    const others = Promise.all(services.map((service) => this.#bring(service)));
    const functions = venues.then(async (addresses) => {
      // Only simulated venues have a past that can be asked for. The simulator counts it from now on.
      if (source === 'simulated') {
        const { origin } = new URL(addresses.venue_a.rest);
        this.#past = new PastBringer(origin, () => connectOwner(cluster, data), this.#events.say);
      }
      const env = functionEnvironment(ground, this.#options, addresses);
      if (this.#options.hostedWallSeconds !== undefined) {
        this.#limited(ground, env, this.#options.hostedWallSeconds, gatewayPlan, backends);
        return;
      }
      await Promise.all(
        functionNames().map(async (name, place) => {
          const inspector = this.#options.inspect ? await freePort(firstInspector + 1 + place) : undefined;
          if (inspector !== undefined) this.#inspectors[`functions/${name}`] = inspector;
          const worker = functionService(ground, name, env, inspector);
          backends.set(name, backendOf(`The function ${name}`, worker));
          return this.#bring(worker.service);
        }),
      );
    });
    await Promise.all([others, functions, dashboard]);
    if (this.#stopping) return;

    data.publish({
      pid: process.pid,
      port,
      base_url: this.baseUrl,
      database_url: databaseUrl(cluster.port, 'postgres', data.secrets.postgres, databaseName),
      source,
      started_at: new Date().toISOString(),
      ...(this.#options.inspect ? { inspectors: this.#inspectors } : {}),
    });
    register(port, data.path);
    if (backends.has('api')) await this.#untilReady(cluster, clock);
    if (!this.#stopping) say(`ready ${this.baseUrl}`);
  }

  /** Each call in a worker of its own, under the platform's limits. */
  #limited(
    ground: Ground,
    env: Record<string, string>,
    wallSeconds: number,
    plan: GatewayPlan,
    backends: Map<string, Backend>,
  ): void {
    if (this.#stopping) return;
    const hosted = new HostedFunctions({
      limits: { ...platformLimits, wallSeconds },
      env,
      sockets: this.#sockets,
      log: ground.log('functions'),
      changed: () => this.#tellReaper(),
      say: (line) => this.#say(line),
    });
    this.#hosted = hosted;
    plan.limits = () => hosted.report();
    for (const name of functionNames()) {
      backends.set(name, hosted.backend(name));
      this.#say(`${`functions/${name}`.padEnd(18)} /functions/v1/${name} (a worker for each call, ${wallSeconds} s)`);
    }
  }

  get baseUrl(): string {
    return `http://127.0.0.1:${this.#options.port}/functions/v1/api`;
  }

  /** A data folder holds one universe. */
  #settle(): void {
    const { source, seed, games, replay } = this.#options;
    const first = this.#data.nature.source === undefined;
    this.#data.settle({
      source,
      ...(source === 'simulated' ? { seed: seed ?? (first ? 1 : undefined), games } : {}),
      ...(replay === undefined ? {} : { replay }),
    });
  }

  /** Market time never goes back over a restart: where it is now is kept every second. */
  #keepShown(clock: MarketClock): void {
    const keep = () => this.#data.keepShown(clock.now());
    keep();
    this.#shownTimer = setInterval(keep, 1_000);
  }

  async #venues(log: Ground['log'], clock: MarketClock) {
    const { source, replay } = this.#options;
    if (source === 'live') return liveVenues();
    const { nature, path } = this.#data;
    const venues = venuesService(
      {
        segments: () => clock.segments,
        seed: nature.seed ?? 1,
        games: nature.games,
        replay,
        folder: join(path, 'venues'),
        log: log('venues'),
      },
      this.#events,
    );
    if (!venues) throw new PlainFailure('local/venue_simulator/main.ts is missing: the checkout is not whole.');
    this.#tellVenues = venues.tell;
    await this.#bring(venues.service);
    const addresses = venues.addresses();
    return addresses;
  }

  /** The first turn of the jobs; market time waits for the readers; then the API answers, both feeds are up, and REST has prices. */
  async #untilReady(cluster: Cluster, clock: MarketClock): Promise<void> {
    const sql = connectOwner(cluster, this.#data);
    try {
      const [kick] = await sql<{ found: boolean }[]>`select to_regprocedure('jobs.kick()') is not null as found`;
      if (kick?.found) {
        await this.#kick(sql).catch((error: unknown) => this.#say(`jobs.kick() failed: ${errorText(error)}`));
      }
      const wait = {
        sql,
        baseUrl: this.baseUrl,
        patienceMs: this.#options.source === 'simulated' ? Number.POSITIVE_INFINITY : 20_000,
        given: () => this.#stopping,
        progress,
      };
      if (this.#options.source !== 'live') await untilRead(wait);
      // Before the books move: what they offer in the minutes that are played in quickly is an arb only with parity.
      await this.#past?.first();
      await clock.release(sql, this.#tellVenues);
      await untilPriced({ ...wait, calmFromMs: clock.calmFromMs });
    } finally {
      await sql.end({ timeout: 1 });
    }
    if (!this.#stopping) progress(`up after ${elapsed()}`);
  }

  /** Reads the venues now. Where each call takes one slice or one venue's listings, there is one for each. */
  async #kick(sql: Sql): Promise<void> {
    if (this.#options.hostedWallSeconds === undefined) await sql`select jobs.kick()`;
    else await sql`select jobs.kick() from price.settings s, generate_series(1, s.slices + 2)`;
  }

  /** Ends everything and leaves the data folder to the next. Safe to call twice, and while `start` still runs. */
  stop(): Promise<void> {
    this.#stopping = true;
    this.#leaving.abort();
    this.#stopped ??= this.#end();
    return this.#stopped;
  }

  async #end(): Promise<void> {
    clearInterval(this.#shownTimer);
    await this.#past?.stop();
    if (this.#clock && this.#options.source !== 'live') this.#data.keepShown(this.#clock.now());
    const services = this.#services.map((service) => service.stop());
    await Promise.all([...services, this.#hosted?.stop(), this.#gateway?.close().catch(() => {})]);
    await this.#postgres?.stop();
    await this.#reaper.finish();
    for (const handle of this.#logs) closeSync(handle);
    rmSync(this.#sockets, { recursive: true, force: true });
    if (folderAt(this.#options.port) === this.#data.path) unregister(this.#options.port);
    this.#data.release();
  }
}

function backendOf(name: string, { service, socketPath }: { service: Service; socketPath: string }): Backend {
  return { name, address: { socketPath }, untilUp: (milliseconds) => service.untilUp(milliseconds) };
}

/** A backend that has yet to be started: the gateway answers 503 for it, not 404. */
function comingUp(name: string, sockets: string): Backend {
  const address = { socketPath: join(sockets, 'not-yet') };
  return { name, address, untilUp: () => Promise.resolve(false) };
}

/** What everybody who looks must be told; empty with the real venues. */
function noticeFor({ source, replay }: StartOptions): string {
  if (source === 'simulated') return 'venues are SIMULATED: no price here is real. The real ones: npm start -- --live';
  if (source === 'replay')
    return `venues are SIMULATED: a recording is played (${replay}); its prices are of its own time.`;
  return '';
}
