import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { reasonText } from '../../dashboard/src/live/reason_text.ts';
import { SENTENCES, sentenceOf } from '../../functions/api/contract/reasons.ts';
import type { ApiFixture } from '../api/support/fixture.ts';
import { createMcpFixture, idOf } from './support/fixture.ts';
import { callTool, type ToolResult } from './support/post.ts';

let world: ApiFixture;
let key: string;
beforeAll(async () => {
  world = await createMcpFixture();
  key = await world.key();
});
afterAll(() => world.close());

async function call(name: string, args: Record<string, unknown>): Promise<{ text: string; result: ToolResult }> {
  const { message } = await callTool(world, key, name, args);
  const result = message.result as ToolResult;
  return { text: result.content[0]?.text ?? '', result };
}
const idsOf = ({ result }: { result: ToolResult }) =>
  (result.structuredContent as { markets: { id: string }[] }).markets.map(({ id }) => id).sort();

describe('get_market with several ids', () => {
  test('returns each market of the catalog in full, and names the ids that it does not have', async () => {
    const found = await call('get_market', { market_ids: [idOf(21), idOf(22), idOf(9)] });
    expect(idsOf(found)).toEqual([idOf(21), idOf(22)]);
    expect(found.text).toContain(`Not in the catalog: ${idOf(9)}. A candidate is read with market_id.`);
    expect(found.text).toContain('worst risk: medium postponement_window (3 more)');
    expect(found.text).toMatch(/token 211?4{70,}/);
  });

  test.each([
    [{ market_id: [idOf(21), idOf(22)] }],
    [{ market_id: `${idOf(21)}, ${idOf(22)}` }],
    [{ market_ids: `["${idOf(21)}", "${idOf(22)}"]` }],
    [{ market_ids: [idOf(21), idOf(22)], market_id: null, include: 'Settlement' }],
  ])('takes %j', async (args) => {
    expect(idsOf(await call('get_market', args))).toEqual([idOf(21), idOf(22)]);
  });

  test('takes a list of one as one market', async () => {
    const { result } = await call('get_market', { market_id: [idOf(21)] });
    expect(result.structuredContent).toMatchObject({ markets: [{ id: idOf(21) }] });
  });

  test.each<[Record<string, unknown>, string]>([
    [{}, 'market_id: Field required, or market_ids'],
    [{ market_ids: ['x'] }, 'market_ids.0: Input should be a market id: mkt_ and a UUID'],
    [{ market_ids: [] }, 'market_ids: List should have at least 1 items'],
    [{ market_ids: Array.from({ length: 11 }, (_, n) => idOf(n)) }, 'market_ids: List should have at most 10 items'],
    [{ market_ids: [idOf(1)], market_id: idOf(2) }, 'give market_id or market_ids, not both'],
    [{ market_ids: [idOf(1)], include: ['books'] }, "include: Input should be 'ids', 'depth'"],
  ])('rejects %j', async (args, part) => {
    const { result, text } = await call('get_market', args);
    expect(result.isError).toBe(true);
    expect(text).toContain(part);
  });
});

test('every reason has the same sentence for an agent and on the market page', () => {
  const codes = Object.keys(SENTENCES).filter((code) => !['opportunity.open', 'edge.none'].includes(code));
  for (const code of [...codes, 'risk.tie_handling', 'priced.book.stale']) {
    expect([code, sentenceOf(code)]).toEqual([code, reasonText(code)]);
  }
});
