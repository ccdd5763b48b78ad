import { afterAll, beforeAll, expect, test } from 'vitest';
import { callTool } from '../mcp/support/post.ts';
import { lastOffset, publishedFrames } from '../stream/published_frames.ts';
import { idOf, putLegFee, putPair, putUpdate, uuidOf } from './support/catalog.ts';
import { type ApiFixture, createApiFixture } from './support/fixture.ts';

/**
 * Guarantee: no interface states the edge of one contract of each outcome where these contracts may
 * return another amount than $1.
 */

/** Risks, whether one of each outcome returns $1 in spite of them, and the number of the pair. */
const cases: [risks: [string, string][], isWhole: boolean, n: number][] = [
  [[], true, 201],
  [[['void_rule', 'medium']], true, 202],
  [[['partition_gap', 'high']], false, 203],
  [[['several_can_pay', 'high']], false, 204],
  [[['partition_gap', 'low']], false, 205],
  [[['several_can_pay', 'low']], false, 206],
  [
    [
      ['void_rule', 'medium'],
      ['several_can_pay', 'high'],
      ['partition_gap', 'high'],
    ],
    false,
    207,
  ],
];
/** .45 and .49, with the fees .0174 of venue_a and .0125 of venue_b. */
const EDGE = 3.01;

type BestFrame = { id: string; best_edge_pct: number | null };

let world: ApiFixture;
let key: string;
beforeAll(async () => {
  world = await createApiFixture();
  key = await world.key();
  const { sql } = world.db;
  for (const [risks, , n] of cases) {
    await putPair(sql, { n, confirmed: true, risks, sport: 'curling' });
    for (const ordinal of [0, 1]) {
      await putLegFee(sql, n, ordinal, 'venue_a', { model: 'quadratic', multiplier: '1', maker: false });
      await putLegFee(sql, n, ordinal, 'venue_b', { model: 'rate', rate: '0.05' });
    }
    await putUpdate(sql, n, { at: '2026-11-20T11:57:00Z', ask_a: [450_000, 520_000], ask_b: [470_000, 490_000] });
  }
  await world.clock.set('2026-11-20T12:00:05Z');
});
afterAll(() => world.close());

const json = async (path: string) => await (await world.get(path, key)).json();
const textOf = async (name: string, args: object): Promise<string> => {
  const { message } = await callTool(world, key, name, args);
  return (message.result as { content: { text: string }[] }).content[0]?.text ?? '';
};

const places: [place: string, edge: (n: number) => Promise<number | null | undefined>][] = [
  ['the market of REST', async (n) => (await json(`/v2/pairs/${idOf(n)}?include=best`)).best_edge_pct],
  [
    'a list of REST',
    async (n) => {
      const { markets } = await json('/v2/markets?sport=curling&include=best&limit=50');
      return markets.find(({ id }: { id: string }) => id === idOf(n)).best_edge_pct;
    },
  ],
  ['the explanation of REST', async (n) => (await json(`/v2/pairs/${idOf(n)}/explanation`)).closest?.edge_pct ?? null],
  [
    'the explanation as text',
    async (n) =>
      edgeIn(await textOf('explain_market', { market_id: idOf(n) }), /Closest after fees: (?:edge (.*?) pts|unknown)/),
  ],
  [
    'the market as text',
    async (n) => edgeIn(await textOf('get_market', { market_ids: [idOf(n)] }), /edge after fees (?:(.*?) pts|unknown)/),
  ],
  [
    'the stream',
    async (n) => {
      const { sql } = world.db;
      const before = await lastOffset(sql, 'best:all');
      await sql`delete from stream.published_best where pair_id = ${uuidOf(n)}`;
      await sql`update stream.best_state set compared_at = '-infinity'`;
      await sql`select stream.publish_changes(array[${uuidOf(n)}]::uuid[])`;
      await sql`select stream.publish_best()`;
      const frames = (await publishedFrames(sql, 'best:all', before)) as unknown as BestFrame[];
      return frames.find(({ id }) => id === idOf(n))?.best_edge_pct;
    },
  ],
];

/** The number in the first group; null where the pattern matches without one. */
function edgeIn(text: string, pattern: RegExp): number | null {
  const found = pattern.exec(text);
  if (!found) throw new Error(`no edge in:\n${text}`);
  return found[1] === undefined ? null : Number(found[1]);
}

test.each(places)('%s states no edge of outcomes that leave a gap, or of which several can pay', async (_, edgeOf) => {
  for (const [risks, isWhole, n] of cases) expect([risks, await edgeOf(n)]).toEqual([risks, isWhole ? EDGE : null]);
});
