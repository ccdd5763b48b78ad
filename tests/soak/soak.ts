import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { platformLimits } from '../../local/platform/limits/limits.ts';
import { allSeries } from '../../local/venue_simulator/universe/series.ts';
import type { Charged } from '../stack/recomputed.ts';
import { Simulator, untilCalm } from '../stack/simulator.ts';
import { type RunningStack, startStack } from '../support/stack.ts';
import { holdsWithin, pause } from '../support/wait_until.ts';
import { beyondLimit, growthOf } from './check/memory.ts';
import { collect } from './collector.ts';
import {
  checkCounts,
  checkDeliveries,
  checkKept,
  checkLog,
  checkWindows,
  framesNow,
  openOverClosed,
} from './database.ts';
import { type FaultName, inject } from './faults.ts';
import { Findings } from './findings.ts';
import { Listener } from './listener.ts';
import { McpCaller } from './load/mcp.ts';
import { Answers } from './load/response_log.ts';
import { RestCaller } from './load/rest.ts';
import { Crowds } from './load/stream_fleet.ts';
import { Hooks } from './load/webhooks.ts';
import type { SoakOptions } from './options.ts';
import { checkPrices } from './prices.ts';
import { Processes } from './processes.ts';
import { seeded, shuffled } from './random.ts';
import type { Result } from './report/result.ts';
import { type FaultMark, type Moment, momentOf } from './timeline.ts';

const tiers = ['free', 'basic', 'premium', 'pro'] as const;
/** Of ten stream clients: what each tier hears differs a hundredfold. */
const crowd = ['free', 'free', 'free', 'basic', 'basic', 'basic', 'premium', 'premium', 'premium', 'pro'] as const;
/** How far REST lags behind here, s: with two minutes a fault could not be told from the one before it. */
const restDelay = 10;
/** After a fault everything works again within this, ms; a machine with other load takes most of it to start a process. */
export const wellWithinMs = 90_000;
/** Quiet between two faults, ms: what REST shows comes from after the one before the next is sprung. */
const quietMs = 14_000;
/** How often functions and the gateway are made to collect their garbage, for their memory to be judged, ms. */
const collectMs = 20_000;

/** The whole run: the stack, the load, the faults, and what was found. Throws only where nothing could be tried. */
export async function soak(options: SoakOptions, say: (line: string) => void): Promise<Result> {
  mkdirSync(options.out, { recursive: true });
  const folder = join(options.out, 'data');
  rmSync(folder, { recursive: true, force: true });
  const hooks = await Hooks.open(options.out);
  const leaving = new AbortController();
  let run: Soak | undefined;
  let stack: RunningStack | undefined;
  const clear = async () => {
    run?.end();
    await stack?.stop();
    await hooks.receiver.close();
    rmSync(folder, { recursive: true, force: true });
  };
  // The stack is a process of its own and would go on without us. One that is still starting ends, and its start throws.
  // A terminal tells the whole group, and tsx passes it on: the second word must not end us before the stack has.
  const leave = () => {
    if (leaving.signal.aborted) return;
    leaving.abort();
    if (stack) void clear().then(() => process.exit(130));
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, leave);
  try {
    stack = await startSoaked(options, hooks, folder, leaving.signal);
    run = new Soak(options, stack, hooks, say);
    return await run.all();
  } finally {
    await clear();
  }
}

function startSoaked(options: SoakOptions, hooks: Hooks, folder: string, signal: AbortSignal): Promise<RunningStack> {
  return startStack({
    folder,
    signal,
    args: [
      ...['--games', String(options.games), '--inspect'],
      ...['--webhook-allow', hooks.allowed, '--webhook-ca', hooks.caFile],
    ],
    env: { REST_DELAY_SECONDS: String(restDelay), VENUE_TRAPS: 'none', DO_NOT_TRACK: '1' },
    readyWithinMs: 300_000,
    ...(options.port === undefined ? {} : { port: options.port }),
  });
}

class Soak {
  readonly #options: SoakOptions;
  readonly #stack: RunningStack;
  readonly #hooks: Hooks;
  readonly #say: (line: string) => void;
  readonly #findings: Findings;
  readonly #faults: FaultMark[] = [];
  readonly #moments: Moment[] = [];
  readonly #processes: Processes;
  readonly #ends = new AbortController();
  readonly #answers: Answers;
  readonly #random: () => number;
  readonly #deaths: number[] = [];
  #killedAt = 0;
  #crowds: Crowds | undefined;
  #watch: NodeJS.Timeout | undefined;
  #collecting: NodeJS.Timeout | undefined;
  #taken = { at: Date.now(), frames: 0, deliveries: 0 };

  constructor(options: SoakOptions, stack: RunningStack, hooks: Hooks, say: (line: string) => void) {
    this.#options = options;
    this.#processes = new Processes(options.clients);
    this.#stack = stack;
    this.#hooks = hooks;
    this.#say = say;
    this.#findings = new Findings(say);
    this.#answers = new Answers(this.#findings, () => this.#killedAt);
    this.#random = seeded(options.seed);
  }

  end(): void {
    clearInterval(this.#watch);
    clearInterval(this.#collecting);
    this.#ends.abort();
    this.#crowds?.end();
  }

  async all(): Promise<Result> {
    const { minutes, clients, seed } = this.#options;
    const stack = this.#stack;
    const simulator = new Simulator(stack);
    await untilCalm(stack);
    // A killed isolate's leases end after 40 s; customers with one connection each are not what is tried here.
    await stack.sql`update account.tiers set stream_connections = 1000`;
    const base = stack.baseUrl;
    const keyOf = async (org: string, tier: string): Promise<string> => {
      const [row] = await stack.sql<{ key: string }[]>`select account.mint_key(${org}, ${tier}) as key`;
      return row?.key ?? '';
    };
    const callers = await this.#callers(keyOf, await chargedBy(simulator));
    for (const [n, tier] of [...tiers.slice(1), ...tiers.slice(1)].entries())
      await this.#hooks.register(base, await keyOf(`hooks ${tier} ${n}`, tier));
    const crowdKeys: string[] = [];
    for (let n = 0; n < clients; n += 1) {
      const tier = crowd[n % crowd.length] ?? 'free';
      crowdKeys.push(await keyOf(`crowd ${tier} ${Math.floor(n / 20)}`, tier));
    }
    const wsUrl = base.replace(/^http/, 'ws').replace(/api$/, 'stream');
    this.#crowds = new Crowds(this.#findings, base, wsUrl, crowdKeys);
    const listener = new Listener(stack.sql, base, wsUrl, await keyOf('listener', 'basic'));
    await listener.begin();
    const key = await keyOf('checks', 'pro');
    const began = Date.now();
    this.#watch = setInterval(() => this.#look(began), 1_000);
    this.#collecting = setInterval(() => void this.#collect(), collectMs);
    const load = callers.map((caller) => caller.run(this.#ends.signal));
    if (!(await holdsWithin(() => this.#isWell(key, Date.now() - 10_000), wellWithinMs))) {
      this.#findings.violate('well again after each fault', 'it was not well before the first');
    }
    await this.#faultsUntil(began + minutes * 60_000, simulator, key);
    this.#ends.abort();
    await Promise.all(load);
    await this.#checkEnd(
      listener,
      callers.map(({ ledger }) => ledger),
    );
    clearInterval(this.#watch);
    return {
      seed,
      minutes,
      clients,
      began,
      ended: Date.now(),
      passed: this.#findings.violated === 0,
      invariants: [...this.#findings.invariants.values()],
      faults: this.#faults,
      moments: this.#moments,
      statuses: Object.fromEntries(this.#answers.statuses),
      connections: this.#crowds.connections,
      frames: this.#crowds.frames,
      deliveries: this.#hooks.received,
    };
  }

  async #callers(keyOf: (org: string, tier: string) => Promise<string>, charged: Charged) {
    const all: (RestCaller | McpCaller)[] = [];
    for (const tier of tiers) {
      for (const n of [1, 2]) {
        const org = `rest ${tier} ${n}`;
        const random = seeded(this.#options.seed + all.length + 1);
        const own = { base: this.#stack.baseUrl, org, random, answers: this.#answers, findings: this.#findings };
        const restarts = () => this.#deaths.length;
        all.push(new RestCaller({ ...own, key: await keyOf(org, tier), charged, restarts }));
      }
      const org = `mcp ${tier}`;
      const random = seeded(this.#options.seed + all.length + 1);
      const own = { base: this.#stack.baseUrl, org, random, answers: this.#answers, findings: this.#findings };
      all.push(new McpCaller({ ...own, key: await keyOf(org, tier) }));
    }
    return all;
  }

  /** One fault after another, in an order that the seed draws anew for each turn, each followed by what must hold after it. */
  async #faultsUntil(end: number, simulator: Simulator, key: string): Promise<void> {
    while (Date.now() < end) {
      for (const name of shuffled(this.#options.faults, this.#random)) {
        if (Date.now() + quietMs > end) break;
        await pause(quietMs * (0.7 + 0.6 * this.#random()));
        await this.#fault(name, simulator, key);
      }
      if (this.#options.faults.length === 0 || Date.now() + quietMs > end) break;
    }
    await pause(Math.max(0, end - Date.now()));
  }

  async #fault(name: FaultName, simulator: Simulator, key: string): Promise<void> {
    await this.#checkPrices(simulator, key);
    const kept = await framesNow(this.#stack.sql);
    const mark: FaultMark = { name, at: Date.now(), wellAfterMs: null };
    this.#faults.push(mark);
    if (name.startsWith('kill')) this.#killedAt = mark.at;
    if (name === 'kill-postgres') this.#deaths.push(mark.at);
    this.#say(`fault: ${name}`);
    try {
      await inject(name, this.#stack, simulator, this.#random);
    } catch (error) {
      mark.missed = error instanceof Error ? error.message : String(error);
      this.#say(`${name}: ${mark.missed}`);
    }
    const over = Date.now();
    const well = await holdsWithin(() => this.#isWell(key, over), wellWithinMs);
    if (well) mark.wellAfterMs = Date.now() - over;
    const late = well ? [] : [`${name}: not well within ${wellWithinMs / 1000} s: ${await this.#whatAils(key, over)}`];
    this.#findings.add('well again after each fault', 1, late);
    await checkKept(this.#stack.sql, kept, name, this.#findings);
  }

  /** Only of a snapshot in which no fault is: what a venue did not say nobody can show. */
  async #checkPrices(simulator: Simulator, key: string): Promise<void> {
    const last = this.#faults.at(-1);
    const from = last ? last.at + (last.wellAfterMs ?? 0) + 3_000 : 0;
    await checkPrices(this.#stack, simulator, key, from, this.#findings).catch((error: unknown) =>
      this.#say(`prices could not be looked at: ${error}`),
    );
  }

  async #isWell(key: string, since: number): Promise<boolean> {
    return (await this.#whatAils(key, since)) === '';
  }

  /** What does not work, or ''. */
  async #whatAils(key: string, since: number): Promise<string> {
    try {
      const signal = AbortSignal.timeout(5_000);
      const health = (await (await fetch(`${this.#stack.baseUrl}/health`, { signal })).json()) as { status: string };
      if (health.status !== 'ok') return `health is ${JSON.stringify(health)}`;
      await this.#stack.get('/v2/markets?limit=5', key);
      const [row] = await this.#stack.sql<{ fresh: boolean; priced: number; all: number }[]>`
        select max(priced_at) > clock.to_market_time(${new Date(since)}) as fresh,
               count(*) filter (where void_reason is null)::integer as priced, count(*)::integer as all
        from price.latest_updates`;
      if (!row?.fresh) return 'no fresh frame';
      if (row.priced < 0.8 * row.all) return `${row.priced} of ${row.all} pairs priced`;
      const { connected = 0, clients = 0 } = this.#crowds ?? {};
      return connected < 0.95 * clients ? `${connected} of ${clients} stream clients connected` : '';
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  }

  async #checkEnd(listener: Listener, ledgers: Parameters<typeof checkCounts>[1]): Promise<void> {
    const { sql } = this.#stack;
    const findings = this.#findings;
    this.#say('the load has ended; what is under way comes to its end');
    const tops = await sql<{ channel: string; top: string }[]>`
      select channel, last_offset as top from stream.channels where not starts_with(channel, 'org:')`;
    for (const { channel, top } of tops) {
      // A channel that nobody hears, or that has said nothing since everybody came.
      if (this.#crowds?.reached(channel) === undefined) continue;
      const heard = await holdsWithin(async () => (this.#crowds?.reached(channel) ?? 0) >= Number(top), 60_000);
      const wrong = heard ? [] : [`${channel}: one stands at ${this.#crowds?.reached(channel)}, not at ${top}`];
      findings.add('stream: every client heard the last', this.#crowds?.clients ?? 0, wrong);
    }
    for (const wrong of listener.client.wrong) findings.violate('stream: each offset once, in order', wrong);
    await listener.check(findings);
    await checkLog(sql, findings);
    await this.#checkAfterRest(ledgers);
    for (const life of this.#processes.lives.values()) {
      const grown = growthOf(life);
      findings.add('memory is flat', 1, grown ? [grown] : []);
      if (life.name.startsWith('functions/')) {
        const beyond = beyondLimit(life, platformLimits.memoryMb);
        findings.add('memory is below the platform’s limit', 1, beyond ? [beyond] : []);
      }
    }
  }

  /** What must have had its time: jobs that close windows, and retries of deliveries. */
  async #checkAfterRest(ledgers: Parameters<typeof checkCounts>[1]): Promise<void> {
    const { sql } = this.#stack;
    const findings = this.#findings;
    // Prices go on crossing thresholds; what was decided until here is what must end.
    await sql`update webhook.endpoints set events = array['pair.created'], min_spread_pts = null`;
    const [now] = await sql<{ at: Date }[]>`select clock_timestamp() as at`;
    const open = await openOverClosed(sql);
    const ended = holdsWithin(
      async () => (await sql`select from webhook.deliveries where state = 'waiting'`).length === 0,
      120_000,
    );
    await Promise.all([ended, pause(15_000)]);
    const still = await openOverClosed(sql);
    findings.add(
      'windows: none open over a closed gate',
      1,
      [...open].filter((one) => still.has(one)),
    );
    await checkWindows(sql, findings);
    await checkCounts(sql, ledgers, this.#deaths, findings);
    await checkDeliveries(sql, this.#hooks, now?.at ?? new Date(), findings);
  }

  async #collect(): Promise<void> {
    const alive = await collect(this.#stack.facts.inspectors ?? {});
    this.#processes.collected(this.#stack.processes(), alive, Date.now());
  }

  #look(began: number): void {
    const at = Date.now();
    const crowds = this.#crowds;
    if (!crowds) return;
    const [frames, deliveries] = [crowds.frames, this.#hooks.received];
    const moment = momentOf((at - this.#taken.at) / 1000, this.#answers.take(), crowds.takeLags(), {
      at,
      connected: crowds.connected,
      memory: this.#processes.sample(this.#stack.processes(), at),
      frames: frames - this.#taken.frames,
      deliveries: deliveries - this.#taken.deliveries,
    });
    this.#taken = { at, frames, deliveries };
    this.#moments.push(moment);
    if (this.#moments.length % 5 !== 0) return;
    const { violated } = this.#findings;
    this.#say(
      `${Math.round((at - began) / 1000)} s: ${moment.requests.toFixed(0)} requests/s (p99 ${moment.p99} ms), ` +
        `${moment.connected} clients, ${moment.frames.toFixed(0)} frames/s (lag ${moment.lag} ms), ` +
        `${deliveries} deliveries, ${violated === 0 ? 'nothing violated' : `${violated} VIOLATIONS`}`,
    );
  }
}

async function chargedBy(simulator: Simulator): Promise<Charged> {
  const { now } = await simulator.get<{ now: number }>('time');
  const multipliers = new Map(allSeries(now).map(({ ticker, fields }) => [ticker, Number(fields.fee_multiplier)]));
  // Nothing but sports has its gates open, whose rate it is.
  return { multiplier: (ticker) => multipliers.get(ticker.split('-')[0] ?? '') ?? Number.NaN, rate: () => 0.05 };
}
