import { afterAll, beforeAll, expect, test } from 'vitest';
import type { z } from 'zod';
import { responseSchemas } from '../../functions/api/contract/schemas.ts';
import type { World } from '../api/support/fixture.ts';
import { calls } from './support/calls.ts';
import { callTool, type ToolResult } from './support/post.ts';
import { makeAgentWorld } from './support/fixture.ts';

let world: World;
beforeAll(async () => {
  world = await makeAgentWorld();
});
afterAll(() => world.close());

const schemaOf: Record<string, z.ZodType> = {
  find_arbitrage: responseSchemas.OpportunityList,
  find_markets: responseSchemas.SearchResult,
  list_markets: responseSchemas.MarketList,
  get_market: responseSchemas.Market,
  get_spreads: responseSchemas.SpreadList,
  list_categories: responseSchemas.CategoryList,
  report_bad_arb: responseSchemas.Received,
};

const faces = calls.flatMap(({ name, args, rest }) => (rest ? [{ name, args, rest }] : []));

// An agent and a program that ask the same must be told the same, to the byte.
test.each(faces)('$name with $args answers what $rest.path answers', async ({ name, args, rest }) => {
  const key = await world.key();
  const { message } = await callTool(world, key, name, args);
  const result = message.result as ToolResult;
  const answer = rest.body
    ? await fetch(world.api.base + rest.path, {
        method: 'POST',
        headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
        body: JSON.stringify(rest.body),
      })
    : await world.get(rest.path, key);
  expect(answer.ok).toBe(true);
  expect(JSON.stringify(result.structuredContent)).toBe(JSON.stringify(await answer.json()));
  // The closed schemas of the contract: a field that nobody documented would be refused here.
  expect(schemaOf[name]?.safeParse(result.structuredContent).error).toBeUndefined();
});

test('a list goes on where next_cursor says, as REST’s does, and meets every row once', async () => {
  const key = await world.key();
  const seen: string[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < 20; page++) {
    const { message } = await callTool(world, key, 'list_markets', {
      limit: 4,
      market_type: ['all'],
      ...(cursor ? { cursor } : {}),
    });
    const list = (message.result as ToolResult).structuredContent as {
      markets: { id: string }[];
      next_cursor: string | null;
    };
    seen.push(...list.markets.map((market) => market.id));
    if (list.next_cursor === null) break;
    cursor = list.next_cursor;
  }
  const whole = (await (await world.get('/v2/markets?market_type=all', key)).json()) as { markets: { id: string }[] };
  expect(seen).toEqual(whole.markets.map((market) => market.id));
});
