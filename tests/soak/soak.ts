import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isComplete, readProgress } from '../../local/backtest/progress.ts';
import { allSeries } from '../../local/venue_simulator/universe/series.ts';
import type { VenueFees } from '../stack/recompute_opportunity.ts';
import { Simulator, untilFastForwardEnds } from '../stack/simulator.ts';
import { descendants, type ProcessRow, type RunningStack } from '../support/stack.ts';
import { holdsWithin } from '../support/wait_until.ts';
import { Campaign } from './attack/campaign.ts';
import { HangingReceivers } from './attack/hanging_receivers.ts';
import { LOOSE_BOUNDS, STRICT_BOUNDS } from './check/latency.ts';
import { collectGarbage } from './collector.ts';
import { CpuTimes } from './cpu.ts';
import { checkEnd } from './end_checks.ts';
import { FaultRounds } from './fault_rounds.ts';
import { Findings } from './findings.ts';
import { StackHealth } from './health.ts';
import { Listener } from './listener.ts';
import { McpCaller } from './load/mcp.ts';
import { ResponseLog } from './load/response_log.ts';
import { RestCaller } from './load/rest.ts';
import { SteadyLoad } from './load/steady.ts';
import { StreamFleet } from './load/stream_fleet.ts';
import { WebhookReceivers } from './load/webhooks.ts';
import { type SoakOptions, STRICT_MINUTES } from './options.ts';
import { Processes } from './processes.ts';
import { seededRandom } from './random.ts';
import type { Result } from './report/result.ts';
import { startStackUnderTest } from './stack_under_test.ts';
import { type Moment, momentOf } from './timeline.ts';
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
/** In a short run other tests may use the machine. */
const STRICT_RETRIES = { earlySeconds: 1, lateSeconds: 3 };
const LOOSE_RETRIES = { earlySeconds: 5, lateSeconds: 15 };
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

class Soak {
  readonly #options: SoakOptions;
  readonly #stack: RunningStack;
  readonly #receivers: WebhookReceivers;
  readonly #hanging: HangingReceivers;
  readonly #printLine: (line: string) => void;
  readonly #findings: Findings;
  readonly #moments: Moment[] = [];
  readonly #processes: Processes;
  readonly #loadEnd = new AbortController();
  readonly #responses: ResponseLog;
  readonly #cpu = new CpuTimes();
  #cpuSeconds: Record<string, number> = {};
  #rounds: FaultRounds | undefined;
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
    this.#responses = new ResponseLog(this.#findings, () => this.#rounds?.killedAt ?? 0);
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
    const health = new StackHealth(stack, () => this.#fleet, key);
    const findings = this.#findings;
    const rounds = this.#createRounds(simulator, health, key);
    this.#rounds = rounds;
    const campaign = await this.#createCampaign(wsUrl, simulator, markets, health, keyOf);
    this.#campaign = campaign;
    const startedAt = Date.now();
    this.#sampleTimer = setInterval(() => this.#takeSample(startedAt), 1_000);
    this.#collectTimer = setInterval(() => {
      if (!hasLatency(campaign.current?.kind)) void this.#collectGarbage();
    }, COLLECT_MS);
    const load = callers.map((caller) => caller.run(this.#loadEnd.signal));
    const { afterMs } = await health.recovered(Date.now() - 10_000);
    if (afterMs === null)
      findings.violate('recovery from each fault', 'the stack was not healthy before the first fault');
    const { attacks, atOnce, faults } = this.#options;
    for (const window of planWindows(minutes, attackKinds(attacks, atOnce), faults.length > 0)) {
      if (window.kind === 'faults') await rounds.run(window.ms, campaign.beginFaults(window.ms));
      else await campaign.run(window);
    }
    this.#loadEnd.abort();
    await Promise.all(load);
    const samples = [
      ...this.#steady.samples,
      ...(await this.#steady.frameSamples()),
      ...(await this.#steady.deliverySamples(this.#receivers, measured)),
    ];
    writeFileSync(join(this.#options.out, 'samples.json'), JSON.stringify(samples));
    this.#steady.end();
    const figures = attacks.length > 0 ? campaign.check(samples, this.#responses.failed, this.#moments) : [];
    this.#printLine('the load has ended; waiting for frames and deliveries');
    await checkEnd({
      ...{ sql: stack.sql, fleet: this.#fleet, listener, receivers: this.#receivers, processes: this.#processes },
      ...{ ledgers: callers.map(({ ledger }) => ledger), postgresKills: rounds.postgresKills, findings },
    });
    clearInterval(this.#sampleTimer);
    return {
      seed,
      minutes,
      clients,
      startedAt,
      endedAt: Date.now(),
      passed: findings.violated === 0,
      invariants: [...findings.invariants.values()],
      faults: rounds.marks,
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
    health: StackHealth,
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
      retrySlack: minutes >= STRICT_MINUTES ? STRICT_RETRIES : LOOSE_RETRIES,
      newWebhookKey: () => keyOf(`hanging ${organizations++}`, 'pro'),
      recover: (since) => health.recovered(since),
    });
  }

  #createRounds(simulator: Simulator, health: StackHealth, key: string): FaultRounds {
    const { faults, seed } = this.#options;
    return new FaultRounds({
      ...{ stack: this.#stack, simulator, health, findings: this.#findings, faults, key },
      ...{ random: seededRandom(seed), printLine: this.#printLine },
    });
  }

  async #createCallers(keyOf: (org: string, tier: string) => Promise<string>, fees: VenueFees) {
    const callers: (RestCaller | McpCaller)[] = [];
    for (const tier of TIERS) {
      for (const n of [1, 2]) {
        const org = `rest ${tier} ${n}`;
        const random = seededRandom(this.#options.seed + callers.length + 1);
        const shared = { base: this.#stack.baseUrl, org, random, responses: this.#responses, findings: this.#findings };
        const restarts = () => this.#rounds?.restarts ?? 0;
        callers.push(new RestCaller({ ...shared, key: await keyOf(org, tier), fees, restarts }));
      }
      const org = `mcp ${tier}`;
      const random = seededRandom(this.#options.seed + callers.length + 1);
      const shared = { base: this.#stack.baseUrl, org, random, responses: this.#responses, findings: this.#findings };
      callers.push(new McpCaller({ ...shared, key: await keyOf(org, tier) }));
    }
    return callers;
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
