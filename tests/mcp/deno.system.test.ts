import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ApiFixture } from '../api/support/fixture.ts';
import { type Isolate, startIsolate } from '../api/support/isolate.ts';
import { newAgent, oldAgent, type Progress } from './support/clients.ts';
import { createMcpFixture, idOf } from './support/fixture.ts';
import { callTool } from './support/post.ts';

let world: ApiFixture;
let isolate: Isolate;
let deployed: ApiFixture;
beforeAll(async () => {
  world = await createMcpFixture();
  isolate = await startIsolate(world.db.url('parallax_api'));
  deployed = { ...world, api: { ...world.api, base: isolate.base } };
}, 60_000);
afterAll(async () => {
  isolate?.stop();
  await world.close();
});

test('the deployed entry point serves old and new clients under Deno, with progress', async () => {
  const bearer = { Authorization: `Bearer ${await world.key('pro')}` };
  for (const agent of [await oldAgent(deployed, bearer), await newAgent(deployed, bearer, 'auto')]) {
    expect((await agent.listTools()).tools).toHaveLength(9);
    const received: Progress[] = [];
    const result = await agent.callTool('watch_markets', { market_ids: [idOf(21)], seconds: 2 }, (one) =>
      received.push(one),
    );
    expect(result.structuredContent).toMatchObject({ market_ids: [idOf(21)], ended: null });
    expect(received.length).toBeGreaterThanOrEqual(2);
    await agent.close();
  }
});

test('Node and Deno return the same responses', async () => {
  const key = await world.key('pro');
  for (const [name, args] of [
    ['list_markets', { limit: 3, include: ['settlement'] }],
    ['find_markets', { q: 'lakers' }],
    ['list_markets', { limit: 'x' }],
  ] as const) {
    const [deno, node] = await Promise.all([callTool(deployed, key, name, args), callTool(world, key, name, args)]);
    expect(deno.message.result?.structuredContent).toEqual(node.message.result?.structuredContent);
    expect(deno.message.result?.isError).toBe(node.message.result?.isError);
  }
});
