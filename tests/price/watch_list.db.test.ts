import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { connect, IngestQueries } from '../../functions/ingest/database.ts';
import { putPair, uuidOf } from '../api/support/catalog.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';

/**
 * Guarantee: a worker that reads order books receives the fees, minimum orders and match delays of
 * its contracts as listed, and whether gates 1 to 3 are open. It receives every change with its
 * next query.
 */

let database: TestDatabase;
let queries: IngestQueries;
beforeAll(async () => {
  database = await createDatabase();
  queries = new IngestQueries(connect(database.url('parallax_ingest'), () => {}));
});
afterAll(async () => {
  await queries.end();
  await database.close();
});
beforeEach(async () => {
  await database.sql`truncate catalog.pairs, catalog.outcomes, catalog.strikes, venue.events, venue.markets cascade`;
});

const SHARDS = ['books:0', 'books:1', 'books:2', 'books:3'];
const readWatchList = async (version = '') => await queries.watchList(SHARDS, version);

type Terms = {
  min_order?: string | null;
  fee?: object | null;
  match_delay_seconds?: number | null;
  exchange_index?: number | null;
};
async function putMarket(venue: 'venue_a' | 'venue_b', id: string, terms: Terms): Promise<void> {
  const { sql } = database;
  await sql`
    insert into venue.events (venue, event_id, title, payload, payload_hash, first_seen_at, seen_at, changed_at)
    values (${venue}, 'event', 'An event', '{}', '', now(), now(), now())
    on conflict do nothing`;
  await sql`
    insert into venue.markets (venue, market_id, event_id, state, payload, payload_hash, seen_at, changed_at,
      min_order, fee, match_delay_seconds, exchange_index)
    values (${venue}, ${id}, 'event', 'trading', '{}', '', now(), now(), ${terms.min_order ?? null},
      ${terms.fee ? JSON.stringify(terms.fee) : null}::text::jsonb, ${terms.match_delay_seconds ?? null},
      ${terms.exchange_index ?? null})`;
}

const QUADRATIC = { model: 'quadratic', multiplier: '0.5', maker: true };
const RATE = { model: 'rate', rate: '0.05' };

async function putListed(): Promise<void> {
  await putPair(database.sql, { n: 1, confirmed: true });
  await putMarket('venue_a', 'KX-1-home', { min_order: '0.01', fee: QUADRATIC });
  await putMarket('venue_b', '0x1', { min_order: '5', fee: RATE, match_delay_seconds: 3 });
  await database.sql`
    update catalog.outcomes set market_a = 'KX-1-' || key, market_b = case when key = 'home' then '0x1' end`;
}

describe('the watch list', () => {
  it('has the terms of each contract as listed, and null for terms that the venue does not list', async () => {
    await putListed();
    const list = await readWatchList();
    expect(list?.pairs).toEqual([
      {
        shard: 'books:1',
        pair_id: uuidOf(1),
        ladder: null,
        index_a: null,
        arb: true,
        outcomes: [
          {
            key: 'home',
            contract_a: 'KX-1-home',
            side_a: 'yes',
            contract_b: '1000',
            ...{ fee_a: QUADRATIC, fee_b: RATE, min_a: 1, min_b: 500, delay_b: 3 },
          },
          {
            key: 'away',
            contract_a: 'KX-1-away',
            side_a: 'yes',
            contract_b: '1001',
            ...{ fee_a: null, fee_b: null, min_a: null, min_b: null, delay_b: null },
          },
        ],
      },
    ]);
  });

  it('has the exchange index of a pair, and null when one is unknown or its contracts have several', async () => {
    await putListed();
    const { sql } = database;
    const indexOf = async () => (await readWatchList())?.pairs[0]?.index_a;
    await sql`update venue.markets set exchange_index = 2 where venue = 'venue_a'`;
    expect(await indexOf()).toBeNull();
    await putMarket('venue_a', 'KX-1-away', { exchange_index: 2 });
    expect(await indexOf()).toBe(2);
    await sql`
      insert into catalog.strikes (pair_id, ordinal, label, market_a, contract_a)
      select pair_id, 0, 'x', 'KX-1-strike', 'KX-1-strike' from catalog.pairs`;
    expect(await indexOf()).toBeNull();
    await putMarket('venue_a', 'KX-1-strike', { exchange_index: 2 });
    expect(await indexOf()).toBe(2);
    await sql`update venue.markets set exchange_index = 3 where market_id = 'KX-1-away'`;
    expect(await indexOf()).toBeNull();
    await sql`update venue.markets set exchange_index = 3`;
    expect(await indexOf()).toBe(3);
  });

  it.each([
    ['a fee', `update venue.markets set fee = '{"model":"rate","rate":"0"}' where venue = 'venue_b'`],
    ['a minimum order', `update venue.markets set min_order = 15 where venue = 'venue_b'`],
    ['an exchange index', `update venue.markets set exchange_index = 3 where venue = 'venue_a'`],
    ['a match delay', `update venue.markets set match_delay_seconds = null where venue = 'venue_b'`],
    [
      'the ladder of a pair',
      `insert into catalog.strikes (pair_id, ordinal, label, market_a, contract_a) select pair_id, 0, 'x', 'm', 'm' from catalog.pairs`,
    ],
    ['the status of a pair', `update catalog.pairs set status = 'live'`],
    ['a gate', 'update catalog.rules set withdrawn_at = now()'],
  ])('changes its version when %s changes, and keeps it otherwise', async (_, change) => {
    await putListed();
    const before = await readWatchList();
    expect(await readWatchList(before?.version)).toBeNull();
    await database.sql.unsafe(change);
    expect(await readWatchList(before?.version)).not.toBeNull();
    await database.sql`update catalog.rules set withdrawn_at = null`;
  });

  it.each([
    ['an unconfirmed pair', { confirmed: false }, ''],
    ['a pair in REVIEW', { confirmed: true, band: 'REVIEW' }, ''],
    ['a candidate', { confirmed: true, stage: 'candidate' as const }, ''],
    ['a pair with a high risk', { confirmed: true, risks: [['cancel_payout', 'high'] as [string, string]] }, ''],
    [
      'a pair with a confidence below 0.95',
      { confirmed: true },
      'update catalog.pairs set resolution_confidence = 0.949',
    ],
  ])('disables the search for opportunities in %s', async (_, pair, change) => {
    await putPair(database.sql, { n: 1, ...pair });
    if (change) await database.sql.unsafe(change);
    expect((await readWatchList())?.pairs).toMatchObject([{ arb: false }]);
  });

  it('rounds a minimum order up to an orderable size', async () => {
    await putListed();
    await database.sql`update venue.markets set min_order = 0.001 where venue = 'venue_a'`;
    expect((await readWatchList())?.pairs[0]?.outcomes[0]?.min_a).toBe(1);
  });
});
