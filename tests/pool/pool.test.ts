import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { ConnectionFailed } from '../../functions/_shared/pool/failure.ts';
import { Pool } from '../../functions/_shared/pool/pool.ts';
import { parseDatabaseUrl } from '../../functions/_shared/pool/url.ts';
import { isUnavailable } from '../../functions/api/is_unavailable.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { muteServer } from '../support/listening.ts';
import { waitUntil } from '../support/wait_until.ts';
import { TcpProxy } from './tcp_proxy.ts';

let db: TestDatabase;
const pools: Pool[] = [];
/** Of the pool that was opened last: the server ends others' backends a little later. */
let name = '';
beforeAll(async () => {
  db = await createDatabase();
});
afterEach(async () => {
  for (const pool of pools.splice(0)) await pool.end(1_000);
});
afterAll(() => db.close());

const open = (options: { url?: string; most?: number; limitMs?: number; log?: (line: string) => void } = {}): Pool => {
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

describe('values', () => {
  test('go bound and come as they are: what JavaScript would round stays text', async () => {
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

  test('and the same without any, as one plain message', async () => {
    const rows = await open().query(`select n, n = 2 as two, '[]'::json as none from generate_series(1, 2) n`);
    expect(rows).toEqual([
      { n: 1, two: false, none: [] },
      { n: 2, two: true, none: [] },
    ]);
  });
});

describe('what the server refuses', () => {
  test('comes with its SQLSTATE, over a connection that goes on', async () => {
    const pool = open({ most: 1 });
    const pid = await backend(pool);
    for (const [text, values, code] of [
      ['select 1 / $1::int', [0], '22012'],
      ['select nonsense', [], '42703'],
      ['select $1::int', ['x'], '22P02'],
    ] as const) {
      const refusal = await pool.query(text, values).catch((error) => error);
      expect([refusal.code, isUnavailable(refusal)]).toEqual([code, false]);
      expect(await backend(pool)).toBe(pid);
    }
  });

  test('is passing where trying again may help: a statement that was cancelled', async () => {
    const pool = open();
    const slow = pool.query('select pg_sleep(60)').catch((error) => error);
    await expect
      .poll(
        async () =>
          (
            await db.sql`
      select pg_cancel_backend(pid) from pg_stat_activity where query = 'select pg_sleep(60)'`
          ).length,
      )
      .toBeGreaterThan(0);
    const refusal = await slow;
    expect([refusal.code, isUnavailable(refusal)]).toEqual(['57014', true]);
  });

  test('a login that is wrong is told as that, and never as a database that is away', async () => {
    const url = new URL(db.url('parallax_api'));
    url.password = 'wrong';
    const refusal = await open({ url: url.href })
      .query('select 1')
      .catch((error) => error);
    expect([refusal.code, isUnavailable(refusal)]).toEqual(['28P01', false]);
  });
});

describe('time', () => {
  test('that a query has bounds it, and the late answer reaches nobody: the next asks over another connection', async () => {
    const pool = open({ most: 1 });
    const pid = await backend(pool);
    const late = pool.query('select pg_sleep(3), 1 as late', [], 200);
    await expect(late).rejects.toMatchObject({ name: 'NoAnswer', sent: true });
    const [row] = await pool.query('select 2 as mine, pg_backend_pid() as pid');
    expect(row).toMatchObject({ mine: 2 });
    expect(row).not.toMatchObject({ pid });
  });

  test('counts while a query waits for a connection; it is then known to be unsent', async () => {
    const pool = open({ most: 1 });
    const first = pool.query('select pg_sleep(1)');
    await expect(pool.query('select 1', [], 200)).rejects.toMatchObject({ name: 'NoAnswer', sent: false });
    await expect(first).resolves.toHaveLength(1);
  });

  test('is kept to by a server that takes the connection and never speaks', async () => {
    const mute = await muteServer();
    for (const mode of ['disable', 'require']) {
      const pool = open({ url: `postgres://x:x@127.0.0.1:${mute.port}/x?sslmode=${mode}` });
      await expect(pool.query('select 1', [], 500)).rejects.toMatchObject({ name: 'NoAnswer', sent: false });
      await pool.end(0);
    }
    await mute.close();
  });
});

describe('connections', () => {
  test('are as many as asked for at most, opened when they are needed, and shared in turn', async () => {
    const pool = open({ most: 3 });
    expect(await backends()).toBe(0);
    const turns: number[] = [];
    let most = 0;
    const asked = Array.from({ length: 30 }, (_, n) => pool.query('select pg_sleep(0.02)').then(() => turns.push(n)));
    while (turns.length < 30) most = Math.max(most, await backends());
    await Promise.all(asked);
    expect(most).toBe(3);
    // Whoever came first is served first, give or take those that ran beside it.
    expect(turns.every((n, place) => Math.abs(n - place) < 6)).toBe(true);
  });

  test('that rest when another has no answer in time are not trusted either', async () => {
    const url = new URL(db.url('parallax_api'));
    const wire = await TcpProxy.listen(Number(url.port));
    url.port = String(wire.port);
    try {
      const pool = open({ url: url.href, most: 4 });
      await Promise.all([1, 2, 3, 4].map(() => pool.query('select pg_sleep(0.2)')));
      expect(wire.connections).toBe(4);
      wire.freezeOpen();
      await expect(pool.query('select 1', [], 300)).rejects.toMatchObject({ name: 'NoAnswer', sent: true });
      await expect(pool.query('select 2 as mine')).resolves.toEqual([{ mine: 2 }]);
    } finally {
      await pools.at(-1)?.end(100);
      await wire.close();
    }
  });

  test('end with the pool: what is under way may finish, what waits and what comes is refused unsent', async () => {
    const pool = open({ most: 1 });
    const running = pool.query<{ done: number }>('select 1 as done from pg_sleep(0.5)');
    const waiting = pool.query('select 1').catch((error) => error);
    await waitUntil(async () => (await backends('active')) === 1, { what: 'the query runs', timeoutMs: 5_000 });
    await pool.end(10_000);
    expect(await running).toEqual([{ done: 1 }]);
    for (const refusal of [await waiting, await pool.query('select 1').catch((error) => error)]) {
      expect(refusal).toBeInstanceOf(ConnectionFailed);
      expect(refusal.sent).toBe(false);
    }
    await waitUntil(async () => (await backends()) === 0, { what: 'no backend is left', timeoutMs: 1_000 });
  });

  test('and those that do not finish in time are broken off', async () => {
    const pool = open();
    const running = pool.query('select pg_sleep(4)').catch((error) => error);
    await waitUntil(async () => (await backends('active')) === 1, { what: 'the query runs', timeoutMs: 5_000 });
    await pool.end(100);
    expect(await running).toMatchObject({ name: 'NoAnswer', sent: true });
  });
});

describe('the URL', () => {
  const clientOf = (url: string) => new pg.Client(parseDatabaseUrl(url));

  test('is read as libpq reads it', () => {
    const client = clientOf(
      'postgresql://a%40b:p%2F%3A%20ss@[::1]:6543/my%20db?options=reference%3Dabc&sslmode=require',
    );
    expect(client).toMatchObject({ host: '::1', port: 6543, user: 'a@b', password: 'p/: ss', database: 'my db' });
    expect(Reflect.get(client, 'connectionParameters')).toMatchObject({ options: 'reference=abc' });
    expect(client.ssl).toEqual({ rejectUnauthorized: false });
    expect(clientOf('postgres://me:x@db.example')).toMatchObject({ port: 5432, database: 'me', ssl: false });
    expect(clientOf('postgres://me:x@db.example?sslmode=verify-full').ssl).toEqual({ rejectUnauthorized: true });
  });

  test('is refused where it is none, without telling the password', () => {
    for (const url of ['', 'secret', 'https://me:secret@db.example', 'postgres://me:secret@db.example:99999999/x']) {
      expect(() => parseDatabaseUrl(url)).toThrow(/^The URL of the database is no postgres:\/\/ URL\.$/);
    }
    expect(() => parseDatabaseUrl('postgres://me:secret@db.example?sslmode=sometimes')).toThrow('sslmode is sometimes');
  });
});
