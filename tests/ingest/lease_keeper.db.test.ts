import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { BooksRole } from '../../functions/ingest/books_role.ts';
import { MarketClock } from '../../functions/ingest/clock.ts';
import { HANDOVER_MS } from '../../functions/ingest/cpu_budget.ts';
import { connect, IngestQueries } from '../../functions/ingest/database.ts';
import { LeaseKeeper } from '../../functions/ingest/lease_keeper.ts';
import { workLimitsFor } from '../../functions/ingest/work_limits.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { pause, waitUntil } from '../support/wait_until.ts';
import { runtime } from './runtime.ts';

/**
 * Guarantee: a worker knows at any time which leases it holds, warms up and has lost, and when it
 * ends.
 */

let database: TestDatabase;
let queries: IngestQueries;
beforeAll(async () => {
  database = await createDatabase();
  queries = new IngestQueries(connect(database.url('parallax_ingest'), () => {}));
});
afterAll(async () => {
  await queries?.end();
  await database?.close();
});
beforeEach(async () => {
  await database.sql`
    update venue.leases
    set holder = null, expires_at = null, handover_at = null, successor = null, successor_expires_at = null`;
});

const keeper = (options: { endsAt?: number | null; announces?: boolean } = {}) =>
  new LeaseKeeper({ queries, endsAt: options.endsAt ?? null, announces: options.announces ?? false });
const expire = (name: string) =>
  database.sql`update venue.leases set expires_at = clock_timestamp() - interval '1 second' where name = ${name}`;

describe('lease keeper', () => {
  it('claims up to the limit in all and releases by prefix', async () => {
    const leases = keeper();
    expect(await leases.claim('books:', 2, 0)).toEqual(['books:0', 'books:1']);
    expect(await leases.claim('books:', 2, 0)).toEqual([]);
    expect(await leases.claim('listings:', 1, 0)).toEqual(['listings:venue_a']);
    await leases.release('listings:');
    expect([leases.names, leases.heldCount('books:'), leases.hasLostAll]).toEqual([['books:0', 'books:1'], 2, false]);
    await leases.release();
    expect([leases.names, leases.hasLostAll]).toEqual([[], true]);
  });

  it('warms up the shard of a holder that announced its end, and takes it over with a new token', async () => {
    const now = Date.now();
    const first = keeper({ endsAt: now + 60_000, announces: true });
    const second = keeper();
    await first.claim('books:', 1, now);
    const all = await second.claim('books:', 64, now);
    await first.announceHandover(now);
    expect([await second.claim('books:', 64, now), second.warmingCount('books:')]).toEqual([[], 0]);
    first.endBy(now + HANDOVER_MS - 1_000);
    await first.announceHandover(now);
    await second.claim('books:', 64, now);
    expect([...second.warming]).toEqual([['books:0', now]]);
    expect(second.namesToRead('books:')).toEqual(['books:0', ...all]);
    expect([await second.takeOver('books:0'), second.holds('books:0'), second.warming.size]).toEqual([true, true, 0]);
    expect([await first.renew(), first.hasLostAll]).toEqual([['books:0'], true]);
  });

  it('reserves a shard that its holder writes at that moment, and waits at most for half a second', async () => {
    const now = Date.now();
    const first = keeper({ endsAt: now + HANDOVER_MS - 1_000, announces: true });
    const second = keeper();
    await first.claim('books:', 1, now);
    await first.announceHandover(now);
    const claimDuring = async (ms: number): Promise<string[]> => {
      const flush = database.sql.begin(async (sql) => {
        await sql`select venue.lock_held_leases(${sql.json(first.tokens())})`;
        await pause(ms);
      });
      await waitUntil(
        async () =>
          (await database.sql`select from venue.leases where name = 'books:0' for update skip locked`).length === 0,
        { what: 'the flush holds the lease' },
      );
      await second.claim('books:', 64, now);
      const reserved = [...second.warming.keys()];
      await flush;
      return reserved;
    };
    expect(await claimDuring(3_000)).toEqual([]);
    expect(await claimDuring(250)).toEqual(['books:0']);
  });

  it('loses leases that the database does not confirm, except those claimed again since', async () => {
    const leases = keeper();
    await leases.claim('books:', 2, 0);
    const tokens = leases.tokens('books:');
    await expire('books:1');
    expect(await leases.renew()).toEqual(['books:1']);
    await leases.claim('books:', 2, 0);
    // The result of a write that started earlier and was accepted for neither lease.
    expect(leases.forgetLost(tokens, [])).toEqual(['books:0']);
    expect(leases.names).toEqual(['books:1']);
  });

  it('announces an end only with a CPU limit, a lease, and an end that is near', async () => {
    const now = Date.now();
    const endOf = async (name: string) => {
      const [row] = await database.sql<
        { handover_at: Date | null }[]
      >`select handover_at from venue.leases where name = ${name}`;
      return row?.handover_at?.getTime() ?? null;
    };
    const unlimited = keeper();
    await unlimited.claim('books:', 1, now);
    unlimited.endBy(now + 1_000);
    await unlimited.announceHandover(now);
    expect(await endOf('books:0')).toBeNull();
    const limited = keeper({ endsAt: now + 60_000, announces: true });
    await limited.announceHandover(now + 50_000);
    await limited.claim('listings:', 1, now);
    expect([limited.endsEarly, await endOf('listings:venue_a')]).toEqual([false, now + 60_000]);
    limited.endBy(now + 5_000);
    await limited.announceHandover(now);
    expect([limited.endsEarly, limited.endsAt, await endOf('listings:venue_a')]).toEqual([
      true,
      now + 5_000,
      now + 5_000,
    ]);
  });

  it('is idle after a time without a lease, and never when it has no end', async () => {
    const leases = keeper({ endsAt: 1_000_000 });
    expect([leases.isIdle(0, 8_000), leases.isIdle(8_000, 8_000), leases.isIdle(8_001, 8_000)]).toEqual([
      false,
      false,
      true,
    ]);
    await leases.claim('listings:', 1, 0);
    expect(leases.isIdle(20_000, 8_000)).toBe(false);
    await leases.release();
    expect([leases.isIdle(21_000, 8_000), leases.isIdle(29_001, 8_000)]).toEqual([false, true]);
    const container = keeper();
    expect([container.isIdle(0, 8_000), container.isIdle(100_000, 8_000)]).toEqual([false, false]);
  });
});

it('a shard is acquired although the market clock could not be read', async () => {
  const lines: string[] = [];
  class WithoutClock extends IngestQueries {
    override segments(): Promise<never> {
      return Promise.reject(new Error('the clock is away'));
    }
  }
  const pool = connect(database.url('parallax_ingest'), () => {});
  const withoutClock = new WithoutClock(pool);
  const leases = keeper();
  const books = new BooksRole({
    limits: workLimitsFor(false),
    queries: withoutClock,
    leases,
    clock: new MarketClock(() => Date.now()),
    runtime,
    log: (line) => lines.push(line),
  });
  await books.acquireShards(await leases.claim('books:', 1, 0));
  expect([books.engine.hasShard('books:0'), lines]).toEqual([true, [expect.stringContaining('the clock is away')]]);
  await withoutClock.end();
});
