import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { changePair, idOf, putPair, putUpdate, uuidOf } from './support/catalog.ts';
import { type ApiFixture, createApiFixture } from './support/fixture.ts';

// Filters by gap, start, change and id, and the number of all matches.

let world: ApiFixture;
let key: string;
beforeAll(async () => {
  world = await createApiFixture();
  key = await world.key();
});
afterAll(() => world.close());

type Body = {
  count: number;
  total?: number;
  next_cursor: string | null;
  snapshot_at: string;
  markets: { id: string }[];
};
async function list(query: string): Promise<Body> {
  const answer = await world.get(`/v2/markets?${query}`, key);
  const body = await answer.json();
  expect(answer.status, JSON.stringify(body)).toBe(200);
  return body as Body;
}
const ids = async (query: string) =>
  (await list(query)).markets.map((market) => Number.parseInt(market.id.slice(-12), 16));

describe('GET /v2/markets', () => {
  test.each<[string, number[]]>([
    ['min_gap=1', [3, 1, 2, 11]],
    ['min_gap=2', [1, 2, 11]],
    ['min_gap=2.0001', [2]],
    ['min_gap=6', [2]],
    ['min_gap=101', []],
    ['min_gap=0&sport=hockey', [3]],
    ['min_gap=2&sort=-spread_pts', [2, 1, 11]],
    ['starts_after=2026-11-21T01:00:00Z', [1, 2, 10, 11, 4]],
    ['starts_before=2026-11-21T01:00:00Z', [3]],
    ['starts_after=2026-11-21T01:00:00Z&starts_before=2026-11-21T03:00:00.001Z', [1, 2, 10]],
    ['starts_after=2026-11-21T02:00:00%2B01:00&starts_before=2026-11-21T03:00:00Z', [1, 2]],
    [`starts_after=${Date.parse('2026-11-21T04:00:00Z')}&starts_before=2027-01-01`, [11]],
    ['starts_after=2026-11-21T01:00:00Z&starts_before=2026-11-21T01:00:00Z', []],
    ['starts_after=253402300799999', []],
    [`ids=${idOf(3)},${uuidOf(1).toUpperCase()}&ids=${idOf(1)}`, [3, 1]],
    [`ids=${idOf(7)},${idOf(6)},${idOf(5)},${idOf(8)}`, [7, 5, 6, 8]],
    [`ids=${idOf(7)},${idOf(1)}&status=open`, [1]],
    [`ids=${idOf(5)},${idOf(1)}&market_type=total`, [5]],
    [`ids=${idOf(9)},${idOf(999)}`, []],
    [`ids=${idOf(9)},${idOf(1)}&signal=candidates`, [9]],
  ])('returns the expected rows for %s', async (query, expected) => {
    expect(await ids(query)).toEqual(expected);
  });

  test.each<[string, string, string, Record<string, unknown>]>([
    ['min_gap=-1', 'greater_than_equal', 'min_gap', { ge: 0 }],
    ['min_gap=wide', 'float_parsing', 'min_gap', {}],
    ['starts_after=tomorrow', 'datetime_parsing', 'starts_after', { error: 'epoch milliseconds or ISO 8601' }],
    ['starts_before=2026-02-31', 'datetime_parsing', 'starts_before', { error: 'epoch milliseconds or ISO 8601' }],
    ['starts_after=2026-11-22&starts_before=2026-11-21', 'value_error', 'starts_after', {}],
    ['updated_since=', 'datetime_parsing', 'updated_since', { error: 'epoch milliseconds or ISO 8601' }],
    ['ids=', 'string_too_short', 'ids', { min_length: 1 }],
    [`ids=${idOf(1)},`, 'string_too_short', 'ids', { min_length: 1 }],
    ['ids=mkt_1', 'uuid_parsing', 'ids', {}],
    [`ids=${"'".repeat(201)}`, 'string_too_long', 'ids', { max_length: 200 }],
    [`ids=${Array(101).fill(idOf(1)).join(',')}`, 'too_long', 'ids', { max_length: 100, actual_length: 101 }],
    ['include=totals', 'enum', 'include', { expected: "'ids', 'depth', 'settlement', 'best' or 'total'" }],
  ])('returns 422 with one issue for %s', async (query, type, name, ctx) => {
    const answer = await world.get(`/v2/markets?${query}`, key);
    expect(answer.status).toBe(422);
    expect((await answer.json()).detail).toEqual([
      { loc: ['query', name], msg: expect.any(String), type, input: expect.any(String), ctx },
    ]);
  });

  test('names the wrong id of a list, and takes a hundred', async () => {
    const { detail } = await (await world.get(`/v2/markets?ids=${idOf(1)},no_id`, key)).json();
    expect(detail[0]).toMatchObject({ type: 'uuid_parsing', input: 'no_id' });
    const hundred = Array.from({ length: 100 }, (_, n) => idOf(n + 1));
    expect(await list(`ids=${hundred.join(',')}&include=total&limit=2`)).toMatchObject({ count: 2, total: 10 });
  });

  test('counts the matches of all pages with include=total only', async () => {
    expect(await list('limit=2')).not.toHaveProperty('total');
    expect(await list('limit=2&include=total')).toMatchObject({ count: 2, total: 6 });
    expect(await list('limit=2&page=3&include=total')).toMatchObject({ count: 2, total: 6 });
    expect(await list('limit=2&include=total&min_gap=2&starts_after=2026-11-21')).toMatchObject({ count: 2, total: 3 });
    expect(await list('sport=curling&include=ids,total')).toMatchObject({ count: 0, total: 0 });
  });

  test('rejects a cursor with another value of a new filter', async () => {
    const { next_cursor: cursor } = await list('limit=1&min_gap=1&starts_after=2026-11-20');
    expect(await ids(`limit=1&min_gap=1&starts_after=2026-11-20T00:00Z&cursor=${cursor}`)).toEqual([1]);
    for (const query of ['min_gap=1', 'min_gap=2&starts_after=2026-11-20', 'starts_after=2026-11-20']) {
      expect((await world.get(`/v2/markets?limit=1&${query}&cursor=${cursor}`, key)).status, query).toBe(422);
    }
  });
});

describe('updated_since', () => {
  let steps = 0;
  /** Moves the clock by one step of five seconds. */
  const step = () => world.clock.set(new Date(Date.parse('2026-11-20T12:10:00Z') + 5_000 * ++steps).toISOString());
  const at = () => new Date(Date.parse('2026-11-20T12:08:00Z') + 5_000 * steps + 1).toISOString();
  const sizes = (n: number, size: number) =>
    putUpdate(world.db.sql, n, { at: at(), ask_a: [400_000, 600_000], ask_b: [410_000, 590_000], size_a: [size, 1] });
  const darts = 'sport=darts&limit=2&include=total';
  beforeEach(async () => {
    if (steps > 0) return;
    for (let n = 200; n < 206; n++) await putPair(world.db.sql, { n, sport: 'darts' });
    for (let n = 200; n < 206; n++) await sizes(n, 100);
    await step();
  });

  test('finds the markets that changed in a later snapshot, by price, size or identity, and no other', async () => {
    const first = await list('sport=darts');
    expect(await ids(`sport=darts&updated_since=${first.snapshot_at}`)).toEqual([]);
    await sizes(201, 200);
    await changePair(world.db.sql, 203, { title: 'Another title' });
    await step();
    const second = await list(`sport=darts&updated_since=${first.snapshot_at}`);
    expect(second.markets.map(({ id }) => id)).toEqual([idOf(201), idOf(203)]);
    expect(await ids(`sport=darts&updated_since=${second.snapshot_at}`)).toEqual([]);
    expect(await ids('sport=darts&updated_since=0')).toHaveLength(6);
  });

  test('keeps the rows and the total of the first page while every row changes', async () => {
    const { snapshot_at } = await list('sport=darts');
    for (const n of [200, 202, 204]) await sizes(n, 300);
    await step();
    const query = `${darts}&updated_since=${snapshot_at}`;
    const pages = [await list(query)];
    // 201 changes after the first page: it must not join. 202 and 204 change again and stay.
    for (const n of [201, 202, 204]) await sizes(n, 400);
    await step();
    pages.push(await list(`${query}&cursor=${pages[0]?.next_cursor}`));
    expect(pages.flatMap(({ markets }) => markets.map(({ id }) => id))).toEqual([200, 202, 204].map(idOf));
    expect(pages.map(({ total }) => total)).toEqual([3, 3]);
    expect(pages[1]?.next_cursor).toBeNull();
    expect(await list(query)).toMatchObject({ total: 4 });
  });

  test('keeps rows that leave min_gap and the range of starts while the caller pages', async () => {
    const query = `${darts}&min_gap=1&starts_before=2026-11-22`;
    const first = await list(query);
    expect(first).toMatchObject({ count: 2, total: 6 });
    for (const n of [202, 203, 204]) {
      await putUpdate(world.db.sql, n, { at: at(), ask_a: [400_000, 600_000], ask_b: [400_000, 600_000] });
    }
    await changePair(world.db.sql, 205, { start_time: '2026-11-25T00:00:00Z' });
    await putPair(world.db.sql, { n: 206, sport: 'darts', start_time: '2026-11-21T09:00:00Z' });
    await step();
    const second = await list(`${query}&cursor=${first.next_cursor}`);
    const third = await list(`${query}&cursor=${second.next_cursor}`);
    expect([second, third].flatMap(({ markets }) => markets.map(({ id }) => id))).toEqual(
      [202, 203, 204, 205].map(idOf),
    );
    expect([second.total, third.total]).toEqual([6, 6]);
    expect(await list(query)).toMatchObject({ total: 2 });
  });
});
