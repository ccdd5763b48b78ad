import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { changePair, idOf, putPair, putUpdate, putUpdates, readAt, uuidOf } from '../api/support/catalog.ts';
import { flush, good } from '../arb/fixture.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import type { Frame } from '../support/replayed_state.ts';
import { lastOffset, publishedFrames, resetTestState } from './published_frames.ts';

let db: TestDatabase;

beforeAll(async () => {
  db = await createDatabase();
});
afterAll(() => db.close());
beforeEach(async () => {
  await resetTestState(db.sql);
  await putPair(db.sql, { n: 1, confirmed: true });
});

const at = (time: string) => `2026-11-20T${time}Z`;
const publish = () => db.sql`select stream.publish_changes(stream.unpublished_pairs())`;
const types = (frames: Frame[]) => frames.map((frame) => (frame.type === 'opportunity' ? frame.state : frame.type));
/**
 * Asks with a spread of three points on away; the cheapest asks of both outcomes add up to 0.94.
 */
const asks = {
  ask_a: [450_000, 520_000],
  ask_b: [470_000, 490_000],
  bid_a: [440_000, 510_000],
  bid_b: [460_000, 480_000],
};

describe('a price frame', () => {
  test('is published with the flush that wrote it, as REST will return it two minutes later', async () => {
    await putUpdate(db.sql, 1, { at: at('11:57:12.345'), ...asks });
    const [market, price] = await publishedFrames(db.sql, 'markets:all');
    expect(market).toMatchObject({ type: 'market', id: idOf(1), signal: 'arb', status: 'open' });
    expect(price).toEqual({
      type: 'price',
      id: idOf(1),
      priced_at: at('11:57:12.345'),
      books_read_at: { venue_a: readAt('venue_a', at('11:57:12.345')), venue_b: readAt('venue_b', at('11:57:12.345')) },
      spread_pts: 3,
      potential_arb_pct: 6.38,
      signal: 'arb',
      outcomes: [
        { key: 'home', venue_a: 0.45, venue_b: 0.47, side: 'yes' },
        { key: 'away', venue_a: 0.52, venue_b: 0.49, side: 'yes' },
      ],
    });
    await db.sql`select pipeline.refresh_snapshot()`;
    const [row] = await db.sql<{ market: string }[]>`
      select price.market_json(head, outcomes, tail, ids, null) as market from price.snapshot`;
    const { books_read_at: _, settlement, type: __, ...published } = market as Frame & Record<string, unknown>;
    expect(published).toEqual(JSON.parse(row?.market ?? ''));
    expect(settlement, 'without the rule texts').toEqual({ parity: true, risks: [], verdict: null });
  });

  test('has its type first, in the log as on the wire', async () => {
    await putUpdate(db.sql, 1, { at: at('11:57:12.345'), ...asks });
    const rows = await db.sql<{ frame: string }[]>`select unnest(frames) as frame from stream.publications`;
    for (const { frame } of rows) expect(frame).toMatch(/^\{"type":"(market|price)","id":/);
  });

  test('states when each book was read, exact to the millisecond, at any speed of the market clock', async () => {
    await db.sql`
      select pipeline.apply_books((select jsonb_object_agg(name, token) from venue.leases where name like 'books:%'), ${db.sql.json(
        [
          {
            pair: uuidOf(1),
            at: Date.parse(at('11:59:00.007')),
            ...{
              ask_a: [1, 2],
              ask_b: [3, 4],
              bid_a: [null, null],
              bid_b: [null, null],
              size_a: [1, 1],
              size_b: [1, 1],
            },
            read_a: Date.parse(at('11:58:58.001')),
            read_b: null,
          },
        ],
      )})`;
    const price = (await publishedFrames(db.sql, 'markets:all'))[1];
    expect(price).toMatchObject({
      priced_at: at('11:59:00.007'),
      books_read_at: { venue_a: at('11:58:58.001'), venue_b: null },
      outcomes: [
        { venue_a: 0.000001, venue_b: 0.000003 },
        { venue_a: 0.000002, venue_b: 0.000004 },
      ],
    });
  });

  test('is published for each price update of a flush, in order, and not for an unchanged one', async () => {
    const first = { at: at('11:57:00.000'), ...asks };
    const moved = (time: string, ask: number) => ({ ...first, at: at(time), ask_a: [ask, 520_000] });
    await putPair(db.sql, { n: 2 });
    await putUpdates(db.sql, [
      [1, first],
      [2, first],
      [1, moved('11:57:00.010', 460_000)],
      [1, moved('11:57:00.020', 460_000)],
      [1, moved('11:57:00.030', 470_000)],
    ]);
    const prices = (await publishedFrames(db.sql, 'markets:all')).filter((frame) => frame.type === 'price');
    expect(prices.filter((frame) => frame.id === idOf(1)).map((frame) => frame.outcomes[0]?.venue_a)).toEqual([
      0.45, 0.46, 0.47,
    ]);
    expect(prices.filter((frame) => frame.id === idOf(2))).toHaveLength(1);
    const top = await lastOffset(db.sql, 'markets:all');
    await putUpdates(db.sql, [[1, moved('11:57:00.030', 470_000)]]);
    expect(await lastOffset(db.sql, 'markets:all')).toBe(top);
  });

  test('carries the reason while prices are void, and returns with its outcomes', async () => {
    await putUpdate(db.sql, 1, { at: at('11:57:00.000'), ...asks });
    const top = await lastOffset(db.sql, 'markets:all');
    await putUpdate(db.sql, 1, {
      at: at('11:57:01.000'),
      ask_a: [null, null],
      ask_b: [null, null],
      void: 'feed.silent',
    });
    const voided = await publishedFrames(db.sql, 'markets:all', top);
    // Without a price there is no signal, so the market is published, too.
    expect(types(voided)).toEqual(['market', 'price']);
    expect(voided[1]).toMatchObject({
      outcomes: [],
      spread_pts: null,
      potential_arb_pct: null,
      signal: 'spread',
      void: 'feed.silent',
    });
    await putUpdate(db.sql, 1, { at: at('11:57:02.000'), ...asks });
    const restored = await publishedFrames(db.sql, 'markets:all', top + voided.length);
    expect(types(restored)).toEqual(['market', 'price']);
    expect(restored[0]).toMatchObject({ signal: 'arb', outcomes: [{ key: 'home', name: 'HOME' }, { key: 'away' }] });
  });

  test('ends when the lease of its shard expires without a worker', async () => {
    await flush(db.sql, 1, [{ at: at('11:57:00.000'), opp: good(1) }]);
    const top = await lastOffset(db.sql, 'markets:all');
    await db.sql`update venue.leases set expires_at = clock_timestamp() - interval '1 second'`;
    await db.sql`select pipeline.refresh_snapshot()`;
    const frames = await publishedFrames(db.sql, 'markets:all', top);
    expect(types(frames)).toEqual(['market', 'price', 'closed']);
    expect(frames[1]).toMatchObject({ void: 'lease.expired' });
    expect(frames[2]).toMatchObject({ reason: 'lease.expired' });
  });
});

describe('a market frame', () => {
  test('is published for a new pair, a changed identity and a changed status, and not without a change', async () => {
    await publish();
    await publish();
    expect(types(await publishedFrames(db.sql, 'markets:all'))).toEqual(['market']);
    await changePair(db.sql, 1, { title: 'Another "title"' });
    await publish();
    expect((await publishedFrames(db.sql, 'markets:all', 1))[0]).toMatchObject({
      type: 'market',
      title: 'Another "title"',
    });
    await changePair(db.sql, 1, { status: 'live' });
    await publish();
    expect((await publishedFrames(db.sql, 'markets:all', 2))[0]).toMatchObject({ type: 'market', status: 'live' });
    expect(await publishedFrames(db.sql, 'status')).toEqual([
      { type: 'market_status', id: idOf(1), from: 'open', to: 'live' },
    ]);
  });

  test('is published as removed for a withdrawn pair, and returns when the pair is matched again', async () => {
    await publish();
    await changePair(db.sql, 1, { withdrawn_at: '2026-11-20T11:00:00Z', withdrawn_code: 'identity_changed' });
    await publish();
    await publish();
    await changePair(db.sql, 1, { withdrawn_at: null, withdrawn_code: null });
    await publish();
    const frames = await publishedFrames(db.sql, 'markets:all');
    expect(types(frames)).toEqual(['market', 'market_removed', 'market']);
    expect(frames[1]).toEqual({ type: 'market_removed', id: idOf(1), reason: 'identity_changed' });
  });

  test('is not published for settled pairs that were never published; a pair that settles is published', async () => {
    await putPair(db.sql, { n: 2, status: 'settled', result: { verdict: 'agree' } });
    await publish();
    expect(await lastOffset(db.sql, 'markets:all')).toBe(1);
    await changePair(db.sql, 1, { status: 'settled' });
    await publish();
    expect((await publishedFrames(db.sql, 'markets:all', 1))[0]).toMatchObject({ id: idOf(1), status: 'settled' });
  });

  test('in review is published on the channel of its sport, or else of its category, and moves between channels', async () => {
    await putPair(db.sql, { n: 2, stage: 'candidate', band: 'REVIEW' });
    await putPair(db.sql, { n: 3, stage: 'candidate', band: 'REVIEW', sport: null, category: 'economics' });
    await putUpdate(db.sql, 2, { at: at('11:57:00.000'), ...asks });
    await publish();
    expect(types(await publishedFrames(db.sql, 'candidates:basketball'))).toEqual(['market', 'price']);
    expect(types(await publishedFrames(db.sql, 'candidates:economics'))).toEqual(['market']);
    expect((await publishedFrames(db.sql, 'candidates:basketball'))[0]).toMatchObject({
      match: 'review',
      signal: 'spread',
    });
    expect((await publishedFrames(db.sql, 'markets:all')).map((frame) => 'id' in frame && frame.id)).toEqual([idOf(1)]);
    await changePair(db.sql, 2, { stage: 'catalog' });
    await publish();
    expect((await publishedFrames(db.sql, 'candidates:basketball', 2))[0]).toEqual({
      type: 'market_removed',
      id: idOf(2),
      reason: 'channel_changed',
    });
    expect((await publishedFrames(db.sql, 'markets:all', 1))[0]).toMatchObject({ type: 'market', id: idOf(2) });
    await changePair(db.sql, 3, { status: 'live' });
    await publish();
    expect(await publishedFrames(db.sql, 'status'), 'the status channel has no candidates').toEqual([]);
  });

  test('moves to the candidates with an alarm price_divergence, and back when an operator confirms it', async () => {
    await putUpdate(db.sql, 1, {
      at: at('11:50:00.000'),
      ask_a: [305_000, 705_000],
      bid_a: [295_000, 695_000],
      ask_b: [605_000, 405_000],
      bid_b: [595_000, 395_000],
      opp: good(1),
    });
    const top = await lastOffset(db.sql, 'markets:all');
    expect(types(await publishedFrames(db.sql, 'markets:all'))).toEqual(['market', 'price', 'opened']);

    expect(await db.sql`select pipeline.watch_divergence() as raised`).toEqual([{ raised: 1 }]);
    const voided = await publishedFrames(db.sql, 'markets:all', top);
    expect(types(voided)).toEqual(['market_removed', 'closed']);
    expect(voided[0]).toEqual({ type: 'market_removed', id: idOf(1), reason: 'channel_changed' });
    expect(voided[1]).toMatchObject({ reason: 'band.price_divergence' });
    const review = await publishedFrames(db.sql, 'candidates:basketball');
    expect(types(review)).toEqual(['market']);
    expect(review[0]).toMatchObject({ id: idOf(1), match: 'review', signal: 'spread' });

    await db.sql`select pipeline.review_alarm(${uuidOf(1)}, 'confirm', 'a reviewer', 'both texts were read')`;
    const restored = (await publishedFrames(db.sql, 'markets:all', top + voided.length))[0];
    expect(restored).toMatchObject({ type: 'market', id: idOf(1), match: 'high_confidence' });
    expect((await publishedFrames(db.sql, 'candidates:basketball', 1))[0]).toMatchObject({
      type: 'market_removed',
      id: idOf(1),
    });
  });

  test('carries no internal risk', async () => {
    await putPair(db.sql, {
      n: 4,
      risks: [
        ['cancel_internal', 'high'],
        ['walkover', 'low'],
      ],
    });
    await publish();
    expect(JSON.stringify(await publishedFrames(db.sql, 'markets:all'))).not.toContain('cancel_');
  });
});

test('a transaction that is rolled back publishes no frame', async () => {
  await publish();
  const top = await lastOffset(db.sql, 'markets:all');
  await db.sql
    .begin(async (tx) => {
      await tx`update catalog.pairs set title = 'x', change_no = nextval('catalog.change_numbers')`;
      await tx`select stream.publish_changes(stream.unpublished_pairs())`;
      throw new Error('rolled back');
    })
    .catch(() => {});
  expect(await lastOffset(db.sql, 'markets:all')).toBe(top);
  await changePair(db.sql, 1, { title: 'y' });
  await publish();
  expect((await publishedFrames(db.sql, 'markets:all', top))[0]).toMatchObject({ title: 'y' });
});
