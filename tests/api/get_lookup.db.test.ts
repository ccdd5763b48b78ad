import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { changePair, idOf, putPair, uuidOf } from './support/catalog.ts';
import { type ApiFixture, createApiFixture } from './support/fixture.ts';
import { anyQueryValue } from './support/hostile.ts';

let world: ApiFixture;
let key: string;
let steps = 0;
beforeAll(async () => {
  world = await createApiFixture();
  key = await world.key();
  const { sql } = world.db;
  // One ticker prices both outcomes, one with YES and one with NO.
  const both = [
    { key: 'over', a: 'KXTOTAL-1' },
    { key: 'under', a: 'KXTOTAL-1', side: 'no' as const },
  ];
  await putPair(sql, { n: 50, market_type: 'total', outcomes: both, event_a: 'KXTOTAL', condition_b: '0xAB50' });
  await putPair(sql, {
    n: 51,
    stage: 'candidate',
    outcomes: [
      { key: 'only', a: 'KXTOP-3' },
      { key: 'none', a: null, b: null },
    ],
    ladder: ['1', '2'],
    event_a: 'KXTOTAL',
  });
  await sql`update catalog.outcomes set market_b = '0xCC' || ordinal where pair_id = ${uuidOf(51)}`;
  await step();
});
afterAll(() => world.close());

const step = () => world.clock.set(new Date(Date.parse('2026-11-20T12:00:00Z') + 5_000 * ++steps).toISOString());

type Found = { id: string; kind: string | null; venue: string | null; matches: object[] };
async function find(...ids: string[]): Promise<Found[]> {
  const answer = await world.get(`/v2/lookup?id=${ids.map(encodeURIComponent).join('&id=')}`, key);
  const body = (await answer.json()) as { count: number; ids: Found[] };
  expect(answer.status, JSON.stringify(body)).toBe(200);
  expect(body.count).toBe(body.ids.length);
  return body.ids;
}
const match = (n: number, outcome: string | null = null, side: string | null = null) => ({
  market_id: idOf(n),
  outcome,
  side,
});

describe('GET /v2/lookup', () => {
  test.each<[string, string | null, string | null, object[]]>([
    [idOf(1), 'market_id', null, [match(1)]],
    [uuidOf(1).toUpperCase(), 'market_id', null, [match(1)]],
    [idOf(999), 'market_id', null, []],
    ['KX-1-home', 'ticker', 'venue_a', [match(1, 'home', 'yes')]],
    ['kx-1-HOME', 'ticker', 'venue_a', [match(1, 'home', 'yes')]],
    ['KXTOTAL-1', 'ticker', 'venue_a', [match(50, 'over', 'yes'), match(50, 'under', 'no')]],
    ['KXL-1', 'ticker', 'venue_a', [match(51)]],
    ['KXTOTAL', 'event_ticker', 'venue_a', [match(50), match(51)]],
    ['50001', 'token_id', 'venue_b', [match(50, 'under')]],
    ['0xab50', 'condition_id', 'venue_b', [match(50)]],
    ['0xCC0', 'condition_id', 'venue_b', [match(51, 'only')]],
    ['slug-7', 'slug', 'venue_b', [match(7)]],
    ['pair-9', 'slug', 'venue_b', [match(9)]],
    ['KX-1', null, null, []],
    ["'; drop table price.venue_ids; --", null, null, []],
    ['%', null, null, []],
    ['Ünïcode ☘', null, null, []],
  ])('finds %s', async (id, kind, venue, matches) => {
    expect(await find(id)).toEqual([{ id, kind, venue, matches }]);
  });

  test('answers many ids in their order, each once', async () => {
    const found = await find('slug-2', 'unknown', 'KX-1-home', 'unknown', idOf(3), 'slug-1');
    expect(found.map(({ id }) => id)).toEqual(['slug-2', 'unknown', 'KX-1-home', idOf(3), 'slug-1']);
    expect(found.map(({ kind }) => kind)).toEqual(['slug', null, 'ticker', 'market_id', 'slug']);
  });

  test('follows a changed identity and forgets a withdrawn pair with the next step', async () => {
    await putPair(world.db.sql, { n: 60, event_a: 'KXOLD' });
    expect((await find('KXOLD', 'KX-60-away')).map(({ matches }) => matches.length)).toEqual([0, 0]);
    await step();
    expect((await find('KXOLD', 'KX-60-away')).map(({ matches }) => matches.length)).toEqual([1, 1]);
    await changePair(world.db.sql, 60, { event_a: 'KXNEW' });
    await step();
    expect((await find('KXOLD', 'KXNEW')).map(({ matches }) => matches.length)).toEqual([0, 1]);
    await changePair(world.db.sql, 60, { withdrawn_at: '2026-11-20T12:00:00Z' });
    await step();
    expect((await find('KXNEW', 'KX-60-away', idOf(60))).map(({ matches }) => matches.length)).toEqual([0, 0, 0]);
    expect(await world.db.sql`select from price.venue_ids where pair_id = ${uuidOf(60)}`).toHaveLength(0);
  });

  test.each<[string, string, Record<string, unknown>]>([
    ['', 'missing', {}],
    ['?id=', 'string_too_short', { min_length: 1 }],
    ['?id=a,,b', 'string_too_short', { min_length: 1 }],
    [`?id=${'x'.repeat(201)}`, 'string_too_long', { max_length: 200 }],
    [`?id=${Array.from({ length: 101 }, (_, n) => n).join(',')}`, 'too_long', { max_length: 100, actual_length: 101 }],
    ['?id=a%00', 'value_error', {}],
    ['?id=%ff', 'value_error', {}],
  ])('returns 422 for %s', async (query, type, ctx) => {
    const answer = await world.get(`/v2/lookup${query}`, key);
    expect(answer.status).toBe(422);
    expect((await answer.json()).detail[0]).toMatchObject({ loc: ['query', 'id'], type, ctx });
  });

  test('never returns 500 for random ids', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyQueryValue, { minLength: 1, maxLength: 4 }), async (ids) => {
        const answer = await world.get(`/v2/lookup?${ids.map((id) => `id=${id}`).join('&')}`, key);
        const text = await answer.text();
        expect([200, 422], text).toContain(answer.status);
        JSON.parse(text);
      }),
      { numRuns: 100 },
    );
  });

  test('reads a hundred ids by the index', async () => {
    const [row] = await world.db.sql.begin(async (sql) => {
      await sql`set local enable_seqscan = off`;
      return await sql`explain (format json) select from price.venue_ids v where v.folded_id = lower('KX-1-home')`;
    });
    expect(JSON.stringify(row)).toContain('venue_ids_by_id');
  });
});
