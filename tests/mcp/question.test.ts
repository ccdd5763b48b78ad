import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { tools } from '../../functions/api/mcp/tools/all.ts';
import type { World } from '../api/support/world.ts';
import { newAgent } from './support/clients.ts';
import { makeAgentWorld } from './support/world.ts';

let world: World;
beforeAll(async () => {
  world = await makeAgentWorld();
});
afterAll(() => world.close());

type Opportunities = { opportunities: { market_id: string; competition: string; edge_pct: number }[] };
type Settled = { settlement: { risks: { event: string; note: string }[] } };

describe('“is there a risk-free gap on tonight’s NBA games, and what could break it?”', () => {
  test('is answered in three calls and 4,000 tokens, all that goes over counted', async () => {
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
    expect(opportunities.map((one) => one.competition)).toEqual(['NBA', 'NBA']);
    const told = [];
    for (const one of opportunities) told.push(await ask('get_market', { market_id: one.market_id }));
    expect(told.length).toBeLessThanOrEqual(2);
    for (const [at, { content, structuredContent }] of told.entries()) {
      const { risks } = (structuredContent as Settled).settlement;
      expect(risks.length).toBeGreaterThan(0);
      // A model that is shown the text alone knows as much: each risk by its code and in a sentence.
      for (const risk of risks) expect(content[0]?.text).toContain(`${risk.event}: ${risk.note}`);
      expect(gaps.content[0]?.text).toContain(opportunities[at]?.market_id);
    }
    console.info(`the question takes ${1 + told.length} calls and ${tokens} tokens; the texts alone have ${shown}`);
    expect(tokens).toBeLessThan(4_000);
    await agent.close();
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
