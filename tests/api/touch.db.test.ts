import { afterAll, beforeAll, expect, test } from 'vitest';
import { listAndMatch } from '../catalog/list_and_match.ts';
import { bitcoinA, bitcoinB, bitcoinHighA, bitcoinTouchB } from '../catalog/raw_fixtures.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { holdShardLeases, putUpdates, stopClock } from './support/catalog.ts';
import { type RunningApi, serveApi } from './support/server.ts';

/**
 * Guarantee: REST marks a market whose outcomes pay at a touched price level, and it is never arb.
 */

const NOW = '2026-09-14T12:00:00Z';
let db: TestDatabase;
let api: RunningApi;
let key: string;
beforeAll(async () => {
  db = await createDatabase();
  const { sql } = db;
  await holdShardLeases(sql);
  await stopClock(sql, NOW);
  await listAndMatch(sql, NOW, [bitcoinHighA(), bitcoinA()], [bitcoinTouchB(), bitcoinB()]);
  // A confirmed rule, and asks of 20 and 30 cents per outcome: if exactly one outcome paid $1, this
  // would be arbitrage.
  await sql`update catalog.rules set confirmed_at = '2026-02-01Z', record_agreeing = 400, record_bound = 0.01`;
  const pairs = await sql<{ pair_id: string; asks: number[] }[]>`
    select pair_id, array_agg(200000) as asks from catalog.outcomes group by pair_id`;
  await putUpdates(
    sql,
    pairs.map(({ pair_id, asks }) => [
      pair_id,
      { at: '2026-09-14T11:57:00Z', ask_a: asks, ask_b: asks.map((ask) => ask + 100_000) },
    ]),
  );
  api = await serveApi(db.url('parallax_api'));
  const [row] = await sql<{ key: string }[]>`select account.mint_key('touch', 'pro') as key`;
  key = row?.key ?? '';
});
afterAll(async () => {
  await api.close();
  await db.close();
});

type Market = {
  title: string;
  basis: string | null;
  settlement?: { risks: { event: string; severity: string; note: string }[] };
};
const get = async (path: string): Promise<unknown> => {
  const answer = await fetch(`${api.base}/v2/${path}`, { headers: { Authorization: `Bearer ${key}` } });
  expect(answer.status).toBe(200);
  return answer.json();
};
const list = async (query: string) => ((await get(`markets?${query}`)) as { markets: Market[] }).markets;

test('the basis touch distinguishes the high of a month from the price at an hour, and works as a filter', async () => {
  const bases = (await list('category=crypto')).map(({ title, basis }) => [title, basis]);
  expect(bases.sort()).toEqual([
    ['Bitcoin price on 2026-09-15 at 16:00 UTC', null],
    ['How high Bitcoin gets in 2026-09', 'touch'],
  ]);
  expect((await list('basis=touch')).map(({ basis }) => basis)).toEqual(['touch']);
});

test('a touch market is in review, is a spread at any price, and has the risk several_can_pay', async () => {
  const [row] = await list('basis=touch&include=settlement');
  expect(row).toMatchObject({ market_type: 'crypto_above', signal: 'spread', spread_pts: 10, potential_arb_pct: null });
  expect(await get('spreads?basis=touch')).toMatchObject({
    basis: 'touch',
    count: 1,
    spreads: [{ match_band: 'REVIEW', signal: 'spread' }],
  });
  const risks = row?.settlement?.risks ?? [];
  expect(risks.map(({ event }) => event)).not.toContain('partition_gap');
  expect(risks).toContainEqual({
    event: 'several_can_pay',
    severity: 'high',
    note: expect.stringContaining('pays if the price touches it at any time'),
  });
});
