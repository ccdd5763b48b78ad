import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { changePair, idOf, putLegFee, putPair, putUpdate, readAt, uuidOf } from '../api/support/catalog.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { broadcasts, lastOffset, publishedFrames, resetTestState } from './published_frames.ts';

let db: TestDatabase;
beforeAll(async () => {
  db = await createDatabase();
});
afterAll(() => db.close());
beforeEach(async () => {
  await resetTestState(db.sql);
  await putMarket(1);
});

type BestFrame = {
  type: 'best';
  id: string;
  priced_at: string;
  books_read_at: { venue_a: string; venue_b: string };
  best: { outcome: string; buy: { venue: string; net: number } | null; sell: object | null }[];
  best_edge_pct: number | null;
  void?: string;
};
const at = (time: string) => `2026-11-20T${time}Z`;
const asks = { ask_a: [450_000, 520_000], ask_b: [470_000, 490_000], bid_a: [440_000, null], bid_b: [460_000, null] };
const frames = async () => (await publishedFrames(db.sql, 'best:all')) as unknown as BestFrame[];

async function putMarket(n: number, stage: 'catalog' | 'candidate' = 'catalog'): Promise<void> {
  await putPair(db.sql, { n, confirmed: true, stage });
  for (const ordinal of [0, 1]) {
    await putLegFee(db.sql, n, ordinal, 'venue_a', { model: 'quadratic', multiplier: '1', maker: false });
    await putLegFee(db.sql, n, ordinal, 'venue_b', { model: 'rate', rate: '0.05' });
  }
}

/** Publishes as ingest does when more than a second has passed. */
async function publishLater(interval = '0 seconds'): Promise<void> {
  await db.sql`update stream.published_best set compared_at = compared_at - ${interval}::interval`;
  await db.sql`update stream.best_state set compared_at = '-infinity'`;
  await db.sql`select stream.publish_best()`;
}

/** Publishes the market frames of pairs whose status or stage was changed, and then best quotes. */
async function publishMarkets(...ns: number[]): Promise<void> {
  await db.sql`select stream.publish_changes(${ns.map(uuidOf)})`;
  await publishLater();
}

async function stateOf(): Promise<{ offset: number; best: BestFrame[] }> {
  const [row] = await db.sql<{ state: { offset: number; best: BestFrame[] } }[]>`
    select stream.channel_state_of('best:all') as state`;
  if (!row) throw new Error('no state');
  return row.state;
}

/** What a client holds that received these frames. */
function replay(all: readonly BestFrame[]): BestFrame[] {
  const held = new Map<string, BestFrame>();
  for (const frame of all) {
    if (frame.best.length === 0) held.delete(frame.id);
    else held.set(frame.id, frame);
  }
  return [...held.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
}

describe('a best frame', () => {
  test('has at once what include=best of REST has two minutes later', async () => {
    await putUpdate(db.sql, 1, { at: at('11:57:12.345'), ...asks });
    await publishLater();
    const [frame] = await frames();
    expect(frame).toMatchObject({
      type: 'best',
      id: idOf(1),
      priced_at: at('11:57:12.345'),
      books_read_at: { venue_a: readAt('venue_a', at('11:57:12.345')), venue_b: readAt('venue_b', at('11:57:12.345')) },
      best: [
        { outcome: 'home', buy: { venue: 'venue_a', price: 0.45, fee: 0.0174, net: 0.4674 } },
        { outcome: 'away', buy: { venue: 'venue_b', price: 0.49, fee: 0.0125, net: 0.5025 }, sell: null },
      ],
      best_edge_pct: 3.01,
    });
    await db.sql`select pipeline.refresh_snapshot()`;
    const [rest] = await db.sql<{ quotes: object; edge: number }[]>`
      select quotes::json as quotes, edge_pct::float8 as edge from price.best_quotes(array[${uuidOf(1)}]::uuid[])`;
    expect({ quotes: frame?.best, edge: frame?.best_edge_pct }).toEqual(rest);
    const [row] = await db.sql<{ text: string }[]>`
      select unnest(frames) as text from stream.publications where channel = 'best:all'`;
    expect(Object.keys(JSON.parse(row?.text ?? ''))[0]).toBe('type');
  });

  test('follows a change of the quotes, at most once a second, and no change of the book alone', async () => {
    await putUpdate(db.sql, 1, { at: at('11:57:00'), ...asks });
    await publishLater();
    await putUpdate(db.sql, 1, { at: at('11:57:01'), ...asks, ask_a: [440_000, 530_000] });
    await db.sql`select stream.publish_best()`;
    expect(await frames(), 'within the second').toHaveLength(1);
    await putUpdate(db.sql, 1, { at: at('11:57:02'), ...asks, ask_a: [430_000, 530_000] });
    await publishLater();
    // The dearer ask of away is no best quote.
    await putUpdate(db.sql, 1, { at: at('11:57:03'), ...asks, ask_a: [430_000, 540_000] });
    await publishLater();
    expect((await frames()).map(({ priced_at, best }) => [priced_at, best[0]?.buy?.net])).toEqual([
      [at('11:57:00.000'), 0.4674],
      [at('11:57:02.000'), 0.4472],
    ]);
  });

  test('follows a change of a fee within a minute', async () => {
    await putUpdate(db.sql, 1, { at: at('11:57:00'), ...asks });
    await publishLater();
    await putLegFee(db.sql, 1, 0, 'venue_a', { model: 'quadratic', multiplier: '2', maker: false });
    await publishLater();
    expect(await frames()).toHaveLength(1);
    await publishLater('1 minute');
    expect((await frames()).map(({ best }) => best[0]?.buy)).toMatchObject([
      { venue: 'venue_a', fee: 0.0174 },
      { venue: 'venue_b', price: 0.47, fee: 0.01246 },
    ]);
  });

  test('is empty with the reason where a book became invalid, and is not repeated for another reason', async () => {
    await putUpdate(db.sql, 1, { at: at('11:57:00'), ...asks });
    await publishLater();
    for (const [time, reason] of [
      ['11:57:01', 'book.gap'],
      ['11:57:02', 'feed.silent'],
    ] as const) {
      await putUpdate(db.sql, 1, { at: at(time), void: reason });
      await publishLater();
    }
    expect((await frames()).slice(1)).toMatchObject([{ best: [], best_edge_pct: null, void: 'book.gap' }]);
    expect((await stateOf()).best).toEqual([]);
  });

  test('is empty for prices that were read before the outcomes of the pair changed', async () => {
    await putUpdate(db.sql, 1, { at: at('11:57:00'), ...asks });
    await publishLater();
    await db.sql`insert into catalog.outcomes (pair_id, ordinal, key, name) values (${uuidOf(1)}, 2, 'draw', 'Draw')`;
    await changePair(db.sql, 1, { title: 'Changed' });
    await publishMarkets(1);
    expect((await frames()).map(({ best }) => best.length)).toEqual([2, 0]);
  });

  test.each<[string, (n: number) => PromiseLike<unknown>, string]>([
    ['is over', (n) => changePair(db.sql, n, { status: 'settled' }), 'pair.settled'],
    [
      'is withdrawn',
      (n) => changePair(db.sql, n, { withdrawn_at: '2026-11-20T12:00:00Z', withdrawn_code: 'not_listed' }),
      'pair.withdrawn',
    ],
    ['is a candidate again', (n) => changePair(db.sql, n, { stage: 'candidate' }), 'band.candidate'],
  ])('is the last one of a market that %s', async (_, change, reason) => {
    await putUpdate(db.sql, 1, { at: at('11:57:00'), ...asks });
    await publishLater();
    await change(1);
    await publishMarkets(1);
    await publishMarkets(1);
    expect((await frames()).slice(1)).toMatchObject([{ id: idOf(1), best: [], best_edge_pct: null, void: reason }]);
    expect(await db.sql`select from stream.published_best`).toHaveLength(0);
  });

  test('does not exist for a candidate and for a market that never had prices, and is never broadcast', async () => {
    await putMarket(2, 'candidate');
    await putMarket(3);
    await putUpdate(db.sql, 2, { at: at('11:57:00'), ...asks });
    await putUpdate(db.sql, 1, { at: at('11:57:00'), ...asks });
    await publishMarkets(1, 2, 3);
    await db.sql`select stream.broadcast_pending()`;
    expect((await frames()).map(({ id }) => id)).toEqual([idOf(1)]);
    expect(await broadcasts(db.sql, 'best:all')).toEqual([]);
  });
});

test('the frames add up to the channel state and to the best quotes of the prices after any changes', async () => {
  const markets = Array.from({ length: 8 }, (_, n) => n + 1);
  for (const n of markets.slice(1)) await putMarket(n);
  let seed = 7;
  const random = (below: number) => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed % below;
  };
  const price = () => (random(9) === 0 ? null : 200_000 + random(60) * 10_000);
  for (let round = 0; round < 60; round += 1) {
    const n = 1 + random(markets.length);
    const time = at(`11:${String(round % 60).padStart(2, '0')}:00`);
    const kind = random(10);
    if (kind === 0) await changePair(db.sql, n, { status: ['open', 'live', 'closed'][random(3)] ?? null });
    else if (kind === 1) await putUpdate(db.sql, n, { at: time, void: 'feed.silent' });
    else await putUpdate(db.sql, n, { at: time, ask_a: [price(), price()], ask_b: [price(), price()] });
    if (random(2) === 0) await publishMarkets(n);
  }
  await publishMarkets(...markets);
  const { best, offset } = await stateOf();
  const all = await frames();
  expect([offset, all.length]).toEqual([await lastOffset(db.sql, 'best:all'), offset]);
  expect(offset).toBeGreaterThan(20);
  expect(replay(all)).toEqual(best);
  const expected = await db.sql<{ id: string; best: object; best_edge_pct: number | null }[]>`
    select 'mkt_' || q.for_pair as id, q.quotes::json as best, q.edge_pct::float8 as best_edge_pct
    from price.best_quotes_of(stream.latest_updates_of(array(
      select p.pair_id from catalog.pairs p where p.status in ('open', 'live')
    ))) q
    order by q.for_pair`;
  expect(best.map(({ id, best, best_edge_pct }) => ({ id, best, best_edge_pct }))).toEqual([...expected]);
  expect(expected.length).toBeGreaterThan(2);
});

test('a second caller does not wait, and the next call publishes what it left', async () => {
  await putUpdate(db.sql, 1, { at: at('11:57:00'), ...asks });
  await db.sql.begin(async (sql) => {
    await sql`select stream.publish_best()`;
    const [row] = await db.sql`select stream.publish_best() as frames`;
    expect(row?.frames).toBe(0);
  });
  expect(await frames()).toHaveLength(1);
});
