import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { context, futureA, futureB, NOW } from './fixtures.ts';
import { listedA, listedB, putListings, runMatchPass } from './listings.ts';

/**
 * Guarantee: if the text of either venue settles the death of a person of the market, the pair has
 * the critical risk `death_carve_out`, its gate of risks is closed, and it stays in the catalog.
 */

let database: TestDatabase;
beforeEach(async () => {
  database = await createDatabase();
  await database.sql`insert into clock.segments (real_from, market_from, rate) values ('2020-01-01', ${NOW}, 0)`;
});
afterEach(() => database.close());

const DEATH_OF_A =
  'In the event of death, the market will resolve to the last traded price prior to death, unless such a price is not available, not logically consistent, or not representative of a fair settlement value, in which case the Exchange may determine a fair value in its sole discretion.';
const DEATH_OF_B = 'If a listed player dies before the award is given, this market will resolve to "No".';

type Event = { [field: string]: unknown; markets: { [field: string]: unknown }[] };
const withRules = (event: Event, rules_secondary: string): Event => ({
  ...event,
  markets: event.markets.map((market) => ({ ...market, rules_secondary })),
});
const withNotice = (event: Event, markdown: string): Event => ({
  ...event,
  product_metadata: { important_info: { id: 'n', markdown, message: '', title: '' } },
});
const described = (event: Event, more: string): Event => ({ ...event, description: `${event.description} ${more}` });

const mvpA = futureA('KXNFLMVP-27', 'MVP Winner?', [
  { code: 'JALL', label: 'Josh Allen' },
  { code: 'PMAH', label: 'Patrick Mahomes' },
]) as Event;
const mvpB = futureB('nfl-mvp-2026-27', 'NFL MVP 2026-27', ['Josh Allen', 'Patrick Mahomes']) as Event;
const teamsA = futureA('KXNBA-27', '2027 Pro Basketball Champion', [
  { code: 'BOS', label: 'Boston' },
  { code: 'NYK', label: 'New York' },
]) as Event;
const teamsB = futureB('nba-champion-2027', '2027 NBA Champion', ['Boston Celtics', 'New York Knicks']) as Event;

async function assess(a: Event, b: Event) {
  await putListings(database.sql, 'venue_a', [listedA(a, context)]);
  await putListings(database.sql, 'venue_b', [listedB(b, context)]);
  await runMatchPass(database.sql);
  const [pair] = await database.sql<
    { stage: string; band: string; confidence: string; rule: string; blocked_by: string | null; notes: string[] }[]
  >`
    select p.stage, p.band, p.resolution_confidence as confidence, p.rule_id as rule, g.risk_reason as blocked_by,
           array(select k.severity || ': ' || k.note from catalog.pair_risks k
                 where k.pair_id = p.pair_id and k.event = 'death_carve_out') as notes
    from catalog.pairs p join catalog.match_gates g using (pair_id) where p.withdrawn_at is null`;
  if (!pair) throw new Error('the listings were not paired');
  return pair;
}

describe('the risk death_carve_out', () => {
  it.each<[string, Event, Event, string]>([
    [
      'the secondary rules of venue_a',
      withRules(mvpA, DEATH_OF_A),
      mvpB,
      'critical: If a person of this market dies, venue_a pays the last price before the death (its secondary rules); venue_b has no clause for it and is resolved by its usual rules: a $1 pair returns the price of its venue_a side plus $0 or $1, so the whole stake on venue_b can be lost.',
    ],
    [
      'the notice of the event of venue_a',
      withNotice(mvpA, DEATH_OF_A),
      mvpB,
      'critical: If a person of this market dies, venue_a pays the last price before the death (the important information of its event); venue_b has no clause for it and is resolved by its usual rules: a $1 pair returns the price of its venue_a side plus $0 or $1, so the whole stake on venue_b can be lost.',
    ],
    [
      'the description of venue_b',
      mvpA,
      described(mvpB, DEATH_OF_B),
      'critical: If a person of this market dies, venue_a has no clause for it and is resolved by its usual rules; venue_b resolves to No (its description): where that changes which outcome pays, a $1 pair returns $0 or $2.',
    ],
    [
      'both texts',
      withRules(mvpA, DEATH_OF_A),
      described(mvpB, 'If a listed player dies, this market settles at the last fair price.'),
      'critical: If a person of this market dies, venue_a pays the last price before the death (its secondary rules); venue_b pays the last price before the death (its description): the two prices differ, so a $1 pair returns more or less than $1.',
    ],
  ])('comes from %s and closes the gate of risks', async (_place, a, b, note) => {
    const plain = await assess(mvpA, mvpB);
    expect(plain.notes).toEqual([]);
    const pair = await assess(a, b);
    expect(pair.notes).toEqual([note]);
    expect(pair.blocked_by).toBe('risk.death_carve_out');
    // The clause changes no confidence: the pair stays published, under a rule of its own.
    expect(pair).toMatchObject({ stage: plain.stage, band: plain.band, confidence: plain.confidence });
    expect(pair.rule).not.toBe(plain.rule);
    expect(pair.rule).toContain('death: ');
  });

  it('does not exist for a market of teams', async () => {
    expect((await assess(withRules(teamsA, DEATH_OF_A), described(teamsB, DEATH_OF_B))).notes).toEqual([]);
  });

  it('is gone after the text of the listing loses its clause', async () => {
    expect((await assess(withRules(mvpA, DEATH_OF_A), mvpB)).notes).toHaveLength(1);
    const pair = await assess(mvpA, mvpB);
    expect(pair.notes).toEqual([]);
    expect(pair.blocked_by).not.toBe('risk.death_carve_out');
  });
});
