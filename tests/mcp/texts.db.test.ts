import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { tools } from '../../functions/api/mcp/tools/all.ts';
import { toFilterName } from '../../functions/api/mcp/untrusted_text.ts';
import { putPair, putUpdate } from '../api/support/catalog.ts';
import type { ApiFixture } from '../api/support/fixture.ts';
import { createMcpFixture, idOf } from './support/fixture.ts';
import { callTool, type ToolResult } from './support/post.ts';

// Guarantee: an agent that reads only the text of a result can continue with it, and has the same
// information as in the structured content.

let world: ApiFixture;
let key: string;
beforeAll(async () => {
  world = await createMcpFixture();
  key = await world.key('pro');
  const { sql } = world.db;
  await putPair(sql, { n: 60, sport: 'soccer', competition: 'Serie A', title: 'Inter vs Milan' });
  await putPair(sql, {
    n: 61,
    category: 'crypto',
    sport: null,
    competition: null,
    asset: 'Bitcoin',
    market_type: 'crypto_above',
    band: 'REVIEW',
  });
  await putUpdate(sql, 60, {
    at: '2026-11-20T11:57:00.000Z',
    ask_a: [700_000, 310_000],
    ask_b: [690_000, null],
    bid_a: [680_000, null],
    bid_b: [null, null],
    size_a: [44_400, 1_250],
    size_b: [17_900, null],
  });
  await world.clock.set('2026-11-20T12:00:05Z');
});
afterAll(() => world.close());

async function call(name: string, args: Record<string, unknown>): Promise<{ text: string; result: ToolResult }> {
  const { message } = await callTool(world, key, name, args);
  const result = message.result as ToolResult;
  return { text: result.content[0]?.text ?? '', result };
}
const countOf = ({ result }: { result: ToolResult }) => (result.structuredContent as { count: number }).count;

describe('a name in the text of a result', () => {
  test('is accepted by the filters', async () => {
    const { text } = await call('list_markets', { sport: 'soccer' });
    const name = /moneyline "([^"]+)"/.exec(text)?.[1];
    expect(name).toBe('Serie A');
    expect(countOf(await call('list_markets', { competition: name }))).toBe(1);
  });

  test.each([
    ['NBA', 'NBA'],
    ['Serie A', '"Serie A"'],
    ['Liège-Bastogne-Liège', 'Liège-Bastogne-Liège'],
    ['Queen’s Club (M) 1/2', '"Queen’s Club (M) 1/2"'],
    ['x" ignore\nall <b>', '"x_ ignore_all _b_"'],
  ])('%j is rendered as %s', (name, written) => {
    expect(toFilterName(name)).toBe(written);
  });
});

describe('an empty list_markets result', () => {
  test.each<[Record<string, unknown>, string[], string[]]>([
    [{ competition: 'MLB' }, ['market_type ["all"]', 'status [', '(competition)'], ['category', 'cursor']],
    [{ category: 'economics' }, ['status [', '(category)'], ['market_type', 'competition']],
    [{ asset: 'doge', market_type: ['fed_decision'] }, ['market_type ["all"]', '(asset)'], ['competition']],
    [{ sport: 'curling', market_type: ['all'], status: ['open'] }, ['(sport)'], ['market_type', 'status [']],
    [{ sport: 'curling', category: 'Sports' }, ['market_type ["all"]', '(category, sport)'], []],
  ])('suggests only changes to filters in effect, for %j', async (args, present, absent) => {
    const { text, result } = await call('list_markets', args);
    expect(countOf({ result })).toBe(0);
    for (const part of [...present, 'list_categories']) expect(text).toContain(part);
    for (const part of absent) expect(text).not.toContain(part);
    for (const [, name = '', value = ''] of text.matchAll(/(\w+) (\["[^\]]+\])/g)) {
      const tried = await call('list_markets', { ...args, [name]: JSON.parse(value) });
      expect(tried.result.isError).toBeUndefined();
    }
  });

  test('is not the default for a category outside sports', async () => {
    for (const args of [{ category: 'crypto' }, { asset: 'BTC' }, { category: 'weather' }]) {
      expect(countOf(await call('list_markets', args))).toBe(1);
    }
  });
});

describe('the argument include', () => {
  test('adds the same blocks to the text of a market as to the structured content', async () => {
    const { text } = await call('get_market', { market_id: idOf(60), include: ['ids', 'depth', 'settlement'] });
    expect(text).toContain(
      '   home: venue_a YES KX-60-home ask .7 x 444, bid .68; venue_b token 60000 ask .69 x 179, bid none',
    );
    expect(text).toContain(
      '   away: venue_a YES KX-60-away ask .31 x 12.5, bid none; venue_b token 60001 ask none, bid none',
    );
    expect(text).toContain(
      '   ids: venue_a event KXEVENT-60; venue_b condition 0x60, slug slug-60; match confidence entity .99, resolution .97',
    );
  });

  test('adds tokens of 77 digits uncut, in a list as well, and without it a list has them short', async () => {
    const { text, result } = await call('list_markets', { competition: 'NBA', include: 'depth', limit: '50' });
    const { markets } = result.structuredContent as {
      markets: { outcomes: { venue_b_book: { token_id: string } }[] }[];
    };
    const tokens = markets.flatMap(({ outcomes }) => outcomes.map((one) => one.venue_b_book.token_id));
    expect(tokens.some((token) => token.length === 77)).toBe(true);
    for (const token of tokens) expect(text).toContain(`token ${token} ask`);
    const plain = await call('list_markets', { competition: 'NBA' });
    expect(plain.text).toContain('venue_a .45 x 120 ($54) YES KX-21-home; venue_b .49 x 120 token 21044444…4444');
    expect(plain.text).not.toMatch(/\d{77}/);
    // What only the text needs is not in the structured content.
    expect(JSON.stringify(plain.result.structuredContent)).not.toMatch(/KX-|"settlement"|"best/);
  });
});

describe('arguments of a tool', () => {
  test('are corrected for common mistakes of models', async () => {
    const plain = await call('list_markets', { status: ['open', 'live'], market_type: ['all'], limit: 5 });
    const mistaken = await call('list_markets', {
      status: 'Open, live',
      market_type: 'ALL',
      limit: '5',
      has_history: 'False',
    });
    expect(mistaken.result.structuredContent).toEqual(plain.result.structuredContent);
    const watched = await call('watch_markets', { market_ids: idOf(1), seconds: '1' });
    expect(watched.result.structuredContent).toMatchObject({ seconds: 1, market_ids: [idOf(1)] });
  });

  test('include q of find_markets as required and without a default', () => {
    const { inputSchema } = tools.find(({ name }) => name === 'find_markets') ?? { inputSchema: undefined };
    expect(inputSchema?.required).toEqual(['q']);
    expect(inputSchema?.properties.q).not.toHaveProperty('default');
  });
});

test('the text of a report mentions evidence only when the report names an opportunity', async () => {
  expect((await call('report_bad_arb', { reason: 'x' })).text).toContain('no evidence');
  const named = await call('report_bad_arb', { opp_id: 'opp_00000000-0000-4000-8000-000000000001' });
  expect(named.text).toContain('evidence of the opportunity if its id is known');
});
