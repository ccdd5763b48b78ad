import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { changePair, holdBooks, idOf, putFrame, putPair, uuidOf } from '../api/support/catalog.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { emptyWorld } from './published_frames.ts';
import { type Given, giveQuotes, quoteFrames, standing, tokensOf } from './quote_fixtures.ts';

let db: TestDatabase;
beforeAll(async () => {
  db = await createDatabase();
});
afterAll(() => db.close());
beforeEach(async () => {
  await emptyWorld(db.sql);
  await db.sql`truncate stream.published_quotes`;
  await db.sql`update stream.settings set quote_repeat_interval = default`;
  for (const n of [1, 2]) await putPair(db.sql, { n });
});

let number = 0;
const give = (given: Partial<Given>[], tokens?: Record<string, number>) =>
  giveQuotes(
    db.sql,
    given.map((one) => ({ n: 1, no: ++number, ...one })),
    tokens,
  );
const told = async () => (await quoteFrames(db.sql)).map(({ bid, ask }) => [bid, ask]);
const publish = (...ns: number[]) => db.sql`select stream.publish_changes(${ns.map(uuidOf)})`;

describe('a quote frame', () => {
  test("carries the contract's values: dollars, contracts, both times to the millisecond", async () => {
    await give([
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

  test('of a token has no side', async () => {
    await give([{ venue: 'venue_b', contract: '1000', side: null, ask: 10_000, ask_size: 100 }]);
    expect(await quoteFrames(db.sql)).toMatchObject([
      { venue: 'venue_b', side: null, bid: null, bid_size: null, ask: 0.01, ask_size: 1, venue_time: null },
    ]);
  });

  test('is published once, however often it is sent, and again when any of its four numbers changed', async () => {
    const top = { bid: 400_000, ask: 420_000, bid_size: 100, ask_size: 100 };
    await give([top]);
    await give([top]);
    await give([{ ...top, bid_size: 101 }]);
    await give([{ ...top, bid_size: 101, ask_size: 99 }]);
    await give([{ ...top, bid_size: 101, ask_size: 99, ask: null }]);
    expect((await quoteFrames(db.sql)).map((one) => [one.bid, one.bid_size, one.ask, one.ask_size])).toEqual([
      [0.4, 1, 0.42, 1],
      [0.4, 1.01, 0.42, 1],
      [0.4, 1.01, 0.42, 0.99],
      [0.4, 1.01, null, 0.99],
    ]);
  });

  test('without prices is published with its reason where prices were published before, and nowhere else', async () => {
    await give([{ void: 'book.missing' }]);
    expect(await told()).toEqual([]);
    await give([{ bid: 400_000, bid_size: 100 }]);
    await give([{ void: 'book.gap' }]);
    await give([{ void: 'feed.silent' }]);
    expect(await quoteFrames(db.sql)).toMatchObject([{ bid: 0.4 }, { bid: null, ask: null, void: 'book.gap' }]);
    expect(await quoteFrames(db.sql)).toHaveLength(2);
  });

  test('of the newer of two quotes for one leg wins within a flush, in any order', async () => {
    await give([
      { ask: 500_000, no: number + 2 },
      { ask: 400_000, no: number + 1 },
    ]);
    expect(await told()).toEqual([[null, 0.5]]);
  });

  test('is committed together with the price frame of its flush', async () => {
    await db.sql
      .begin(async (sql) => {
        await putFrame(sql as unknown as typeof db.sql, 1, {
          at: '2026-11-20T12:00:00Z',
          ask_a: [1, 2],
          ask_b: [3, 4],
        });
        await giveQuotes(sql as unknown as typeof db.sql, [{ n: 1, no: ++number, ask: 500_000 }]);
        throw new Error('undone');
      })
      .catch((error: Error) => expect(error.message).toBe('undone'));
    expect(await told()).toEqual([]);
    expect(await standing(db.sql)).toEqual([]);
  });

  test('is never broadcast, nor published on the sample', async () => {
    await db.sql`insert into stream.sample_markets (pair_id) values (${uuidOf(1)})`;
    await give([{ ask: 500_000 }]);
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
    const old = await tokensOf(db.sql);
    await give([{ ask: 500_000 }], old);
    await db.sql`update venue.leases set token = token + 1 where name like 'books:%'`;
    await give([{ ask: 600_000 }], old);
    await give([{ ask: 700_000 }], {});
    expect(await told()).toEqual([[null, 0.5]]);
    // The successor counts from one again, and its word is the newer.
    await give([{ ask: 550_000, no: 1 }]);
    expect(await told()).toEqual([
      [null, 0.5],
      [null, 0.55],
    ]);
  });

  test('come under the lease of another shard, or one that is held for some shards only', async () => {
    const tokens = await tokensOf(db.sql);
    const both = [{ ask: 500_000 }, { n: 2, contract: 'KX-2-home', ask: 300_000 }];
    const { 'books:1': _, ...others } = tokens;
    await give(both, others);
    expect(await told()).toEqual([[null, 0.3]]);
    await give(both, { ...others, 'books:1': (tokens['books:1'] ?? 0) - 1 });
    expect(await told()).toEqual([[null, 0.3]]);
    await give(both, tokens);
    expect(await told()).toEqual([
      [null, 0.3],
      [null, 0.5],
    ]);
  });

  test('come late: an abandoned flush changes nothing after its successor', async () => {
    const [first, late, again] = [++number, ++number, ++number];
    await give([{ ask: 500_000, no: first }]);
    await give([{ ask: 500_000, no: again }]);
    await give([{ ask: 600_000, no: late }]);
    expect(await told()).toEqual([[null, 0.5]]);
  });

  test.each([
    ['of a market that nobody knows', { n: 77 }],
    ['of a contract that is no leg of the market', { contract: 'KX-2-home' }],
    ['of a side that is none', { side: 'no' as const }],
  ])('be %s', async (_, given) => {
    await give([{ ask: 500_000, ...given }]);
    expect(await told()).toEqual([]);
  });

  test.each([
    ['settled', { status: 'settled' }, 'pair.settled'],
    ['closed', { status: 'closed' }, 'pair.closed'],
    ['withdrawn', { withdrawn_at: '2026-11-20T12:00:00Z', withdrawn_code: 'test' }, 'pair.withdrawn'],
  ])('stay or return once its market is %s', async (_, change, reason) => {
    await give([
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
    await give([{ ask: 510_000 }]);
    await publish(1);
    expect(await quoteFrames(db.sql)).toHaveLength(5);
    expect((await standing(db.sql)).map((one) => one.contract_id)).toEqual(['KX-2-home']);
  });

  test('stay once its contract is no longer a leg of the market', async () => {
    await give([{ ask: 500_000 }]);
    await db.sql`update catalog.outcomes set contract_a = 'KX-other' where pair_id = ${uuidOf(1)} and key = 'home'`;
    await publish(1);
    expect(await quoteFrames(db.sql)).toMatchObject([{ ask: 0.5 }, { ask: null, void: 'legs.changed' }]);
  });

  test('stay when a writer did not publish its end: the next flush repairs it', async () => {
    await give([{ ask: 500_000 }]);
    await db.sql`update catalog.pairs set status = 'settled' where pair_id = ${uuidOf(1)}`;
    await db.sql`update stream.flush_state set repaired_at = '-infinity'`;
    await db.sql`select stream.broadcast_pending()`;
    expect(await quoteFrames(db.sql)).toMatchObject([{ ask: 0.5 }, { ask: null, void: 'pair.settled' }]);
  });

  test('stay when the lease of its worker has expired; the next worker publishes it again', async () => {
    await putFrame(db.sql, 1, { at: '2026-11-20T12:00:00Z', ask_a: [500_000, null], ask_b: [null, null] });
    await give([
      { ask: 500_000, ask_size: 100 },
      { n: 2, contract: 'KX-2-home', ask: 300_000 },
    ]);
    await db.sql`update venue.leases set expires_at = clock_timestamp() - interval '1 second' where name like 'books:%'`;
    await db.sql`select pipeline.refresh_snapshot()`;
    expect((await standing(db.sql)).map((one) => one.contract_id)).toEqual(['KX-2-home']);
    // A pair that has no frame yet is no step's business; the flush sees to it.
    await db.sql`update stream.flush_state set repaired_at = '-infinity'`;
    await db.sql`select stream.broadcast_pending()`;
    expect(await standing(db.sql)).toEqual([]);
    expect((await quoteFrames(db.sql)).slice(2)).toMatchObject([
      { contract_id: 'KX-1-home', ask: null, ask_size: null, void: 'lease.expired' },
      { contract_id: 'KX-2-home', ask: null, void: 'lease.expired' },
    ]);
    await holdBooks(db.sql);
    await give([{ ask: 500_000, ask_size: 100 }]);
    expect((await quoteFrames(db.sql)).at(-1)).toMatchObject({ contract_id: 'KX-1-home', ask: 0.5, ask_size: 1 });
  });
});

describe('an unchanged quote', () => {
  test('is published again with repeated:true three minutes after the last time, if its worker confirms it', async () => {
    const top = { ask: 500_000, ask_size: 100 };
    await give([top, { venue: 'venue_b', contract: '1000', side: null, bid: 1 }]);
    await give([{ venue: 'venue_b', contract: '1000', side: null }]);
    await db.sql`update stream.published_quotes set published_at = published_at - interval '179 seconds'`;
    await give([top]);
    expect(await quoteFrames(db.sql)).toHaveLength(3);
    await db.sql`update stream.published_quotes set published_at = published_at - interval '1 second'`;
    await give([top, { venue: 'venue_b', contract: '1000', side: null }]);
    await give([top]);
    const [first, , , ...again] = await quoteFrames(db.sql);
    expect(again).toEqual([{ ...first, repeated: true }]);
  });
});
