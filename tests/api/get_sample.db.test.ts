import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { createLog } from '../../functions/_shared/log.ts';
import { sample } from '../../functions/api/contract/market.ts';
import { ApiQueries, connect } from '../../functions/api/database.ts';
import { SampleReader, sampleCacheControl } from '../../functions/api/sample.ts';
import { waitUntil } from '../support/wait_until.ts';
import { idOf, putUpdate, uuidOf } from './support/catalog.ts';
import { type ApiFixture, createApiFixture } from './support/fixture.ts';
import { type RunningApi, serveApi } from './support/server.ts';

/**
 * Guarantee: everyone can read the delayed markets of the sample and no others, with the same bytes
 * in a step, and no number of such requests reaches the database more than once a step.
 */

let world: ApiFixture;
beforeAll(async () => {
  world = await createApiFixture();
  await choose([1, 2, 5, 7, 9, 10]);
});
afterAll(() => world.close());

/** Pairs 7 and 9 are settled and a candidate: both are in the table and not in the catalog. */
async function choose(pairs: number[]): Promise<void> {
  await world.db.sql`delete from stream.sample_markets`;
  for (const n of pairs) await world.db.sql`insert into stream.sample_markets (pair_id) values (${uuidOf(n)})`;
}

/** Runs `work` with an isolate that has cached nothing. */
async function withIsolate<T>(work: (api: RunningApi) => Promise<T>): Promise<T> {
  const api = await serveApi(world.db.url('parallax_api'), { log: createLog({ function: 'api', print: () => {} }) });
  try {
    return await work(api);
  } finally {
    await api.close();
  }
}

const ask = (api: { base: string }, headers: HeadersInit = {}, query = '') =>
  fetch(`${api.base}/v2/sample${query}`, { headers });

describe('GET /v2/sample', () => {
  test('returns the markets of the sample as /v2/markets does, and no others', async () => {
    const answer = await withIsolate((api) => ask(api));
    const body = sample.parse(await answer.json());
    const { markets } = await (await world.get('/v2/markets?market_type=all', await world.key())).json();
    const wanted = [1, 2, 5, 10].map(idOf);
    expect(body).toEqual({
      count: 4,
      snapshot_at: '2026-11-20T11:58:00.000Z',
      delay_seconds: 120,
      markets: markets.filter((market: { id: string }) => wanted.includes(market.id)),
    });
  });

  test('has no header of a caller, and those of a cache', async () => {
    const { headers } = await withIsolate((api) => ask(api));
    for (const name of ['RateLimit', 'RateLimit-Policy', 'Set-Cookie']) expect(headers.get(name), name).toBeNull();
    expect(headers.get('X-As-Of')).toBe('2026-11-20T11:58:00.000Z');
    expect(headers.get('Vary')).toBe('Accept-Encoding');
    expect(headers.get('Cache-Control')).toMatch(
      /^public, max-age=[45], s-maxage=[45], stale-while-revalidate=5, stale-if-error=30$/,
    );
  });

  test('returns the same bytes and ETag from every isolate, with any key and query', async () => {
    const key = await world.key();
    const read = async (headers: HeadersInit, query: string) => {
      const answer = await withIsolate((api) => ask(api, headers, query));
      return [answer.status, answer.headers.get('ETag'), await answer.text()];
    };
    const plain = await read({ 'Accept-Encoding': 'identity' }, '');
    const other = await read({ 'Accept-Encoding': 'identity', Authorization: `Bearer ${key}` }, '?limit=1&sport=x');
    expect(other).toEqual(plain);
    expect((await read({ 'Accept-Encoding': 'identity', Authorization: 'Bearer no key' }, '?x')).at(0)).toBe(200);
  });

  test('has an ETag for each encoding, answers 304 for both, and HEAD without a body', async () => {
    await withIsolate(async (api) => {
      const plain = await ask(api, { 'Accept-Encoding': 'identity' });
      const zipped = await ask(api, { 'Accept-Encoding': 'gzip' });
      expect(zipped.headers.get('Content-Encoding')).toBe('gzip');
      expect(await zipped.json()).toEqual(await plain.json());
      expect(zipped.headers.get('ETag')).not.toBe(plain.headers.get('ETag'));
      for (const { headers } of [plain, zipped]) {
        const again = await ask(api, { 'If-None-Match': headers.get('ETag') ?? '' });
        expect([again.status, await again.text(), again.headers.get('X-As-Of')]).toEqual([
          ...[304, '', '2026-11-20T11:58:00.000Z'],
        ]);
      }
      const head = await fetch(`${api.base}/v2/sample`, { method: 'HEAD' });
      expect([head.status, await head.text()]).toEqual([200, '']);
    });
  });

  test('has another version when the sample changes within a step', async () => {
    const tag = async () => (await withIsolate((api) => ask(api))).headers.get('ETag');
    const before = await tag();
    await choose([1, 2, 5]);
    expect(await tag()).not.toBe(before);
    await choose([1, 2, 5, 7, 9, 10]);
    expect(await tag()).toBe(before);
  });

  test('is never newer than the delay: a price of now appears after it', async () => {
    const askOf1 = async () => {
      const { markets } = sample.parse(await (await withIsolate((api) => ask(api))).json());
      return markets.find((market) => market.id === idOf(1))?.outcomes[0]?.venue_a;
    };
    await putUpdate(world.db.sql, 1, {
      at: '2026-11-20T12:00:00.000Z',
      ask_a: [330000, 610000],
      ask_b: [420000, 600000],
    });
    await world.clock.set('2026-11-20T12:01:59.000Z');
    expect(await askOf1()).toBe(0.4);
    await world.clock.set('2026-11-20T12:02:00.000Z');
    expect(await askOf1()).toBe(0.33);
  });

  test('is empty while no market is chosen', async () => {
    await choose([]);
    const body = sample.parse(await (await withIsolate((api) => ask(api))).json());
    expect([body.count, body.markets]).toEqual([0, []]);
    await choose([1, 2, 5, 7, 9, 10]);
  });
});

describe('a flood of requests for the sample', () => {
  test('sends one query to the database in a step, for any number of requests', async () => {
    await withIsolate(async (api) => {
      const query = vi.spyOn(api.pool, 'query');
      const answers = await Promise.all(Array.from({ length: 300 }, (_, n) => ask(api, {}, `?n=${n}`)));
      expect(new Set(answers.map((answer) => answer.status))).toEqual(new Set([200]));
      expect(query.mock.calls.filter(([text]) => text.includes('api.get_sample'))).toHaveLength(1);
      query.mockRestore();
    });
  });

  test('gets 503 without a database, never an old price, and does not hold up a customer', async () => {
    await withIsolate(async (api) => {
      const key = await world.key();
      const customer = async () =>
        (await fetch(`${api.base}/v2/markets`, { headers: { Authorization: `Bearer ${key}` } })).status;
      expect(await customer()).toBe(200);
      const lock = await world.db.sql.reserve();
      try {
        await lock`begin`;
        await lock`lock table stream.sample_markets in access exclusive mode`;
        const strangers = Array.from({ length: 300 }, async () => {
          const answer = await ask(api);
          return [answer.status, (await answer.json()).code, answer.headers.get('Cache-Control')].join();
        });
        expect(await Promise.race([customer(), ...strangers])).toBe(200);
        expect(new Set(await Promise.all(strangers))).toEqual(new Set(['503,database.unavailable,no-store']));
      } finally {
        await lock`rollback`;
        lock.release();
      }
      await waitUntil(async () => (await ask(api)).status === 200, { what: 'the sample is served again' });
    });
  });
});

test('the reader asks the database again at the end of the step, and a second after a failure', async () => {
  const pool = connect(world.db.url('parallax_api'), () => {});
  const queries = new ApiQueries(pool);
  const asked = vi.spyOn(queries, 'sample');
  let now = 0;
  const reader = new SampleReader(queries, () => now);
  try {
    const first = await reader.read('r1');
    expect(first.expiresAt).toBeGreaterThan(0);
    now = first.expiresAt - 1;
    expect(await reader.read('r1')).toBe(first);
    now = first.expiresAt;
    const second = await reader.read('r1');
    expect(second).not.toBe(first);
    expect(asked).toHaveBeenCalledTimes(2);
    asked.mockRejectedValueOnce(new Error('no database'));
    now = second.expiresAt;
    await expect(reader.read('r1')).rejects.toThrow('no database');
    await expect(reader.read('r1')).rejects.toThrow('no database');
    expect(asked).toHaveBeenCalledTimes(3);
    now += 1_000;
    expect((await reader.read('r1')).asOf).toBe(second.asOf);
  } finally {
    await pool.end(1_000);
  }
});

test.each([
  [4_999, 'max-age=4, s-maxage=4'],
  [1_000, 'max-age=1, s-maxage=1'],
  [999, 'max-age=0, s-maxage=1'],
  [-5, 'max-age=0, s-maxage=1'],
])('a sample with %i ms left has %s', (ms, wanted) => {
  expect(sampleCacheControl(ms)).toBe(`public, ${wanted}, stale-while-revalidate=5, stale-if-error=30`);
});
