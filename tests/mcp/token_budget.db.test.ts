import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { tools } from '../../functions/api/mcp/tools/all.ts';
import { repository } from '../../local/platform/postgres/binaries.ts';
import type { ApiFixture } from '../api/support/fixture.ts';
import { newAgent } from './support/clients.ts';
import { createMcpFixture } from './support/fixture.ts';

let world: ApiFixture;
beforeAll(async () => {
  world = await createMcpFixture();
});
afterAll(() => world.close());

type Opportunities = {
  opportunities: {
    market_id: string;
    competition: string;
    weakest_link: string;
    edge_after_bound_pct: number;
    risks: { event: string; severity: string; note: string }[];
  }[];
};

describe('the question “is there a gap after fees on tonight’s NBA games, and what could break it?”', () => {
  test('is answered in one call with fewer than 2,500 tokens in total', async () => {
    const agent = await newAgent(world, { Authorization: `Bearer ${await world.key()}` }, 'auto');
    let tokens = 0;
    let textTokens = 0;
    const ask = async (name: string, args: Record<string, unknown>) => {
      const result = await agent.callTool(name, args);
      // Counts the call and the whole result: clients pass the text, the structured content, or
      // both to the model.
      tokens += countTokens(JSON.stringify({ name, args })) + countTokens(JSON.stringify(result));
      textTokens += countTokens(result.content[0]?.text ?? '');
      return result;
    };
    const gaps = await ask('find_arbitrage', { sport: 'basketball', limit: 3 });
    const { opportunities } = gaps.structuredContent as Opportunities;
    const text = gaps.content[0]?.text ?? '';
    expect(opportunities.map((one) => one.competition)).toEqual(['NBA', 'NBA']);
    for (const one of opportunities) {
      expect(text).toContain(one.market_id);
      // The text alone states the weakest link with its cost, and the code of every risk.
      expect(one.weakest_link).toBe(`Medium risk: ${one.risks[0]?.note}`);
      expect(text).toContain(`Weakest link: ${one.weakest_link}`);
      for (const risk of one.risks) expect(text).toContain(`${risk.event} (${risk.severity})`);
      expect(text).toContain(`(${one.edge_after_bound_pct} after its rule’s bound)`);
    }
    console.info(`the question takes one call and ${tokens} tokens; the text alone has ${textTokens}`);
    expect(tokens).toBeLessThan(2_500);
    for (const one of opportunities) {
      const { content } = await ask('get_market', { market_id: one.market_id });
      for (const risk of one.risks) expect(content[0]?.text).toContain(`${risk.event}: ${risk.note}`);
    }
    await agent.close();
  });

  test('no text of the API or its documents promises a gap without risk', () => {
    const texts = readdirSync(join(repository, 'functions/api'), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => join('functions/api', name));
    const promising = [...texts, 'docs/mcp.md', 'docs/trading.md', 'README.md'].filter((name) =>
      /risk[- ]?free|riskless|risk[- ]locked/i.test(readFileSync(join(repository, name), 'utf8')),
    );
    expect(promising).toEqual([]);
  });

  test('lists the tools with fewer than 4,500 tokens for a model', async () => {
    const agent = await newAgent(world, { Authorization: `Bearer ${await world.key()}` }, 'auto');
    const { tools: listed } = await agent.listTools();
    // Clients give names, descriptions and input schemas to a model. Output schemas are for
    // programs.
    const forModel = listed.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));
    const tokens = { forModel: countTokens(JSON.stringify(forModel)), total: countTokens(JSON.stringify(listed)) };
    console.info(`tools/list: ${tokens.forModel} tokens for a model, ${tokens.total} with output schemas`);
    expect(tokens.forModel).toBeLessThan(4_500);
    expect(tokens.total).toBeLessThan(12_000);
    await agent.close();
  });

  test('the description of each tool names the tool for related questions', () => {
    const descriptionOf = (name: string) => tools.find((tool) => tool.name === name)?.description ?? '';
    expect(descriptionOf('find_markets')).toContain('list_markets');
    expect(descriptionOf('list_markets')).toContain('find_markets');
    expect(descriptionOf('find_arbitrage')).toContain('get_spreads');
    expect(descriptionOf('get_spreads')).toContain('find_arbitrage');
  });
});
