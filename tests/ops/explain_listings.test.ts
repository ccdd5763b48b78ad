import { afterAll, beforeAll, expect, it } from 'vitest';
import { context, gameA, gameB, NOW } from '../catalog/fixtures.ts';
import { listedA, listedB, putListings, runMatchPass } from '../catalog/listings.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';

/**
 * Guarantee: with any id of a listing an operator gets its questions, pairs and rejections, with
 * reasons.
 */

let database: TestDatabase;
const ticker = 'KXMLBGAME-26AUG092020HOUSD';
const sides = [
  { code: 'HOU', label: 'Houston' },
  { code: 'SD', label: 'San Diego' },
];
beforeAll(async () => {
  database = await createDatabase();
  await database.sql`insert into clock.segments (real_from, market_from, rate) values ('2020-01-01', ${NOW}, 0)`;
  await putListings(database.sql, 'venue_a', [listedA(gameA(ticker, 'Houston vs San Diego', sides), context)]);
  await putListings(database.sql, 'venue_b', [
    listedB(gameB('mlb-hou-sd-2026-08-09', ['Astros', 'Padres'], { id: 'x' }), context),
    listedB(gameB('mlb-hou-sd-2026-08-10', ['Astros', 'Padres'], { id: 'y' }), context),
    listedB(gameB('mlb-hou-sd-2026-08-09-more-markets', ['Astros', 'Padres'], { id: 'z' }), context),
  ]);
  await runMatchPass(database.sql);
});
afterAll(() => database.close());

type Why = {
  about: string;
  questions: {
    question_id: string;
    excluded: string | null;
    excluded_because: string | null;
    unmatched: string | null;
    legs: unknown[];
  }[];
  pairs: {
    id: string;
    signals: { signal: string; why?: string }[];
    risks: { event: string; internal: boolean }[];
    gates: { gate: string; open: boolean; reason: string | null }[];
    after: { code: string | null };
    rule: { rule_id: string; parity: boolean };
    outcomes: unknown[];
  }[];
  rejections: { code: string; because: string; question_b: string }[];
  rejected_rows: unknown[];
};
const why = async (about: string): Promise<Why> => {
  const [row] = await database.sql<{ why: Why }[]>`select ops.explain(${about}) as why`;
  if (!row) throw new Error('ops.explain returned no row');
  return row.why;
};

it('ops.explain returns the signals, risks, gates and rule record of a pair', async () => {
  const { pairs, questions, rejections } = await why(ticker);
  expect(questions.map((one) => one.question_id)).toEqual([`venue_a:${ticker}`]);
  const [pair] = pairs;
  expect(pair?.signals.find((one) => one.signal === 'postponement')?.why).toMatch(/wait for a postponed game/);
  expect(pair?.risks.find((one) => one.event === 'cancel_payout')?.internal).toBe(true);
  expect(pair?.gates).toEqual([
    { gate: 'band', open: true, reason: null },
    { gate: 'parity', open: false, reason: 'parity.unconfirmed' },
    { gate: 'risk', open: true, reason: null },
    { gate: 'priced', open: false, reason: 'priced.never' },
  ]);
  expect(pair?.after.code).toBeNull();
  expect(pair?.rule.parity).toBe(false);
  expect(pair?.outcomes).toHaveLength(2);
  expect(rejections.map((one) => [one.code, one.question_b])).toEqual([
    ['rematch_next_day', 'venue_b:mlb-hou-sd-2026-08-10'],
  ]);
  expect(rejections[0]?.because).toMatch(/consecutive days/);
});

it('ops.explain finds the same pair by any id of its listings', async () => {
  const [pair] = (await why(ticker)).pairs;
  for (const about of [
    `${ticker}-SD`,
    ticker.toLowerCase(),
    ` ${ticker} `,
    'mlb-hou-sd-2026-08-09',
    '0xx',
    'x:1',
    `venue_a:${ticker}`,
    pair?.id ?? '',
    (pair?.id ?? '').replace('mkt_', ''),
  ])
    expect((await why(about)).pairs.map((one) => one.id)).toEqual([pair?.id]);
});

it('ops.explain returns why a listing is excluded', async () => {
  const { questions, pairs } = await why('mlb-hou-sd-2026-08-09-more-markets');
  expect(questions[0]).toMatchObject({ excluded: 'duplicate_listing', unmatched: 'duplicate_listing' });
  expect(questions[0]?.excluded_because).toMatch(/main event/);
  expect(pairs).toEqual([]);
});

it('ops.explain returns empty lists for an unknown listing, with any input', async () => {
  for (const about of ['', 'nothing', 'mkt_', "'; drop table x; --", 'mkt_00000000-0000-4000-8000-000000000000'])
    expect(await why(about)).toMatchObject({ questions: [], pairs: [], rejections: [], rejected_rows: [] });
});

it('ops.explain may not be called by the service roles', async () => {
  const [row] = await database.sql`
    select bool_or(has_function_privilege(r, 'ops.explain(text)', 'execute')) as may from unnest(array['parallax_api', 'parallax_ingest']) r`;
  expect(row?.may).toBe(false);
});
