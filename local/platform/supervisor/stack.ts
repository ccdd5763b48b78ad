import { closeSync, mkdtempSync, rmSync } from 'node:fs';
import { open as openInspector } from 'node:inspector';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { functionNames } from '../functions/worker.ts';
import { type Backend, Gateway, type GatewayOptions } from '../gateway/gateway.ts';
import { LimitedFunctions } from '../limits/limited_functions.ts';
import { platformLimits } from '../limits/limits.ts';
import { denoProgram, postgresNative, supabaseCommand } from '../postgres/binaries.ts';
import { type Cluster, databaseUrl, freePort } from '../postgres/postgres.ts';
import type { Sql } from '../postgres/template.ts';
import { errorText, UserError } from '../user_error.ts';
import { BacktestLoader } from './backtests.ts';
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
import { elapsed, lastOutput, openLog, printLine, progress } from './log.ts';
import { MarketClock } from './market_clock.ts';
import type { StartOptions } from './options.ts';
import { waitForListings, waitForPrices } from './readiness.ts';
import { Reaper } from './reaper.ts';
import { folderAt, register, unregister } from './registry.ts';
import type { Service, ServiceEvents } from './service.ts';
import {
  authService,
  functionEnvironment,
  functionService,
  jobsService,
  realtimeService,
  type ServiceContext,
} from './services.ts';
import { recordingSpan } from './timeline.ts';
import { liveVenues, venuesService } from './venues.ts';

/** Where inspectors are by custom: ours, then each function's. */
const FIRST_INSPECTOR_PORT = 9_229;

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
  #setVenueClock: Parameters<MarketClock['release']>[1] = () => {};
  #marketTimeTimer: NodeJS.Timeout | undefined;
  #backtests: BacktestLoader | undefined;
  #hosted: LimitedFunctions | undefined;
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
    this.#reaper = new Reaper(() => this.#printLine('reaper: died; another has taken its place'));
    this.#reaper.watch({ remove: this.#sockets });
  }

  readonly #events: ServiceEvents = {
    printLine: (line) => this.#printLine(line),
    changed: () => this.#updateReaper(),
  };

  #printLine(line: string): void {
    if (!this.#stopping) printLine(line);
  }

  #updateReaper(): void {
    const pids = [...this.#services.flatMap((service) => service.pid ?? []), ...(this.#hosted?.pids ?? [])];
    const postgres = this.#postgres?.pid;
    this.#reaper.watch({ pids, remove: this.#sockets, ...(postgres === undefined ? {} : { postgres }) });
  }

  /** Starts one service and says so in one line. */
  async #startServices(service: Service): Promise<void> {
    if (this.#stopping) return;
    this.#services.push(service);
    const words = await service.start().catch((error: unknown) => {
      const log = join(this.#data.path, 'logs');
      throw new UserError(`${errorText(error)}. Its log in ${log} says why${lastOutput(log, service.plan.name)}`);
    });
    this.#printLine(`${service.plan.name.padEnd(18)} ${words ?? 'up'}`);
  }

  async start(): Promise<void> {
    const { port, source } = this.#options;
    const data = this.#data;
    this.#settle();
    const notice = noticeFor(this.#options);
    if (this.#options.inspect) {
      this.#inspectors[supervisor] = await freePort(FIRST_INSPECTOR_PORT);
      openInspector(this.#inspectors[supervisor], '127.0.0.1');
    }

    // The door first: a taken port must be said before a minute of work, and requests meanwhile wait for their worker.
    const backends = new Map<string, Backend>();
    for (const name of functionNames()) backends.set(name, isStarting(`The function ${name}`, this.#sockets));
    const gatewayPlan: GatewayOptions = {
      port,
      functions: backends,
      auth: isStarting('Auth', this.#sockets),
      realtime: isStarting('Realtime', this.#sockets),
      dashboard: dashboardDist,
      notice,
      publishableKey: data.secrets.publishable,
    };
    this.#gateway = new Gateway(gatewayPlan);
    await this.#gateway.listen();
    this.#printLine(`gateway            http://127.0.0.1:${port}`);

    const dashboard = freshDashboard().then((words) =>
      this.#printLine(`dashboard          http://127.0.0.1:${port}/ (${words})`),
    );
    const clock = new MarketClock(this.#options, data.lastMarketTime());
    this.#clock = clock;
    if (notice) this.#printLine(notice);
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
    this.#printLine(`postgres           ${where}`);
    const migrations = await prepareDatabase(cluster, data, this.#leaving.signal);
    this.#printLine(`migrations         ${migrations}`);
    if (this.#stopping) return;

    const ground: ServiceContext = {
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
    this.#saveMarketTime(clock);

    const [auth, realtime] = [authService(ground), realtimeService(ground)];
    gatewayPlan.auth = backendOf('Auth', auth);
    gatewayPlan.realtime = backendOf('Realtime', realtime);
    const services = [auth.service, realtime.service, jobsService(ground)];
    const others = Promise.all(services.map((service) => this.#startServices(service)));
    const functions = venues.then(async (addresses) => {
      // Only simulated venues have a past that can be asked for. The simulator counts it from now on.
      if (source === 'simulated') {
        const { origin } = new URL(addresses.venue_a.rest);
        this.#backtests = new BacktestLoader(origin, () => connectOwner(cluster, data), this.#events.printLine);
      }
      const env = functionEnvironment(ground, this.#options, addresses);
      if (this.#options.hostedWallSeconds !== undefined) {
        this.#limited(ground, env, this.#options.hostedWallSeconds, gatewayPlan, backends);
        return;
      }
      await Promise.all(
        functionNames().map(async (name, place) => {
          const inspector = this.#options.inspect ? await freePort(FIRST_INSPECTOR_PORT + 1 + place) : undefined;
          if (inspector !== undefined) this.#inspectors[`functions/${name}`] = inspector;
          const worker = functionService(ground, name, env, inspector);
          backends.set(name, backendOf(`The function ${name}`, worker));
          return this.#startServices(worker.service);
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
    if (!this.#stopping) printLine(`ready ${this.baseUrl}`);
  }

  /** Each call in a worker of its own, under the platform's limits. */
  #limited(
    ground: ServiceContext,
    env: Record<string, string>,
    wallSeconds: number,
    plan: GatewayOptions,
    backends: Map<string, Backend>,
  ): void {
    if (this.#stopping) return;
    const hosted = new LimitedFunctions({
      limits: { ...platformLimits, wallSeconds },
      env,
      sockets: this.#sockets,
      log: ground.log('functions'),
      changed: () => this.#updateReaper(),
      printLine: (line) => this.#printLine(line),
    });
    this.#hosted = hosted;
    plan.limits = () => hosted.report();
    for (const name of functionNames()) {
      backends.set(name, hosted.backend(name));
      this.#printLine(
        `${`functions/${name}`.padEnd(18)} /functions/v1/${name} (a worker for each call, ${wallSeconds} s)`,
      );
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
  #saveMarketTime(clock: MarketClock): void {
    const keep = () => this.#data.saveMarketTime(clock.now());
    keep();
    this.#marketTimeTimer = setInterval(keep, 1_000);
  }

  async #venues(log: ServiceContext['log'], clock: MarketClock) {
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
    if (!venues) throw new UserError('local/venue_simulator/main.ts is missing: the checkout is not whole.');
    this.#setVenueClock = venues.tell;
    await this.#startServices(venues.service);
    const addresses = venues.addresses();
    return addresses;
  }

  /** The first turn of the jobs; market time waits for the readers; then the API answers, both feeds are up, and REST has prices. */
  async #untilReady(cluster: Cluster, clock: MarketClock): Promise<void> {
    const sql = connectOwner(cluster, this.#data);
    try {
      const [kick] = await sql<
        { found: boolean }[]
      >`select to_regprocedure('jobs.start_ingest()') is not null as found`;
      if (kick?.found) {
        await this.#callFunctions(sql).catch((error: unknown) =>
          this.#printLine(`jobs.start_ingest() failed: ${errorText(error)}`),
        );
      }
      const wait = {
        sql,
        baseUrl: this.baseUrl,
        patienceMs: this.#options.source === 'simulated' ? Number.POSITIVE_INFINITY : 20_000,
        given: () => this.#stopping,
        progress,
      };
      if (this.#options.source !== 'live') await waitForListings(wait);
      // Before the books move: what they offer in the minutes that are played in quickly is an arb only with parity.
      await this.#backtests?.first();
      await clock.release(sql, this.#setVenueClock);
      await waitForPrices({ ...wait, calmFromMs: clock.calmFromMs });
    } finally {
      await sql.end({ timeout: 1 });
    }
    if (!this.#stopping) progress(`up after ${elapsed()}`);
  }

  /** Reads the venues now. Where each call takes one slice or one venue's listings, there is one for each. */
  async #callFunctions(sql: Sql): Promise<void> {
    if (this.#options.hostedWallSeconds === undefined) await sql`select jobs.start_ingest()`;
    else await sql`select jobs.start_ingest() from price.settings s, generate_series(1, s.shards + 2)`;
  }

  /** Ends everything and leaves the data folder to the next. Safe to call twice, and while `start` still runs. */
  stop(): Promise<void> {
    this.#stopping = true;
    this.#leaving.abort();
    this.#stopped ??= this.#stopAll();
    return this.#stopped;
  }

  async #stopAll(): Promise<void> {
    clearInterval(this.#marketTimeTimer);
    await this.#backtests?.stop();
    if (this.#clock && this.#options.source !== 'live') this.#data.saveMarketTime(this.#clock.now());
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
function isStarting(name: string, sockets: string): Backend {
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
