import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Isolate, startIsolate } from '../api/support/isolate.ts';
import type { World } from '../api/support/fixture.ts';
import { newAgent, oldAgent, type Told } from './support/clients.ts';
import { callTool } from './support/post.ts';
import { idOf, makeAgentWorld } from './support/fixture.ts';

let world: World;
let isolate: Isolate;
let deployed: World;
beforeAll(async () => {
  world = await makeAgentWorld();
  isolate = await startIsolate(world.db.url('parallax_api'));
  deployed = { ...world, api: { ...world.api, base: isolate.base } };
}, 60_000);
afterAll(async () => {
  isolate?.stop();
  await world.close();
});

test('the deployed entry answers agents of both kinds under Deno, with progress', async () => {
  const bearer = { Authorization: `Bearer ${await world.key('pro')}` };
  for (const agent of [await oldAgent(deployed, bearer), await newAgent(deployed, bearer, 'auto')]) {
    expect((await agent.listTools()).tools).toHaveLength(8);
    const told: Told[] = [];
    const result = await agent.callTool('watch_markets', { market_ids: [idOf(21)], seconds: 2 }, (one) =>
      told.push(one),
    );
    expect(result.structuredContent).toMatchObject({ market_ids: [idOf(21)], ended: null });
    expect(told.length).toBeGreaterThanOrEqual(2);
    await agent.close();
  }
});

test('both runtimes give the same answers', async () => {
  const key = await world.key('pro');
  for (const [name, args] of [
    ['list_markets', { limit: 3, include: ['settlement'] }],
    ['find_markets', { q: 'lakers' }],
    ['list_markets', { limit: 'x' }],
  ] as const) {
    const [there, here] = await Promise.all([callTool(deployed, key, name, args), callTool(world, key, name, args)]);
    expect(there.message.result?.structuredContent).toEqual(here.message.result?.structuredContent);
    expect(there.message.result?.isError).toBe(here.message.result?.isError);
  }
});
