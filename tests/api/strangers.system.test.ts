import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { randomKey } from '../support/random_secrets.ts';
import { waitUntil } from '../support/wait_until.ts';
import { type ApiFixture, createApiFixture } from './support/fixture.ts';
import { type Flood, startFlood } from './support/flood.ts';
import { type Isolate, startIsolate } from './support/isolate.ts';

let world: ApiFixture;
let isolate: Isolate;
let flood: Flood | undefined;
beforeAll(async () => {
  world = await createApiFixture();
  isolate = await startIsolate(world.db.url('parallax_api'));
}, 60_000);
afterEach(() => flood?.stop());
afterAll(async () => {
  isolate?.stop();
  await world.close();
});

async function ask(key: string): Promise<number> {
  const answer = await fetch(`${isolate.base}/v2/markets?limit=1`, { headers: { Authorization: `Bearer ${key}` } });
  await answer.arrayBuffer();
  return answer.status;
}

/** The times of the `request.failed` lines of a code, in milliseconds. */
function failedAt(code: string): number[] {
  const lines = isolate.logLines().map((line) => JSON.parse(line));
  return lines.filter((line) => line.code === code).map((line) => Date.parse(line.time));
}

describe('while 250 connections send random keys without a pause', () => {
  test('a customer and each new customer get 200, and the log has no line about the strangers', async () => {
    const key = await world.key('premium');
    const newKeys = await Promise.all(Array.from({ length: 10 }, () => world.key('pro')));
    expect(await ask(key)).toBe(200);
    flood = startFlood(isolate.base, { connections: 250 });
    const { statuses } = flood;
    await waitUntil(() => (statuses[401] ?? 0) > 200, { what: '200 strangers were refused' });
    const answers = [];
    for (const newKey of newKeys) answers.push(await ask(newKey), await ask(key), await ask(key));
    expect(new Set(answers)).toEqual(new Set([200]));
    expect(Object.keys(statuses)).toEqual(['401']);
    expect(failedAt('admission.full')).toEqual([]);
  });

  test('a refusal takes half a second or more, so that the strangers slow themselves down', async () => {
    flood = startFlood(isolate.base, { connections: 250 });
    const { statuses } = flood;
    await waitUntil(() => (statuses[401] ?? 0) > 200, { what: '200 strangers were refused' });
    const times = await Promise.all(
      Array.from({ length: 21 }, async () => {
        const from = performance.now();
        expect(await ask(randomKey())).toBe(401);
        return performance.now() - from;
      }),
    );
    expect(times.sort((a, b) => a - b)[10]).toBeGreaterThan(450);
  });
});

test('one organization with 250 requests at once shuts out no other, and the log has a line a second for it', async () => {
  await world.db.sql`update account.tiers set window_requests = 1000000, month_requests = 1000000`;
  const [free, pro] = [await world.key('free'), await world.key('pro')];
  expect(await ask(free)).toBe(200);
  flood = startFlood(isolate.base, { connections: 250, key: () => free });
  const { statuses } = flood;
  await waitUntil(() => (statuses[503] ?? 0) > 150, { what: '150 requests over the share' });
  const answers = [];
  for (let i = 0; i < 20; i++) answers.push(await ask(pro));
  expect(new Set(answers)).toEqual(new Set([200]));
  await waitUntil(() => failedAt('admission.full').length >= 3, { what: 'three lines of admission.full' });
  const times = failedAt('admission.full');
  for (const [i, at] of times.slice(1).entries()) expect(at - (times[i] ?? 0)).toBeGreaterThanOrEqual(990);
  expect(isolate.logLines().at(-1)).toMatch(/"suppressed":\d+/);
});
