import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ApiFixture, createApiFixture } from './support/fixture.ts';
import { type Isolate, startIsolate } from './support/isolate.ts';

let world: ApiFixture;
let isolate: Isolate;

beforeAll(async () => {
  world = await createApiFixture();
  isolate = await startIsolate(world.db.url('parallax_api'));
}, 60_000);
afterAll(async () => {
  isolate?.stop();
  await world.close();
});

test('the deployed entry point returns the same bytes under Deno as the app under Node', async () => {
  const key = await world.key();
  for (const path of [
    '/v2/markets?include=ids,depth,settlement&market_type=all',
    '/v2/markets?limit=0',
    '/nowhere',
    '/openapi.json',
  ]) {
    const headers = { Authorization: `Bearer ${key}`, 'X-Request-Id': 'same' };
    const [deno, node] = await Promise.all([
      fetch(isolate.base + path, { headers }),
      fetch(world.api.base + path, { headers }),
    ]);
    const text = await deno.text();
    expect(text).toBe(await node.text());
    const head = await fetch(isolate.base + path, {
      method: 'HEAD',
      headers: { ...headers, 'Accept-Encoding': 'identity' },
    });
    expect([await head.text(), head.headers.get('Content-Length')]).toEqual(['', String(Buffer.byteLength(text))]);
    for (const name of [
      'ETag',
      'Vary',
      'X-As-Of',
      'Content-Type',
      'RateLimit-Policy',
      'Access-Control-Expose-Headers',
    ]) {
      expect([name, deno.headers.get(name)]).toEqual([name, node.headers.get(name)]);
    }
  }
  expect(await (await fetch(`${isolate.base}/health`)).json()).toMatchObject({
    venues: { venue_a: { source: 'live' } },
  });
});
