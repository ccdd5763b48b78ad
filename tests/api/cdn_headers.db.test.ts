import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { callRoute, carrier, everyRoute } from './support/every_route.ts';
import { type ApiFixture, createApiFixture } from './support/fixture.ts';

/**
 * Guarantee: an operator who lets a cache keep what docs/deploy.md allows publishes nothing else.
 */

const page = readFileSync(join(import.meta.dirname, '../../docs/deploy.md'), 'utf8');
const section = page.slice(page.indexOf('## What a CDN may cache'), page.indexOf('## A read replica'));

type Row = { needs: string; cacheControl: string; cache: string };
const rows = new Map<string, Row>(
  [...section.matchAll(/^\| `((?:GET|POST|PATCH|DELETE) [^`]+)` \| (\w+) \| `([\w-]+)`[^|]*\| ([^|]+) \|$/gm)].map(
    ([, request = '', needs = '', cacheControl = '', cache = '']) => [request, { needs, cacheControl, cache }],
  ),
);

const METRICS_KEY = 'a key of the operator';
let world: ApiFixture;
let key: string;
beforeAll(async () => {
  world = await createApiFixture({ metricsKeys: [METRICS_KEY], carrier });
  await world.db.sql`insert into export.days (day, published_at) values ('2026-11-01', clock_timestamp())`;
  key = await world.key();
});
afterAll(() => world.close());

const call = (method: string, path: string, secret: string | null) => callRoute(world.api.base, method, path, secret);

test('the table of docs/deploy.md has every route of the API and no other', () => {
  expect([...rows.keys()].sort()).toEqual(everyRoute.map(([name]) => name).sort());
});

describe.each(everyRoute)('%s', (name, route) => {
  test('is in the table of docs/deploy.md, with the Cache-Control that it sends', async () => {
    const row = rows.get(name);
    const secret = { nothing: null, key, operator: METRICS_KEY, secret: carrier.proxySecret }[row?.needs ?? ''] ?? null;
    const answer = await call(route.method, route.path, secret);
    // There is no endpoint with this id.
    expect(answer.status, await answer.clone().text()).toBeLessThan(route.path.includes(':id') ? 405 : 300);
    const sent = answer.headers.get('Cache-Control') ?? '';
    expect(sent.split(',')[0]).toBe(row?.cacheControl);
    expect(answer.headers.get('Set-Cookie')).toBeNull();
    expect(row?.cache.startsWith('never')).toBe(!sent.startsWith('public'));
    if (sent.startsWith('public')) {
      expect(route.isPublic).toBe(true);
      expect(answer.headers.get('Vary')).toBe('Accept-Encoding');
      expect(answer.headers.get('RateLimit')).toBeNull();
    }
  });

  test('sends no-store with every error', async () => {
    const wrong = await fetch(`${world.api.base}${route.path}`, { method: 'PATCH' });
    const answers = [
      wrong,
      ...(route.isPublic && route.path !== '/metrics' ? [] : [await call(route.method, route.path, null)]),
    ];
    for (const answer of answers) {
      expect(answer.status).toBeGreaterThanOrEqual(400);
      expect(answer.headers.get('Cache-Control')).toBe('no-store');
    }
  });
});
