import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { responseSchemas } from '../../functions/api/contract/schemas.ts';
import type { ApiFixture } from '../api/support/fixture.ts';
import { calls } from './support/calls.ts';
import { createMcpFixture } from './support/fixture.ts';
import { callTool, type ToolResult } from './support/post.ts';

let world: ApiFixture;
beforeAll(async () => {
  world = await createMcpFixture();
});
afterAll(() => world.close());

const schemaOf: Record<string, z.ZodType> = {
  find_arbitrage: responseSchemas.OpportunityList,
  find_markets: responseSchemas.SearchResult,
  list_markets: responseSchemas.MarketList,
  get_market: z.union([responseSchemas.Market, responseSchemas.MarketList]),
  explain_market: responseSchemas.Explanation,
  get_spreads: responseSchemas.SpreadList,
  list_categories: responseSchemas.CategoryList,
  report_bad_arb: responseSchemas.Received,
};

const routeCalls = calls.flatMap(({ name, args, rest }) => (rest ? [{ name, args, rest }] : []));

// An agent and a program with the same request get the same bytes.
test.each(routeCalls)('$name with $args returns the same bytes as $rest.path', async ({ name, args, rest }) => {
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
  // The schemas of the contract are strict, so an undocumented field fails here.
  expect(schemaOf[name]?.safeParse(result.structuredContent).error).toBeUndefined();
});

test('list_markets returns every row once when it follows next_cursor', async () => {
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
