import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePort } from '../../local/platform/postgres/postgres.ts';
import { RunningContainer } from '../containers/running_container.ts';
import { startFunction } from '../support/function_process.ts';
import { isSlowLayer } from '../support/runs.ts';
import { pause, waitUntil } from '../support/wait_until.ts';
import { uuidOf } from './support/catalog.ts';
import { callRoute, everyRoute } from './support/every_route.ts';
import { type ApiFixture, createApiFixture } from './support/fixture.ts';
import { hasNginx, Nginx } from './support/nginx.ts';

/**
 * Guarantee: a cache in front keeps the answers that are the same for everyone, no longer than they
 * are true, and nothing else. nginx with docs/nginx.conf is in front of the real container of api.
 */

const STEP_MS = 5_000;
/**
 * A second of s-maxage at the end of a step, another because nginx counts whole seconds, and the
 * time of this machine.
 */
const ROUNDING_MS = 2_000 + 300;
const METRICS_KEY = 'metrics key of a test 0123456789 0123456789';
const isPresent = hasNginx('tests/api/cdn.system.test.ts');

let world: ApiFixture;
let container: RunningContainer;
let nginx: Nginx;
/** Market time minus real time. */
let clockOffsetMs: number;

beforeAll(async () => {
  if (!isPresent) return;
  world = await createApiFixture();
  const { sql } = world.db;
  for (const n of [1, 2, 3, 5, 11]) await sql`insert into stream.sample_markets (pair_id) values (${uuidOf(n)})`;
  await setMarketTime(Date.parse('2026-11-20T12:00:00Z'));
  const port = await freePort();
  container = new RunningContainer(
    startFunction('api', {
      ...{ DB_URL_API: world.db.url('parallax_api'), PORT: String(port) },
      ...{ LOG_LEVEL: 'debug', METRICS_KEY },
    }),
    port,
  );
  await container.untilReady();
  nginx = await Nginx.start(port);
});
afterAll(async () => {
  await nginx?.close();
  await container?.kill();
  await world?.close();
});

/** Market time is `at` now, and goes on as real time does. */
async function setMarketTime(at: number): Promise<void> {
  const realFrom = await world.db.sql.begin(async (sql) => {
    await sql`delete from clock.segments`;
    const [began] = await sql<{ real_from: Date }[]>`
      insert into clock.segments (real_from, market_from, rate) values (clock_timestamp(), ${new Date(at)}, 1)
      returning real_from`;
    return began?.real_from.getTime() ?? 0;
  });
  clockOffsetMs = at - realFrom;
}

/** The next step begins now. */
const beginStep = () => setMarketTime(Math.ceil((Date.now() + clockOffsetMs) / STEP_MS) * STEP_MS);

type Answer = { status: number; cache: string | null; asOf: number; ageMs: number; text: string; headers: Headers };

async function ask(path: string, headers: Record<string, string> = {}, base = nginx.base): Promise<Answer> {
  const askedAt = Date.now();
  const answer = await fetch(`${base}/functions/v1/api${path}`, { headers });
  const text = await answer.text();
  const asOf = Date.parse(answer.headers.get('X-As-Of') ?? '');
  return {
    status: answer.status,
    cache: answer.headers.get('X-Cache-Status'),
    asOf,
    // How far the prices are behind the delay of 120 s. Up to a step is what every answer has.
    ageMs: askedAt + clockOffsetMs - 120_000 - asOf,
    text,
    headers: answer.headers,
  };
}

const requestsAtOrigin = (route: string) =>
  container.output.split('\n').filter((line) => line.includes('request.completed') && line.includes(`"${route}"`))
    .length;

/** Reads the sample for this time, without a pause of more than 20 ms. */
async function readFor(ms: number): Promise<Answer[]> {
  const until = performance.now() + ms;
  const seen: Answer[] = [];
  const reader = async () => {
    for (;;) {
      if (performance.now() > until) return;
      seen.push(await ask('/v2/sample'));
      await pause(20);
    }
  };
  await Promise.all([reader(), reader()]);
  return seen;
}

describe.skipIf(!isPresent)('the sample behind a cache', () => {
  test.runIf(isSlowLayer)(
    'is served from the cache within a step, and is never older than its header allows',
    async () => {
      await ask('/v2/sample');
      const before = requestsAtOrigin('/api/v2/sample');
      const steps = 3;
      const seen = await readFor(steps * STEP_MS);
      const origin = requestsAtOrigin('/api/v2/sample') - before;
      expect(new Set(seen.map(({ status }) => status))).toEqual(new Set([200]));
      const of = (...states: string[]) => seen.filter(({ cache }) => states.includes(cache ?? ''));
      const hits = of('HIT');
      const older = of('STALE', 'UPDATING');
      expect(hits.length / seen.length).toBeGreaterThan(0.9);
      expect(Math.max(...hits.map(({ ageMs }) => ageMs))).toBeLessThan(STEP_MS + ROUNDING_MS);
      // One step more, while the cache fetches the next one.
      expect(Math.max(0, ...older.map(({ ageMs }) => ageMs))).toBeLessThan(2 * STEP_MS + ROUNDING_MS);
      expect(older.length).toBeLessThan(0.05 * seen.length);
      expect(new Set(seen.map(({ asOf }) => asOf)).size).toBeGreaterThanOrEqual(steps);
      for (const step of new Set(seen.map(({ asOf }) => asOf)))
        expect(new Set(seen.filter(({ asOf }) => asOf === step).map(({ text }) => text)).size).toBe(1);
      // At the start of a step, after the seconds that are left then, and once in its last second.
      expect(origin).toBeLessThanOrEqual(4 * (steps + 1));
      console.info(
        `${seen.length} reads: ${hits.length} HIT, ${older.length} STALE or UPDATING, ${origin} at the origin; ` +
          `oldest HIT ${Math.round(Math.max(...hits.map(({ ageMs }) => ageMs)))} ms behind the delay`,
      );
    },
  );

  test('has two entries for the sample, for any query, encoding and key of a request', async () => {
    const key = await world.key();
    const encodings = ['gzip', 'gzip, deflate, br', 'identity', '', 'br', 'GZIP;q=0.5', 'gzip;q=0', 'x-odd-1', '*;q=0'];
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, n) =>
        ask(`/v2/sample${n % 3 ? `?noise=${n}&limit=${n}` : ''}`, {
          'Accept-Encoding': n % 2 ? `odd-${n}` : (encodings[n % encodings.length] ?? ''),
          'X-Request-Id': `request-${n}`,
          Cookie: `session=${n}`,
          ...(n % 5 ? {} : { Authorization: `Bearer ${key}` }),
        }),
      ),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    const entries = nginx.entries();
    const keys = entries.map((entry) => /^KEY: (.*)$/m.exec(entry)?.[1]).sort();
    expect(keys).toEqual(['/functions/v1/api/v2/sample|gzip', '/functions/v1/api/v2/sample|identity']);
    for (const entry of entries) expect(entry).not.toMatch(/sk_live_|session=|request-\d/);
    expect(answers.filter(({ headers }) => headers.has('Set-Cookie'))).toEqual([]);
    const ids = answers.map(({ headers }) => headers.get('X-Request-Id'));
    expect(new Set(ids).size).toBe(answers.length);
  });

  test('answers 304 to a client with the current version, and lets a browser ask again each time', async () => {
    const first = await waitUntil(
      async () => {
        const answer = await ask('/v2/sample');
        return answer.cache === 'HIT' && answer;
      },
      { what: 'an answer of the cache' },
    );
    expect(first.headers.get('Cache-Control')).toBe('public, max-age=0, must-revalidate');
    const again = await ask('/v2/sample', { 'If-None-Match': first.headers.get('ETag') ?? '' });
    // A step may have begun in between.
    expect([200, 304]).toContain(again.status);
    expect(again.status === 304).toBe(again.asOf === first.asOf);
  });
});

describe.skipIf(!isPresent)('the other public paths behind a cache', () => {
  test('are kept without a query, and the filters of the track record are passed on', async () => {
    for (const path of ['/openapi.json', '/v2/track-record']) {
      await ask(path);
      expect([path, (await ask(path)).cache]).toEqual([path, 'HIT']);
    }
    expect((await ask('/openapi.json?x=1')).cache).toBe('HIT');
    const before = nginx.entries().length;
    for (const month of ['2026-10', '2026-11']) {
      for (let n = 0; n < 2; n++) {
        const filtered = await ask(`/v2/track-record?month=${month}`);
        expect([filtered.status, filtered.cache]).toEqual([200, 'BYPASS']);
      }
    }
    expect((await ask('/v2/track-record?month=nothing')).status).toBe(422);
    expect(nginx.entries()).toHaveLength(before);
  });
});

const keyRoutes = everyRoute.map(([, route]) => route).filter((route) => !route.isPublic || route.path === '/metrics');

async function call(base: string, method: string, path: string, secret: string | null) {
  const answer = await callRoute(`${base}/functions/v1/api`, method, path, secret);
  return { status: answer.status, cache: answer.headers.get('X-Cache-Status'), text: await answer.text() };
}

describe.skipIf(!isPresent)('answers to a caller behind a cache', () => {
  test('keeps no answer to a key, and serves none to another key or to no key', async () => {
    const [one, two] = [await world.key(), await world.key()];
    const entries = nginx.entries().length;
    for (const base of [nginx.base, nginx.obedientBase]) {
      // Seconds before the end of a step, so that an answer that may be kept would be kept.
      await beginStep();
      for (const { method, path } of keyRoutes) {
        const where = `${method} ${base}${path}`;
        const secrets = path === '/metrics' ? [METRICS_KEY, METRICS_KEY] : [one, one, two];
        const answers = [];
        for (const secret of secrets) answers.push(await call(base, method, path, secret));
        expect(answers[0]?.status, where).toBeLessThan(/:(id|day)/.test(path) ? 405 : 300);
        const without = await call(base, method, path, null);
        expect(without.status, where).toBe(401);
        for (const { cache } of [...answers, without]) expect([null, 'MISS'], where).toContain(cache);
      }
    }
    const account = async (secret: string) => (await call(nginx.obedientBase, 'GET', '/v1/account', secret)).text;
    expect(await account(one)).not.toBe(await account(two));
    expect(nginx.obedientEntries()).toEqual([]);
    expect(nginx.entries()).toHaveLength(entries);
  });

  test('keeps no error: 401, 402, 404, 405, 422 and 429 end with their cause', async () => {
    const base = nginx.obedientBase;
    const key = await world.key('free');
    const get = (path: string, secret: string | null = key) => call(base, 'GET', path, secret);
    const set = (text: string) =>
      world.db.sql.unsafe(`update ${text} where org_id = (
        select k.org_id from account.keys k where k.hash = account.key_hash('${key}'))`);
    const path = '/v2/categories';
    expect((await get(path, null)).status).toBe(401);
    expect((await get(path)).status).toBe(200);
    await set(`account.usage set window_began_at = clock_timestamp(), window_used = 600`);
    expect((await get(path)).status).toBe(429);
    await set('account.usage set window_used = 0');
    expect((await get(path)).status).toBe(200);
    await set(`account.subscriptions set status = 'inactive'`);
    expect((await get(path)).status).toBe(402);
    await set(`account.subscriptions set status = 'active'`);
    expect((await get(path)).status).toBe(200);
    expect((await get('/v2/markets?limit=0')).status).toBe(422);
    expect((await get('/v2/nothing')).status).toBe(404);
    expect((await call(base, 'POST', '/v2/sample', null)).status).toBe(405);
    expect(nginx.obedientEntries()).toEqual([]);
    expect((await get('/v2/sample', null)).status).toBe(200);
    expect(nginx.obedientEntries()).toHaveLength(1);
  });
});

describe.runIf(isPresent && isSlowLayer)('a cache whose origin fails', () => {
  test('serves the last sample with its own time, and keeps no 503', async () => {
    const served = await ask('/v2/sample');
    const lock = await world.db.sql.reserve();
    try {
      await lock`begin`;
      await lock`lock table stream.sample_markets in access exclusive mode`;
      const origin = () => ask('/v2/sample', {}, container.base);
      await waitUntil(async () => (await origin()).status === 503, { what: 'the origin answers 503' });
      expect((await origin()).headers.get('Cache-Control')).toBe('no-store');
      const held = await waitUntil(
        async () => {
          const answer = await ask('/v2/sample');
          expect(answer.status).toBe(200);
          return answer.ageMs > STEP_MS + ROUNDING_MS && answer;
        },
        { what: 'an answer of the cache that is older than a step' },
      );
      expect(['STALE', 'UPDATING']).toContain(held.cache);
      expect(held.asOf).toBeGreaterThanOrEqual(served.asOf);
    } finally {
      await lock`rollback`;
      lock.release();
    }
    await waitUntil(async () => (await ask('/v2/sample')).ageMs < STEP_MS, { what: 'the next step is served' });
  });

  test('serves the last sample for a while where the origin is gone, and no keyed answer', async () => {
    const key = await world.key();
    expect((await call(nginx.base, 'GET', '/v2/markets', key)).status).toBe(200);
    await waitUntil(async () => (await ask('/v2/sample')).status === 200, { what: 'the sample' });
    await container.kill();
    const sample = await ask('/v2/sample');
    expect([sample.status, sample.ageMs < 2 * STEP_MS]).toEqual([200, true]);
    expect((await call(nginx.base, 'GET', '/v2/markets', key)).status).toBe(502);
  });
});
