import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { matched as matchedAt } from './matched.ts';
import * as raw from './raw_fixtures.ts';

/**
 * Guarantee: ladders as both venues really list them come out in the band that their family's rules allow, with what differs told in
 * words; and no ladder whose text cannot be read, or speaks of something else than its fields, stands above REVIEW or is published.
 */

const NOW = '2026-09-14T12:00:00Z';
let database: TestDatabase;
beforeAll(async () => {
  database = await createDatabase();
  await database.sql`insert into clock.segments (real_from, market_from, rate) values ('2020-01-01', ${NOW}, 0)`;
});
afterEach(() => database.sql`truncate venue.events, catalog.pairs, catalog.rejections cascade`);
afterAll(() => database.close());

type Row = {
  event_a: string;
  stage: string;
  band: string;
  reason: string;
  legs: Record<string, string>;
  risks: Record<string, string>;
  notes: string[];
};

async function matched(a: raw.Fields[], b: raw.Fields[]): Promise<Row[]> {
  await matchedAt(database.sql, NOW, a, b);
  return database.sql<Row[]>`
    select p.event_a, p.stage, p.band, g.reason,
           (select coalesce(jsonb_object_agg(o.name, coalesce(o.relation, '') || ' ' || coalesce(substring(o.contract_a from '[^-]+$'), '')), '{}')
            from catalog.outcomes o where o.pair_id = p.pair_id) as legs,
           (select coalesce(jsonb_object_agg(k.event, k.severity), '{}') from catalog.pair_risks k where k.pair_id = p.pair_id) as risks,
           (select array_agg(k.note) from catalog.pair_risks k where k.pair_id = p.pair_id) as notes
    from catalog.pairs p
    join catalog.match_gates g on g.pair_id = p.pair_id
    where p.withdrawn_at is null
    order by p.event_a`;
}

const one = async (a: raw.Fields, b: raw.Fields): Promise<Row | undefined> => (await matched([a], [b]))[0];
const codes = async () =>
  (await database.sql<{ code: string }[]>`select code from catalog.rejections`).map((row) => row.code);
const twins = (row: Row | undefined) => Object.values(row?.legs ?? {}).filter((leg) => leg.startsWith('EXACT'));

const miami = (more: raw.Fields = {}) => raw.warmA('KXHIGHMIA', 'Miami (CLIMIA)', 88, 'The Weather Company', more);
const miamiB = (more = '') => raw.warmB('miami', 'Miami', 'Miami Intl Airport', 'kmia', 88, more);

describe('a temperature', () => {
  it('of one station in two reports is HIGH with equal ranges, and never an arb', async () => {
    const row = await one(miami(), miamiB());
    expect(row).toMatchObject({
      stage: 'catalog',
      band: 'HIGH',
      reason: expect.stringContaining('risk.settlement_source'),
    });
    expect(row?.legs).toEqual({
      '87°F or below': 'EXACT T88',
      '88-89°F': 'EXACT B88.5',
      '90°F or higher': 'EXACT T89',
    });
    expect(row?.risks).toMatchObject({ settlement_source: 'high' });
  });

  it('is as good when only the source address names the station, and a candidate when nothing names it', async () => {
    const text = "the National Weather Service's Climatological Report (Daily)";
    const named = raw.warmA('KXHIGHAUS', 'Austin', 92, text, {
      settlement_sources: [
        { name: 'NWS', url: 'https://forecast.weather.gov/product.php?site=EWX&product=CLI&issuedby=AUS' },
      ],
    });
    const b = raw.warmB('austin', 'Austin', 'Austin-Bergstrom International Airport', 'kaus', 92);
    expect(await one(named, b)).toMatchObject({ stage: 'catalog', band: 'HIGH' });
    expect(await one(raw.warmA('KXHIGHAUS', 'Austin', 92, text), b)).toMatchObject({
      stage: 'candidate',
      band: 'REVIEW',
      risks: { station_unread: 'high' },
    });
  });

  it('of two stations has no common leg', async () => {
    const row = await one(
      raw.warmA('KXHIGHNY', 'New York City (CLINYC)', 72, 'The Weather Company'),
      raw.warmB('nyc', 'NYC', 'LaGuardia Airport', 'klga', 72),
    );
    expect(row).toMatchObject({ stage: 'candidate', band: 'REVIEW', risks: { station_mismatch: 'critical' } });
    expect(twins(row)).toEqual([]);
  });
});

describe('an economic print', () => {
  it('of exact figures is EXACT when its sources agree; tails that venue_a lacks have no contract', async () => {
    const row = await one(raw.unemploymentA(), raw.unemploymentB());
    expect(row).toMatchObject({ stage: 'catalog', band: 'EXACT' });
    expect(row?.legs).toEqual({ '3.9% or less': ' ', '4%': 'EXACT T4.0', '4.1%': 'EXACT T4.1', '4.3% or more': ' ' });
    expect(row?.risks).toMatchObject({ partition_gap: 'high', missing_figure: 'medium' });
  });

  it('whose source one venue does not name is HIGH at most', async () => {
    expect(await one(raw.unemploymentA('', { settlement_sources: [] }), raw.unemploymentB())).toMatchObject({
      stage: 'catalog',
      band: 'HIGH',
      risks: { settlement_source: 'medium' },
    });
  });

  it('with ranges against thresholds has no contract of venue_a', async () => {
    const row = await one(raw.payrollsA(), raw.payrollsB());
    expect(row?.band).toBe('REVIEW');
    expect(twins(row)).toEqual([]);
  });
});

describe('decisions and prices', () => {
  it.each<[string, raw.Fields, raw.Fields, number]>([
    ["the Fed's decision", raw.fedA(), raw.fedB(), 5],
    ["another bank's decision", raw.ecbA(), raw.ecbB(), 5],
    ['a price at noon', raw.bitcoinA(), raw.bitcoinB(), 2],
    ["a month's high", raw.bitcoinHighA(), raw.bitcoinTouchB(), 1],
  ])('publish %s in review with its common legs', async (_name, a, b, legs) => {
    const row = await one(a, b);
    expect(row).toMatchObject({ stage: 'catalog', band: 'REVIEW', reason: expect.stringContaining('band.review') });
    expect(twins(row)).toHaveLength(legs);
  });

  it('reject a price at another hour with a code', async () => {
    expect(await matched([raw.bitcoinA('17', '5 PM')], [raw.bitcoinB()])).toEqual([]);
    expect(await codes()).toEqual(['other_hour']);
  });
});

const SPOILED = ' If {team} does not play, it resolves to No.';
const reworded = (event: raw.Fields, from: RegExp, to: string): raw.Fields =>
  JSON.parse(JSON.stringify(event).replace(from, to));
const silent = (event: raw.Fields): raw.Fields =>
  reworded(event, /"(rules_primary|rules_secondary|description)":"(?:[^"\\]|\\.)*"/g, '"$1":null');
const vague = (event: raw.Fields): raw.Fields =>
  reworded(event, /"(rules_primary|rules_secondary|description)":"(?:[^"\\]|\\.)*"/g, '"$1":"See the terms."');

describe.each<[string, raw.Fields, raw.Fields, RegExp, string]>([
  ['weather', miami(), miamiB(), /Sep 15, 2026, is/g, 'Sep 16, 2026, is'],
  ['econ_print', raw.unemploymentA(), raw.unemploymentB(), /in Sep 2026, then/g, 'in Sep 2025, then'],
  ['fed_decision', raw.fedA(), raw.fedB(), /on October 28, 2026/g, 'on December 9, 2026'],
  ['cb_decision', raw.ecbA(), raw.ecbB(), /its Oct 29, 2026 meeting/g, 'its Dec 17, 2026 meeting'],
  ['crypto_above', raw.bitcoinA(), raw.bitcoinB(), /(at 12 PM EDT on) Sep 15, 2026/g, '$1 Sep 16, 2026'],
])('%s with a changed text', (_family, a, b, from, to) => {
  it.each<[string, () => [raw.Fields, raw.Fields]]>([
    ['venue_a lacks', () => [silent(a), b]],
    ['venue_b lacks', () => [a, silent(b)]],
    ['says nothing on venue_a', () => [vague(a), b]],
    [
      'has open blanks on venue_a',
      () => [reworded(a, /then the market resolves to Yes\./, `then the market resolves to Yes.${SPOILED}`), b],
    ],
    ['has open blanks on venue_b', () => [a, reworded(b, /This market will/, `${SPOILED} This market will`)]],
    ['speaks of another time than its fields', () => [reworded(a, from, to), b]],
  ])('stays at most a candidate in review: %s', async (_name, pair) => {
    const [first, second] = pair();
    expect([JSON.stringify(first), JSON.stringify(second)]).not.toEqual([JSON.stringify(a), JSON.stringify(b)]);
    const rows = await matched([first], [second]);
    for (const row of rows) {
      expect(row).toMatchObject({ stage: 'candidate', band: 'REVIEW' });
      expect(
        Object.keys(row.risks).some((risk) => /rules_unread|unfilled_template|rules_contradict_fields/.test(risk)),
      ).toBe(true);
    }
  });
});

it('no note contains an internal code, and each names venue_a or venue_b', async () => {
  const rows = await matched(
    [miami(), raw.unemploymentA(), raw.payrollsA(), raw.fedA(), raw.ecbA(), raw.bitcoinA(), raw.bitcoinHighA()],
    [miamiB(), raw.unemploymentB(), raw.payrollsB(), raw.fedB(), raw.ecbB(), raw.bitcoinB(), raw.bitcoinTouchB()],
  );
  expect(rows).toHaveLength(7);
  for (const note of rows.flatMap((row) => row.notes)) {
    expect(note.replace(/venue_[ab]/g, '')).not.toMatch(/_/);
    expect(note).toMatch(/venue_[ab].*venue_[ab]/);
  }
});
