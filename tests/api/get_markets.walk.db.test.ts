import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { changePair, idOf, putPair, putUpdates, type SeedUpdate, uuidOf } from './support/catalog.ts';
import { type ApiFixture, createApiFixture } from './support/fixture.ts';

// Guarantee: a caller that follows next_cursor sees one consistent list while the snapshot moves
// on.

let world: ApiFixture;
let key: string;
beforeEach(async () => {
  world = await createApiFixture();
  key = await world.key();
  for (const n of rows) await putPair(world.db.sql, { n, sport: 'darts', start_time: startOf(n) });
  await priceAll(0);
  await step(1);
});
afterEach(() => world.close());

const rows = Array.from({ length: 60 }, (_, at) => 100 + at);
const startOf = (n: number) => `2026-11-21T0${n % 5}:00:00Z`;

/** Market time: 12:00:00Z plus this number of steps. */
const timeOf = (steps: number) => Date.parse('2026-11-20T12:00:00Z') + steps * 5_000;
const step = (steps: number) => world.clock.set(new Date(timeOf(steps)).toISOString());

/** Changes the gap of nearly every row. The snapshot includes it from the step after `steps` on. */
async function priceAll(steps: number): Promise<void> {
  const at = new Date(timeOf(steps) - 120_000 + 1).toISOString();
  const frames = rows.map((n): readonly [number, SeedUpdate] => {
    const gap = ((n * 7919 + steps * 104_729) % 41) * 1_000;
    return [n, { at, ask_a: [400_000, 610_000], ask_b: [400_000 + gap, 600_000] }];
  });
  await putUpdates(world.db.sql, frames);
}

type Market = { id: string; status: string; spread_pts: number | null };
type Page = { next_cursor: string | null; snapshot_at: string; markets: Market[] };

async function page(query: string): Promise<Page> {
  const answer = await world.get(`/v2/markets?sport=darts&limit=5${query}`, key);
  const body = await answer.json();
  expect(answer.status, JSON.stringify(body)).toBe(200);
  return body as Page;
}

/** Reads every page, and calls `between` before each page except the first. */
async function readAllPages(query: string, between: (pages: number) => Promise<void>): Promise<Page[]> {
  const pages = [await page(query)];
  for (let cursor = pages[0]?.next_cursor; cursor; cursor = pages.at(-1)?.next_cursor) {
    await between(pages.length);
    pages.push(await page(`${query}&cursor=${cursor}`));
  }
  return pages;
}

const idsOf = (pages: readonly Page[]) => pages.flatMap(({ markets }) => markets.map(({ id }) => id));

describe('paging /v2/markets by cursor', () => {
  test.each(['start_time', '-start_time', '-spread_pts'])(
    'sorted by %s returns every row of the first snapshot once and in its order while prices change',
    async (sort) => {
      const { body } = await listed(`&sort=${sort}`);
      const before = body.map(({ id }) => id);
      const pages = await readAllPages(`&sort=${sort}`, async (turn) => {
        await priceAll(turn);
        await step(turn + 1);
      });
      expect(pages.length).toBe(12);
      expect(new Set(pages.map(({ snapshot_at }) => snapshot_at)).size).toBe(12);
      expect(idsOf(pages)).toEqual(before);
    },
  );

  test('returns a row with its current state at its position in the first snapshot', async () => {
    const first = await page('&sort=-spread_pts');
    await priceAll(1);
    await step(2);
    const second = await page(`&sort=-spread_pts&cursor=${first.next_cursor}`);
    const now = new Map((await listed('&sort=-spread_pts')).body.map((row) => [row.id, row.spread_pts]));
    expect(second.markets.map(({ spread_pts }) => spread_pts)).toEqual(second.markets.map(({ id }) => now.get(id)));
  });

  test('omits withdrawn rows, adds no new rows, and keeps rows that no longer match the filters', async () => {
    const before = (await listed('')).body.map(({ id }) => id);
    const numberOf = (index: number) => Number.parseInt(before[index]?.slice(-12) ?? '', 16);
    const [withdrawn, restored, changed] = [numberOf(20), numberOf(30), numberOf(40)];
    const { sql } = world.db;
    const pages = await readAllPages('', async (turn) => {
      if (turn === 1) {
        await sql`update catalog.pairs set withdrawn_at = now() where pair_id in ${sql([uuidOf(withdrawn), uuidOf(restored)])}`;
        await changePair(sql, changed, { status: 'resolving', sport: 'curling', start_time: '2026-11-20T00:00:00Z' });
        await putPair(sql, { n: 500, sport: 'darts', start_time: '2026-11-21T03:30:00Z' });
      }
      if (turn === 3) await sql`update catalog.pairs set withdrawn_at = null where pair_id = ${uuidOf(restored)}`;
      await priceAll(turn);
      await step(turn + 1);
    });
    expect(idsOf(pages)).toEqual(before.filter((id) => id !== idOf(withdrawn)));
    const moved = pages.flatMap(({ markets }) => markets).find(({ id }) => id === idOf(changed));
    expect(moved?.status).toBe('resolving');
    expect((await listed('')).body.map(({ id }) => id)).toContain(idOf(500));
  });

  test('returns cursor.expired after the retention of its snapshot, and not within two minutes', async () => {
    const first = await page('&sort=-spread_pts');
    await priceAll(1);
    await step(2);
    const next = `&sort=-spread_pts&cursor=${first.next_cursor}`;
    await page(next);
    const ago = async (seconds: number) => {
      await world.db.sql`
        update price.past_steps set ended_at = clock_timestamp() - ${`${seconds} seconds`}::interval
        where change_no = (select max(change_no) from price.past_steps)`;
    };
    await ago(121);
    expect(await (await fresh(next)).json()).toHaveProperty('next_cursor');
    await ago(151);
    const answer = await fresh(next);
    expect(answer.status).toBe(422);
    expect(await answer.json()).toMatchObject({
      error: expect.stringContaining('Begin again'),
      code: 'validation',
      detail: [{ type: 'cursor.expired', loc: ['query', 'cursor'], input: first.next_cursor, ctx: {} }],
    });
    await page('&sort=-spread_pts');
  });

  test('does not count an expired cursor in the month, and purges rows that no cursor needs', async () => {
    const first = await page('&sort=-spread_pts');
    for (const turn of [1, 2, 3]) {
      await priceAll(turn);
      await step(turn + 1);
      await page('&sort=-spread_pts');
    }
    const { sql } = world.db;
    const kept = async () => {
      const [row] = await sql`select count(*)::integer as n from price.past_rows`;
      return row?.n;
    };
    expect(await kept()).toBeGreaterThan(rows.length * 2);
    await sql`update price.past_steps set ended_at = clock_timestamp() - interval '1 hour'`;
    await step(9);
    await page('&sort=-spread_pts');
    expect(await kept()).toBe(0);
    const used = async () => (await sql<{ n: string }[]>`select sum(month_used) as n from account.usage`)[0]?.n;
    const before = await used();
    expect((await fresh(`&sort=-spread_pts&cursor=${first.next_cursor}`)).status).toBe(422);
    expect(await used()).toBe(before);
  });

  test('rejects a forged cursor with an unknown or invalid change number', async () => {
    const { next_cursor } = await page('');
    const [view, sortKey, id] = JSON.parse(Buffer.from(next_cursor ?? '', 'base64url').toString());
    const forge = (change_no: unknown) =>
      Buffer.from(JSON.stringify([view, sortKey, id, change_no])).toString('base64url');
    const typeOf = async (change_no: unknown) => {
      const answer = await fresh(`&cursor=${forge(change_no)}`);
      expect(answer.status).toBe(422);
      return ((await answer.json()) as { detail: { type: string }[] }).detail[0]?.type;
    };
    for (const unknown of [999_999, Number.MAX_SAFE_INTEGER]) expect(await typeOf(unknown)).toBe('cursor.expired');
    for (const invalid of [-1, 1.5, '1', null, {}, 2 ** 60]) expect(await typeOf(invalid)).toBe('value_error');
  });
});

/** Changes the limit with each request, so that no cached body is sent. */
let requests = 0;
const fresh = (query: string) => world.get(`/v2/markets?sport=darts&limit=${6 + (requests++ % 900)}${query}`, key);

async function listed(query: string): Promise<{ body: Market[] }> {
  const answer = await world.get(`/v2/markets?sport=darts&limit=1000${query}`, key);
  return { body: ((await answer.json()) as Page).markets };
}
