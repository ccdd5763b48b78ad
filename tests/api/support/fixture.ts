import type { Sql } from '../../../local/platform/postgres/template.ts';
import { createDatabase, type TestDatabase } from '../../support/database.ts';
import { holdShardLeases, putPair, putUpdate, stopClock, uuidOf } from './catalog.ts';
import { type RunningApi, serveApi } from './server.ts';

export type ApiFixture = {
  db: TestDatabase;
  api: RunningApi;
  clock: Awaited<ReturnType<typeof stopClock>>;
  /** Creates an organization and returns its key. */
  key(tier?: string): Promise<string>;
  get(path: string, key: string, headers?: Record<string, string>): Promise<Response>;
  close(): Promise<void>;
};

/** Stores 11 pairs with prices of 11:57:00Z, at market time 12:00:00Z, and returns the clock. */
export async function seedCatalog(sql: Sql): Promise<ApiFixture['clock']> {
  await holdShardLeases(sql);
  const clock = await stopClock(sql, '2026-11-20T12:00:00Z');
  const base = { confirmed: true };
  await putPair(sql, { n: 1, ...base, competition: 'NBA', start_time: '2026-11-21T01:00:00Z' });
  await putPair(sql, { n: 2, ...base, competition: 'NBA', start_time: '2026-11-21T01:00:00Z', status: 'live' });
  await putPair(sql, {
    n: 3,
    ...base,
    sport: 'hockey',
    competition: 'NHL',
    start_time: '2026-11-20T23:00:00Z',
    confirmed: false,
  });
  await putPair(sql, { n: 4, ...base, market_type: 'outright', start_time: '2027-06-01T00:00:00Z' });
  await putPair(sql, { n: 5, ...base, market_type: 'total', line: 220.5, game_id: uuidOf(1) });
  await putPair(sql, {
    n: 6,
    ...base,
    market_type: 'weather_high',
    category: 'weather',
    sport: null,
    competition: null,
    location: 'nyc',
    band: 'REVIEW',
  });
  await putPair(sql, { n: 7, ...base, status: 'settled', start_time: '2026-11-18T00:00:00Z' });
  await putPair(sql, { n: 8, ...base, status: 'resolving' });
  await putPair(sql, { n: 9, ...base, stage: 'candidate' });
  await putPair(sql, { n: 10, ...base, start_time: '2026-11-21T03:00:00Z' });
  await putPair(sql, { n: 11, ...base, start_time: '2026-11-21T04:00:00Z', title: `It's a "test" \\ 50%` });
  const at = '2026-11-20T11:57:00.000Z';
  await putUpdate(sql, 1, { at, ask_a: [400000, 610000], ask_b: [420000, 600000] });
  await putUpdate(sql, 2, { at, ask_a: [500000, 510000], ask_b: [560000, 450000] });
  await putUpdate(sql, 3, { at, ask_a: [300000, 710000], ask_b: [310000, 700000] });
  await putUpdate(sql, 5, { at, ask_a: [300000, 710000], ask_b: [310000, 700000] });
  await putUpdate(sql, 9, { at, ask_a: [300000, 710000], ask_b: [310000, 700000] });
  await putUpdate(sql, 11, { at, ask_a: [300000, 710000], ask_b: [320000, 700000] });
  return clock;
}

/**
 * A catalog of 11 pairs at market time 12:00:00Z, with the snapshot of 11:58:00Z, and the API on a
 * socket.
 */
export async function createApiFixture(options: Parameters<typeof serveApi>[1] = {}): Promise<ApiFixture> {
  const db = await createDatabase();
  const { sql } = db;
  const clock = await seedCatalog(sql);
  const api = await serveApi(db.url('parallax_api'), options);
  let organizations = 0;
  return {
    db,
    api,
    clock,
    async key(tier = 'pro') {
      const [row] = await sql<{ key: string }[]>`select account.mint_key(${`org ${++organizations}`}, ${tier}) as key`;
      return row?.key ?? '';
    },
    get: (path, key, headers = {}) =>
      fetch(`${api.base}${path}`, { headers: { Authorization: `Bearer ${key}`, ...headers } }),
    async close() {
      await api.close();
      await db.close();
    },
  };
}

/** Lets a Pro key make any number of requests. A property makes more than a plan allows. */
export const liftLimits = (sql: Sql) =>
  sql`update account.tiers set window_requests = 1000000, month_requests = 1000000 where tier = 'pro'`;
