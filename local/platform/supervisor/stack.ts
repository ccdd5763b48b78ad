import { mkdtempSync, rmSync } from 'node:fs';
import { open as openInspector } from 'node:inspector';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { requireAuthBinary } from '../auth/gotrue/binary.ts';
import { environmentOf } from '../functions/environment.ts';
import { HOSTED_DENO_VERSION, hostedDeno } from '../functions/hosted_deno.ts';
import { functionNames } from '../functions/worker.ts';
import { type Backend, Gateway, type GatewayOptions } from '../gateway/gateway.ts';
import { Inbox, inboxUrl } from '../gateway/inbox.ts';
import { LimitedFunctions } from '../limits/limited_functions.ts';
import { platformLimits } from '../limits/limits.ts';
import { denoProgram, postgresNative, supabaseCommand } from '../postgres/binaries.ts';
import { type Cluster, databaseUrl, freePort, serverLog } from '../postgres/postgres.ts';
import type { Sql } from '../postgres/template.ts';
import { errorText, UserError } from '../user_error.ts';
import { BacktestLines } from './backtest_lines.ts';
import { type CarrierPrograms, CentrifugoCluster, findCarrierPrograms } from './carrier.ts';
import { buildDashboardIfStale, dashboardDist } from './dashboard.ts';
import { DataFolder, SUPERVISOR_NAME } from './data_folder.ts';
import {
  connectOwner,
  DATABASE_NAME,
  deploySettings,
  postgresService,
  prepareCluster,
  prepareDatabase,
} from './database.ts';
import { DiskSpace } from './disk_space.ts';
import { elapsed, lastOutput, logPath, printLine, progress } from './log.ts';
import { LogFile } from './log_file.ts';
import { MarketClock } from './market_clock.ts';
import { noticeOf, type StartOptions } from './options.ts';
import { waitForListings, waitForParity, waitForPrices } from './readiness.ts';
import { Reaper } from './reaper.ts';
import { folderAt, register, unregister } from './registry.ts';
import type { Service, ServiceEvents } from './service.ts';
import {
  authService,
  backendOf,
  functionEnvironment,
  functionService,
  isStarting,
  jobsService,
  realtimeService,
  type ServiceContext,
} from './services.ts';
import { SupabaseAuth } from './supabase_auth.ts';
import { recordingSpan } from './timeline.ts';
import { liveVenues } from './venue_addresses.ts';
import { venuesService } from './venues.ts';

/** The usual inspector port: the supervisor's, then one per function. */
const FIRST_INSPECTOR_PORT = 9_229;

/**
 * All processes of `npm start`. `start` resolves when the stack is ready; `stop` ends everything,
 * also during a start.
 */
export class Stack {
  readonly #options: StartOptions;
  readonly #carrierPrograms: CarrierPrograms | undefined;
  readonly #data: DataFolder;
  readonly #sockets: string;
  readonly #reaper: Reaper;
  readonly #disk: DiskSpace;
  readonly #logs = new Map<string, LogFile>();
  readonly #services: Service[] = [];
  readonly #inspectors: Record<string, number> = {};
  #postgres: Service | undefined;
  #gateway: Gateway | undefined;
  #clock: MarketClock | undefined;
  #setVenueClock: Parameters<MarketClock['release']>[1] = () => {};
  #marketTimeTimer: NodeJS.Timeout | undefined;
  #backtestLines: BacktestLines | undefined;
  #limitedFunctions: LimitedFunctions | undefined;
  #supabaseAuth: SupabaseAuth | undefined;
  #stopped: Promise<void> | undefined;
  #isStopping = false;
  readonly #abort = new AbortController();

  constructor(options: StartOptions) {
    this.#options = options;
    // Checked before anything is created: a missing program or an invalid recording must not leave
    // a data folder behind.
    postgresNative();
    denoProgram();
    supabaseCommand();
    if (options.replay) recordingSpan(options.replay);
    if (options.auth === 'gotrue') requireAuthBinary();
    this.#carrierPrograms = findCarrierPrograms(options.carrier, printLine);
    this.#data = DataFolder.open(options.folder);
    this.#disk = new DiskSpace(options.folder, (line) => this.#printLine(line));
    this.#sockets = mkdtempSync(join(tmpdir(), 'parallax-'));
    this.#reaper = new Reaper(() => this.#printLine('reaper: died; restarted'));
    this.#reaper.watch({ remove: this.#sockets });
  }

  readonly #events: ServiceEvents = {
    printLine: (line) => this.#printLine(line),
    changed: () => this.#updateReaper(),
  };

  #printLine(line: string): void {
    if (!this.#isStopping) printLine(line);
  }

  #updateReaper(): void {
    const pids = [...this.#services.flatMap((service) => service.pid ?? []), ...(this.#limitedFunctions?.pids ?? [])];
    const postgres = this.#postgres?.pid;
    this.#reaper.watch({ pids, remove: this.#sockets, ...(postgres === undefined ? {} : { postgres }) });
  }

  /** Starts one service and prints one line. */
  async #startService(service: Service): Promise<void> {
    if (this.#isStopping) return;
    this.#services.push(service);
    const text = await service.start().catch((error: unknown) => {
      const log = join(this.#data.path, 'logs');
      throw new UserError(`${errorText(error)}. See its log in ${log}${lastOutput(log, service.plan.name)}`);
    });
    this.#printLine(`${service.plan.name.padEnd(18)} ${text ?? 'up'}`);
  }

  async start(): Promise<void> {
    const { port, source } = this.#options;
    const data = this.#data;
    this.#recordUniverse();
    data.recordAuth(this.#options.auth);
    const notice = noticeOf(this.#options);
    if (this.#options.inspect) {
      this.#inspectors[SUPERVISOR_NAME] = await freePort(FIRST_INSPECTOR_PORT);
      openInspector(this.#inspectors[SUPERVISOR_NAME], '127.0.0.1');
    }

    // The gateway starts first: a port in use is reported at once, and requests wait for their
    // worker.
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
      inbox: new Inbox(),
    };
    this.#gateway = new Gateway(gatewayPlan);
    await this.#gateway.listen();
    this.#printLine(`gateway            http://127.0.0.1:${port}`);

    const dashboard = buildDashboardIfStale().then((state) =>
      this.#printLine(`dashboard          http://127.0.0.1:${port}/ (${state})`),
    );
    const clock = new MarketClock(this.#options, data.lastMarketTime());
    this.#clock = clock;
    if (notice) this.#printLine(notice);
    const log = (name: string) => this.#log(logPath(join(data.path, 'logs'), name));
    // The venues do not use the database, so both start at the same time, each on one core.
    const venues = this.#venues(log, clock);
    venues.catch(() => {});

    const carrier = this.#carrierPrograms && (await CentrifugoCluster.prepare(this.#carrierPrograms, data, port));
    const cluster = await prepareCluster(data, port + 1, carrier?.connections);
    // Nothing runs between this check and the spawn. A process that started after `stop` would
    // never be ended.
    if (this.#isStopping) return;
    const server = postgresService(cluster, this.#log(serverLog(cluster.folder)), this.#events);
    this.#postgres = server;
    const where = await server.start();
    this.#printLine(`postgres           ${where}`);
    if (this.#options.auth === 'gotrue') {
      this.#supabaseAuth = await SupabaseAuth.prepare(data, `http://127.0.0.1:${port}`, this.#events.printLine);
    }
    const migrations = await prepareDatabase(cluster, data, this.#abort.signal, this.#supabaseAuth);
    this.#printLine(`migrations         ${migrations}`);
    if (this.#isStopping) return;

    const context: ServiceContext = {
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
      webhookInbox: inboxUrl(port),
      segments: clock.segments,
      carrier: this.#carrierPrograms?.broker ?? 'embedded',
    });
    this.#saveMarketTime(clock);

    const realtime = realtimeService(context, this.#supabaseAuth?.jwks);
    gatewayPlan.realtime = backendOf('Realtime', realtime);
    const services = [...this.#authServices(context, gatewayPlan), realtime.service, jobsService(context)];
    const others = Promise.all(services.map((service) => this.#startService(service)));
    // The nodes create the tables into which the functions publish.
    const carried = carrier?.start(context, backends, (service) => this.#startService(service));
    const names = functionNames().filter((name) => name !== 'stream' || !carrier);
    const functions = Promise.all([venues, carried]).then(async ([addresses]) => {
      const env = { ...functionEnvironment(context, this.#options, addresses), ...carrier?.environment };
      if (this.#options.hostedWallSeconds !== undefined) {
        this.#startLimited(context, env, this.#options.hostedWallSeconds, gatewayPlan, backends);
        return;
      }
      await Promise.all(
        names.map(async (name, place) => {
          const inspector = this.#options.inspect ? await freePort(FIRST_INSPECTOR_PORT + 1 + place) : undefined;
          if (inspector !== undefined) this.#inspectors[`functions/${name}`] = inspector;
          const worker = functionService(context, name, env, inspector);
          backends.set(name, backendOf(`The function ${name}`, worker));
          return this.#startService(worker.service);
        }),
      );
    });
    await Promise.all([others, functions, dashboard]);
    if (this.#isStopping) return;

    data.publish({
      pid: process.pid,
      port,
      base_url: this.baseUrl,
      database_url: databaseUrl(cluster.port, 'postgres', data.secrets.postgres, DATABASE_NAME),
      source,
      venues: await venues,
      started_at: new Date().toISOString(),
      carrier: carrier?.facts ?? { kind: 'embedded', nodes: [] },
      ...(this.#options.inspect ? { inspectors: this.#inspectors } : {}),
    });
    register(port, data.path);
    if (backends.has('api')) await this.#untilReady(cluster, clock);
    if (this.#isStopping) return;
    printLine(`ready ${this.baseUrl}`);
    // A recording has no settled history.
    if (source === 'replay') return;
    this.#backtestLines = new BacktestLines(() => connectOwner(cluster, data), this.#events.printLine);
    this.#backtestLines.start();
  }

  /** The processes of Auth and REST, which `plan` then forwards to. */
  #authServices(context: ServiceContext, plan: GatewayOptions): Service[] {
    if (!this.#supabaseAuth) {
      const both = authService(context);
      plan.auth = backendOf('Auth', both);
      return [both.service];
    }
    const { auth, rest, backends } = this.#supabaseAuth.services(context, DATABASE_NAME);
    Object.assign(plan, backends);
    return [auth, rest];
  }

  /** Runs each call in its own worker under the platform's limits. */
  #startLimited(
    context: ServiceContext,
    env: Record<string, string>,
    wallSeconds: number,
    plan: GatewayOptions,
    backends: Map<string, Backend>,
  ): void {
    if (this.#isStopping) return;
    const hosted = new LimitedFunctions({
      limits: { ...platformLimits, wallSeconds },
      env: (name) => environmentOf(name, env),
      sockets: this.#sockets,
      log: context.log('functions'),
      changed: () => this.#updateReaper(),
      printLine: (line) => this.#printLine(line),
    });
    this.#limitedFunctions = hosted;
    plan.limits = () => hosted.report();
    const deno = hostedDeno() ? `Deno ${HOSTED_DENO_VERSION}` : 'the installed Deno';
    for (const name of functionNames()) {
      backends.set(name, hosted.backend(name));
      this.#printLine(
        `${`functions/${name}`.padEnd(18)} /functions/v1/${name} (a worker for each call, ${wallSeconds} s, ${deno})`,
      );
    }
  }

  get baseUrl(): string {
    return `http://127.0.0.1:${this.#options.port}/functions/v1/api`;
  }

  /** A data folder contains one universe. */
  #recordUniverse(): void {
    const { source, seed, games, replay } = this.#options;
    const first = this.#data.info.source === undefined;
    this.#data.recordUniverse({
      source,
      ...(source === 'simulated' ? { seed: seed ?? (first ? 1 : undefined), games } : {}),
      ...(replay === undefined ? {} : { replay }),
    });
  }

  /** Saves market time every second, so that it never goes back over a restart. */
  #saveMarketTime(clock: MarketClock): void {
    const keep = () => this.#disk.attemptFile(() => this.#data.saveMarketTime(clock.now()));
    keep();
    this.#marketTimeTimer = setInterval(keep, 1_000);
  }

  /** A log file. A service that is restarted continues its own. */
  #log(path: string): LogFile {
    const file = this.#logs.get(path) ?? new LogFile(path, this.#disk);
    this.#logs.set(path, file);
    return file;
  }

  async #venues(log: ServiceContext['log'], clock: MarketClock) {
    const { source, replay } = this.#options;
    if (source === 'live') return liveVenues();
    const { info, path } = this.#data;
    const venues = venuesService(
      {
        segments: () => clock.segments,
        seed: info.seed ?? 1,
        games: info.games,
        replay,
        folder: join(path, 'venues'),
        log: log('venues'),
      },
      this.#events,
    );
    if (!venues) throw new UserError('local/venue_simulator/main.ts is missing. The checkout is incomplete.');
    this.#setVenueClock = venues.setClock;
    await this.#startService(venues.service);
    const addresses = venues.addresses();
    return addresses;
  }

  /**
   * Starts the functions, waits for the listings, releases market time, and waits until the API
   * responds, both feeds are up, and REST has prices.
   */
  async #untilReady(cluster: Cluster, clock: MarketClock): Promise<void> {
    const sql = connectOwner(cluster, this.#data);
    try {
      const [ingest] = await sql<
        { found: boolean }[]
      >`select to_regprocedure('jobs.start_ingest()') is not null as found`;
      if (ingest?.found) {
        await this.#callFunctions(sql).catch((error: unknown) =>
          this.#printLine(`jobs.start_ingest() failed: ${errorText(error)}`),
        );
      }
      const wait = {
        sql,
        baseUrl: this.baseUrl,
        timeoutMs: this.#options.source === 'simulated' ? Number.POSITIVE_INFINITY : 20_000,
        isCancelled: () => this.#isStopping,
        progress,
      };
      if (this.#options.source !== 'live') await waitForListings(wait);
      // Before market time moves: REST is two minutes late, so an opportunity of the first minutes
      // must open during the fast-forward, and that needs parity.
      if (this.#options.source === 'simulated') await waitForParity(wait);
      await clock.release(sql, this.#setVenueClock);
      await waitForPrices({ ...wait, normalSpeedFromMs: clock.normalSpeedFromMs });
    } finally {
      await sql.end({ timeout: 1 });
    }
    if (!this.#isStopping) progress(`up after ${elapsed()}`);
  }

  /**
   * Starts the ingest function. With one shard or one venue's listings per call, it makes one call
   * for each.
   */
  async #callFunctions(sql: Sql): Promise<void> {
    if (this.#options.hostedWallSeconds === undefined) await sql`select jobs.start_ingest()`;
    else await sql`select jobs.start_ingest() from price.settings s, generate_series(1, s.shards + 2)`;
  }

  /** Ends everything and releases the data folder. Safe to call twice, and during `start`. */
  stop(): Promise<void> {
    this.#isStopping = true;
    this.#abort.abort();
    this.#stopped ??= this.#stopAll();
    return this.#stopped;
  }

  async #stopAll(): Promise<void> {
    clearInterval(this.#marketTimeTimer);
    await this.#backtestLines?.stop();
    const clock = this.#clock;
    if (clock && this.#options.source !== 'live') this.#disk.attempt(() => this.#data.saveMarketTime(clock.now()));
    const services = this.#services.map((service) => service.stop());
    await Promise.all([...services, this.#limitedFunctions?.stop(), this.#gateway?.close().catch(() => {})]);
    await this.#supabaseAuth?.stop();
    await this.#postgres?.stop();
    await this.#reaper.finish();
    for (const file of this.#logs.values()) file.close();
    rmSync(this.#sockets, { recursive: true, force: true });
    if (folderAt(this.#options.port) === this.#data.path) unregister(this.#options.port);
    this.#data.release();
  }
}
