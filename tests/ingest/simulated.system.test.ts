import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { injectFault } from '../support/faults.ts';
import { pause, waitUntil } from '../support/wait_until.ts';
import { type RunningVenues, startVenues } from '../venue_simulator/fixture.ts';
import { type PairLegs, pairsOf, type RunningWorker, settingsFor, startWorker } from './fixture.ts';

type UpdateRow = {
  pair_id: string;
  at: number;
  ask_a: (number | null)[];
  ask_b: (number | null)[];
};
type SimulatorBook = null | {
  since: number;
  until: number | null;
  bid: number | null;
  bid_size: number;
  ask: number | null;
  ask_size: number;
};

describe('worker reading the simulated venues into Postgres', () => {
  let venues: RunningVenues;
  let database: TestDatabase;
  let reading: RunningWorker;
  let pairs: PairLegs[];

  beforeAll(async () => {
    [venues, database] = await Promise.all([startVenues('--games', '40'), createDatabase()]);
    reading = startWorker({ ...settingsFor(venues, database), listingsSeconds: 20 });
  });
  afterAll(async () => {
    await reading?.end();
    venues?.end();
    await database?.close();
  });

  let coverage = 0;
  const bookAt = async (query: string, at: number): Promise<SimulatorBook> => {
    const answer = await fetch(`${venues.sim}/book?${query}&at=${at}`);
    return answer.ok ? ((await answer.json()) as SimulatorBook) : null;
  };
  const inject = (order: Record<string, unknown>) => injectFault(venues.sim, order);
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

  /** Each ask of the update, and a sentence where the venue's book had another one. */
  const compareAsks = async (pair: PairLegs, update: UpdateRow) =>
    await Promise.all(
      pair.legs.flatMap((leg, ordinal) =>
        (['a', 'b'] as const).map(async (venue) => {
          const query = venue === 'a' ? `ticker=${leg.contract_a}` : `token_id=${leg.contract_b}`;
          // Both venues' books at the time of the update. A change that the simulator dates up to
          // 150 ms earlier was still on its way.
          const books = await Promise.all([update.at, update.at - 150].map((at) => bookAt(query, Math.round(at))));
          const flipped = venue === 'a' && leg.side_a === 'no';
          const asks = books.map((book) =>
            flipped ? book && (book.bid === null ? null : 1 - book.bid) : (book?.ask ?? null),
          );
          const ask = (venue === 'a' ? update.ask_a : update.ask_b)[ordinal] ?? null;
          const equal = asks.some((one) => (one === null ? null : Math.round(one * 1e6)) === ask);
          return {
            ask,
            differs: equal ? null : `${venue} ${query} ${leg.side_a}: update ${ask}, venue ${asks.join(' or ')}`,
          };
        }),
      ),
    );

  it('lists both venues, matches them, and prices every pair that trades', async () => {
    await waitUntil(
      async () => {
        const rows = await database.sql`select from venue.sweeps where finished_at is not null`;
        return rows.length === 2;
      },
      { what: 'both sweeps finished' },
    );
    pairs = await waitUntil(
      async () => {
        const found = await pairsOf(database);
        return found.length > 20 ? found : null;
      },
      { what: 'pairs' },
    );
    await waitUntil(
      async () => {
        pairs = await pairsOf(database);
        const rows =
          await database.sql`select from price.latest_updates l join catalog.pairs p using (pair_id) where p.status in ('open', 'live', 'resolving')`;
        return rows.length >= pairs.length;
      },
      { what: 'an update of every pair' },
    );
    coverage = await waitUntil(
      async () => {
        const count = await covered();
        return count > pairs.length * 0.8 ? count : null;
      },
      { what: 'most pairs covered by both venues' },
    );
  });

  it('writes the asks of the venues’ books at the time of the update, for YES and NO', async () => {
    await pause(4_000);
    const updates = await database.sql<UpdateRow[]>`
      select distinct on (f.pair_id) f.pair_id, extract(epoch from f.priced_at)::float8 * 1000 as at,
             to_jsonb(f.ask_a) as ask_a, to_jsonb(f.ask_b) as ask_b
      from price.updates f
      where f.void_reason is null
      order by f.pair_id, f.priced_at desc, f.update_no desc`;
    const byPair = new Map(updates.map((update) => [update.pair_id, update]));
    const checks: Awaited<ReturnType<typeof compareAsks>> = [];
    for (const pair of pairs) {
      const update = byPair.get(pair.pair_id);
      if (update) checks.push(...(await compareAsks(pair, update)));
    }
    const compared = checks.filter(({ ask }) => ask !== null).length;
    const wrong = checks.flatMap(({ differs }) => (differs ? [differs] : []));
    expect(compared).toBeGreaterThan(100);
    expect(wrong).toEqual([]);
  }, 90_000);

  it('writes no price of venue_a after a lost message, and prices it again after a new snapshot', async () => {
    const before = await clock();
    expect(await inject({ fault: 'gap', venue: 'a' })).toBe(200);
    await waitUntil(
      async () => {
        const [row] = await database.sql<{ pairs: number }[]>`
        select count(distinct pair_id)::int as pairs
        from price.updates
        where priced_at >= ${before} and void_reason is null and array_remove(ask_a, null) = '{}' and array_remove(ask_b, null) <> '{}'`;
        return row && row.pairs > 20;
      },
      { what: 'venue_a uncovered, venue_b still priced' },
    );
    await waitUntil(async () => (await covered()) >= coverage * 0.95, { what: 'venue_a priced again' });
  });

  it('prices all pairs again after a connection of each venue was cut', async () => {
    // By number, not by time: a cut connection invalidates its books from its last sign of life on,
    // which is before the cut.
    const [last] = await database.sql<
      { update_no: string }[]
    >`select max(update_no)::text as update_no from price.updates`;
    expect(await inject({ fault: 'cut', venue: 'a' })).toBe(200);
    expect(await inject({ fault: 'cut', venue: 'b' })).toBe(200);
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
      { what: 'pairs without each venue' },
    );
    await waitUntil(async () => (await covered()) >= coverage * 0.95, { what: 'all priced again' });
  });

  it('writes no price of a crossed book', async () => {
    const [leg] = await database.sql<{ ticker: string }[]>`
      select o.contract_a as ticker
      from price.latest_updates l
      join catalog.outcomes o on o.pair_id = l.pair_id and o.ordinal = 0
      where l.ask_a[1] is not null and l.bid_a[1] is not null
      limit 1`;
    expect(await inject({ fault: 'crossed', ticker: leg?.ticker, for_ms: 2_000 })).toBe(200);
    await waitUntil(
      async () => {
        const rows = await database.sql`
        select from price.latest_updates l
        join catalog.outcomes o on o.pair_id = l.pair_id and o.contract_a = ${leg?.ticker ?? ''}
        where l.ask_a[o.ordinal + 1] is null and l.bid_a[o.ordinal + 1] is null`;
        return rows.length > 0;
      },
      { what: 'the crossed side is empty' },
    );
    await waitUntil(async () => (await covered()) >= coverage * 0.95, { what: 'all priced again' });
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
    expect(await inject({ fault: 'new_delay', token_id: pair?.token_id })).toBe(200);
    const counted = () => database.sql`select venue, what, occurrences::integer, sample from venue.unknown_values`;
    await waitUntil(async () => (await counted()).length > 0, { what: 'an unknown field', timeoutMs: 60_000 });
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
  }, 90_000);
});
