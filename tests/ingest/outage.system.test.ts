import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { pause, waitUntil } from '../support/wait_until.ts';
import { type RunningVenues, startVenues } from '../venue_simulator/fixture.ts';
import { pairsOf, type RunningWorker, settingsFor, startWorker } from './fixture.ts';

describe('ingest during a database outage', () => {
  let venues: RunningVenues;
  let database: TestDatabase;
  let reading: RunningWorker;

  beforeAll(async () => {
    [venues, database] = await Promise.all([startVenues('--games', '20'), createDatabase({ superuser: true })]);
    reading = startWorker(settingsFor(venues, database));
  });
  afterAll(async () => {
    await reading?.end();
    venues?.end();
    await database?.close();
  });

  const cut = async (): Promise<number> => {
    const rows = await database.sql`
      select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and usename = 'parallax_ingest'`;
    return rows.length;
  };

  it('loses no update and voids no pair, and writes the queued updates when the database is back', async () => {
    await waitUntil(
      async () => {
        const pairs = await pairsOf(database);
        const rows = await database.sql`select from price.latest_updates where void_reason is null`;
        return pairs.length > 10 && rows.length >= pairs.length;
      },
      { what: 'prices', timeoutMs: 45_000 },
    );
    const before = reading.worker.flushed.updates;
    let cuts = 0;
    for (let round = 0; round < 20; round += 1) {
      cuts += await cut();
      await pause(100);
    }
    expect(cuts).toBeGreaterThan(5);
    await waitUntil(() => reading.worker.flushed.updates > before + 20, { what: 'flushes again' });
    // A busy machine has the next update before the last one is written, most of the time.
    await waitUntil(() => reading.worker.waiting === 0, { what: 'nothing waits', timeoutMs: 60_000, everyMs: 5 });
    expect(
      await database.sql`select pair_id, void_reason as void from price.updates where void_reason is not null`,
    ).toEqual([]);
    expect(reading.worker.lost).toBe(0);
    expect(reading.worker.heldLeases).toHaveLength(7);
  }, 180_000);
});
