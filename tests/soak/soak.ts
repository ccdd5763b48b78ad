import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isComplete, readProgress } from '../../local/backtest/progress.ts';
import { platformLimits } from '../../local/platform/limits/limits.ts';
import { allSeries } from '../../local/venue_simulator/universe/series.ts';
import type { VenueFees } from '../stack/recompute_opportunity.ts';
import { Simulator, untilFastForwardEnds } from '../stack/simulator.ts';
import { descendants, type ProcessRow, type RunningStack, startStack } from '../support/stack.ts';
import { holdsWithin, pause } from '../support/wait_until.ts';
import { Campaign } from './attack/campaign.ts';
import { HangingReceivers } from './attack/hanging_receivers.ts';
import { LOOSE_BOUNDS, STRICT_BOUNDS } from './check/latency.ts';
import { memoryGrowthError, memoryLimitError } from './check/memory.ts';
import { collectGarbage } from './collector.ts';
import { CpuTimes } from './cpu.ts';
import {
  checkCounts,
  checkDeliveries,
  checkLog,
  checkOpportunities,
  checkRetained,
  countUpdates,
  openDespiteClosedGate,
} from './database.ts';
import { type FaultName, inject } from './faults.ts';
import { Findings } from './findings.ts';
import { Listener } from './listener.ts';
import { McpCaller } from './load/mcp.ts';
import { ResponseLog } from './load/response_log.ts';
import { RestCaller } from './load/rest.ts';
import { SteadyLoad } from './load/steady.ts';
import { StreamFleet } from './load/stream_fleet.ts';
import { WebhookReceivers } from './load/webhooks.ts';
import { type SoakOptions, STRICT_MINUTES } from './options.ts';
import { checkPrices } from './prices.ts';
import { Processes } from './processes.ts';
import { seededRandom, shuffled } from './random.ts';
import type { Result } from './report/result.ts';
import { type FaultMark, type Moment, momentOf } from './timeline.ts';
import { attackKinds, hasLatency, planWindows } from './windows.ts';

const TIERS = ['free', 'basic', 'premium', 'pro'] as const;
/** The tiers of ten stream clients. Their frame rates differ by a factor of a hundred. */
const CLIENT_TIERS = [
  'free',
  'free',
  'free',
  'basic',
  'basic',
  'basic',
  'premium',
  'premium',
  'premium',
  'pro',
] as const;
/** The channel whose frames are measured. */
const STEADY_CHANNEL = 'markets:all';
/** REST delay in seconds. With the usual two minutes the effects of two faults would overlap. */
const REST_DELAY = 10;
/**
 * Time limit for the recovery from a fault, ms. A busy machine needs most of it to start a process.
 */
export const DEADLINE_MS = 90_000;
/** Pause between two faults, ms. The REST snapshot is then newer than the previous fault. */
const QUIET_MS = 14_000;
/** Time limit for the backtest before a long run, ms. */
const BACKTEST_MS = 15 * 60_000;
/**
 * Samples between two lists of the processes. This process waits for `ps`, which takes up to a
 * second on a busy machine, and the receivers of webhooks wait with it.
 */
const LIST_PROCESSES_EVERY = 5;
/**
 * Interval of the garbage collections that the soak requests from the functions and the gateway,
 * ms.
 */
const COLLECT_MS = 20_000;

/**
 * Runs the stack under load and faults and returns the findings. Throws when the stack does not
 * start.
 */
export async function soak(options: SoakOptions, printLine: (line: string) => void): Promise<Result> {
  mkdirSync(options.out, { recursive: true });
  const folder = join(options.out, 'data');
  rmSync(folder, { recursive: true, force: true });
  const receivers = await WebhookReceivers.open(options.out);
  const hanging = await HangingReceivers.open(receivers.ca);
  const stopping = new AbortController();
  let run: Soak | undefined;
  let stack: RunningStack | undefined;
  const cleanUp = async () => {
    run?.end();
    await stack?.stop();
    await receivers.receiver.close();
    hanging.end();
    rmSync(folder, { recursive: true, force: true });
  };
  // The stack is another process and would continue after the end of this one. A stack that is
  // still starting ends, and its start throws. The signal arrives twice, from the terminal and from
  // tsx. The second one must not end this process before the stack has ended.
  const stop = () => {
    if (stopping.signal.aborted) return;
    stopping.abort();
    if (stack) void cleanUp().then(() => process.exit(130));
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, stop);
  try {
    stack = await startStackUnderTest(
      options,
      [receivers.allowedHost, hanging.allowedHost],
      receivers.caFile,
      folder,
      stopping.signal,
    );
    run = new Soak(options, stack, receivers, hanging, printLine);
    return await run.execute();
  } finally {
    await cleanUp();
  }
}

function startStackUnderTest(
  options: SoakOptions,
  allowedHosts: readonly string[],
  caFile: string,
  folder: string,
  signal: AbortSignal,
): Promise<RunningStack> {
  return startStack({
    folder,
    signal,
    args: [
      ...['--games', String(options.games), '--inspect'],
      ...allowedHosts.flatMap((host) => ['--webhook-allow', host]),
      ...['--webhook-ca', caFile],
    ],
    env: { REST_DELAY_SECONDS: String(REST_DELAY), VENUE_TRAPS: 'none', DO_NOT_TRACK: '1' },
    readyWithinMs: 300_000,
    ...(options.port === undefined ? {} : { port: options.port }),
  });
}

class Soak {
  readonly #options: SoakOptions;
  readonly #stack: RunningStack;
  readonly #receivers: WebhookReceivers;
  readonly #hanging: HangingReceivers;
  readonly #printLine: (line: string) => void;
  readonly #findings: Findings;
  readonly #faults: FaultMark[] = [];
  readonly #moments: Moment[] = [];
  readonly #processes: Processes;
  readonly #loadEnd = new AbortController();
  readonly #responses: ResponseLog;
  readonly #random: () => number;
  readonly #postgresKills: number[] = [];
  /** Changes before and after each kill of Postgres: an answer between them may be lost. */
  #restarts = 0;
  readonly #cpu = new CpuTimes();
  #cpuSeconds: Record<string, number> = {};
  #killedAt = 0;
  #fleet: StreamFleet | undefined;
  #steady: SteadyLoad | undefined;
  #campaign: Campaign | undefined;
  #sampleTimer: NodeJS.Timeout | undefined;
  #collectTimer: NodeJS.Timeout | undefined;
  #processRows: ProcessRow[] = [];
  #lastSample = { at: Date.now(), frames: 0, deliveries: 0 };

  constructor(
    options: SoakOptions,
    stack: RunningStack,
    receivers: WebhookReceivers,
    hanging: HangingReceivers,
    printLine: (line: string) => void,
  ) {
    this.#options = options;
    this.#processes = new Processes(options.clients);
    this.#stack = stack;
    this.#receivers = receivers;
    this.#hanging = hanging;
    this.#printLine = printLine;
    this.#findings = new Findings(printLine);
    this.#responses = new ResponseLog(this.#findings, () => this.#killedAt);
    this.#random = seededRandom(options.seed);
  }

  end(): void {
    clearInterval(this.#sampleTimer);
    clearInterval(this.#collectTimer);
    this.#loadEnd.abort();
    this.#fleet?.end();
    this.#steady?.end();
    this.#campaign?.end();
  }

  async execute(): Promise<Result> {
    const { minutes, clients, seed } = this.#options;
    const stack = this.#stack;
    const simulator = new Simulator(stack);
    await untilFastForwardEnds(stack);
    if (minutes >= STRICT_MINUTES) await this.#untilBacktestEnds();
    // The leases of a killed isolate expire after 40 s. With the usual limits the clients would
    // only wait.
    await stack.sql`update account.tiers set stream_connections = 1000`;
    const base = stack.baseUrl;
    const keyOf = async (org: string, tier: string): Promise<string> => {
      const [row] = await stack.sql<{ key: string }[]>`select account.mint_key(${org}, ${tier}) as key`;
      return row?.key ?? '';
    };
    const callers = await this.#createCallers(keyOf, await feesOf(simulator));
    for (const [n, tier] of [...TIERS.slice(1), ...TIERS.slice(1)].entries())
      await this.#receivers.register(base, await keyOf(`webhooks ${tier} ${n}`, tier));
    const clientKeys: string[] = [];
    for (let n = 0; n < clients; n += 1) {
      const tier = CLIENT_TIERS[n % CLIENT_TIERS.length] ?? 'free';
      clientKeys.push(await keyOf(`fleet ${tier} ${Math.floor(n / 20)}`, tier));
    }
    const wsUrl = base.replace(/^http/, 'ws').replace(/api$/, 'stream');
    this.#fleet = new StreamFleet(this.#findings, base, wsUrl, clientKeys);
    const listener = new Listener(stack.sql, base, wsUrl, await keyOf('listener', 'basic'));
    await listener.start();
    const key = await keyOf('checks', 'pro');
    const measured = await this.#receivers.registerMeasured(base, await keyOf('measured webhooks', 'pro'));
    const markets = await this.#marketIds(key);
    this.#steady = new SteadyLoad(
      {
        ...{ base, wsUrl, markets, channel: STEADY_CHANNEL },
        keys: await Promise.all([1, 2, 3, 4].map((n) => keyOf(`measured rest ${n}`, n % 2 === 0 ? 'pro' : 'basic'))),
        mcpKeys: await Promise.all([1, 2].map((n) => keyOf(`measured mcp ${n}`, 'pro'))),
        streamKey: await keyOf('measured stream', 'basic'),
      },
      stack.sql,
      measured,
    );
    const campaign = await this.#createCampaign(wsUrl, simulator, markets, key, keyOf);
    this.#campaign = campaign;
    const startedAt = Date.now();
    this.#sampleTimer = setInterval(() => this.#takeSample(startedAt), 1_000);
    this.#collectTimer = setInterval(() => {
      if (!hasLatency(campaign.current?.kind)) void this.#collectGarbage();
    }, COLLECT_MS);
    const load = callers.map((caller) => caller.run(this.#loadEnd.signal));
    if (!(await holdsWithin(() => this.#isHealthy(key, Date.now() - 10_000), DEADLINE_MS))) {
      this.#findings.violate('recovery from each fault', 'the stack was not healthy before the first fault');
    }
    const { attacks, atOnce, faults } = this.#options;
    for (const window of planWindows(minutes, attackKinds(attacks, atOnce), faults.length > 0)) {
      if (window.kind === 'faults') await this.#runFaults(window.ms, simulator, key);
      else await campaign.run(window);
    }
    this.#loadEnd.abort();
    await Promise.all(load);
    const samples = [
      ...this.#steady.samples,
      ...(await this.#steady.frameSamples()),
      ...(await this.#steady.deliverySamples(this.#receivers, measured)),
    ];
    if (process.env.SOAK_SAMPLES) writeFileSync(process.env.SOAK_SAMPLES, JSON.stringify(samples));
    this.#steady.end();
    const figures = attacks.length > 0 ? campaign.check(samples, this.#responses.failed, this.#moments) : [];
    await this.#checkEnd(
      listener,
      callers.map(({ ledger }) => ledger),
    );
    clearInterval(this.#sampleTimer);
    return {
      seed,
      minutes,
      clients,
      startedAt,
      endedAt: Date.now(),
      passed: this.#findings.violated === 0,
      invariants: [...this.#findings.invariants.values()],
      faults: this.#faults,
      moments: this.#moments,
      windows: campaign.windows,
      isStrict: minutes >= STRICT_MINUTES,
      figures,
      attackers: Object.fromEntries(campaign.attackers.reports),
      statuses: Object.fromEntries(this.#responses.statuses),
      connections: this.#fleet.connections,
      frames: this.#fleet.frames,
      deliveries: this.#receivers.received,
    };
  }

  /**
   * The backtest reads the settled history once, after the first start, and uses a core for some
   * minutes. It would be in some of the windows and not in others.
   */
  async #untilBacktestEnds(): Promise<void> {
    this.#printLine('waiting for the end of the backtest');
    const hasEnded = async () => isComplete(await readProgress(this.#stack.sql));
    if (!(await holdsWithin(hasEnded, BACKTEST_MS))) this.#printLine('the backtest goes on during the run');
  }

  async #marketIds(key: string): Promise<string[]> {
    const { markets } = await this.#stack.get<{ markets: { id: string }[] }>('/v2/markets?limit=50', key);
    return markets.map(({ id }) => id);
  }

  async #createCampaign(
    wsUrl: string,
    simulator: Simulator,
    markets: string[],
    key: string,
    keyOf: (org: string, tier: string) => Promise<string>,
  ): Promise<Campaign> {
    const { minutes, attacks, seed } = this.#options;
    let organizations = 0;
    const freeKey = await keyOf('attacker', 'free');
    const command = { base: this.#stack.baseUrl, wsUrl, key: freeKey, markets, simulator: simulator.origin };
    return new Campaign({
      ...{ attacks, seed, command, sql: this.#stack.sql, hanging: this.#hanging, processes: this.#processes },
      ...{ findings: this.#findings, printLine: this.#printLine, collectGarbage: () => this.#collectGarbage() },
      bounds: minutes >= STRICT_MINUTES ? STRICT_BOUNDS : LOOSE_BOUNDS,
      retrySlackSeconds: minutes >= STRICT_MINUTES ? 3 : 15,
      newWebhookKey: () => keyOf(`hanging ${organizations++}`, 'pro'),
      recover: async (since) => {
        const hasRecovered = await holdsWithin(() => this.#isHealthy(key, since), DEADLINE_MS);
        return {
          afterMs: hasRecovered ? Date.now() - since : null,
          problem: hasRecovered ? '' : await this.#healthProblem(key, since),
        };
      },
    });
  }

  async #createCallers(keyOf: (org: string, tier: string) => Promise<string>, fees: VenueFees) {
    const callers: (RestCaller | McpCaller)[] = [];
    for (const tier of TIERS) {
      for (const n of [1, 2]) {
        const org = `rest ${tier} ${n}`;
        const random = seededRandom(this.#options.seed + callers.length + 1);
        const shared = { base: this.#stack.baseUrl, org, random, responses: this.#responses, findings: this.#findings };
        const restarts = () => this.#restarts;
        callers.push(new RestCaller({ ...shared, key: await keyOf(org, tier), fees, restarts }));
      }
      const org = `mcp ${tier}`;
      const random = seededRandom(this.#options.seed + callers.length + 1);
      const shared = { base: this.#stack.baseUrl, org, random, responses: this.#responses, findings: this.#findings };
      callers.push(new McpCaller({ ...shared, key: await keyOf(org, tier) }));
    }
    return callers;
  }

  /**
   * Injects one fault after another and checks the recovery. The seed gives each round its own
   * order.
   */
  async #runFaults(forMs: number, simulator: Simulator, key: string): Promise<void> {
    const from = Date.now();
    const end = from + forMs;
    this.#campaign?.windows.push({ kind: 'faults', from, to: end });
    while (Date.now() < end) {
      for (const name of shuffled(this.#options.faults, this.#random)) {
        if (Date.now() + QUIET_MS > end) break;
        await pause(QUIET_MS * (0.7 + 0.6 * this.#random()));
        await this.#runFault(name, simulator, key);
      }
      if (this.#options.faults.length === 0 || Date.now() + QUIET_MS > end) break;
    }
    await pause(Math.max(0, end - Date.now()));
  }

  async #runFault(name: FaultName, simulator: Simulator, key: string): Promise<void> {
    await this.#checkPrices(simulator, key);
    const retained = await countUpdates(this.#stack.sql);
    const mark: FaultMark = { name, at: Date.now(), recoveredAfterMs: null };
    this.#faults.push(mark);
    if (name.startsWith('kill')) this.#killedAt = mark.at;
    if (name === 'kill-postgres') {
      this.#postgresKills.push(mark.at);
      this.#restarts += 1;
    }
    this.#printLine(`fault: ${name}`);
    try {
      await inject(name, this.#stack, simulator, this.#random);
    } catch (error) {
      mark.missed = error instanceof Error ? error.message : String(error);
      this.#printLine(`${name}: ${mark.missed}`);
    }
    if (name === 'kill-postgres') this.#restarts += 1;
    const endedAt = Date.now();
    const hasRecovered = await holdsWithin(() => this.#isHealthy(key, endedAt), DEADLINE_MS);
    if (hasRecovered) mark.recoveredAfterMs = Date.now() - endedAt;
    const problem = hasRecovered ? '' : await this.#healthProblem(key, endedAt);
    const errors = hasRecovered ? [] : [`${name}: not healthy within ${DEADLINE_MS / 1000} s: ${problem}`];
    this.#findings.add('recovery from each fault', 1, errors);
    await checkRetained(this.#stack.sql, retained, name, this.#findings);
  }

  /** Only for a snapshot without a fault, because messages lost in a fault are in no price. */
  async #checkPrices(simulator: Simulator, key: string): Promise<void> {
    const last = this.#faults.at(-1);
    const attackedUntil = this.#campaign?.windows.findLast(({ kind }) => kind === 'after')?.to ?? 0;
    const from = Math.max(attackedUntil, last ? last.at + (last.recoveredAfterMs ?? 0) : 0) + 3_000;
    await checkPrices(this.#stack, simulator, key, from, this.#findings).catch((error: unknown) =>
      this.#printLine(`prices were not checked: ${error}`),
    );
  }

  async #isHealthy(key: string, since: number): Promise<boolean> {
    return (await this.#healthProblem(key, since)) === '';
  }

  /** Describes the first thing that does not work. Returns '' when all works. */
  async #healthProblem(key: string, since: number): Promise<string> {
    try {
      const signal = AbortSignal.timeout(5_000);
      const health = (await (await fetch(`${this.#stack.baseUrl}/health`, { signal })).json()) as { status: string };
      if (health.status !== 'ok') return `health is ${JSON.stringify(health)}`;
      await this.#stack.get('/v2/markets?limit=5', key);
      const [row] = await this.#stack.sql<{ fresh: boolean; priced: number; all: number }[]>`
        select max(priced_at) > clock.to_market_time(${new Date(since)}) as fresh,
               count(*) filter (where void_reason is null)::integer as priced, count(*)::integer as all
        from price.latest_updates`;
      if (!row?.fresh) return 'no new price update';
      if (row.priced < 0.8 * row.all) return `${row.priced} of ${row.all} pairs priced`;
      const { connected = 0, clients = 0 } = this.#fleet ?? {};
      return connected < 0.95 * clients ? `${connected} of ${clients} stream clients connected` : '';
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  }

  async #checkEnd(listener: Listener, ledgers: Parameters<typeof checkCounts>[1]): Promise<void> {
    const { sql } = this.#stack;
    const findings = this.#findings;
    this.#printLine('the load has ended; waiting for frames and deliveries');
    const tops = await sql<{ channel: string; top: string }[]>`
      select channel, last_offset as top from stream.channels where not starts_with(channel, 'org:')`;
    for (const { channel, top } of tops) {
      // No client has subscribed to the channel, or no frame was published since.
      if (this.#fleet?.reached(channel) === undefined) continue;
      const isComplete = await holdsWithin(async () => (this.#fleet?.reached(channel) ?? 0) >= Number(top), 60_000);
      const errors = isComplete ? [] : [`${channel}: a client is at ${this.#fleet?.reached(channel)}, not at ${top}`];
      findings.add('stream: every client received the last frame', this.#fleet?.clients ?? 0, errors);
    }
    for (const error of listener.client.errors) findings.violate('stream: each offset once, in order', error);
    await listener.check(findings);
    await checkLog(sql, findings);
    await this.#checkAfterPause(ledgers);
    for (const series of this.#processes.series.values()) {
      const growthError = memoryGrowthError(series);
      findings.add('memory is flat', 1, growthError ? [growthError] : []);
      if (series.name.startsWith('functions/')) {
        const limitError = memoryLimitError(series, platformLimits.memoryMb);
        findings.add('memory is below the platform’s limit', 1, limitError ? [limitError] : []);
      }
    }
  }

  /**
   * Checks what needs time after the load: jobs close opportunities, and deliveries are retried.
   */
  async #checkAfterPause(ledgers: Parameters<typeof checkCounts>[1]): Promise<void> {
    const { sql } = this.#stack;
    const findings = this.#findings;
    // Prices still cross thresholds. Stop new deliveries of these, so that the existing ones end.
    await sql`update webhook.endpoints set events = array['pair.created'], min_spread_pts = null`;
    const [now] = await sql<{ at: Date }[]>`select clock_timestamp() as at`;
    const open = await openDespiteClosedGate(sql);
    const outboxEmpty = holdsWithin(
      async () => (await sql`select from webhook.deliveries where state = 'waiting'`).length === 0,
      120_000,
    );
    await Promise.all([outboxEmpty, pause(15_000)]);
    const stillOpen = await openDespiteClosedGate(sql);
    findings.add(
      'opportunities: none open with a closed gate',
      1,
      [...open].filter((one) => stillOpen.has(one)),
    );
    await checkOpportunities(sql, findings);
    await checkCounts(sql, ledgers, this.#postgresKills, findings);
    await checkDeliveries(sql, this.#receivers, now?.at ?? new Date(), findings);
  }

  async #collectGarbage(): Promise<void> {
    const heaps = await collectGarbage(this.#stack.facts.inspectors ?? {});
    this.#processes.recordLiveHeaps(this.#stack.processes(), heaps, Date.now());
  }

  #takeSample(startedAt: number): void {
    const at = Date.now();
    const fleet = this.#fleet;
    if (!fleet) return;
    const [frames, deliveries] = [fleet.frames, this.#receivers.received];
    if (this.#moments.length % LIST_PROCESSES_EVERY === 0) {
      this.#processRows = descendants(process.pid);
      this.#cpuSeconds = this.#cpu.add(this.#processRows);
    }
    const moment = momentOf((at - this.#lastSample.at) / 1000, this.#responses.take(), fleet.takeLags(), {
      at,
      connected: fleet.connected,
      memory: this.#processes.sample(this.#processRows, at),
      cpu: this.#cpuSeconds,
      sockets: this.#processes.sockets(),
      frames: frames - this.#lastSample.frames,
      deliveries: deliveries - this.#lastSample.deliveries,
    });
    this.#lastSample = { at, frames, deliveries };
    this.#moments.push(moment);
    if (this.#moments.length % 5 !== 0) return;
    const { violated } = this.#findings;
    this.#printLine(
      `${Math.round((at - startedAt) / 1000)} s: ${moment.requests.toFixed(0)} requests/s (p99 ${moment.p99} ms), ` +
        `${moment.connected} clients, ${moment.frames.toFixed(0)} frames/s (lag ${moment.lag} ms), ` +
        `${deliveries} deliveries, ${violated === 0 ? 'no violation' : `${violated} VIOLATIONS`}`,
    );
  }
}

async function feesOf(simulator: Simulator): Promise<VenueFees> {
  const { now } = await simulator.get<{ now: number }>('time');
  const multipliers = new Map(allSeries(now).map(({ ticker, fields }) => [ticker, Number(fields.fee_multiplier)]));
  // Only sports pairs have all gates open. 0.05 is their rate.
  return { multiplier: (ticker) => multipliers.get(ticker.split('-')[0] ?? '') ?? Number.NaN, rate: () => 0.05 };
}
