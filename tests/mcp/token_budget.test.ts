import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { tools } from '../../functions/api/mcp/tools/all.ts';
import { repository } from '../../local/platform/postgres/binaries.ts';
import type { World } from '../api/support/fixture.ts';
import { newAgent } from './support/clients.ts';
import { makeAgentWorld } from './support/fixture.ts';

let world: World;
beforeAll(async () => {
  world = await makeAgentWorld();
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

describe('“is there a gap left after fees on tonight’s NBA games, and what could break it?”', () => {
  test('is answered in one call and 2,500 tokens, all that goes over counted', async () => {
    const agent = await newAgent(world, { Authorization: `Bearer ${await world.key()}` }, 'auto');
    let tokens = 0;
    let shown = 0;
    const ask = async (name: string, args: Record<string, unknown>) => {
      const result = await agent.callTool(name, args);
      // What the model writes and all that it may be shown: some clients show the text, some the structured content, some both.
      tokens += countTokens(JSON.stringify({ name, args })) + countTokens(JSON.stringify(result));
      shown += countTokens(result.content[0]?.text ?? '');
      return result;
    };
    const gaps = await ask('find_arbitrage', { sport: 'basketball', limit: 3 });
    const { opportunities } = gaps.structuredContent as Opportunities;
    const text = gaps.content[0]?.text ?? '';
    expect(opportunities.map((one) => one.competition)).toEqual(['NBA', 'NBA']);
    for (const one of opportunities) {
      expect(text).toContain(one.market_id);
      // A model that is shown the text alone knows what could break it, with its money, and every risk by its code.
      expect(one.weakest_link).toBe(`Medium risk: ${one.risks[0]?.note}`);
      expect(text).toContain(`Weakest link: ${one.weakest_link}`);
      for (const risk of one.risks) expect(text).toContain(`${risk.event} (${risk.severity})`);
      expect(text).toContain(`(${one.edge_after_bound_pct} after its rule’s bound)`);
    }
    console.info(`the question takes one call and ${tokens} tokens; the text alone has ${shown}`);
    expect(tokens).toBeLessThan(2_500);
    for (const one of opportunities) {
      const { content } = await ask('get_market', { market_id: one.market_id });
      for (const risk of one.risks) expect(content[0]?.text).toContain(`${risk.event}: ${risk.note}`);
    }
    await agent.close();
  });

  test('no text of ours promises a gap without risk', () => {
    const texts = readdirSync(join(repository, 'functions/api'), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => join('functions/api', name));
    const promising = [...texts, 'docs/mcp.md', 'docs/trading.md', 'README.md'].filter((name) =>
      /risk[- ]?free|riskless|risk[- ]locked/i.test(readFileSync(join(repository, name), 'utf8')),
    );
    expect(promising).toEqual([]);
  });

  test('what every session begins with is small too', async () => {
    const agent = await newAgent(world, { Authorization: `Bearer ${await world.key()}` }, 'auto');
    const { tools: listed } = await agent.listTools();
    // What clients put before a model: names, descriptions and inputs. The output schemas are for programs.
    const shown = listed.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));
    const figures = { shown: countTokens(JSON.stringify(shown)), whole: countTokens(JSON.stringify(listed)) };
    console.info(`tools/list: ${figures.shown} tokens for a model, ${figures.whole} with output schemas`);
    expect(figures.shown).toBeLessThan(4_500);
    expect(figures.whole).toBeLessThan(12_000);
    await agent.close();
  });

  test('each description says when another tool is the right one', () => {
    const named = (name: string) => tools.find((tool) => tool.name === name)?.description ?? '';
    expect(named('find_markets')).toContain('list_markets');
    expect(named('list_markets')).toContain('find_markets');
    expect(named('find_arbitrage')).toContain('get_spreads');
    expect(named('get_spreads')).toContain('find_arbitrage');
  });
});
