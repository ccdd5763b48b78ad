import { request as httpRequest } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { routes } from '../../functions/api/app.ts';
import type { Route } from '../../functions/api/app_types.ts';
import { parseIfNoneMatch } from '../../functions/api/etag.ts';
import { parseJsonBody } from '../../functions/api/http/body.ts';
import { type ApiFixture, createApiFixture } from './support/fixture.ts';
import { serveApi } from './support/server.ts';

let world: ApiFixture;
let key: string;
beforeAll(async () => {
  world = await createApiFixture();
  key = await world.key();
});
afterAll(() => world.close());

describe('the request id', () => {
  test('is kept when the caller sends a well-formed one, in responses and errors', async () => {
    const answer = await world.get('/v2/markets', key, { 'X-Request-Id': 'abc-123_x.y:z' });
    expect(answer.headers.get('X-Request-Id')).toBe('abc-123_x.y:z');
    const error = await fetch(`${world.api.base}/nowhere`, { headers: { 'X-Request-Id': 'mine' } });
    expect([error.headers.get('X-Request-Id'), (await error.json()).request_id]).toEqual(['mine', 'mine']);
  });
  test.each(['', ' ', 'a b', 'x'.repeat(129), 'ü', '<script>'])(
    'is a new UUID when the caller sends %j',
    async (given) => {
      const answer = await fetch(`${world.api.base}/health`, {
        headers: { 'X-Request-Id': encodeURI(given) === given ? given : encodeURI(given) },
      });
      expect(answer.headers.get('X-Request-Id')).toMatch(/^[0-9a-f-]{36}$/);
    },
  );
});

describe('an unknown path', () => {
  test.each([
    '/',
    '/v2',
    '/v2/markets/',
    '/v3/markets',
    '/v2/pairs',
    '/v2/pairs/x/y',
    '/%00',
    '/%zz',
    '/../etc',
    '//v2/markets',
  ])('%s returns 404 without a key', async (path) => {
    const answer = await raw('GET', path);
    expect([answer.status, JSON.parse(answer.body).code]).toEqual([404, 'route.not_found']);
  });
  test('returns 414 for a URL longer than 8,192 characters', async () => {
    const answer = await world.get(`/v2/markets?x=${'y'.repeat(8200)}`, key);
    expect([answer.status, (await answer.json()).code]).toEqual([414, 'url.too_long']);
  });
});

describe('caching of /v2/markets', () => {
  test('returns the same bytes within a step, from every isolate', async () => {
    const second = await serveApi(world.db.url('parallax_api'));
    try {
      const texts = [];
      for (const base of [world.api.base, second.base, world.api.base]) {
        const answer = await fetch(`${base}/v2/markets?limit=3`, { headers: { Authorization: `Bearer ${key}` } });
        texts.push([await answer.text(), answer.headers.get('ETag'), answer.headers.get('X-As-Of')]);
      }
      expect(texts[1]).toEqual(texts[0]);
      expect(texts[2]).toEqual(texts[0]);
      expect(texts[0]?.[2]).toBe('2026-11-20T11:58:00.000Z');
    } finally {
      await second.close();
    }
  });

  test('sends Cache-Control with the time to the next step, Vary and the exposed headers', async () => {
    const answer = await world.get('/v2/markets', key);
    expect(answer.headers.get('Cache-Control')).toMatch(/^private, max-age=[0-5]$/);
    expect(answer.headers.get('Vary')).toBe('Authorization, Accept-Encoding');
    expect(answer.headers.get('Content-Type')).toBe('application/json; charset=utf-8');
    expect(answer.headers.get('Access-Control-Expose-Headers')).toBe(
      'RateLimit, RateLimit-Policy, Retry-After, ETag, X-Request-Id, X-As-Of',
    );
  });

  test('returns 304 for the current tag in any notation, and 200 for other tags and after the step', async () => {
    const first = await world.get('/v2/markets?limit=2', key, { 'Accept-Encoding': 'identity' });
    const tag = first.headers.get('ETag') ?? '';
    expect(tag).toMatch(/^"[0-9.]+"$/);
    for (const given of [tag, `W/${tag}`, `"other", ${tag}`, tag.replace(/"$/, '-gz"'), '*']) {
      const again = await world.get('/v2/markets?limit=2', key, { 'If-None-Match': given });
      expect([again.status, await again.text()]).toEqual([304, '']);
      expect(again.headers.get('X-As-Of')).toBe('2026-11-20T11:58:00.000Z');
    }
    for (const given of ['"other"', '"1.1"', `"'; drop table x"`, '*, "1.1"', tag.slice(1, -1)]) {
      expect((await world.get('/v2/markets?limit=2', key, { 'If-None-Match': given })).status).toBe(200);
    }
    await world.clock.set('2026-11-20T12:00:05Z');
    const next = await world.get('/v2/markets?limit=2', key, { 'If-None-Match': tag });
    expect([next.status, next.headers.get('X-As-Of')]).toEqual([200, '2026-11-20T11:58:05.000Z']);
  });

  test('uses gzip only when the client accepts it, with a different tag', async () => {
    const plain = await raw('GET', '/v2/markets', { Authorization: `Bearer ${key}` });
    const zipped = await raw('GET', '/v2/markets', {
      Authorization: `Bearer ${key}`,
      'Accept-Encoding': 'br;q=1, gzip;q=0.5',
    });
    expect(plain.headers['content-encoding']).toBeUndefined();
    expect(zipped.headers['content-encoding']).toBe('gzip');
    expect(gunzipSync(zipped.bytes).toString()).toBe(plain.body);
    expect(zipped.headers.etag).not.toBe(plain.headers.etag);
    const rejected = await raw('GET', '/v2/markets', {
      Authorization: `Bearer ${key}`,
      'Accept-Encoding': 'gzip;q=0, *',
    });
    expect(rejected.headers['content-encoding']).toBeUndefined();
  });

  test.each([
    ['/v2/markets', 200],
    ['/v2/markets?limit=0', 422],
    ['/v2/pairs/00000000-0000-4000-8000-00000000dead', 404],
    ['/v1/account', 200],
    ['/openapi.json', 200],
    ['/nowhere', 404],
  ])(
    'answers HEAD %s with the headers and the length of GET, and does not count it in the month',
    async (path, status) => {
      const own = await world.key('free');
      const headers = { Authorization: `Bearer ${own}`, 'X-Request-Id': 'same' };
      const head = await raw('HEAD', path, headers);
      const left = head.headers.ratelimit;
      const get = await raw('GET', path, headers);
      expect([head.status, head.body, head.bytes.length]).toEqual([status, '', 0]);
      expect(head.headers['content-length']).toBe(String(get.bytes.length));
      for (const name of ['etag', 'content-type', 'x-as-of', 'vary', 'ratelimit-policy', 'x-content-type-options']) {
        expect([name, head.headers[name]]).toEqual([name, get.headers[name]]);
      }
      if (left !== undefined) expect(left).toMatch(/^"window";r=599;t=\d+, "month";r=10000;/);
    },
  );
});

describe('a JSON body', () => {
  const echo: Route = {
    method: 'POST',
    path: '/echo',
    isPublic: true,
    handle: async (c) => c.json({ got: (await parseJsonBody(c.req.raw)) ?? null }),
  };
  let served: Awaited<ReturnType<typeof serveApi>>;
  beforeAll(async () => {
    served = await serveApi(world.db.url('parallax_api'), { served: [...routes, echo] });
  });
  afterAll(() => served.close());
  const post = (body: string | Uint8Array<ArrayBuffer> | ReadableStream) =>
    fetch(`${served.base}/echo`, { method: 'POST', body, duplex: 'half' } as RequestInit);
  const codeOf = async (answer: Response) => [answer.status, (await answer.json()).code];

  test('is read up to 64 KiB and 32 levels', async () => {
    const deep = `${'['.repeat(32)}1${']'.repeat(32)}`;
    expect(await (await post(deep)).json()).toEqual({ got: JSON.parse(deep) });
    const long = JSON.stringify('x'.repeat(64 * 1024 - 2));
    expect((await post(long)).status).toBe(200);
    expect(await (await post('{"a":"[[[[{{{\\"[[["}')).json()).toEqual({ got: { a: '[[[[{{{"[[[' } });
    expect(await (await post('')).json()).toEqual({ got: null });
  });
  test('returns 413 over 64 KiB, also without Content-Length', async () => {
    const long = JSON.stringify('x'.repeat(64 * 1024 - 1));
    expect(await codeOf(await post(long))).toEqual([413, 'body.too_large']);
    const stream = new Blob([long]).stream();
    expect(await codeOf(await post(stream))).toEqual([413, 'body.too_large']);
  });
  test.each([
    ['{', 'body.not_json'],
    ['nope', 'body.not_json'],
    ['{"a":1}}', 'body.not_json'],
    ['['.repeat(33) + ']'.repeat(33), 'body.too_deep'],
    ['['.repeat(60_000), 'body.too_deep'],
    ['{"a":"\\u0000"}', 'body.bad_text'],
    ['{"\\u0000":1}', 'body.bad_text'],
    ['["\\ud800"]', 'body.bad_text'],
  ])('%.30s returns 400 %s', async (body, code) => {
    expect(await codeOf(await post(body))).toEqual([400, code]);
  });
  test('returns 400 when its bytes are not UTF-8', async () => {
    expect(await codeOf(await post(new Uint8Array([0x22, 0xff, 0x22])))).toEqual([400, 'body.bad_text']);
  });
  test('returns 405 with Allow for another method on its path', async () => {
    const answer = await fetch(`${served.base}/echo`);
    expect([answer.status, answer.headers.get('Allow')]).toEqual([405, 'POST, OPTIONS']);
  });
});

/** Sends path and headers unchanged; fetch would normalize them. */
function raw(method: string, path: string, headers: Record<string, string> = {}) {
  const { hostname, port, pathname } = new URL(world.api.base);
  return new Promise<{ status: number; headers: NodeJS.Dict<string | string[]>; body: string; bytes: Buffer }>(
    (resolve, reject) => {
      const sent = httpRequest({ hostname, port, method, path: pathname + path, headers }, (answer) => {
        const chunks: Buffer[] = [];
        answer.on('data', (chunk: Buffer) => chunks.push(chunk));
        answer.on('end', () => {
          const bytes = Buffer.concat(chunks);
          resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body: bytes.toString(), bytes });
        });
      });
      sent.on('error', reject);
      sent.end();
    },
  );
}

test('tags of an If-None-Match are versions, plain or gzipped, at most twenty, and * counts alone only', () => {
  expect(parseIfNoneMatch('"12.345", W/"12.346-gz"')).toEqual(['12.345', '12.346']);
  expect(parseIfNoneMatch('"12.345-gz", "12.345"')).toEqual(['12.345']);
  expect([parseIfNoneMatch(' * '), parseIfNoneMatch('*, "12.345"')]).toEqual([['*'], ['12.345']]);
  expect([parseIfNoneMatch(null), parseIfNoneMatch(''), parseIfNoneMatch('"other", 12.345')]).toEqual([[], [], []]);
  const many = Array.from({ length: 25 }, (_, n) => `"1.${n}"`).join(', ');
  expect(parseIfNoneMatch(many)).toHaveLength(20);
});
