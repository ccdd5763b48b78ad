import { afterAll, beforeAll, expect, test } from 'vitest';
import { account } from '../../functions/api/contract/account.ts';
import { makeWorld, type World } from './support/fixture.ts';

let world: World;
beforeAll(async () => {
  world = await makeWorld();
});
afterAll(() => world.close());

const read = (key: string, headers?: Record<string, string>) => world.get('/v1/account', key, headers);
const where = (key: string, set: string) =>
  world.db.sql.unsafe(
    `update ${set} where org_id = (select k.org_id from account.keys k where k.hash = account.key_hash('${key}'))`,
  );

test('tells the plan and where the organization stands, as its headers do', async () => {
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
  const stands = /^"window";r=598;t=(\d+), "month";r=999999;t=(\d+)$/.exec(answer.headers.get('RateLimit') ?? '');
  const left = (at: string) => (Date.parse(at) - Date.now()) / 1000;
  expect(Math.abs(left(body.window.resets_at) - Number(stands?.[1]))).toBeLessThan(5);
  expect(Math.abs(left(body.month.resets_at) - Number(stands?.[2]))).toBeLessThan(5);
});

test('takes nothing of the month and answers when that is used up, but not when the window is', async () => {
  const key = await world.key('free');
  await where(key, 'account.usage set month_used = 10000');
  expect((await world.get('/v2/markets?limit=1', key)).status).toBe(429);
  const answer = await read(key);
  expect([answer.status, (await answer.json()).month.used]).toEqual([200, 10_000]);
  await where(key, 'account.usage set window_began_at = clock_timestamp(), window_used = 600');
  const refused = await read(key);
  expect([refused.status, (await refused.json()).code]).toEqual([429, 'rate.window']);
});

test('402 while the plan is inactive', async () => {
  const key = await world.key('free');
  await where(key, `account.subscriptions set status = 'inactive'`);
  const answer = await read(key);
  expect([answer.status, (await answer.json()).code]).toEqual([402, 'billing.inactive']);
});

test('is of its caller alone: nothing is held for the next one, and no client is told to hold it', async () => {
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
