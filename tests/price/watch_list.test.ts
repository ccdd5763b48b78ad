import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { connect, IngestQueries } from '../../functions/ingest/database.ts';
import { putPair, uuidOf } from '../api/support/catalog.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';

/**
 * Guarantee: whoever reads books is told what their contracts cost, what they take as an order and whether gates 1 to 3 are open, as both
 * venues listed it; and hears of any change of that within one look.
 */

let database: TestDatabase;
let doors: IngestQueries;
beforeAll(async () => {
  database = await createDatabase();
  doors = new IngestQueries(connect(database.url('parallax_ingest'), () => {}));
});
afterAll(async () => {
  await doors.end();
  await database.close();
});
beforeEach(async () => {
  await database.sql`truncate catalog.pairs, catalog.outcomes, catalog.strikes, venue.events, venue.markets cascade`;
});

const SLICES = ['books:0', 'books:1', 'books:2', 'books:3'];
const look = async (version = '') => await doors.watchList(SLICES, version);

type Terms = { min_order?: string | null; fee?: object | null; match_delay_seconds?: number | null };
async function putMarket(venue: 'venue_a' | 'venue_b', id: string, terms: Terms): Promise<void> {
  const { sql } = database;
  await sql`
    insert into venue.events (venue, event_id, title, payload, payload_hash, first_seen_at, seen_at, changed_at)
    values (${venue}, 'event', 'An event', '{}', '', now(), now(), now())
    on conflict do nothing`;
  await sql`
    insert into venue.markets (venue, market_id, event_id, state, payload, payload_hash, seen_at, changed_at,
      min_order, fee, match_delay_seconds)
    values (${venue}, ${id}, 'event', 'trading', '{}', '', now(), now(), ${terms.min_order ?? null},
      ${terms.fee ? JSON.stringify(terms.fee) : null}::text::jsonb, ${terms.match_delay_seconds ?? null})`;
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
  it('has the terms of each contract as listed, and null where no venue states one', async () => {
    await putListed();
    const list = await look();
    expect(list?.pairs).toEqual([
      {
        shard: 'books:1',
        pair_id: uuidOf(1),
        ladder: null,
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

  it.each([
    ['a fee', `update venue.markets set fee = '{"model":"rate","rate":"0"}' where venue = 'venue_b'`],
    ['a smallest order', `update venue.markets set min_order = 15 where venue = 'venue_b'`],
    ['a delay', `update venue.markets set match_delay_seconds = null where venue = 'venue_b'`],
    [
      'its ladder',
      `insert into catalog.strikes (pair_id, ordinal, label, market_a, contract_a) select pair_id, 0, 'x', 'm', 'm' from catalog.pairs`,
    ],
    ['its time', `update catalog.pairs set status = 'live'`],
    ['a gate', 'update catalog.rules set withdrawn_at = now()'],
  ])('changes its version when %s changes, and keeps it otherwise', async (_, change) => {
    await putListed();
    const before = await look();
    expect(await look(before?.version)).toBeNull();
    await database.sql.unsafe(change);
    expect(await look(before?.version)).not.toBeNull();
    await database.sql`update catalog.rules set withdrawn_at = null`;
  });

  it.each([
    ['unconfirmed', { confirmed: false }, ''],
    ['in review', { confirmed: true, band: 'REVIEW' }, ''],
    ['a candidate', { confirmed: true, stage: 'candidate' as const }, ''],
    ['risky', { confirmed: true, risks: [['cancel_payout', 'high'] as [string, string]] }, ''],
    ['unsure', { confirmed: true }, 'update catalog.pairs set resolution_confidence = 0.949'],
  ])('does not search opportunities in a pair that is %s', async (_, pair, change) => {
    await putPair(database.sql, { n: 1, ...pair });
    if (change) await database.sql.unsafe(change);
    expect((await look())?.pairs).toMatchObject([{ arb: false }]);
  });

  it('rounds a minimum order up to an orderable size', async () => {
    await putListed();
    await database.sql`update venue.markets set min_order = 0.001 where venue = 'venue_a'`;
    expect((await look())?.pairs[0]?.outcomes[0]?.min_a).toBe(1);
  });
});
