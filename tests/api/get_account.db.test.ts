import { afterAll, beforeAll, expect, test } from 'vitest';
import { account } from '../../functions/api/contract/account.ts';
import { type ApiFixture, createApiFixture } from './support/fixture.ts';

let world: ApiFixture;
beforeAll(async () => {
  world = await createApiFixture();
});
afterAll(() => world.close());

const read = (key: string, headers?: Record<string, string>) => world.get('/v1/account', key, headers);
const where = (key: string, set: string) =>
  world.db.sql.unsafe(
    `update ${set} where org_id = (select k.org_id from account.keys k where k.hash = account.key_hash('${key}'))`,
  );

test('GET /v1/account returns the plan and the rate state, equal to the headers', async () => {
  const key = await world.key('basic');
  expect((await world.get('/v2/markets?limit=1', key)).status).toBe(200);
  const answer = await read(key);
  const body = account.parse(await answer.json());
  expect(body).toMatchObject({
    organization: { name: expect.stringMatching(/^org \d+$/) },
    tier: 'basic',
    status: 'active',
    window: { quota: 600, used: 2, seconds: 60 },
    month: { quota: 1_000_000, used: 1 },
    stream_connections: 3,
    webhook_endpoints: 3,
  });
  expect(answer.headers.get('RateLimit-Policy')).toBe('"window";q=600;w=60, "month";q=1000000');
  const remaining = /^"window";r=598;t=(\d+), "month";r=999999;t=(\d+)$/.exec(answer.headers.get('RateLimit') ?? '');
  const left = (at: string) => (Date.parse(at) - Date.now()) / 1000;
  expect(Math.abs(left(body.window.resets_at) - Number(remaining?.[1]))).toBeLessThan(5);
  expect(Math.abs(left(body.month.resets_at) - Number(remaining?.[2]))).toBeLessThan(5);
});

test('GET /v1/account does not count in the month, works when the month is used, but not when the window is full', async () => {
  const key = await world.key('free');
  await where(key, 'account.usage set month_used = 10000');
  expect((await world.get('/v2/markets?limit=1', key)).status).toBe(429);
  const answer = await read(key);
  expect([answer.status, (await answer.json()).month.used]).toEqual([200, 10_000]);
  await where(key, 'account.usage set window_began_at = clock_timestamp(), window_used = 600');
  const rejected = await read(key);
  expect([rejected.status, (await rejected.json()).code]).toEqual([429, 'rate.window']);
});

test('GET /v1/account returns 402 while the plan is inactive', async () => {
  const key = await world.key('free');
  await where(key, `account.subscriptions set status = 'inactive'`);
  const answer = await read(key);
  expect([answer.status, (await answer.json()).code]).toEqual([402, 'billing.inactive']);
});

test('GET /v1/account is never cached and returns only the data of its caller', async () => {
  const [one, two] = [await world.key('free'), await world.key('pro')];
  const names = new Set<string>();
  for (const key of [one, two, one, two]) {
    const answer = await read(key, { 'If-None-Match': '*' });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('Cache-Control')).toBe('no-store');
    expect(answer.headers.get('ETag')).toBeNull();
    const body = account.parse(await answer.json());
    expect(body.tier).toBe(key === one ? 'free' : 'pro');
    names.add(body.organization.name);
  }
  expect(names.size).toBe(2);
});
