import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { putPair, stopClock, uuidOf } from '../api/support/catalog.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';

/**
 * Guarantee: ended listings are deleted after their retention, both sides of a pair together, and
 * never while a pair still needs them.
 */

let db: TestDatabase;
let clock: Awaited<ReturnType<typeof stopClock>>;
beforeAll(async () => {
  db = await createDatabase();
  clock = await stopClock(db.sql, '2026-11-01T00:00:00Z');
});
afterAll(() => db.close());
beforeEach(() => db.sql`truncate venue.events, catalog.pairs, catalog.outcomes, catalog.strikes cascade`);

/** An event with one market in this state, last listed on that day. */
async function list(venue: 'venue_a' | 'venue_b', id: string, state: string, day: string): Promise<void> {
  await clock.set(`${day}T00:00:00Z`);
  const market = { market_id: `M-${id}`, state, payload: {}, contracts: [{ contract_id: `C-${id}`, ordinal: 0 }] };
  const event = { event_id: id, title: id, payload: {}, markets: [market], questions: [] };
  await db.sql`select venue.upsert_listings(${venue}, null, ${db.sql.json({ events: [event], rejected: [] })})`;
}

/** The pair of events KXEVENT-n and event-n. */
async function pair(
  n: number,
  status: string,
  days: [a: string, b: string],
  states = ['final', 'final'],
): Promise<void> {
  await list('venue_a', `KXEVENT-${n}`, states[0] ?? 'final', days[0]);
  await list('venue_b', `event-${n}`, states[1] ?? 'final', days[1]);
  await putPair(db.sql, { n, status });
}

async function purge(limit = 2000): Promise<string[]> {
  await clock.set('2026-12-15T00:00:00Z');
  await db.sql`select catalog.purge_listings(${limit})`;
  return (await db.sql<{ event_id: string }[]>`select event_id from venue.events order by 1`).map(
    (row) => row.event_id,
  );
}

it('an ended event is purged 30 days after it was last listed, with its markets and contracts', async () => {
  await list('venue_a', 'LONG-OVER', 'final', '2026-11-14');
  await list('venue_a', 'LONG-GONE', 'gone', '2026-11-14');
  await list('venue_a', 'OVER', 'final', '2026-11-16');
  await list('venue_a', 'TRADES', 'trading', '2026-11-01');
  await list('venue_a', 'PAUSED', 'paused', '2026-11-01');
  expect(await purge()).toEqual(['OVER', 'PAUSED', 'TRADES']);
  const [left] = await db.sql`
    select (select count(*)::integer from venue.markets) as markets, (select count(*)::integer from venue.contracts) as contracts`;
  expect(left).toEqual({ markets: 3, contracts: 3 });
});

it('both events of a settled pair are purged together or not at all, and the pair is kept', async () => {
  await pair(1, 'settled', ['2026-11-01', '2026-11-10']);
  await pair(2, 'settled', ['2026-11-01', '2026-12-10']);
  await pair(3, 'settled', ['2026-11-01', '2026-11-01'], ['final', 'trading']);
  expect(await purge()).toEqual(['KXEVENT-2', 'KXEVENT-3', 'event-2', 'event-3']);
  expect(await db.sql`select from catalog.pairs where pair_id = ${uuidOf(1)} and status = 'settled'`).toHaveLength(1);
});

it('listings that a pair still needs are kept, with everything connected to them', async () => {
  await pair(1, 'resolving', ['2026-11-01', '2026-11-01'], ['closed', 'gone']);
  // Another pair of the same venue_b event has settled.
  await pair(2, 'settled', ['2026-11-01', '2026-11-01']);
  await db.sql`update catalog.pairs set event_b = 'event-1' where pair_id = ${uuidOf(2)}`;
  await db.sql`delete from venue.events where event_id = 'event-2'`;
  // Delisted before its close: a late result may still come.
  await pair(3, 'closed', ['2026-11-01', '2026-11-01'], ['gone', 'gone']);
  await db.sql`update catalog.pairs set closes_a = '2026-12-01Z' where pair_id = ${uuidOf(3)}`;
  await pair(4, 'closed', ['2026-11-01', '2026-11-01'], ['gone', 'gone']);
  await db.sql`update catalog.pairs set closes_a = '2026-11-02Z', closes_b = null where pair_id = ${uuidOf(4)}`;
  expect(await purge()).toEqual(['KXEVENT-1', 'KXEVENT-2', 'KXEVENT-3', 'event-1', 'event-3']);
});

it('listings are purged in batches, the longest unseen first, and never half a pair', async () => {
  await pair(1, 'settled', ['2026-11-03', '2026-11-09']);
  await pair(2, 'settled', ['2026-11-02', '2026-11-08']);
  expect(await purge(1)).toEqual(['KXEVENT-1', 'event-1']);
  expect(await purge(1)).toEqual([]);
});

it('pairs are purged 30 days after they were withdrawn, with their outcomes, strikes and keys', async () => {
  await putPair(db.sql, { n: 1 });
  await putPair(db.sql, { n: 2 });
  await putPair(db.sql, { n: 3 });
  await db.sql`insert into catalog.outcome_keys select pair_id, 'match ' || key, key from catalog.outcomes`;
  await db.sql`insert into catalog.strikes select pair_id, 0, '4.2', 'M', 'M' from catalog.pairs`;
  await db.sql`update catalog.pairs set withdrawn_at = '2026-11-14Z' where pair_id = ${uuidOf(1)}`;
  await db.sql`update catalog.pairs set withdrawn_at = '2026-11-16Z' where pair_id = ${uuidOf(2)}`;
  await db.sql`
    insert into catalog.match_passes (started_at, finished_at, changed) values ('2026-11-01Z', '2026-11-01Z', 1), ('2026-12-01Z', '2026-12-01Z', 1)`;
  await clock.set('2026-12-15T00:00:00Z');
  await db.sql`select jobs.purge_expired()`;
  const [left] = await db.sql`
    select (select array_agg(pair_id order by pair_id) from catalog.pairs) as pairs,
           (select array_agg(distinct pair_id order by pair_id) from catalog.outcomes) as outcomes,
           (select array_agg(pair_id order by pair_id) from catalog.strikes) as strikes,
           (select array_agg(distinct pair_id order by pair_id) from catalog.outcome_keys) as keys,
           (select array_agg(assessment_id order by 1) from catalog.assessments) as assessments,
           (select count(*)::integer from catalog.match_passes) as passes`;
  expect(left).toEqual({
    pairs: [uuidOf(2), uuidOf(3)],
    outcomes: [uuidOf(2), uuidOf(3)],
    strikes: [uuidOf(2), uuidOf(3)],
    keys: [uuidOf(2), uuidOf(3)],
    assessments: ['assessment 2', 'assessment 3'],
    // The newest match pass stays at any age: it states when the last one ran.
    passes: 1,
  });
});

it('the purge does nothing while a match pass runs', async () => {
  await list('venue_a', 'LONG-OVER', 'final', '2026-11-01');
  await clock.set('2026-12-15T00:00:00Z');
  await db.sql.begin(async (sql) => {
    await sql`select pg_advisory_xact_lock(hashtextextended('catalog.run_match_pass', 0))`;
    expect((await db.sql`select catalog.purge_expired() as done`)[0]?.done).toBe(false);
  });
  expect((await db.sql`select catalog.purge_expired() as done`)[0]?.done).toBe(true);
  expect(await db.sql`select from venue.events`).toHaveLength(0);
});
