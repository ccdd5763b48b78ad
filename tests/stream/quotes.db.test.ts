import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { changePair, holdShardLeases, idOf, putPair, putUpdate, uuidOf } from '../api/support/catalog.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { resetTestState } from './published_frames.ts';
import { currentQuotes, leaseTokens, putQuotes, type QuoteInput, quoteFrames } from './quote_fixtures.ts';

let db: TestDatabase;
beforeAll(async () => {
  db = await createDatabase();
});
afterAll(() => db.close());
beforeEach(async () => {
  await resetTestState(db.sql);
  await db.sql`truncate stream.published_quotes`;
  await db.sql`update stream.settings set quote_repeat_interval = default`;
  for (const n of [1, 2]) await putPair(db.sql, { n });
});

let lastNumber = 0;
const put = (quotes: Partial<QuoteInput>[], tokens?: Record<string, number>) =>
  putQuotes(
    db.sql,
    quotes.map((one) => ({ n: 1, no: ++lastNumber, ...one })),
    tokens,
  );
const publishedPrices = async () => (await quoteFrames(db.sql)).map(({ bid, ask }) => [bid, ask]);
const publish = (...ns: number[]) => db.sql`select stream.publish_changes(${ns.map(uuidOf)})`;

describe('a quote frame', () => {
  test("carries the contract's values: dollars, contracts, both times to the millisecond", async () => {
    await put([
      {
        bid: 415_000,
        ask: 420_000,
        bid_size: 12_050,
        ask_size: 7,
        venue_time: Date.parse('2026-11-20T11:59:59.123Z'),
        read_at: Date.parse('2026-11-20T11:59:59.987Z'),
      },
    ]);
    expect(await quoteFrames(db.sql)).toEqual([
      {
        type: 'quote',
        venue: 'venue_a',
        contract_id: 'KX-1-home',
        side: 'yes',
        bid: 0.415,
        ask: 0.42,
        bid_size: 120.5,
        ask_size: 0.07,
        venue_time: '2026-11-20T11:59:59.123Z',
        read_at: '2026-11-20T11:59:59.987Z',
        market_id: idOf(1),
      },
    ]);
  });

  test('has no side for a token', async () => {
    await put([{ venue: 'venue_b', contract: '1000', side: null, ask: 10_000, ask_size: 100 }]);
    expect(await quoteFrames(db.sql)).toMatchObject([
      { venue: 'venue_b', side: null, bid: null, bid_size: null, ask: 0.01, ask_size: 1, venue_time: null },
    ]);
  });

  test('is published once, however often it is sent, and again when any of its four numbers changed', async () => {
    const top = { bid: 400_000, ask: 420_000, bid_size: 100, ask_size: 100 };
    await put([top]);
    await put([top]);
    await put([{ ...top, bid_size: 101 }]);
    await put([{ ...top, bid_size: 101, ask_size: 99 }]);
    await put([{ ...top, bid_size: 101, ask_size: 99, ask: null }]);
    expect((await quoteFrames(db.sql)).map((one) => [one.bid, one.bid_size, one.ask, one.ask_size])).toEqual([
      [0.4, 1, 0.42, 1],
      [0.4, 1.01, 0.42, 1],
      [0.4, 1.01, 0.42, 0.99],
      [0.4, 1.01, null, 0.99],
    ]);
  });

  test('without prices is published with its reason where prices were published before, and nowhere else', async () => {
    await put([{ void: 'book.missing' }]);
    expect(await publishedPrices()).toEqual([]);
    await put([{ bid: 400_000, bid_size: 100 }]);
    await put([{ void: 'book.gap' }]);
    await put([{ void: 'feed.silent' }]);
    expect(await quoteFrames(db.sql)).toMatchObject([{ bid: 0.4 }, { bid: null, ask: null, void: 'book.gap' }]);
    expect(await quoteFrames(db.sql)).toHaveLength(2);
  });

  test('is made from the newer of two quotes for one leg within a flush, in any order', async () => {
    await put([
      { ask: 500_000, no: lastNumber + 2 },
      { ask: 400_000, no: lastNumber + 1 },
    ]);
    expect(await publishedPrices()).toEqual([[null, 0.5]]);
  });

  test('is committed together with the price frame of its flush', async () => {
    await db.sql
      .begin(async (sql) => {
        await putUpdate(sql as unknown as typeof db.sql, 1, {
          at: '2026-11-20T12:00:00Z',
          ask_a: [1, 2],
          ask_b: [3, 4],
        });
        await putQuotes(sql as unknown as typeof db.sql, [{ n: 1, no: ++lastNumber, ask: 500_000 }]);
        throw new Error('rolled back');
      })
      .catch((error: Error) => expect(error.message).toBe('rolled back'));
    expect(await publishedPrices()).toEqual([]);
    expect(await currentQuotes(db.sql)).toEqual([]);
  });

  test('is never broadcast, nor published on the sample', async () => {
    await db.sql`insert into stream.sample_markets (pair_id) values (${uuidOf(1)})`;
    await put([{ ask: 500_000 }]);
    await db.sql`select stream.broadcast_pending()`;
    const rows = await db.sql`select topic from realtime.messages where payload::text like '%"quote"%'`;
    expect(rows).toEqual([]);
    expect(
      (await db.sql`select from stream.publications where channel = 'sample' and frames::text like '%quote%'`).length,
    ).toBe(0);
  });
});

describe('a quote cannot', () => {
  test('come from a worker that no longer holds the shard', async () => {
    const old = await leaseTokens(db.sql);
    await put([{ ask: 500_000 }], old);
    await db.sql`update venue.leases set token = token + 1 where name like 'books:%'`;
    await put([{ ask: 600_000 }], old);
    await put([{ ask: 700_000 }], {});
    expect(await publishedPrices()).toEqual([[null, 0.5]]);
    // The successor numbers its quotes from one again; they are newer all the same.
    await put([{ ask: 550_000, no: 1 }]);
    expect(await publishedPrices()).toEqual([
      [null, 0.5],
      [null, 0.55],
    ]);
  });

  test('come under the lease of another shard, or one that is held for some shards only', async () => {
    const tokens = await leaseTokens(db.sql);
    const both = [{ ask: 500_000 }, { n: 2, contract: 'KX-2-home', ask: 300_000 }];
    const { 'books:1': _, ...others } = tokens;
    await put(both, others);
    expect(await publishedPrices()).toEqual([[null, 0.3]]);
    await put(both, { ...others, 'books:1': (tokens['books:1'] ?? 0) - 1 });
    expect(await publishedPrices()).toEqual([[null, 0.3]]);
    await put(both, tokens);
    expect(await publishedPrices()).toEqual([
      [null, 0.3],
      [null, 0.5],
    ]);
  });

  test('come late: an abandoned flush changes nothing after its successor', async () => {
    const [first, late, again] = [++lastNumber, ++lastNumber, ++lastNumber];
    await put([{ ask: 500_000, no: first }]);
    await put([{ ask: 500_000, no: again }]);
    await put([{ ask: 600_000, no: late }]);
    expect(await publishedPrices()).toEqual([[null, 0.5]]);
  });

  test.each([
    ['an unknown market', { n: 77 }],
    ['a contract that is not a leg of the market', { contract: 'KX-2-home' }],
    ['an invalid side', { side: 'no' as const }],
  ])('be published for %s', async (_, quotes) => {
    await put([{ ask: 500_000, ...quotes }]);
    expect(await publishedPrices()).toEqual([]);
  });

  test.each([
    ['settled', { status: 'settled' }, 'pair.settled'],
    ['closed', { status: 'closed' }, 'pair.closed'],
    ['withdrawn', { withdrawn_at: '2026-11-20T12:00:00Z', withdrawn_code: 'test' }, 'pair.withdrawn'],
  ])('stay or return once its market is %s', async (_, change, reason) => {
    await put([
      { ask: 500_000 },
      { venue: 'venue_b', contract: '1000', side: null, bid: 490_000 },
      { n: 2, contract: 'KX-2-home', ask: 300_000 },
    ]);
    await changePair(db.sql, 1, change);
    await publish(1);
    const closing = (await quoteFrames(db.sql)).slice(3);
    expect(closing).toMatchObject([
      { contract_id: 'KX-1-home', bid: null, ask: null, void: reason },
      { contract_id: '1000', bid: null, ask: null, void: reason },
    ]);
    await put([{ ask: 510_000 }]);
    await publish(1);
    expect(await quoteFrames(db.sql)).toHaveLength(5);
    expect((await currentQuotes(db.sql)).map((one) => one.contract_id)).toEqual(['KX-2-home']);
  });

  test('stay once its contract is no longer a leg of the market', async () => {
    await put([{ ask: 500_000 }]);
    await db.sql`update catalog.outcomes set contract_a = 'KX-other' where pair_id = ${uuidOf(1)} and key = 'home'`;
    await publish(1);
    expect(await quoteFrames(db.sql)).toMatchObject([{ ask: 0.5 }, { ask: null, void: 'legs.changed' }]);
  });

  test('stay when a writer did not publish its end: the next flush repairs it', async () => {
    await put([{ ask: 500_000 }]);
    await db.sql`update catalog.pairs set status = 'settled' where pair_id = ${uuidOf(1)}`;
    await db.sql`update stream.flush_state set repaired_at = '-infinity'`;
    await db.sql`select stream.broadcast_pending()`;
    expect(await quoteFrames(db.sql)).toMatchObject([{ ask: 0.5 }, { ask: null, void: 'pair.settled' }]);
  });

  test('stay when the lease of its worker has expired; the next worker publishes it again', async () => {
    await putUpdate(db.sql, 1, { at: '2026-11-20T12:00:00Z', ask_a: [500_000, null], ask_b: [null, null] });
    await put([
      { ask: 500_000, ask_size: 100 },
      { n: 2, contract: 'KX-2-home', ask: 300_000 },
    ]);
    await db.sql`update venue.leases set expires_at = clock_timestamp() - interval '1 second' where name like 'books:%'`;
    await db.sql`select pipeline.refresh_snapshot()`;
    expect((await currentQuotes(db.sql)).map((one) => one.contract_id)).toEqual(['KX-2-home']);
    // refresh_snapshot skips a pair without a price update; the repair in broadcast_pending voids
    // its quote.
    await db.sql`update stream.flush_state set repaired_at = '-infinity'`;
    await db.sql`select stream.broadcast_pending()`;
    expect(await currentQuotes(db.sql)).toEqual([]);
    expect((await quoteFrames(db.sql)).slice(2)).toMatchObject([
      { contract_id: 'KX-1-home', ask: null, ask_size: null, void: 'lease.expired' },
      { contract_id: 'KX-2-home', ask: null, void: 'lease.expired' },
    ]);
    await holdShardLeases(db.sql);
    await put([{ ask: 500_000, ask_size: 100 }]);
    expect((await quoteFrames(db.sql)).at(-1)).toMatchObject({ contract_id: 'KX-1-home', ask: 0.5, ask_size: 1 });
  });
});

describe('an unchanged quote', () => {
  test('is published again after the clock was set back, and not only when it has caught up', async () => {
    await put([{ ask: 420_000 }]);
    await db.sql`update stream.published_quotes set published_at = clock_timestamp() + interval '1 hour'`;
    await put([{ ask: 420_000 }]);
    expect((await quoteFrames(db.sql)).map(({ repeated }) => repeated)).toEqual([undefined, true]);
  });

  test('is published again with repeated:true three minutes after the last time, if its worker confirms it', async () => {
    const top = { ask: 500_000, ask_size: 100 };
    await put([top, { venue: 'venue_b', contract: '1000', side: null, bid: 1 }]);
    await put([{ venue: 'venue_b', contract: '1000', side: null }]);
    await db.sql`update stream.published_quotes set published_at = published_at - interval '179 seconds'`;
    await put([top]);
    expect(await quoteFrames(db.sql)).toHaveLength(3);
    await db.sql`update stream.published_quotes set published_at = published_at - interval '1 second'`;
    await put([top, { venue: 'venue_b', contract: '1000', side: null }]);
    await put([top]);
    const [first, , , ...again] = await quoteFrames(db.sql);
    expect(again).toEqual([{ ...first, repeated: true }]);
  });
});
