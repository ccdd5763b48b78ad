import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { stopClock } from '../api/support/catalog.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';

/**
 * Guarantee: an event that should have a result and has none is read again, by its own question and
 * its own markets, the one first that was read longest ago.
 */

let db: TestDatabase;
beforeAll(async () => {
  db = await createDatabase();
  await stopClock(db.sql, '2026-11-20T12:00:00Z');
});
afterAll(() => db.close());
beforeEach(() => db.sql`truncate venue.events cascade`);

type Listed = {
  venue?: string;
  event: string;
  state?: string;
  close?: string | null;
  expected?: string | null;
  start?: string | null;
  excluded?: string | null;
  seen?: string;
};
async function put(listed: Listed): Promise<void> {
  const { event, venue = 'venue_a', state = 'closed', excluded = null } = listed;
  const { close = '2026-11-19T00:00:00Z', expected = null, start = null, seen = '2026-11-20T11:00:00Z' } = listed;
  const { sql } = db;
  await sql`
    insert into venue.events (venue, event_id, title, payload, payload_hash, first_seen_at, seen_at, changed_at)
    values (${venue}, ${event}, 'An event', '{}', '', now(), ${seen}, now())`;
  await sql`
    insert into venue.markets (venue, market_id, event_id, title, state, close_at, expected_at, payload, payload_hash,
      seen_at, changed_at)
    values (${venue}, ${`${event}-m`}, ${event}, 'A market', ${state}, ${close}, ${expected}, '{}', '', now(), now())`;
  await sql`
    insert into venue.questions (question_id, venue, event_id, family, key, start_at, close_at, category, title,
      exclusive, excluded_reason, identity, terms, content_hash, changed_at)
    values (${`${venue}:${event}`}, ${venue}, ${event}, 'moneyline', 'k', ${start}, ${close}, 'sports', 'A question',
      true, ${excluded}, '{}', '{}', '', now())`;
}
const unsettled = async (limit = 10, venue = 'venue_a') =>
  (await db.sql<{ event_id: string }[]>`select event_id from venue.unsettled_events(${venue}, ${limit})`).map(
    (row) => row.event_id,
  );

describe('the events to read again', () => {
  test.each(['closed', 'proposed', 'gone'])('contain one whose market is %s', async (state) => {
    await put({ event: 'E1', state });
    expect(await unsettled()).toEqual(['E1']);
  });

  test.each(['final', 'unopened'])('omit one whose market is %s', async (state) => {
    await put({ event: 'E1', state });
    expect(await unsettled()).toEqual([]);
  });

  test.each(['paused', 'trading'])('contain one whose market is %s after its start, and not before', async (state) => {
    const [past, future] = ['2026-11-20T11:59:59Z', '2026-11-20T12:00:00Z'];
    await put({ event: 'started', state, start: past, expected: future, close: future });
    await put({ event: 'expected', state, expected: past, close: future });
    await put({ event: 'over', state, close: past });
    await put({ event: 'not_started', state, start: future, expected: past, close: past });
    await put({ event: 'not_expected', state, expected: future, close: past });
    await put({ event: 'not_over', state, close: future });
    expect((await unsettled()).sort()).toEqual(['expected', 'over', 'started']);
  });

  test('omit one without a question that can be matched, and no other', async () => {
    await put({ event: 'excluded', excluded: 'category.unsupported' });
    await put({ event: 'matched' });
    await put({ event: 'no_question' });
    await db.sql`delete from venue.questions where event_id = 'no_question'`;
    expect(await unsettled()).toEqual(['matched']);
  });

  test('omit those that closed 30 days ago, and those of the other venue', async () => {
    await put({ event: 'late', close: '2026-10-21T12:00:00Z' });
    await put({ event: 'in_time', close: '2026-10-21T12:00:01Z' });
    await put({ event: 'unknown', close: null, seen: '2026-11-20T11:59:00Z' });
    await put({ event: 'elsewhere', venue: 'venue_b' });
    expect(await unsettled()).toEqual(['in_time', 'unknown']);
    expect(await unsettled(10, 'venue_b')).toEqual(['elsewhere']);
  });

  test('are ordered by when they were read, and at most as many as asked', async () => {
    await put({ event: 'B', seen: '2026-11-20T11:30:00Z' });
    await put({ event: 'A', seen: '2026-11-20T11:30:00Z' });
    await put({ event: 'C', seen: '2026-11-20T11:00:00Z' });
    expect(await unsettled()).toEqual(['C', 'A', 'B']);
    expect(await unsettled(2)).toEqual(['C', 'A']);
  });
});
