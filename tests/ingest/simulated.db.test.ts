import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Runtime } from '../../functions/_shared/runtime.ts';
import { STATUS_MS } from '../../functions/ingest/venue_a/feed.ts';
import type { FaultRequest } from '../../local/venue_simulator/faults/faults.ts';
import { exchangeIndexOf } from '../../local/venue_simulator/universe/listing/exchange_index.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { pause, waitUntil } from '../support/wait_until.ts';
import { type RunningVenues, startVenues } from '../venue_simulator/fixture.ts';
import { PATIENCE_MS, type PairLegs, pairsOf, type RunningWorker, settingsFor, startWorker } from './fixture.ts';
import { runtime } from './runtime.ts';

type AskRow = { pair_id: string; ask_a: (number | null)[]; ask_b: (number | null)[] };

describe('worker reading the simulated venues into Postgres', () => {
  let venues: RunningVenues;
  let database: TestDatabase;
  let reading: RunningWorker;
  let pairs: PairLegs[];

  beforeAll(async () => {
    [venues, database] = await Promise.all([
      startVenues('--listings', 'next_games'),
      createDatabase({ superuser: true }),
    ]);
    // The status of venue_a is read four times a second in place of every 15 s.
    const sleep: Runtime['sleep'] = (ms, signal) => runtime.sleep(ms === STATUS_MS ? 250 : ms, signal);
    reading = startWorker(settingsFor(venues, database), { runtime: { ...runtime, sleep } });
  });
  afterAll(async () => {
    await reading?.end();
    venues?.end();
    await database?.close();
  });

  let coverage = 0;
  /** Injects a fault that must find its target. */
  const inject = (request: FaultRequest) => expect(venues.faults.inject(request)).not.toBeNull();
  const clock = async (): Promise<Date> => {
    const [row] = await database.sql<{ now: Date }[]>`select clock.now() as now`;
    return row?.now ?? new Date();
  };
  /** Number of pairs that both venues price. */
  const covered = async (): Promise<number> => {
    const rows =
      await database.sql`select from price.latest_updates where array_remove(ask_a, null) <> '{}' and array_remove(ask_b, null) <> '{}'`;
    return rows.length;
  };

  /** The asks of a pair's contracts at the venues now, in 1e-6 USD, in the order of an update. */
  const asksAtVenues = ({ legs }: PairLegs): Omit<AskRow, 'pair_id'> => {
    const catalog = venues.world?.catalog;
    // The simulator counts in $0.0001.
    const micro = (price: number | undefined) => (price === undefined ? null : price * 100);
    return {
      ask_a: legs.map(({ contract_a, side_a }) => {
        const book = catalog?.marketA(contract_a ?? '')?.ladder;
        if (side_a !== 'no') return micro(book?.asks[0]?.[0]);
        const bid = book?.bids[0]?.[0];
        return micro(bid === undefined ? undefined : 10_000 - bid);
      }),
      ask_b: legs.map(({ contract_b }) =>
        micro(catalog?.marketB(contract_b ?? '')?.book(contract_b ?? '').ladder.asks[0]?.[0]),
      ),
    };
  };

  it('lists both venues, matches them, and prices every pair that trades', async () => {
    await waitUntil(
      async () => {
        const rows = await database.sql`select from venue.sweeps where finished_at is not null`;
        return rows.length === 2;
      },
      { what: 'both sweeps finished', timeoutMs: PATIENCE_MS },
    );
    pairs = await waitUntil(
      async () => {
        const found = await pairsOf(database);
        return found.length > 20 ? found : null;
      },
      { what: 'pairs', timeoutMs: PATIENCE_MS },
    );
    await waitUntil(
      async () => {
        pairs = await pairsOf(database);
        const rows =
          await database.sql`select from price.latest_updates l join catalog.pairs p using (pair_id) where p.status in ('open', 'live', 'resolving')`;
        return rows.length >= pairs.length;
      },
      { what: 'an update of every pair', timeoutMs: PATIENCE_MS },
    );
    coverage = await waitUntil(
      async () => {
        const count = await covered();
        return count > pairs.length * 0.8 ? count : null;
      },
      { what: 'most pairs covered by both venues', timeoutMs: PATIENCE_MS },
    );
  });

  it('writes the asks of the venues’ books, for YES and NO', async () => {
    const before = reading.worker.flushed.updates;
    await waitUntil(() => reading.worker.flushed.updates > before + 20, { what: 'updates', timeoutMs: PATIENCE_MS });
    // No book changes from now on, so the last update of each pair has the asks of now.
    const now = Date.now();
    venues.setClock([{ real_from: 0, market_from: now, rate: 0 }]);
    const differing = async () => {
      const updates = await database.sql<AskRow[]>`
        select pair_id, to_jsonb(ask_a) as ask_a, to_jsonb(ask_b) as ask_b
        from price.latest_updates where void_reason is null`;
      const byPair = new Map(updates.map(({ pair_id, ...asks }) => [pair_id, asks]));
      const compared = pairs.flatMap((pair) => {
        const update = byPair.get(pair.pair_id);
        return update ? [{ pair, update, venue: asksAtVenues(pair) }] : [];
      });
      const asks = compared.flatMap(({ update }) => [...update.ask_a, ...update.ask_b]).filter((ask) => ask !== null);
      expect(asks.length).toBeGreaterThan(100);
      return compared.filter(({ update, venue }) => JSON.stringify(update) !== JSON.stringify(venue));
    };
    await waitUntil(async () => (await differing()).length === 0, {
      what: 'the asks of the venues',
      timeoutMs: PATIENCE_MS,
      evidence: async () => JSON.stringify((await differing()).slice(0, 3)),
    });
    venues.setClock([]);
  });

  it('writes no price of venue_a after a lost message, and prices it again after a new snapshot', async () => {
    const before = await clock();
    inject({ fault: 'gap', venue: 'a' });
    await waitUntil(
      async () => {
        const [row] = await database.sql<{ pairs: number }[]>`
        select count(distinct pair_id)::int as pairs
        from price.updates
        where priced_at >= ${before} and void_reason is null and array_remove(ask_a, null) = '{}' and array_remove(ask_b, null) <> '{}'`;
        return row && row.pairs > 20;
      },
      { what: 'venue_a uncovered, venue_b still priced', timeoutMs: PATIENCE_MS },
    );
    await waitUntil(async () => (await covered()) >= coverage * 0.95, {
      what: 'venue_a priced again',
      timeoutMs: PATIENCE_MS,
    });
  });

  it('prices all pairs again after a connection of each venue was cut', async () => {
    // By number, not by time: a cut connection invalidates its books from its last sign of life on,
    // which is before the cut.
    const [last] = await database.sql<
      { update_no: string }[]
    >`select max(update_no)::text as update_no from price.updates`;
    inject({ fault: 'cut', venue: 'a' });
    inject({ fault: 'cut', venue: 'b' });
    await waitUntil(
      async () => {
        const [row] = await database.sql<{ a: number; b: number }[]>`
        select count(distinct pair_id) filter (where array_remove(ask_a, null) = '{}')::int as a,
               count(distinct pair_id) filter (where array_remove(ask_b, null) = '{}')::int as b
        from price.updates
        where update_no > ${last?.update_no ?? '0'}::bigint`;
        // One connection of each venue is cut. A venue may be read over several, so the number of
        // affected pairs is not fixed.
        return row && row.a > 0 && row.b > 0;
      },
      { what: 'pairs without each venue', timeoutMs: PATIENCE_MS },
    );
    await waitUntil(async () => (await covered()) >= coverage * 0.95, {
      what: 'all priced again',
      timeoutMs: PATIENCE_MS,
    });
  });

  it('writes no price of a crossed book', async () => {
    const [leg] = await database.sql<{ ticker: string }[]>`
      select o.contract_a as ticker
      from price.latest_updates l
      join catalog.outcomes o on o.pair_id = l.pair_id and o.ordinal = 0
      where l.ask_a[1] is not null and l.bid_a[1] is not null
      limit 1`;
    const ticker = leg?.ticker ?? '';
    // Until the test ends it.
    inject({ fault: 'crossed', ticker, for_ms: 3_600_000 });
    const isPriced = async () => {
      const [update] = await database.sql<{ priced: boolean }[]>`
        select l.ask_a[o.ordinal + 1] is not null or l.bid_a[o.ordinal + 1] is not null as priced
        from price.latest_updates l
        join catalog.outcomes o on o.pair_id = l.pair_id and o.contract_a = ${ticker}`;
      return update?.priced;
    };
    await waitUntil(async () => (await isPriced()) === false, {
      what: 'the crossed side is empty',
      timeoutMs: PATIENCE_MS,
    });
    inject({ fault: 'crossed', ticker, for_ms: 0 });
    await waitUntil(isPriced, { what: 'the price of the book that is correct again', timeoutMs: PATIENCE_MS });
  });

  it('lists the exchange index, voids venue_a in the pairs of a paused index, and reports it', async () => {
    const listed = await database.sql<{ market_id: string; exchange_index: number | null }[]>`
      select market_id, exchange_index from venue.markets where venue = 'venue_a'`;
    expect(listed.length).toBeGreaterThan(100);
    expect(listed.filter((row) => row.exchange_index !== exchangeIndexOf(row.market_id))).toEqual([]);
    /** The pairs with prices of venue_a. */
    const priced = async (): Promise<Set<string>> => {
      const rows = await database.sql<{ pair_id: string }[]>`
        select pair_id from price.latest_updates where array_remove(bid_a, null) <> '{}'`;
      return new Set(rows.map((row) => row.pair_id));
    };
    const indexOf = ({ legs }: PairLegs): number => exchangeIndexOf(legs[0]?.contract_a ?? '');
    const before = await priced();
    const some = pairs.filter(({ pair_id }) => before.has(pair_id));
    expect(new Set(some.map(indexOf))).toEqual(new Set([0, 3]));
    inject({ fault: 'pause', how: '3', for_ms: 3_600_000 });
    await waitUntil(
      async () => {
        const withPrices = await priced();
        return some.every((pair) => withPrices.has(pair.pair_id) === (indexOf(pair) !== 3));
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
    inject({ fault: 'pause', how: '3', for_ms: 0 });
    await waitUntil(
      async () => {
        const withPrices = await priced();
        return some.every((pair) => withPrices.has(pair.pair_id));
      },
      { what: 'all prices again', timeoutMs: PATIENCE_MS },
    );
  });

  it('loses no update and voids no pair in a database outage, and writes the queued updates after it', async () => {
    const cut = async (): Promise<number> => {
      const rows = await database.sql`
        select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and usename = 'parallax_ingest'`;
      return rows.length;
    };
    const [last] = await database.sql<{ update_no: string }[]>`
      select max(update_no)::text as update_no from price.updates`;
    const before = reading.worker.flushed.updates;
    let cuts = 0;
    for (let round = 0; round < 20; round += 1) {
      cuts += await cut();
      await pause(100);
    }
    expect(cuts).toBeGreaterThan(5);
    await waitUntil(() => reading.worker.flushed.updates > before + 20, {
      what: 'flushes again',
      timeoutMs: PATIENCE_MS,
    });
    // A busy machine has the next update before the last one is written, most of the time.
    await waitUntil(() => reading.worker.waiting === 0, { what: 'nothing waits', timeoutMs: PATIENCE_MS, everyMs: 5 });
    const voids = await database.sql`
      select pair_id, void_reason as void from price.updates
      where void_reason is not null and update_no > ${last?.update_no ?? '0'}::bigint`;
    expect([...voids]).toEqual([]);
    expect(reading.worker.lost).toBe(0);
    await waitUntil(() => reading.worker.heldLeases.length === 7, { what: 'all leases', timeoutMs: PATIENCE_MS });
  });

  it('rejects nothing that venues without faults send', async () => {
    const rejected = await database.sql`
      select kind, native_id, code, detail from venue.rejected_rows where kind in ('event', 'market', 'series', 'message', 'book')`;
    expect(rejected).toEqual([]);
  });

  it('knows every field and value that the simulated venues send', async () => {
    const unknown = await database.sql`select venue, what, sample from venue.unknown_values`;
    expect(unknown).toEqual([]);
  });

  it('counts a new field of a listing and raises an alert', async () => {
    // A market that the sweeps list: not each market of the world has a tag that they read.
    const [pair] = await database.sql<{ token_id: string }[]>`
      select o.contract_b as token_id
      from catalog.outcomes o
      join catalog.pairs p on p.pair_id = o.pair_id and p.withdrawn_at is null
      where p.start_time > clock.now() + interval '1 day'
      limit 1`;
    inject({ fault: 'new_delay', token_id: pair?.token_id ?? '' });
    // A worker that starts sweeps at once, and one that ends writes what it counted.
    await reading.end();
    const sweptAt = async () => {
      const [sweep] = await database.sql<{ at: string | null }[]>`
        select finished_at::text as at from venue.sweeps where venue = 'venue_b'`;
      return sweep?.at ?? null;
    };
    const before = await sweptAt();
    reading = startWorker(settingsFor(venues, database));
    await waitUntil(async () => ![null, before].includes(await sweptAt()), {
      what: 'another sweep',
      timeoutMs: PATIENCE_MS,
    });
    await reading.end();
    const counted = () => database.sql`select venue, what, occurrences::integer, sample from venue.unknown_values`;
    expect(await counted()).toEqual([
      {
        venue: 'venue_b',
        what: 'market.field:matchDelayMs',
        occurrences: expect.any(Number),
        sample: expect.stringMatching(/: 150$/),
      },
    ]);
    const alerts = await database.sql`select what, how_much from ops.alerts where alert = 'venue.unknown'`;
    expect(alerts).toEqual([
      { what: 'venue_b', how_much: expect.stringMatching(/^1 new: market\.field:matchDelayMs \(\d+\)$/) },
    ]);
  });
});
