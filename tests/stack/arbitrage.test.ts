import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LATE_CONNECTION_MS } from '../../local/venue_simulator/faults/faulty_connection.ts';
import { allSeries } from '../../local/venue_simulator/universe/series.ts';
import { type RunningStack, startStack } from '../support/stack.ts';
import { pause, waitUntil } from '../support/wait_until.ts';
import { type InvalidPeriod, type FoundOpportunity, type Proof, proofOf, quantile, type Span, type TrueOpportunity } from './proof.ts';
import { type Opportunity, recomputationErrors } from './recomputed.ts';
import { Simulator, untilFastForwardEnds } from './simulator.ts';

/**
 * The proof: half an hour of market time with every fault of the venues switched on. What the simulator knows from its own books, by its
 * own arithmetic, against what the product found in what it read over the wire: every true window of a pair whose gates are open is found,
 * none is invented, and whatever is served adds up.
 *
 * `ARBITRAGE_MINUTES` and `ARBITRAGE_SPEED` look at more or less of it (30 and 10: three minutes).
 */
const MINUTES = Number(process.env.ARBITRAGE_MINUTES ?? 30);
const SPEED = Number(process.env.ARBITRAGE_SPEED ?? 10);

/** Real milliseconds. A step of the simulator's books is 50, a flush begins within 100: a window that stood for less may pass unseen. */
const LEAST_MS = 250;
/** How late a loaded machine may tell of it: what is counted as the same window, not what is aimed at (see the table). */
const LATE_MS = 1_500;
/** How long after a venue came back the product may take to ask it and learn of that. */
const LEARNT_MS = 20_000;
/** How long a book may be quiet until it is compared with REST, twice, and that much more on a loaded machine. */
const UNMISSED_MS = 10_000 + 2 * 1_500 + LATE_MS;

type Sprung = { at: number; trap: string; for_ms: number; hit: string; contracts?: string[] };

type Told = {
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

describe('thirty minutes of arbitrage', () => {
  let stack: RunningStack;
  let simulator: Simulator;
  let key: string;

  beforeAll(async () => {
    stack = await startStack({
      args: ['--speed', String(SPEED)],
      env: { REST_DELAY_SECONDS: '2', VENUE_TRAPS: 'all' },
    });
    simulator = new Simulator(stack);
    key = stack.key('pro');
    await untilFastForwardEnds(stack);
    await waitUntil(async () => stack.lines.some((line) => line.startsWith('settled history')), {
      what: 'the settled history',
      timeoutMs: 60_000,
    });
  }, 180_000);
  afterAll(() => stack?.stop());

  const now = async () => (await simulator.get<{ now: number }>('time')).now;

  it(
    'are found as they are, none missed and none invented, and all that is served adds up',
    async () => {
      const began = Date.now();
      const from = await now();
      const multipliers = new Map(allSeries(from).map(({ ticker, fields }) => [ticker, Number(fields.fee_multiplier)]));
      const charged = {
        multiplier: (ticker: string) => multipliers.get(ticker.split('-')[0] ?? '') ?? Number.NaN,
        // Nothing but sports has its gates open.
        rate: () => 0.05,
      };
      const wrong = new Set<string>();
      let [served, moments, some] = [0, 0, 0];
      const silences = ['a', 'b'];
      for (let at = from; at < from + MINUTES * 60_000; at = await now()) {
        const answer = await stack.get<{ count: number; opportunities: Opportunity[] }>('/v2/arbitrage?limit=500', key);
        // The fault that is hardest to notice comes to each venue once; the others come as they like.
        if (at > from + ((3 - silences.length) * MINUTES * 60_000) / 4 && silences.length > 0) {
          if (await simulator.injectFault({ trap: 'silence', venue: silences[0], for_ms: 30_000 })) silences.shift();
        }
        moments += 1;
        if (answer.count > 0) some += 1;
        for (const opportunity of answer.opportunities) {
          served += 1;
          for (const what of recomputationErrors(opportunity, charged)) wrong.add(what);
        }
        await pause(1_000);
      }
      const end = from + MINUTES * 60_000;
      // What opened last must have had its time to be told.
      await pause(2 * LATE_MS);

      const maxDelay = LATE_MS * SPEED;
      const truth = await trueWindows(from, end - maxDelay);
      const found = await foundWindows(from);
      const { seen } = await simulator.get<{ seen: Sprung[] }>('traps');
      const doubts = await doubtsOf([...new Set([...truth, ...found].map((one) => one.pair))], from - maxDelay);
      for (const one of seen.filter(({ trap }) => trap === 'silence')) await addUnheard(doubts, one);
      // What a line that is late now holds back, nobody could know before its first late message.
      for (const one of seen.filter(({ trap }) => trap === 'late')) {
        await addUnheard(doubts, { ...one, for_ms: LATE_CONNECTION_MS + LATE_MS });
      }
      // A lost message is not missed until the next one comes, on venue B the next about the same book, or until REST is compared.
      for (const one of seen.filter(({ trap }) => trap === 'gap')) {
        await addUnheard(doubts, { ...one, for_ms: Math.min(one.for_ms || UNMISSED_MS, UNMISSED_MS) });
      }
      // A frozen book is found by comparing it with REST, unless it moves again before that.
      for (const one of seen.filter(({ trap }) => trap === 'frozen')) {
        await addUnheard(doubts, { ...one, for_ms: Math.min(one.for_ms / SPEED, UNMISSED_MS) });
      }
      for (const one of seen.filter(({ trap }) => trap === 'inverted')) await addExchanged(doubts, one);
      await addRetracted(doubts, from - maxDelay);
      const traps = seen.filter((one) => one.at >= began).map((one) => one.trap);
      const proof = proofOf(truth, found, (pair) => doubts.get(pair) ?? [], { minDuration: LEAST_MS * SPEED, maxDelay });
      // Those that stood before we looked are no invention, nor are those of true windows that opened after the last one asked for.
      proof.invented = proof.invented.filter(({ window }) => window.from >= from + maxDelay && window.from < end - maxDelay);
      print(proof, { served, moments, some, traps });
      const unexplained = [...proof.missed, ...proof.invented].filter(({ why }) => why === null);
      const evidence = (await Promise.all(unexplained.map((one) => tell(one, seen)))).join('');
      process.stdout.write(evidence);

      expect(silences).toEqual([]);
      expect([...wrong]).toEqual([]);
      expect(served).toBeGreaterThan(moments / 2);
      expect(
        unexplained.map(({ window }) => window),
        evidence,
      ).toEqual([]);
      expect(proof.compared).toBeGreaterThan(MINUTES);
      // Faults blind it for a while, each explained above; most of the time nothing does, but that a whole venue was away.
      const wide = seen.filter(({ trap }) => trap === 'pause' || trap === 'restart');
      const away = await Promise.all(wide.map(({ at, for_ms }) => spanOf(at, for_ms + LEARNT_MS)));
      const met = proof.missed.filter(({ window }) =>
        away.some((one) => one.from < window.until && one.until > window.from),
      );
      expect(proof.found / (proof.compared - met.length)).toBeGreaterThan(0.5);
    },
    (MINUTES / SPEED) * 60_000 + 120_000,
  );

  /** The simulator's windows that opened in the span, of pairs that the catalog had by then with gates 1 to 3 open. */
  async function trueWindows(from: number, before: number): Promise<TrueOpportunity[]> {
    const { windows, now: at } = await simulator.get<{ now: number; windows: Told[] }>(`windows?since=${from}`);
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
    return windows.flatMap((one): TrueOpportunity[] => {
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
          cheapest: one.cheapest_at,
        },
      ];
    });
  }

  /** All until now: a true window of the last moments may be found only once a doubt is over. */
  async function foundWindows(from: number): Promise<FoundOpportunity[]> {
    const rows = await stack.sql<
      { id: string; pair: string; opened: Date; noted: Date; closed: Date | null; reason: string | null }[]
    >`
      select opportunity_id as id, pair_id as pair, opened_at as opened, clock.to_market_time(recorded_at) as noted,
             nullif(closed_at, 'infinity') as closed, close_reason as reason
      from arb.opportunities
      where retracted_at is null
        and closed_at > ${new Date(from)}`;
    return rows.map(({ id, pair, opened, noted, closed, reason }) => ({
      id,
      pair,
      reason,
      noted: noted.getTime(),
      from: opened.getTime(),
      until: closed?.getTime() ?? Number.POSITIVE_INFINITY,
    }));
  }

  /** When a pair's frames had no ask for an outcome: a book in doubt, empty or one-sided, or the whole frame void. */
  async function doubtsOf(pairs: string[], from: number): Promise<Map<string, InvalidPeriod[]>> {
    const rows = await stack.sql<{ pair: string; at: Date; until: Date | null; reason: string }[]>`
      with frames as (
        select f.pair_id as pair, f.priced_at as at,
               lead(f.priced_at) over (partition by f.pair_id order by f.priced_at, f.update_no) as until,
               coalesce(
                 f.void_reason,
                 case when array_position(f.ask_a, null) is not null then 'no believed ask on venue_a' end,
                 case when array_position(f.ask_b, null) is not null then 'no believed ask on venue_b' end
               ) as reason
        from price.updates f
        where f.pair_id = any (${pairs}::uuid[])
          and f.priced_at > ${new Date(from)}
      )
      select * from frames where reason is not null order by pair, at`;
    const doubts = new Map<string, InvalidPeriod[]>();
    for (const { pair, at, until: next, reason } of rows) {
      const own = doubts.get(pair) ?? [];
      own.push({ from: at.getTime(), until: next?.getTime() ?? Number.POSITIVE_INFINITY, reason });
      doubts.set(pair, own);
    }
    return doubts;
  }

  /**
   * A connection that said nothing: what moved meanwhile nobody could know, though the product learns of the silence only later and
   * dates its doubt by its own last frame. From the silence on, until the doubt that it led to was over (or just to its end).
   */
  async function addUnheard(doubts: Map<string, InvalidPeriod[]>, { at, for_ms, trap, contracts = [] }: Sprung): Promise<void> {
    const { from, until: end } = await spanOf(at, for_ms);
    const pairs = await stack.sql<{ pair: string }[]>`
      select distinct o.pair_id as pair
      from catalog.outcomes o
      where o.contract_a = any (${[...contracts]}::text[])
        or o.contract_b = any (${[...contracts]}::text[])`;
    for (const { pair } of pairs) {
      const own = doubts.get(pair) ?? [];
      const led = own.filter((one) => one.from >= from && one.from <= end);
      const over = Math.max(...(led.length > 0 ? led.map((one) => one.until) : [end]));
      doubts.set(pair, [...own, { from, until: over, reason: `its connection said nothing (${trap})` }]);
    }
  }

  /**
   * Tokens that carried each other's books while the outcome stood near even odds, within 10 points: both ways round look alike there, and
   * the product cannot know (docs/guards.md). Farther from even it must. A trap on a market lasts in market time.
   */
  async function addExchanged(doubts: Map<string, InvalidPeriod[]>, { at, for_ms, contracts = [] }: Sprung): Promise<void> {
    const { from } = await spanOf(at, 0);
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
    const reason = 'its tokens were exchanged near even odds (inverted)';
    for (const { pair } of pairs) doubts.set(pair, [...(doubts.get(pair) ?? []), { from, until, reason }]);
  }

  /**
   * What was found and taken back: its books turned out to have been in doubt since before it opened. The frames do not show that, since
   * their time must not run backwards; the window keeps the reason.
   */
  async function addRetracted(doubts: Map<string, InvalidPeriod[]>, from: number): Promise<void> {
    const rows = await stack.sql<{ pair: string; from: Date; until: Date; reason: string }[]>`
      select pair_id as pair, opened_at as from, retracted_at as until, close_reason as reason
      from arb.opportunities
      where close_reason ~ '^(book|feed|venue)[.]'
        and retracted_at > ${new Date(from)}`;
    for (const { pair, from: opened, until, reason } of rows) {
      const span = { from: opened.getTime(), until: until.getTime(), reason: `taken back: ${reason}` };
      doubts.set(pair, [...(doubts.get(pair) ?? []), span]);
    }
  }

  /** A stretch of real time as market time. */
  async function spanOf(at: number, forMs: number): Promise<{ from: number; until: number }> {
    const [span] = await stack.sql<{ from: Date; until: Date }[]>`
      select clock.to_market_time(${new Date(at)}) as from, clock.to_market_time(${new Date(at + forMs)}) as until`;
    if (!span) throw new Error('the market clock says nothing');
    return { from: span.from.getTime(), until: span.until.getTime() };
  }

  /** All that the product knows of a pair around a window that nothing explains: what one would ask first. */
  async function tell({ window }: { window: Span & { pair: string } }, seen: Sprung[]): Promise<string> {
    const until = Math.min(window.until, window.from + 600_000);
    const around = [new Date(window.from - 60_000), new Date(until + 60_000)] as const;
    const [told] = await stack.sql`
      select
        (select jsonb_agg(jsonb_build_array(f.update_no, f.priced_at, f.void_reason, f.ask_a, f.ask_b) order by f.priced_at, f.update_no)
         from price.updates f where f.pair_id = ${window.pair} and f.priced_at between ${around[0]} and ${around[1]}) as frames,
        (select jsonb_agg(to_jsonb(w)) from arb.opportunities w
         where w.pair_id = ${window.pair} and w.opened_at between ${around[0]} and ${around[1]}) as windows,
        (select jsonb_agg(to_jsonb(r)) from arb.rejections r where r.pair_id = ${window.pair}) as refusals,
        (select jsonb_agg(distinct array[o.contract_a, o.contract_b]) from catalog.outcomes o where o.pair_id = ${window.pair}) as contracts,
        (select jsonb_agg(clock.to_market_time(to_timestamp(at / 1000.0)) || ' ' || trap || ' ' || hit || ' ' || for_ms)
         from jsonb_to_recordset(${stack.sql.json(seen.map(({ contracts: _named, ...rest }) => rest))})
           as s(at numeric, trap text, hit text, for_ms numeric)
         where clock.to_market_time(to_timestamp(at / 1000.0)) between ${around[0]} - interval '5 minutes' and ${around[1]}) as traps`;
    return `unexplained: ${JSON.stringify(window)}\n${JSON.stringify(told)}\n`;
  }

  function print(proof: Proof, rest: { served: number; moments: number; some: number; traps: string[] }): void {
    const real = (times: readonly number[]) => {
      const at = (part: number) => `${Math.round(quantile(times, part) / SPEED)} ms`;
      return `p50 ${at(0.5)}, p99 ${at(0.99)} (${times.length} of ${proof.compared} windows)`;
    };
    const reasons = (rows: { why: string | null }[]) =>
      [...new Set(rows.map((one) => one.why ?? 'UNEXPLAINED'))]
        .map((why) => `${rows.filter((one) => (one.why ?? 'UNEXPLAINED') === why).length} x ${why}`)
        .join('; ') || 'none';
    const table = [
      ['true windows of pairs with open gates', String(proof.compared)],
      ['found', `${proof.found} (${((100 * proof.found) / proof.compared).toFixed(1)} %)`],
      ['missed', `${proof.missed.length}: ${reasons(proof.missed)}`],
      ['invented', `${proof.invented.length}: ${reasons(proof.invented)}`],
      [`shorter than ${LEAST_MS} ms`, `${proof.short.all}, of which seen ${proof.short.found}`],
      ['from true opening to the book that we read, real time', real(proof.latencies.map((one) => one.read))],
      ['from true opening to its row in the database, real time', real(proof.latencies.map((one) => one.noted))],
      [
        'answers of GET /v2/arbitrage',
        `${rest.moments}, of which ${rest.some} not empty; ${rest.served} opportunities recomputed`,
      ],
    ];
    const sprung = [...new Set(rest.traps)].map((trap) => `${trap} ${rest.traps.filter((one) => one === trap).length}`);
    table.push(['faults of the venues meanwhile', sprung.join(', ')]);
    const wide = Math.max(...table.map(([name = '']) => name.length));
    const lines = table.map(([name = '', value]) => `  ${name.padEnd(wide)}  ${value}`);
    const told = [
      ...proof.missed.map(
        ({ window, why }) =>
          `  missed ${window.name} ${new Date(window.from).toISOString()} for ${Math.round((window.until - window.from) / SPEED)} ms: ${why ?? 'UNEXPLAINED'}`,
      ),
      ...proof.invented.map(
        ({ window, why }) =>
          `  invented ${window.pair} ${new Date(window.from).toISOString()} for ${Math.round((window.until - window.from) / SPEED)} ms (${window.reason}): ${why ?? 'UNEXPLAINED'}`,
      ),
    ];
    process.stdout.write(
      `${MINUTES} minutes of market time at ${SPEED}x, all traps\n${[...lines, ...told].join('\n')}\n`,
    );
  }
});
