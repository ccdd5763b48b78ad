import { afterAll, beforeAll, expect, it } from 'vitest';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { context, gameA, gameB, milestoneOf } from './fixtures.ts';
import { listedA, listedB, putListings, runMatchPass } from './listings.ts';

/**
 * Guarantee: a status advances with the states of both venues and returns only for a moved game. A
 * result compares the payouts of both venues.
 */

let database: TestDatabase;
beforeAll(async () => {
  database = await createDatabase();
});
afterAll(() => database.close());

const ticker = 'KXMLBGAME-26AUG092020HOUSD';
const slug = 'mlb-hou-sd-2026-08-09';
const sides = [
  { code: 'HOU', label: 'Houston' },
  { code: 'SD', label: 'San Diego' },
];
type State = { state: 'trading' | 'closed' | 'proposed' | 'final'; payout?: string };

async function at(
  now: string,
  a: { HOU: State; SD: State },
  b: State,
  start = '2026-08-10T00:20:00Z',
): Promise<{ status: string; result: unknown; changed: boolean; updated: boolean }> {
  const { sql } = database;
  await sql`delete from clock.segments`;
  await sql`insert into clock.segments (real_from, market_from, rate) values ('2020-01-01', ${now}, 0)`;
  await putListings(sql, 'venue_a', [
    listedA(gameA(ticker, 'Houston vs San Diego', sides), milestoneOf(ticker, start), {
      [`${ticker}-HOU`]: a.HOU,
      [`${ticker}-SD`]: a.SD,
    }),
  ]);
  await putListings(sql, 'venue_b', [
    listedB(gameB(slug, ['Padres', 'Astros'], { start: start.replace('T', ' ').replace('Z', '+00') }), context, {
      [`0x${slug}`]: b,
    }),
  ]);
  await runMatchPass(sql);
  const read = async () => (await sql`select status, result, change_no, updated_at from catalog.pairs`)[0];
  const before = await read();
  const [count] = await sql<{ refresh_statuses: number }[]>`select pipeline.refresh_statuses()`;
  const after = await read();
  return {
    status: after?.status,
    result: after?.result,
    changed: count?.refresh_statuses === 1 && Number(after?.change_no) > Number(before?.change_no),
    updated: after?.updated_at.getTime() !== before?.updated_at.getTime(),
  };
}

const trading: State = { state: 'trading' };
const both = { HOU: trading, SD: trading };

it('a pair is open before the start, and live from then on while both venues trade', async () => {
  expect(await at('2026-08-09T23:00:00Z', both, trading)).toMatchObject({ status: 'open', changed: false });
  // A status change updates change_no only. It does not update updated_at.
  expect(await at('2026-08-10T00:30:00Z', both, trading)).toMatchObject({
    status: 'live',
    changed: true,
    updated: false,
  });
});

it('a pair returns to open when the start is moved and both venues trade again', async () => {
  expect(await at('2026-08-10T01:00:00Z', both, trading, '2026-08-10T20:00:00Z')).toMatchObject({
    status: 'open',
    changed: true,
  });
  expect(await at('2026-08-10T20:01:00Z', both, trading, '2026-08-10T20:00:00Z')).toMatchObject({ status: 'live' });
});

it('a pair is resolving once either venue has stopped, and does not return to live', async () => {
  expect(await at('2026-08-10T23:00:00Z', both, { state: 'proposed' }, '2026-08-10T20:00:00Z')).toMatchObject({
    status: 'resolving',
    changed: true,
  });
  expect(await at('2026-08-10T23:01:00Z', both, trading, '2026-08-10T20:00:00Z')).toMatchObject({
    status: 'resolving',
    changed: false,
  });
});

it('a pair is settled when both venues are final, and states the winner in the terms of both', async () => {
  const paid = { HOU: { state: 'final', payout: '1' }, SD: { state: 'final', payout: '0' } } as const;
  expect(await at('2026-08-11T01:00:00Z', paid, trading, '2026-08-10T20:00:00Z')).toMatchObject({
    status: 'resolving',
  });
  // Outcome 0 of venue_b is the Padres, which paid $0.
  const settled = await at('2026-08-11T01:10:00Z', paid, { state: 'final', payout: '0' }, '2026-08-10T20:00:00Z');
  expect(settled).toMatchObject({
    status: 'settled',
    changed: true,
    result: { verdict: 'agree', venues_agree: true, void: false, winners: ['houston-astros'] },
  });
  expect(await at('2026-08-12T00:00:00Z', both, trading, '2026-08-10T20:00:00Z')).toMatchObject({
    status: 'settled',
    changed: false,
  });
});

it.each([
  ['different winners', '1', '0', '1', { verdict: 'diverge', venues_agree: false, void: false, winners: [] }],
  [
    'a fair price against 50-50',
    '0.62',
    '0.38',
    '0.5',
    { verdict: 'edge_case', venues_agree: false, void: true, winners: [] },
  ],
  ['50-50 on both', '0.5', '0.5', '0.5', { verdict: 'edge_case', venues_agree: true, void: true, winners: [] }],
])('a settlement has the correct verdict for %s', async (_name, hou, sd, padres, result) => {
  await database.sql`update catalog.pairs set status = 'open', result = null`;
  const paid = { HOU: { state: 'final', payout: hou }, SD: { state: 'final', payout: sd } } as const;
  expect(
    (await at('2026-08-13T00:00:00Z', paid, { state: 'final', payout: padres }, '2026-08-10T20:00:00Z')).result,
  ).toMatchObject(result);
});
