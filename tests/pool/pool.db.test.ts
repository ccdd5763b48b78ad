import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { ConnectionFailed } from '../../functions/_shared/pool/failure.ts';
import { Pool } from '../../functions/_shared/pool/pool.ts';
import { parseDatabaseUrl } from '../../functions/_shared/pool/url.ts';
import { isUnavailable } from '../../functions/api/is_unavailable.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { startSilentServer } from '../support/listening.ts';
import { waitUntil } from '../support/wait_until.ts';
import { TcpProxy } from './tcp_proxy.ts';

let db: TestDatabase;
const pools: Pool[] = [];
/**
 * `application_name` of the pool that was opened last. Backends of earlier pools may still exist.
 */
let name = '';
beforeAll(async () => {
  db = await createDatabase();
});
afterEach(async () => {
  for (const pool of pools.splice(0)) await pool.end(1_000);
});
afterAll(() => db.close());

const open = (
  options: { url?: string; maxConnections?: number; limitMs?: number; log?: (line: string) => void } = {},
): Pool => {
  name = `pool ${crypto.randomUUID()}`;
  const pool = new Pool({
    url: db.url('parallax_api'),
    name,
    maxConnections: 2,
    limitMs: 20_000,
    log: () => {},
    ...options,
  });
  pools.push(pool);
  return pool;
};
const backend = async (pool: Pool) => (await pool.sql<{ pid: number }>`select pg_backend_pid() as pid`)[0]?.pid;
const backends = async (state = '') =>
  (await db.sql`select from pg_stat_activity where application_name = ${name} and starts_with(state, ${state})`).length;

describe('values of a query', () => {
  test('are bound unchanged, and values that JavaScript would round return as text', async () => {
    const at = new Date('2026-11-20T12:00:00.123Z');
    const [row] = await open().sql`
      select ${`it's "$1" \\ 😀`}::text as text, ${7}::int as whole, ${0.1}::float8 as real, ${true}::boolean as truth,
             ${null}::text as nothing, ${at}::timestamptz = '2026-11-20 12:00:00.123+00' as same,
             9007199254740993::bigint as large, 0.10::numeric as exact, ${'{"a":[1]}'}::text::jsonb as json, '{1,2}'::int[] as many`;
    expect(row).toEqual({
      text: `it's "$1" \\ 😀`,
      whole: 7,
      real: 0.1,
      truth: true,
      nothing: null,
      same: true,
      large: '9007199254740993',
      exact: '0.10',
      json: { a: [1] },
      many: '{1,2}',
    });
  });

  test('are parsed in the same way for a query without parameters', async () => {
    const rows = await open().query(`select n, n = 2 as two, '[]'::json as none from generate_series(1, 2) n`);
    expect(rows).toEqual([
      { n: 1, two: false, none: [] },
      { n: 2, two: true, none: [] },
    ]);
  });
});

describe('an error of the server', () => {
  test('has its SQLSTATE, and the connection stays open', async () => {
    const pool = open({ maxConnections: 1 });
    const pid = await backend(pool);
    for (const [text, values, code] of [
      ['select 1 / $1::int', [0], '22012'],
      ['select nonsense', [], '42703'],
      ['select $1::int', ['x'], '22P02'],
    ] as const) {
      const error = await pool.query(text, values).catch((thrown) => thrown);
      expect([error.code, isUnavailable(error)]).toEqual([code, false]);
      expect(await backend(pool)).toBe(pid);
    }
  });

  test('counts as unavailable when the statement was cancelled', async () => {
    const pool = open();
    const slow = pool.query('select pg_sleep(60)').catch((thrown) => thrown);
    await expect
      .poll(
        async () =>
          (
            await db.sql`
      select pg_cancel_backend(pid) from pg_stat_activity where query = 'select pg_sleep(60)'`
          ).length,
      )
      .toBeGreaterThan(0);
    const error = await slow;
    expect([error.code, isUnavailable(error)]).toEqual(['57014', true]);
  });

  test('reports a wrong password as such and not as an unreachable database', async () => {
    const url = new URL(db.url('parallax_api'));
    url.password = 'wrong';
    const error = await open({ url: url.href })
      .query('select 1')
      .catch((thrown) => thrown);
    expect([error.code, isUnavailable(error)]).toEqual(['28P01', false]);
  });
});

describe('the deadline of a query', () => {
  test('ends a slow query, and the next query uses another connection', async () => {
    const pool = open({ maxConnections: 1 });
    const pid = await backend(pool);
    const late = pool.query('select pg_sleep(3), 1 as late', [], 200);
    await expect(late).rejects.toMatchObject({ name: 'ConnectionFailed', sent: true });
    const [row] = await pool.query('select 2 as mine, pg_backend_pid() as pid');
    expect(row).toMatchObject({ mine: 2 });
    expect(row).not.toMatchObject({ pid });
  });

  test('includes the wait for a connection and then reports the query as unsent', async () => {
    const pool = open({ maxConnections: 1 });
    const first = pool.query('select pg_sleep(1)');
    await expect(pool.query('select 1', [], 200)).rejects.toMatchObject({ name: 'ConnectionFailed', sent: false });
    await expect(first).resolves.toHaveLength(1);
  });

  test('applies to a server that accepts the connection and never answers', async () => {
    const mute = await startSilentServer();
    for (const mode of ['disable', 'require']) {
      const pool = open({ url: `postgres://x:x@127.0.0.1:${mute.port}/x?sslmode=${mode}` });
      await expect(pool.query('select 1', [], 500)).rejects.toMatchObject({ name: 'ConnectionFailed', sent: false });
      await pool.end(0);
    }
    await mute.close();
  });
});

describe('connections of the pool', () => {
  test('open on demand, stay within the maximum, and serve queries in order', async () => {
    const pool = open({ maxConnections: 3 });
    expect(await backends()).toBe(0);
    const turns: number[] = [];
    let maxOpen = 0;
    const queries = Array.from({ length: 30 }, (_, n) => pool.query('select pg_sleep(0.02)').then(() => turns.push(n)));
    while (turns.length < 30) maxOpen = Math.max(maxOpen, await backends());
    await Promise.all(queries);
    expect(maxOpen).toBe(3);
    // The order is that of the calls, except for queries that ran at the same time.
    expect(turns.every((n, index) => Math.abs(n - index) < 6)).toBe(true);
  });

  test('are not used again when another connection did not answer in time', async () => {
    const url = new URL(db.url('parallax_api'));
    const proxy = await TcpProxy.listen(Number(url.port));
    url.port = String(proxy.port);
    try {
      const pool = open({ url: url.href, maxConnections: 4 });
      await Promise.all([1, 2, 3, 4].map(() => pool.query('select pg_sleep(0.2)')));
      expect(proxy.connections).toBe(4);
      proxy.freezeOpen();
      await expect(pool.query('select 1', [], 300)).rejects.toMatchObject({ name: 'ConnectionFailed', sent: true });
      await expect(pool.query('select 2 as mine')).resolves.toEqual([{ mine: 2 }]);
    } finally {
      await pools.at(-1)?.end(100);
      await proxy.close();
    }
  });

  test('close with the pool: a running query finishes, waiting and later queries fail unsent', async () => {
    const pool = open({ maxConnections: 1 });
    const running = pool.query<{ done: number }>('select 1 as done from pg_sleep(0.5)');
    const waiting = pool.query('select 1').catch((thrown) => thrown);
    await waitUntil(async () => (await backends('active')) === 1, { what: 'the query runs', timeoutMs: 5_000 });
    await pool.end(10_000);
    expect(await running).toEqual([{ done: 1 }]);
    for (const error of [await waiting, await pool.query('select 1').catch((thrown) => thrown)]) {
      expect(error).toBeInstanceOf(ConnectionFailed);
      expect(error.sent).toBe(false);
    }
    await waitUntil(async () => (await backends()) === 0, { what: 'no backend is left', timeoutMs: 1_000 });
  });

  test('are closed at the end of the grace time, even with a running query', async () => {
    const pool = open();
    const running = pool.query('select pg_sleep(4)').catch((thrown) => thrown);
    await waitUntil(async () => (await backends('active')) === 1, { what: 'the query runs', timeoutMs: 5_000 });
    await pool.end(100);
    expect(await running).toMatchObject({ name: 'ConnectionFailed', sent: true });
  });
});

describe('the database URL', () => {
  const clientOf = (url: string) => new pg.Client(parseDatabaseUrl(url));

  test('is parsed as libpq parses it', () => {
    const client = clientOf(
      'postgresql://a%40b:p%2F%3A%20ss@[::1]:6543/my%20db?options=reference%3Dabc&sslmode=require',
    );
    expect(client).toMatchObject({ host: '::1', port: 6543, user: 'a@b', password: 'p/: ss', database: 'my db' });
    expect(Reflect.get(client, 'connectionParameters')).toMatchObject({ options: 'reference=abc' });
    expect(client.ssl).toEqual({ rejectUnauthorized: false });
    expect(clientOf('postgres://me:x@db.example')).toMatchObject({ port: 5432, database: 'me', ssl: false });
    expect(clientOf('postgres://me:x@db.example?sslmode=verify-full').ssl).toEqual({ rejectUnauthorized: true });
  });

  test('is rejected without its password in the error when it is invalid', () => {
    for (const url of ['', 'secret', 'https://me:secret@db.example', 'postgres://me:secret@db.example:99999999/x']) {
      expect(() => parseDatabaseUrl(url)).toThrow(/^The database URL is not a postgres:\/\/ URL\.$/);
    }
    expect(() => parseDatabaseUrl('postgres://me:secret@db.example?sslmode=sometimes')).toThrow('sslmode is sometimes');
  });
});
