import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isComplete, readProgress } from '../../local/backtest/progress.ts';
import { LATE_CONNECTION_MS } from '../../local/venue_simulator/faults/faulty_connection.ts';
import { allSeries } from '../../local/venue_simulator/universe/series.ts';
import { type RunningStack, startStack } from '../support/stack.ts';
import { pause, waitUntil } from '../support/wait_until.ts';
import {
  type Comparison,
  compareOpportunities,
  explainByDelay,
  explainByReadTimes,
  type FoundOpportunity,
  type InvalidPeriod,
  quantile,
  type Span,
  type TrueOpportunity,
} from './compare_opportunities.ts';
import { type Opportunity, recomputationErrors } from './recompute_opportunity.ts';
import { Simulator, untilFastForwardEnds } from './simulator.ts';

/**
 * Runs twenty minutes of market time with all faults of the venues. The simulator computes the true
 * arbitrage from its own books with its own arithmetic. The test compares it with the opportunities
 * in the database: each one of a pair with open gates must be found and none may be invented. Each
 * served opportunity must add up.
 *
 * `ARBITRAGE_MINUTES` and `ARBITRAGE_SPEED` change the length (20 and 10: two minutes).
 */
const MINUTES = Number(process.env.ARBITRAGE_MINUTES ?? 20);
const SPEED = Number(process.env.ARBITRAGE_SPEED ?? 10);

/**
 * Real milliseconds. The simulator changes its books every 50 ms and a flush starts within 100 ms,
 * so shorter arbitrage may be missed.
 */
const MIN_DURATION_MS = 250;
/**
 * Maximum delay on a busy machine at which two count as the same. The printed table has real
 * delays.
 */
const MAX_DELAY_MS = 1_500;
/** Time that ingest may need to notice that a venue is back. */
const RESUME_MS = 20_000;
/** Time until ingest has compared a quiet book with REST twice, and the delay of a busy machine. */
const COMPARISON_MS = 10_000 + 2 * 1_500 + MAX_DELAY_MS;

type InjectedFault = { at: number; fault: string; for_ms: number; hit: string; contracts?: string[] };

type SimulatorOpportunity = {
  family: string;
  pair: { event_ticker: string; event_slug: string; line?: number };
  contracts: { ticker: string; token_id: string }[];
  opened_at: number;
  closed_at: number | null;
  edge: number;
  size: number;
  cheapest_at: number | null;
  caused_by: string;
};

describe('arbitrage over twenty minutes of market time', () => {
  let stack: RunningStack;
  let simulator: Simulator;
  let key: string;

  beforeAll(async () => {
    stack = await startStack({
      args: ['--speed', String(SPEED)],
      env: { REST_DELAY_SECONDS: '2', VENUE_TRAPS: 'all' },
    });
    simulator = new Simulator(stack);
    key = await stack.key('pro');
    await untilFastForwardEnds(stack);
    // A rule that gains parity later would open gates while the test compares.
    await waitUntil(async () => isComplete(await readProgress(stack.sql)), {
      what: 'the backtest of all competitions',
      // 200 s on an idle machine.
      timeoutMs: 800_000,
      everyMs: 1_000,
    });
  }, 1_000_000);
  afterAll(() => stack?.stop());

  /** Opportunities as served. A busy machine may answer 503, and the next read follows soon. */
  async function readArbitrage(): Promise<{ count: number; opportunities: Opportunity[] }> {
    try {
      return await stack.get('/v2/arbitrage?limit=500', key);
    } catch (error) {
      if (!String(error).includes('database.unavailable')) throw error;
      return { count: 0, opportunities: [] };
    }
  }

  const now = async () => (await simulator.get<{ now: number }>('time')).now;

  it(
    'finds each opportunity of the simulator, invents none, and serves amounts that add up',
    async () => {
      const startedAt = Date.now();
      const from = await now();
      const multipliers = new Map(allSeries(from).map(({ ticker, fields }) => [ticker, Number(fields.fee_multiplier)]));
      const fees = {
        multiplier: (ticker: string) => multipliers.get(ticker.split('-')[0] ?? '') ?? Number.NaN,
        // Only sports pairs have all gates open. 0.05 is their rate.
        rate: () => 0.05,
      };
      const errors = new Set<string>();
      let [served, responses, nonEmpty] = [0, 0, 0];
      const silences = ['a', 'b'];
      for (let at = from; at < from + MINUTES * 60_000; at = await now()) {
        const page = await readArbitrage();
        // Silence is the fault that is hardest to detect. The test injects it once for each venue.
        // The simulator injects the other faults at random times.
        if (at > from + ((3 - silences.length) * MINUTES * 60_000) / 4 && silences.length > 0) {
          if (await simulator.injectFault({ fault: 'silence', venue: silences[0], for_ms: 30_000 })) silences.shift();
        }
        responses += 1;
        if (page.count > 0) nonEmpty += 1;
        for (const opportunity of page.opportunities) {
          served += 1;
          for (const error of recomputationErrors(opportunity, fees)) errors.add(error);
        }
        await pause(1_000);
      }
      const end = from + MINUTES * 60_000;
      // Wait until the last true opportunities must be in the database.
      await pause(2 * MAX_DELAY_MS);

      const maxDelay = MAX_DELAY_MS * SPEED;
      const truth = await readTrueOpportunities(from, end - maxDelay);
      const found = await readFoundOpportunities(from);
      const { injected: faults } = await simulator.get<{ injected: InjectedFault[] }>('faults');
      const invalidPeriods = await readInvalidPeriods(
        [...new Set([...truth, ...found].map((one) => one.pair))],
        from - maxDelay,
      );
      // Of silent sockets ingest reads the books over REST, one poll every few seconds.
      for (const one of faults.filter(({ fault }) => fault === 'silence' || fault === 'all_silent'))
        await addSilence(invalidPeriods, one);
      // Ingest cannot detect a late connection before its first late message.
      for (const one of faults.filter(({ fault }) => fault === 'late')) {
        await addSilence(invalidPeriods, { ...one, for_ms: LATE_CONNECTION_MS + MAX_DELAY_MS });
      }
      // Ingest detects a lost message by the next one, on venue B by the next one for the same
      // book, or by the comparison with REST.
      for (const one of faults.filter(({ fault }) => fault === 'gap')) {
        await addSilence(invalidPeriods, { ...one, for_ms: Math.min(one.for_ms || COMPARISON_MS, COMPARISON_MS) });
      }
      // Ingest detects a frozen book by the comparison with REST, unless the book changes before.
      for (const one of faults.filter(({ fault }) => fault === 'frozen')) {
        await addSilence(invalidPeriods, { ...one, for_ms: Math.min(one.for_ms / SPEED, COMPARISON_MS) });
      }
      for (const one of faults.filter(({ fault }) => fault === 'inverted')) await addSwappedTokens(invalidPeriods, one);
      await addRetracted(invalidPeriods, from - maxDelay);
      const faultNames = faults.filter((one) => one.at >= startedAt).map((one) => one.fault);
      const bounds = { minDuration: MIN_DURATION_MS * SPEED, maxDelay };
      const periodsOf = (pair: string) => invalidPeriods.get(pair) ?? [];
      const result = compareOpportunities(truth, found, periodsOf, bounds);
      explainByDelay(result, periodsOf, bounds);
      await explainByReadTimes(result, (one) => hadAsksOf(one, maxDelay), bounds);
      // Found ones that opened before or after the compared time have no true counterpart in the
      // list.
      result.invented = result.invented.filter(
        ({ opportunity }) => opportunity.from >= from + maxDelay && opportunity.from < end - maxDelay,
      );
      const opened = found.slice(0, 40);
      const real = (await Promise.all(opened.map((one) => hadAsksOf(one, maxDelay)))).filter(Boolean).length;
      printTable(result, { served, responses, nonEmpty, faultNames, opened: opened.length, real });
      const unexplained = [...result.missed, ...result.invented].filter(({ explanation }) => explanation === null);
      const evidence = (await Promise.all(unexplained.map((one) => evidenceOf(one, faults)))).join('');
      process.stdout.write(evidence);

      expect(silences).toEqual([]);
      expect([...errors]).toEqual([]);
      expect(served).toBeGreaterThan(responses / 2);
      // Faults of the venues explain the others.
      expect(real).toBeGreaterThan(opened.length / 2);
      expect(
        unexplained.map(({ opportunity }) => opportunity),
        evidence,
      ).toEqual([]);
      expect(result.compared).toBeGreaterThan(MINUTES);
      // Of the true opportunities outside of venue outages, at least half must be found. The faults
      // above explain the rest.
      const outageFaults = faults.filter(({ fault }) => fault === 'pause' || fault === 'restart');
      const outages = await Promise.all(outageFaults.map(({ at, for_ms }) => marketSpanOf(at, for_ms + RESUME_MS)));
      const missedInOutages = result.missed.filter(({ opportunity }) =>
        outages.some((one) => one.from < opportunity.until && one.until > opportunity.from),
      );
      expect(result.found / (result.compared - missedInOutages.length)).toBeGreaterThan(0.5);
    },
    (MINUTES / SPEED) * 60_000 + 120_000,
  );

  /**
   * The arbitrage of the simulator that opened in the span. Only for pairs that were in the catalog
   * at that time, with open band, parity and risk gates.
   */
  async function readTrueOpportunities(from: number, before: number): Promise<TrueOpportunity[]> {
    const { opportunities, now: at } = await simulator.get<{ now: number; opportunities: SimulatorOpportunity[] }>(
      `opportunities?since=${from}`,
    );
    const pairs = await stack.sql<{ pair_id: string; ticker: string; token: string; since: Date }[]>`
      select p.pair_id, o.contract_a as ticker, o.contract_b as token, greatest(p.created_at, r.confirmed_at) as since
      from catalog.pairs p
      join catalog.outcomes o using (pair_id)
      join catalog.match_gates g using (pair_id)
      join catalog.rules r using (rule_id)
      where p.withdrawn_at is null
        and g.band_ok and g.parity_ok and g.risk_ok
        and p.status in ('open', 'live')`;
    const known = new Map(pairs.map((row) => [`${row.ticker} ${row.token}`, row]));
    return opportunities.flatMap((one): TrueOpportunity[] => {
      const [leg] = one.contracts;
      const pair = known.get(`${leg?.ticker} ${leg?.token_id}`);
      if (!pair || one.opened_at < Math.max(from, pair.since.getTime()) || one.opened_at >= before) return [];
      return [
        {
          pair: pair.pair_id,
          name: `${one.family} ${one.pair.event_ticker} ${one.pair.line ?? ''}`.trim(),
          from: one.opened_at,
          until: one.closed_at ?? at,
          edge: one.edge,
          size: one.size,
          cheapestFrom: one.cheapest_at,
        },
      ];
    });
  }

  /**
   * All opportunities until now: ingest finds the last ones only after an invalid period has ended.
   */
  async function readFoundOpportunities(from: number): Promise<FoundOpportunity[]> {
    const rows = await stack.sql<
      { id: string; pair: string; opened: Date; recorded: Date; closed: Date | null; reason: string | null }[]
    >`
      select opportunity_id as id, pair_id as pair, opened_at as opened, clock.to_market_time(recorded_at) as recorded,
             nullif(closed_at, 'infinity') as closed, close_reason as reason
      from arb.opportunities
      where retracted_at is null
        and closed_at > ${new Date(from)}`;
    return rows.map(({ id, pair, opened, recorded, closed, reason }) => ({
      id,
      pair,
      reason,
      recordedAt: recorded.getTime(),
      from: opened.getTime(),
      until: closed?.getTime() ?? Number.POSITIVE_INFINITY,
    }));
  }

  /**
   * The periods in which the price updates of a pair lack an ask: a book is invalid, empty or
   * one-sided, or the whole update is void.
   */
  async function readInvalidPeriods(pairs: string[], from: number): Promise<Map<string, InvalidPeriod[]>> {
    const rows = await stack.sql<{ pair: string; at: Date; until: Date | null; reason: string }[]>`
      with updates as (
        select f.pair_id as pair, f.priced_at as at,
               lead(f.priced_at) over (partition by f.pair_id order by f.priced_at, f.update_no) as until,
               coalesce(
                 f.void_reason,
                 case when array_position(f.ask_a, null) is not null then 'no valid ask on venue_a' end,
                 case when array_position(f.ask_b, null) is not null then 'no valid ask on venue_b' end
               ) as reason
        from price.updates f
        where f.pair_id = any (${pairs}::uuid[])
          and f.priced_at > ${new Date(from)}
      )
      select * from updates where reason is not null order by pair, at`;
    const invalidPeriods = new Map<string, InvalidPeriod[]>();
    for (const { pair, at, until: next, reason } of rows) {
      const own = invalidPeriods.get(pair) ?? [];
      own.push({ from: at.getTime(), until: next?.getTime() ?? Number.POSITIVE_INFINITY, reason });
      invalidPeriods.set(pair, own);
    }
    return invalidPeriods;
  }

  /**
   * Adds the time in which a connection sent nothing. Ingest detects the silence late and dates the
   * invalid period by its own last update. So the added period starts with the silence and ends
   * with the invalid period that it caused, or with the silence if there is none.
   */
  async function addSilence(
    invalidPeriods: Map<string, InvalidPeriod[]>,
    { at, for_ms, fault, contracts = [] }: InjectedFault,
  ): Promise<void> {
    const { from, until: end } = await marketSpanOf(at, for_ms);
    const pairs = await stack.sql<{ pair: string }[]>`
      select distinct o.pair_id as pair
      from catalog.outcomes o
      where o.contract_a = any (${[...contracts]}::text[])
        or o.contract_b = any (${[...contracts]}::text[])`;
    for (const { pair } of pairs) {
      const own = invalidPeriods.get(pair) ?? [];
      const caused = own.filter((one) => one.from >= from && one.from <= end);
      const until = Math.max(...(caused.length > 0 ? caused.map((one) => one.until) : [end]));
      invalidPeriods.set(pair, [...own, { from, until, reason: `its connection was silent (${fault})` }]);
    }
  }

  /**
   * Adds the time in which two tokens carried each other's books at a price from 40 to 60 cents.
   * There both mappings look alike, and ingest cannot detect the swap (docs/guards.md). At other
   * prices it must. A fault of a market lasts in market time.
   */
  async function addSwappedTokens(
    invalidPeriods: Map<string, InvalidPeriod[]>,
    { at, for_ms, contracts = [] }: InjectedFault,
  ): Promise<void> {
    const { from } = await marketSpanOf(at, 0);
    const until = from + for_ms;
    const pairs = await stack.sql<{ pair: string }[]>`
      select distinct o.pair_id as pair
      from catalog.outcomes o
      cross join lateral (
        select f.ask_a from price.updates f
        where f.pair_id = o.pair_id and f.priced_at <= ${new Date(from)}
        order by f.priced_at desc, f.update_no desc
        limit 1
      ) f
      where o.contract_b = any (${[...contracts]}::text[])
        and f.ask_a[1] between 400000 and 600000`;
    const reason = 'its tokens were swapped near 50 cents (inverted)';
    for (const { pair } of pairs)
      invalidPeriods.set(pair, [...(invalidPeriods.get(pair) ?? []), { from, until, reason }]);
  }

  /**
   * Adds the time of retracted opportunities, whose books turned out to be invalid since before the
   * opening. The price updates do not show it, because their time must not go back. The opportunity
   * has the reason.
   */
  async function addRetracted(invalidPeriods: Map<string, InvalidPeriod[]>, from: number): Promise<void> {
    const rows = await stack.sql<{ pair: string; from: Date; until: Date; reason: string }[]>`
      select pair_id as pair, opened_at as from, retracted_at as until, close_reason as reason
      from arb.opportunities
      where close_reason ~ '^(book|feed|venue)[.]'
        and retracted_at > ${new Date(from)}`;
    for (const { pair, from: opened, until, reason } of rows) {
      const span = { from: opened.getTime(), until: until.getTime(), reason: `retracted: ${reason}` };
      invalidPeriods.set(pair, [...(invalidPeriods.get(pair) ?? []), span]);
    }
  }

  /** Whether the venues had the asks of an opening, at most `withinMs` before it. */
  async function hadAsksOf({ pair, from }: FoundOpportunity, withinMs: number): Promise<boolean> {
    const asks = await stack.sql<{ a: string; no: boolean; b: string; ask_a: number; ask_b: number }[]>`
      select o.contract_a as a, o.side_a is not distinct from 'no' as no, o.contract_b as b,
             f.ask_a[o.ordinal + 1] as ask_a, f.ask_b[o.ordinal + 1] as ask_b
      from (
        select u.ask_a, u.ask_b from price.updates u
        where u.pair_id = ${pair} and u.priced_at <= ${new Date(from)}
        order by u.priced_at desc, u.update_no desc
        limit 1
      ) f
      join catalog.outcomes o on o.pair_id = ${pair}`;
    if (asks.length === 0) return false;
    const ofBoth = asks.flatMap(({ a, no, b, ask_a, ask_b }) => [
      { ask: ask_a / 1e6, ticker: a, isNo: no },
      { ask: ask_b / 1e6, tokenId: b },
    ]);
    return await simulator.hadAsks(ofBoth, from, withinMs);
  }

  /** Converts a period of real time to market time. */
  async function marketSpanOf(at: number, forMs: number): Promise<{ from: number; until: number }> {
    const [span] = await stack.sql<{ from: Date; until: Date }[]>`
      select clock.to_market_time(${new Date(at)}) as from, clock.to_market_time(${new Date(at + forMs)}) as until`;
    if (!span) throw new Error('clock.to_market_time returned no row');
    return { from: span.from.getTime(), until: span.until.getTime() };
  }

  /**
   * What the database has about a pair around an opportunity that nothing explains. Short, with the
   * prices first: the summary of CI cuts a long message.
   */
  async function evidenceOf(
    { opportunity }: { opportunity: Span & { pair: string; name?: string } },
    faults: InjectedFault[],
  ): Promise<string> {
    const { pair, from } = opportunity;
    const until = Math.min(opportunity.until, from + 600_000);
    const [before, after] = [new Date(from - 20_000), new Date(until + 20_000)];
    const secondsOf = (at: Date | number) => ((Number(at) - from) / 1_000).toFixed(1);
    const updates = await stack.sql<{ at: Date; reason: string | null; ask_a: number[]; ask_b: number[] }[]>`
      select f.priced_at as at, f.void_reason as reason, f.ask_a, f.ask_b
      from price.updates f
      where f.pair_id = ${pair} and f.priced_at between ${before} and ${after}
      order by f.priced_at, f.update_no`;
    const prices = updates.map(({ at, reason, ask_a, ask_b }) => `${secondsOf(at)} ${reason ?? `${ask_a}|${ask_b}`}`);
    const [rest] = await stack.sql`
      select
        (select jsonb_agg(jsonb_build_object('opened', o.opened_at, 'closed', o.closed_at, 'reason', o.close_reason))
         from arb.opportunities o where o.pair_id = ${pair} and o.opened_at between ${before} and ${after}) as opportunities,
        (select jsonb_agg(to_jsonb(r)) from arb.rejections r where r.pair_id = ${pair}) as rejections,
        (select jsonb_agg(distinct array[o.contract_a, o.contract_b]) from catalog.outcomes o where o.pair_id = ${pair}) as contracts,
        (select jsonb_agg(clock.to_market_time(to_timestamp(at / 1000.0)) || ' ' || fault || ' ' || hit || ' ' || for_ms)
         from jsonb_to_recordset(${stack.sql.json(faults.map(({ contracts: _named, ...fault }) => fault))})
           as s(at numeric, fault text, hit text, for_ms numeric)
         where clock.to_market_time(to_timestamp(at / 1000.0))
           between ${before}::timestamptz - interval '5 minutes' and ${after}) as faults`;
    const name = `${opportunity.name ?? 'invented'} for ${secondsOf(until)} s of market time from ${new Date(from).toISOString()}`;
    return `unexplained: ${name}: ${prices.join(', ')}\n${JSON.stringify({ ...opportunity, ...rest })}\n`;
  }

  function printTable(
    result: Comparison,
    rest: {
      served: number;
      responses: number;
      nonEmpty: number;
      faultNames: string[];
      opened: number;
      real: number;
    },
  ): void {
    const realTime = (times: readonly number[]) => {
      const at = (share: number) => `${Math.round(quantile(times, share) / SPEED)} ms`;
      return `p50 ${at(0.5)}, p99 ${at(0.99)} (${times.length} of ${result.compared} opportunities)`;
    };
    const textOf = ({ explanation }: { explanation: string | null }) => explanation ?? 'UNEXPLAINED';
    const explanations = (rows: { explanation: string | null }[]) =>
      [...new Set(rows.map(textOf))]
        .map((text) => `${rows.filter((one) => textOf(one) === text).length} x ${text}`)
        .join('; ') || 'none';
    const table = [
      ['true opportunities of pairs with open gates', String(result.compared)],
      ['found', `${result.found} (${((100 * result.found) / result.compared).toFixed(1)} %)`],
      ['missed', `${result.missed.length}: ${explanations(result.missed)}`],
      ['invented', `${result.invented.length}: ${explanations(result.invented)}`],
      [`shorter than ${MIN_DURATION_MS} ms`, `${result.short.all}, of which found ${result.short.found}`],
      ['from true opening to the book that ingest read, real time', realTime(result.latencies.map((one) => one.read))],
      [
        'from true opening to its row in the database, real time',
        realTime(result.latencies.map((one) => one.recorded)),
      ],
      [
        'responses of GET /v2/arbitrage',
        `${rest.responses}, of which ${rest.nonEmpty} not empty; ${rest.served} opportunities recomputed`,
      ],
      ['opened with asks that both venues had', `${rest.real} of the first ${rest.opened} found`],
    ];
    const counts = [...new Set(rest.faultNames)].map(
      (name) => `${name} ${rest.faultNames.filter((one) => one === name).length}`,
    );
    table.push(['faults of the venues', counts.join(', ')]);
    const width = Math.max(...table.map(([name = '']) => name.length));
    const lines = table.map(([name = '', value]) => `  ${name.padEnd(width)}  ${value}`);
    const spanText = ({ from, until }: Span) =>
      `${new Date(from).toISOString()} for ${Math.round((until - from) / SPEED)} ms`;
    const unmatched = [
      ...result.missed.map((row) => `  missed ${row.opportunity.name} ${spanText(row.opportunity)}: ${textOf(row)}`),
      ...result.invented.map(
        (row) =>
          `  invented ${row.opportunity.pair} ${spanText(row.opportunity)} (${row.opportunity.reason}): ${textOf(row)}`,
      ),
    ];
    process.stdout.write(
      `${MINUTES} minutes of market time at ${SPEED}x, all faults\n${[...lines, ...unmatched].join('\n')}\n`,
    );
  }
});
