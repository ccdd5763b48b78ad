import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Runtime } from '../../functions/_shared/runtime.ts';
import { STATUS_MS } from '../../functions/ingest/venue_a/feed.ts';
import { exchangeIndexOf } from '../../local/venue_simulator/universe/listing/exchange_index.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { waitUntil } from '../support/wait_until.ts';
import { type RunningVenues, startVenues } from '../venue_simulator/fixture.ts';
import { PATIENCE_MS, type PairLegs, pairsOf, type RunningWorker, settingsFor, startWorker } from './fixture.ts';
import { runtime } from './runtime.ts';

/**
 * Guarantee: the exchange index of a market reaches the books of a worker from its listing, so a
 * pause of one index takes venue_a's prices of its pairs only, and /health has the reason.
 */

describe('worker reading venue_a while one exchange index is paused', () => {
  let venues: RunningVenues;
  let database: TestDatabase;
  let reading: RunningWorker;

  beforeAll(async () => {
    [venues, database] = await Promise.all([startVenues('--games', '40'), createDatabase()]);
    // The status is read four times a second in place of every 15 s.
    const sleep: Runtime['sleep'] = (ms, signal) => runtime.sleep(ms === STATUS_MS ? 250 : ms, signal);
    reading = startWorker(settingsFor(venues, database), { runtime: { ...runtime, sleep } });
  });
  afterAll(async () => {
    await reading?.end();
    venues?.end();
    await database?.close();
  });

  /** The pairs with prices of venue_a. */
  const priced = async (): Promise<Set<string>> => {
    const rows = await database.sql<{ pair_id: string }[]>`
      select pair_id from price.latest_updates where array_remove(bid_a, null) <> '{}'`;
    return new Set(rows.map((row) => row.pair_id));
  };
  const indexOf = ({ legs }: PairLegs): number => exchangeIndexOf(legs[0]?.contract_a ?? '');

  it('lists the exchange index, voids venue_a in the pairs of the paused index, and reports it', async () => {
    await waitUntil(
      async () => (await database.sql`select from venue.sweeps where finished_at is not null`).length === 2,
      { what: 'both sweeps finished', timeoutMs: PATIENCE_MS },
    );
    const listed = await database.sql<{ market_id: string; exchange_index: number | null }[]>`
      select market_id, exchange_index from venue.markets where venue = 'venue_a'`;
    expect(listed.length).toBeGreaterThan(100);
    expect(listed.filter((row) => row.exchange_index !== exchangeIndexOf(row.market_id))).toEqual([]);

    const pairs = await waitUntil(
      async () => {
        const [found, withPrices] = [await pairsOf(database), await priced()];
        const some = found.filter(({ pair_id }) => withPrices.has(pair_id));
        return some.some((pair) => indexOf(pair) === 3) && some.some((pair) => indexOf(pair) === 0) ? some : null;
      },
      { what: 'priced pairs of two indexes', timeoutMs: PATIENCE_MS },
    );
    expect(venues.faults.inject({ fault: 'pause', how: '3', for_ms: 600_000 })).not.toBeNull();
    await waitUntil(
      async () => {
        const withPrices = await priced();
        return pairs.every((pair) => withPrices.has(pair.pair_id) === (indexOf(pair) !== 3));
      },
      { what: 'no prices of index 3, and those of the others', timeoutMs: PATIENCE_MS },
    );
    await waitUntil(
      async () => {
        const [health] = await database.sql<{ venues: { venue_a: { detail: string } } }[]>`
          select venues from api.get_health()`;
        return health?.venues.venue_a.detail === 'websocket, index 3 paused';
      },
      { what: 'the reason in the answer of /health', timeoutMs: PATIENCE_MS },
    );
    expect(venues.faults.inject({ fault: 'pause', how: '3', for_ms: 0 })).not.toBeNull();
    await waitUntil(async () => (await priced()).size >= pairs.length, {
      what: 'all prices again',
      timeoutMs: PATIENCE_MS,
    });
  });
});
