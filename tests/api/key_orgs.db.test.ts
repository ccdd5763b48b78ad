import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { hashKey } from '../../functions/_shared/http/hash_key.ts';
import { KeyOrgs } from '../../functions/api/key_orgs.ts';
import { post, request } from '../mcp/support/post.ts';
import { randomKey } from '../support/random_secrets.ts';
import { pause, waitUntil } from '../support/wait_until.ts';
import { type ApiFixture, createApiFixture } from './support/fixture.ts';

let world: ApiFixture;
beforeAll(async () => {
  world = await createApiFixture();
});
afterAll(() => world.close());
afterEach(() => vi.restoreAllMocks());

const codeOf = async (answer: Response) => [answer.status, answer.ok ? null : (await answer.json()).code];
const unknown = [401, 'auth.revoked_key'];

/** Counts the statements that the API sends. */
function countQueries(): () => number {
  const queries = vi.spyOn(world.api.pool, 'query').mock.calls;
  return () => queries.length;
}

describe('a key that was revoked', () => {
  test.each([
    ['a cached data route', (key: string) => world.get('/v2/markets?limit=1', key)],
    ['an account route', (key: string) => world.get('/v1/account', key)],
    ['MCP', (key: string) => post(world, key, request('tools/list'))],
  ])('is refused at the next request of %s', async (_, ask) => {
    const key = await world.key();
    expect((await ask(key)).status).toBe(200);
    expect((await ask(key)).status).toBe(200);
    await world.db.sql`update account.keys set revoked_at = clock_timestamp() where hash = account.key_hash(${key})`;
    expect(await codeOf(await ask(key))).toEqual(unknown);
    expect(await codeOf(await ask(key))).toEqual(unknown);
  });

  test('is refused without a query that could admit it when this server meets it first', async () => {
    const key = await world.key();
    await world.db.sql`update account.keys set revoked_at = clock_timestamp() where hash = account.key_hash(${key})`;
    const queries = countQueries();
    expect(await codeOf(await world.get('/v2/markets', key))).toEqual(unknown);
    expect(queries()).toBe(1);
  });
});

describe('a key that is unknown', () => {
  test('is looked up once in three seconds, and works three seconds later if it was minted meanwhile', async () => {
    const key = randomKey();
    const queries = countQueries();
    for (let i = 0; i < 5; i++) expect(await codeOf(await world.get('/v2/markets', key))).toEqual(unknown);
    expect(queries()).toBe(1);
    const mintedAt = performance.now();
    await world.db.sql`
      update account.keys set hash = decode(${hashKey(key)}, 'hex')
      where hash = account.key_hash(${await world.key()})`;
    await waitUntil(async () => (await world.get('/v2/markets', key)).ok, { what: 'the key works', timeoutMs: 10_000 });
    expect(performance.now() - mintedAt).toBeLessThan(4_000);
  });

  test('is not held as unknown when the database did not answer', async () => {
    const key = await world.key();
    const lookups = vi.spyOn(world.api.pool, 'query');
    lookups.mockRejectedValueOnce(Object.assign(new Error('canceled'), { code: '57014', severity: 'ERROR' }));
    expect(await codeOf(await world.get('/v2/markets', key))).toEqual([503, 'database.unavailable']);
    expect((await world.get('/v2/markets', key)).status).toBe(200);
  });

  test('is refused after the errors of its form and before those of its parameters', async () => {
    expect(await codeOf(await world.get('/v2/markets?limit=bad', randomKey()))).toEqual(unknown);
    expect(await codeOf(await world.get('/v2/markets?limit=bad', 'sk_live_x'))).toEqual([401, 'auth.malformed_key']);
  });
});

test('an expired key keeps its own code', async () => {
  const key = await world.key();
  await world.db.sql`update account.keys set expires_at = clock_timestamp() where hash = account.key_hash(${key})`;
  for (let i = 0; i < 2; i++) {
    expect(await codeOf(await world.get('/v2/markets', key))).toEqual([401, 'auth.expired_key']);
  }
});

describe('the lookup of keys that were not met yet', () => {
  test('asks for many keys with one query at a time, and for each key once', async () => {
    const batches: string[][] = [];
    let running = 0;
    const keyOrgs = new KeyOrgs(async (hashes) => {
      batches.push([...hashes]);
      expect(++running).toBe(1);
      await pause(5);
      running--;
      return new Map(hashes.filter((hash) => hash.startsWith('good')).map((hash) => [hash, `org of ${hash}`]));
    });
    const hashes = Array.from({ length: 300 }, (_, i) => (i % 3 === 0 ? `good ${i}` : `bad ${i}`));
    const orgs = await Promise.all([...hashes, ...hashes].map((hash) => keyOrgs.orgOf(hash)));
    expect(orgs.slice(0, 2)).toEqual(['org of good 0', undefined]);
    expect(orgs.slice(300)).toEqual(orgs.slice(0, 300));
    expect(batches.map((batch) => batch.length)).toEqual([1, 299]);
  });

  test('refuses a key with admission.full while 1,000 others wait, and answers those', async () => {
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const keyOrgs = new KeyOrgs(async () => {
      await held;
      return new Map();
    });
    const waiting = Array.from({ length: 1_000 }, (_, i) => keyOrgs.orgOf(`key ${i}`));
    await expect(keyOrgs.orgOf('one more')).rejects.toMatchObject({ code: 'admission.full', status: 503 });
    release();
    expect(new Set(await Promise.all(waiting))).toEqual(new Set([undefined]));
    expect(await keyOrgs.orgOf('one more')).toBeUndefined();
  });
});
