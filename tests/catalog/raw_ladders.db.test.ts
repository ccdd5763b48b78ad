import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { listAndMatch } from './list_and_match.ts';
import * as raw from './raw_fixtures.ts';

/**
 * Guarantee: ladders in the form of both venues get the band that the rules of their family allow,
 * with the differences in words. No ladder with unreadable rules, or with rules that contradict its
 * fields, is above REVIEW or published.
 */

const NOW = '2026-09-14T12:00:00Z';
let database: TestDatabase;
beforeAll(async () => {
  database = await createDatabase();
  await database.sql`insert into clock.segments (real_from, market_from, rate) values ('2020-01-01', ${NOW}, 0)`;
});
afterEach(
  () =>
    database.sql`truncate venue.events, catalog.pairs, catalog.outcomes, catalog.strikes, catalog.rejections cascade`,
);
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

async function matchAll(a: raw.Fields[], b: raw.Fields[]): Promise<Row[]> {
  await listAndMatch(database.sql, NOW, a, b);
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

const matchOne = async (a: raw.Fields, b: raw.Fields): Promise<Row | undefined> => (await matchAll([a], [b]))[0];
const codes = async () =>
  (await database.sql<{ code: string }[]>`select code from catalog.rejections`).map((row) => row.code);
const exactLegs = (row: Row | undefined) => Object.values(row?.legs ?? {}).filter((leg) => leg.startsWith('EXACT'));

const miami = (more: raw.Fields = {}) =>
  raw.temperatureA('KXHIGHMIA', 'Miami (CLIMIA)', 88, 'The Weather Company', more);
const miamiB = (more = '') => raw.temperatureB('miami', 'Miami', 'Miami Intl Airport', 'kmia', 88, more);

describe('a temperature pair', () => {
  it('is HIGH with a high risk for equal ranges in two reports of one station', async () => {
    const row = await matchOne(miami(), miamiB());
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

  it('is HIGH when only the source URL names the station, and a candidate when nothing names it', async () => {
    const text = "the National Weather Service's Climatological Report (Daily)";
    const named = raw.temperatureA('KXHIGHAUS', 'Austin', 92, text, {
      settlement_sources: [
        { name: 'NWS', url: 'https://forecast.weather.gov/product.php?site=EWX&product=CLI&issuedby=AUS' },
      ],
    });
    const b = raw.temperatureB('austin', 'Austin', 'Austin-Bergstrom International Airport', 'kaus', 92);
    expect(await matchOne(named, b)).toMatchObject({ stage: 'catalog', band: 'HIGH' });
    expect(await matchOne(raw.temperatureA('KXHIGHAUS', 'Austin', 92, text), b)).toMatchObject({
      stage: 'candidate',
      band: 'REVIEW',
      risks: { station_unread: 'high' },
    });
  });

  it('has no exact leg when the stations differ', async () => {
    const row = await matchOne(
      raw.temperatureA('KXHIGHNY', 'New York City (CLINYC)', 72, 'The Weather Company'),
      raw.temperatureB('nyc', 'NYC', 'LaGuardia Airport', 'klga', 72),
    );
    expect(row).toMatchObject({ stage: 'candidate', band: 'REVIEW', risks: { station_mismatch: 'critical' } });
    expect(exactLegs(row)).toEqual([]);
  });
});

describe('an economic print pair', () => {
  it('is EXACT for exact figures of one source; a tail that venue_a does not list has no contract', async () => {
    const row = await matchOne(raw.unemploymentA(), raw.unemploymentB());
    expect(row).toMatchObject({ stage: 'catalog', band: 'EXACT' });
    expect(row?.legs).toEqual({ '3.9% or less': ' ', '4%': 'EXACT T4.0', '4.1%': 'EXACT T4.1', '4.3% or more': ' ' });
    expect(row?.risks).toMatchObject({ partition_gap: 'high', missing_figure: 'medium' });
  });

  it('is HIGH at most when one venue does not name its source', async () => {
    expect(await matchOne(raw.unemploymentA('', { settlement_sources: [] }), raw.unemploymentB())).toMatchObject({
      stage: 'catalog',
      band: 'HIGH',
      risks: { settlement_source: 'medium' },
    });
  });

  it('is in REVIEW without an exact leg for ranges against thresholds', async () => {
    const row = await matchOne(raw.payrollsA(), raw.payrollsB());
    expect(row?.band).toBe('REVIEW');
    expect(exactLegs(row)).toEqual([]);
  });
});

describe('decision and price pairs', () => {
  it.each<[string, raw.Fields, raw.Fields, number]>([
    ["the Fed's decision", raw.fedA(), raw.fedB(), 5],
    ["another bank's decision", raw.ecbA(), raw.ecbB(), 5],
    ['a price at noon', raw.bitcoinA(), raw.bitcoinB(), 2],
    ["a month's high", raw.bitcoinHighA(), raw.bitcoinTouchB(), 1],
  ])('include %s in REVIEW, with its common legs', async (_name, a, b, legs) => {
    const row = await matchOne(a, b);
    expect(row).toMatchObject({ stage: 'catalog', band: 'REVIEW', reason: expect.stringContaining('band.review') });
    expect(exactLegs(row)).toHaveLength(legs);
  });

  it('are rejected with a code when the hours differ', async () => {
    expect(await matchAll([raw.bitcoinA('17', '5 PM')], [raw.bitcoinB()])).toEqual([]);
    expect(await codes()).toEqual(['other_hour']);
  });
});

const UNFILLED = ' If {team} does not play, it resolves to No.';
const replaceText = (event: raw.Fields, from: RegExp, to: string): raw.Fields =>
  JSON.parse(JSON.stringify(event).replace(from, to));
const withoutRules = (event: raw.Fields): raw.Fields =>
  replaceText(event, /"(rules_primary|rules_secondary|description)":"(?:[^"\\]|\\.)*"/g, '"$1":null');
const withVagueRules = (event: raw.Fields): raw.Fields =>
  replaceText(event, /"(rules_primary|rules_secondary|description)":"(?:[^"\\]|\\.)*"/g, '"$1":"See the terms."');

describe.each<[string, raw.Fields, raw.Fields, RegExp, string]>([
  ['weather', miami(), miamiB(), /Sep 15, 2026, is/g, 'Sep 16, 2026, is'],
  ['econ_print', raw.unemploymentA(), raw.unemploymentB(), /in Sep 2026, then/g, 'in Sep 2025, then'],
  ['fed_decision', raw.fedA(), raw.fedB(), /on October 28, 2026/g, 'on December 9, 2026'],
  ['cb_decision', raw.ecbA(), raw.ecbB(), /its Oct 29, 2026 meeting/g, 'its Dec 17, 2026 meeting'],
  ['crypto_above', raw.bitcoinA(), raw.bitcoinB(), /(at 12 PM EDT on) Sep 15, 2026/g, '$1 Sep 16, 2026'],
])('a pair of family %s with a changed text', (_family, a, b, from, to) => {
  it.each<[string, () => [raw.Fields, raw.Fields]]>([
    ['venue_a has no text', () => [withoutRules(a), b]],
    ['venue_b has no text', () => [a, withoutRules(b)]],
    ['the text of venue_a states no rule', () => [withVagueRules(a), b]],
    [
      'the text of venue_a has unfilled blanks',
      () => [replaceText(a, /then the market resolves to Yes\./, `then the market resolves to Yes.${UNFILLED}`), b],
    ],
    [
      'the text of venue_b has unfilled blanks',
      () => [a, replaceText(b, /This market will/, `${UNFILLED} This market will`)],
    ],
    ['the text names another time than the fields', () => [replaceText(a, from, to), b]],
  ])('is at most a candidate in REVIEW when %s', async (_name, pair) => {
    const [first, second] = pair();
    expect([JSON.stringify(first), JSON.stringify(second)]).not.toEqual([JSON.stringify(a), JSON.stringify(b)]);
    const rows = await matchAll([first], [second]);
    for (const row of rows) {
      expect(row).toMatchObject({ stage: 'candidate', band: 'REVIEW' });
      expect(
        Object.keys(row.risks).some((risk) => /rules_unread|unfilled_template|rules_contradict_fields/.test(risk)),
      ).toBe(true);
    }
  });
});

it('each note of a ladder pair names the venues and contains no internal code', async () => {
  const rows = await matchAll(
    [miami(), raw.unemploymentA(), raw.payrollsA(), raw.fedA(), raw.ecbA(), raw.bitcoinA(), raw.bitcoinHighA()],
    [miamiB(), raw.unemploymentB(), raw.payrollsB(), raw.fedB(), raw.ecbB(), raw.bitcoinB(), raw.bitcoinTouchB()],
  );
  expect(rows).toHaveLength(7);
  for (const note of rows.flatMap((row) => row.notes)) {
    expect(note.replace(/venue_[ab]/g, '')).not.toMatch(/_/);
    expect(note).toMatch(/venue_[ab].*venue_[ab]/);
  }
});
