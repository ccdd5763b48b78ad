import type { JSONValue } from 'postgres';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseMarkets } from '../../functions/api/routes/get_markets.ts';
import { easternDate } from '../../functions/ingest/identity/text/eastern.ts';
import { paidOnA, paidOnB } from '../../local/venue_simulator/world/payout.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { isSlowLayer } from '../support/runs.ts';
import { type RunningVenues, startVenues, type Truth, type TruthPair } from '../venue_simulator/fixture.ts';
import { runMatchPass } from './listings.ts';
import { readSimulatedListings, type Settlements } from './simulated_listings.ts';

/**
 * Guarantee: over all listings of the simulator, in every family, the match pass finds the pairs of
 * the simulator with every leg on the right contract. It inverts no side, adds no leg, and pairs
 * with no look-alike.
 */

type FoundLeg = {
  pair_id: string;
  market_type: string;
  stage: string;
  band: string;
  event_a: string;
  event_b: string;
  market_b: string;
  contract_a: string | null;
  side_a: string | null;
  /** Null when only venue_a lists a choice of a fixed set. */
  contract_b: string | null;
  relation: string | null;
  span: string[] | null;
};

/**
 * Relation in the truth of a tail that venue_b lists and venue_a does not cover. The catalog may
 * also call such a leg DERIVED, so it is not compared.
 */
const UNCOVERED = 'UNCOVERED';

const nameOf = (pair: TruthPair) =>
  `${pair.family} ${pair.venue_a.event_ticker} ${pair.venue_b.event_slug} ${pair.line ?? ''}`.trim();
const legKey = (ticker: string | null, side: string | null, token: string | null) => `${ticker} ${side} ${token}`;

/**
 * One world in npm test, and three in the slow layer. `WORLDS=1,7@2027-03-05 npx vitest run
 * tests/catalog/simulated.db.test.ts` tests other seeds, and other days than today.
 */
const WORLDS = (process.env.WORLDS ?? (isSlowLayer ? '1,4@2027-03-05,2@2026-08-20' : '1')).split(',').map((world) => {
  const [seed = '1', day] = world.split('@');
  const now = Date.now();
  const marketTime = day === undefined ? now : Date.parse(`${day}T15:00:00Z`);
  return { seed, day: day ?? 'today', clock: JSON.stringify([{ real_from: now, market_from: marketTime, rate: 1 }]) };
});

describe.each(WORLDS)('simulated pairs (seed $seed, $day)', ({ seed, clock }) => {
  let venues: RunningVenues;
  let database: TestDatabase;
  let truth: Truth;
  let legs: FoundLeg[] = [];
  let exact = new Map<string, FoundLeg>();
  let listAgain: (ends: Settlements) => Promise<void>;

  beforeAll(async () => {
    [venues, database] = await Promise.all([
      startVenues('--seed', seed, '--games', '270', '--traps', 'none', '--clock', clock),
      createDatabase(),
    ]);
    truth = (await (await fetch(`${venues.sim}/truth`)).json()) as Truth;
    const listWorld = await readSimulatedListings(venues, truth.now);
    listAgain = (ends) => listWorld(database.sql, ends);
    await listAgain({});
    await runMatchPass(database.sql);
    legs = await database.sql<FoundLeg[]>`
      select p.pair_id, p.market_type, p.stage, p.band, p.event_a, p.event_b,
        o.market_b, o.contract_a, o.side_a, o.contract_b, o.relation, o.span
      from catalog.pairs p join catalog.outcomes o using (pair_id)
      where p.withdrawn_at is null`;
    exact = new Map(
      legs
        .filter((leg) => leg.contract_a && leg.contract_b && (leg.relation === null || leg.relation === 'EXACT'))
        .map((leg) => [legKey(leg.contract_a, leg.side_a, leg.contract_b), leg]),
    );
  });
  afterAll(async () => {
    venues?.end();
    await database?.close();
  });

  const rowOf = (pair: TruthPair): FoundLeg | undefined => {
    const [first] = pair.outcomes;
    if (first) return exact.get(legKey(first.ticker, first.side, first.token_id));
    return legs.find((leg) => leg.event_a === pair.venue_a.event_ticker && leg.contract_b === pair.others[0]?.token_id);
  };

  it('include questions of all families', () => {
    const count = (family: string) => truth.pairs.filter((pair) => pair.family === family).length;
    const figures = Object.fromEntries(
      [...new Set(truth.pairs.map((pair) => pair.family))].map((one) => [one, count(one)]),
    );
    const missed = truth.pairs.filter((pair) => rowOf(pair) === undefined).length;
    console.log(
      `seed ${seed}: ${JSON.stringify(figures)}, ${new Set(legs.map((leg) => leg.pair_id)).size} pairs found, ${missed} missed`,
    );
    for (const [family, least] of Object.entries({
      moneyline: 200,
      outright: 20,
      total: 50,
      spread: 40,
      team_total: 10,
      advance: 6,
      weather_high: 4,
      weather_low: 2,
      crypto_above: 8,
      fed_decision: 2,
      cb_decision: 4,
      econ_print: 4,
    })) {
      expect(count(family), family).toBeGreaterThanOrEqual(least);
    }
  });

  /**
   * When a text pays on another day than its fields, the question is rejected or its pair is a
   * candidate. Neither is published.
   */
  const contradicted = (pair: TruthPair) => pair.defect === 'rules_contradict_fields';
  const expected = () => truth.pairs.filter((pair) => !contradicted(pair) || rowOf(pair) !== undefined);

  it('are those of the simulator, with all legs in one pair of its family', () => {
    const missed = truth.pairs.filter((pair) => rowOf(pair) === undefined && !contradicted(pair));
    expect(missed.map(nameOf)).toEqual([]);
    for (const pair of expected()) {
      const row = rowOf(pair);
      expect(row?.market_type, nameOf(pair)).toBe(pair.family);
      const together = pair.outcomes.map(
        (leg) => exact.get(legKey(leg.ticker, leg.side, leg.token_id))?.pair_id ?? leg.name,
      );
      expect([...new Set(together)], nameOf(pair)).toEqual(pair.outcomes.length > 0 ? [row?.pair_id] : []);
      expect(row?.stage, nameOf(pair)).toBe(pair.defect ? row?.stage : 'catalog');
    }
  });

  const aboveReview = (isChecked: (code: string) => boolean) =>
    expected()
      .filter((pair) => pair.defect && isChecked(pair.defect) && rowOf(pair)?.band !== 'REVIEW')
      .map((pair) => `${pair.defect} ${nameOf(pair)}`);

  it('are rejected with a code, or stay in REVIEW, when a text pays on another day than its listing', async () => {
    const pairs = truth.pairs.filter(contradicted);
    expect(pairs.length).toBeGreaterThan(0);
    const rejected = await database.sql<{ event_a: string; code: string }[]>`
      select a.event_id as event_a, coalesce(a.excluded_reason, r.code) as code
      from venue.questions a
      left join catalog.rejections r on r.question_a = a.question_id
      where a.venue = 'venue_a'
      union all
      select r.event_id, q.excluded_reason as excluded
      from venue.questions q
      cross join lateral unnest(${pairs.map((pair) => pair.venue_a.event_ticker)}::text[], ${pairs.map(
        (pair) => pair.venue_b.event_slug,
      )}::text[]) as r (event_id, slug)
      where q.venue = 'venue_b' and q.event_id = r.slug`;
    const codes = (pair: TruthPair) =>
      rejected.filter((row) => row.event_a === pair.venue_a.event_ticker && row.code !== null).map((row) => row.code);
    const withoutCode = pairs.filter((pair) => rowOf(pair) === undefined && codes(pair).length === 0);
    expect(withoutCode.map(nameOf)).toEqual([]);
    expect(pairs.filter((pair) => (rowOf(pair)?.band ?? 'REVIEW') !== 'REVIEW').map(nameOf)).toEqual([]);
  });

  it('are REVIEW at most when the rules of one listing cannot be parsed or contradict it', () => {
    expect(truth.pairs.filter((pair) => pair.defect).length).toBeGreaterThan(3);
    expect(aboveReview((code) => code !== 'rules_of_another_game')).toEqual([]);
  });

  it('are REVIEW at most when the rules name two other teams', () => {
    expect(aboveReview((code) => code === 'rules_of_another_game')).toEqual([]);
  });

  it('have overlapping and derived legs without a contract of venue_a', () => {
    for (const pair of expected()) {
      const row = rowOf(pair);
      for (const other of pair.others.filter((one) => one.relation !== UNCOVERED)) {
        const leg = legs.find((one) => one.pair_id === row?.pair_id && one.contract_b === other.token_id);
        expect(leg?.contract_a, `${nameOf(pair)} ${other.name}`).toBeNull();
        expect(leg?.relation, `${nameOf(pair)} ${other.name}`).toBe(other.relation);
        if (other.relation === 'OVERLAPS') expect([...(leg?.span ?? [])].sort()).toEqual([...other.span].sort());
      }
    }
  });

  it('have the risk death_carve_out where a text of the simulator settles a death, and nowhere else', async () => {
    const rows = await database.sql<{ event_a: string; severity: string; note: string }[]>`
      select p.event_a, k.severity, k.note from catalog.pairs p join catalog.pair_risks k using (pair_id)
      where k.event = 'death_carve_out' and p.withdrawn_at is null`;
    const withClause = truth.pairs.filter((pair) => pair.death_clause !== null);
    expect(withClause.map((pair) => pair.death_clause).sort()).toEqual(['important_info', 'rules_secondary']);
    expect(rows.map((row) => row.event_a).sort()).toEqual(withClause.map((pair) => pair.venue_a.event_ticker).sort());
    for (const { severity, note } of rows) {
      expect(severity).toBe('critical');
      expect(note).toMatch(/venue_a pays the last price before the death .*; venue_b has no clause for it/);
    }
  });

  it('share a rule only within one competition, and the rule has its name', async () => {
    const rows = await database.sql<{ wrong: number; named: number }[]>`
      select count(*) filter (where r.competition is distinct from p.competition)::integer as wrong,
             count(distinct r.competition)::integer as named
      from catalog.pairs p
      join catalog.rules r on r.rule_id = p.rule_id`;
    expect(rows[0]?.wrong).toBe(0);
    expect(rows[0]?.named).toBeGreaterThan(10);
  });

  it('have no leg that the simulator did not make', () => {
    const made = new Set(
      truth.pairs.flatMap((pair) => pair.outcomes.map((leg) => legKey(leg.ticker, leg.side, leg.token_id))),
    );
    const extra = [...exact]
      .filter(([key]) => !made.has(key))
      // The truth does not list the league and the race that the registry does not hold. Their
      // pairs are candidates (evidence.test.ts).
      .filter(([, leg]) => !/^KX(?:BESTADEILD|CHESSCANDIDATES)/.test(leg.contract_a ?? ''))
      .map(([, leg]) => `${leg.market_type} ${leg.contract_a} ${leg.side_a} ${leg.event_b}`);
    expect(extra).toEqual([]);
  });

  it('include no look-alike; the ladder of another station is a candidate at most', () => {
    expect(truth.lookalikes.length).toBeGreaterThan(300);
    const marketOf = new Map(
      (venues.world?.catalog.eventsB() ?? []).flatMap((event) => event.markets.map((one) => [one.slug, one.condition])),
    );
    const paired = truth.lookalikes.flatMap((one) => {
      const rows = legs.filter(
        (leg) =>
          leg.event_a === one.venue_a &&
          leg.event_b === one.venue_b &&
          (one.slug === undefined || leg.market_b === marketOf.get(one.slug)),
      );
      const wrong = one.candidate
        ? rows.filter((leg) => leg.contract_a !== null && leg.relation !== 'OVERLAPS' && leg.relation !== 'DERIVED')
        : rows;
      return wrong.length > 0 ? [`${one.why} ${one.venue_a} ${one.slug ?? one.venue_b}`] : [];
    });
    expect(paired).toEqual([]);
  });

  it('have no past start in REST for a temperature day that has not ended', async () => {
    await database.sql`select pipeline.refresh_statuses()`;
    await database.sql`select pipeline.refresh_snapshot()`;
    const { params } = parseMarkets('http://api/v2/markets?category=weather&market_type=all&limit=1000');
    const [answer] = await database.sql<{ body: string }[]>`
      select (api.get_markets(${database.sql.json(params as JSONValue)})).body`;
    const { markets } = JSON.parse(answer?.body ?? '') as { markets: { title: string; start_time: string }[] };
    const today = easternDate(truth.now) ?? '';
    const coming = markets.filter(({ title }) => (title.match(/[\d-]+$/)?.[0] ?? '') >= today);
    expect(coming.length).toBeGreaterThan(2);
    const over = coming.filter(({ start_time }) => Date.parse(start_time) <= truth.now);
    expect(over.map(({ title, start_time }) => `${title}: ${start_time}`)).toEqual([]);
  });

  it('settle as the simulator states: equal, a degree apart, or by a price in place of a result', async () => {
    const catalog = venues.world?.catalog;
    const final = (payout: number) => ({ state: 'final' as const, payout: String(payout) });
    const paid = [
      ...(catalog?.eventsA() ?? []).flatMap(({ markets }) =>
        markets.map(({ ticker, contract }) => [ticker, final(Number(paidOnA(contract).value))] as const),
      ),
      ...(catalog?.eventsB() ?? []).flatMap(({ markets }) =>
        markets.map(({ condition, contract }) => [condition, final(paidOnB(contract) / 10_000)] as const),
      ),
    ];
    await listAgain(Object.fromEntries(paid));
    await database.sql`select pipeline.refresh_statuses()`;
    const rows = await database.sql<{ pair_id: string; verdict: string }[]>`
      select pair_id, result ->> 'verdict' as verdict from catalog.pairs where withdrawn_at is null`;
    const verdicts = new Map(rows.map((row) => [row.pair_id, row.verdict]));
    const wrong = expected().flatMap((pair) => {
      const verdict = verdicts.get(rowOf(pair)?.pair_id ?? '');
      return verdict === pair.settles.verdict ? [] : [`${verdict} for ${pair.settles.verdict}: ${nameOf(pair)}`];
    });
    expect(wrong).toEqual([]);
  });
});
