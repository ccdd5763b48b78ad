import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { organization, rpc } from '../account/support/people.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';

let db: TestDatabase;
beforeAll(async () => {
  db = await createDatabase();
});
afterAll(() => db.close());
beforeEach(() => db.sql`truncate stream.feed_delays, stream.published_quotes`);

/** Quotes that were read `ageMs` ago, each with a delay. */
const putDelays = (venue: string, delays: (number | null)[], ageMs = 1_000) => db.sql`
  insert into stream.published_quotes (pair_id, venue, contract_id, side, venue_time, read_at, reader, quote_no)
  select gen_random_uuid(), ${venue}, 'x', 'yes', t.read_at - d.ms * interval '1 millisecond', t.read_at, 'r', 1
  from unnest(${delays}::integer[]) d (ms)
  cross join (select clock.now() - ${ageMs}::integer * interval '1 millisecond' as read_at) t`;
const sample = () => db.sql`select stream.sample_feed_delays()`;
const rows = () => db.sql`select venue, p50_ms, p99_ms, quotes from stream.feed_delays order by venue`;

test('samples the delay of the legs that changed within a minute, by venue, once a minute', async () => {
  await putDelays('venue_a', [...Array(98).fill(20), 900, 1_000]);
  await putDelays('venue_a', [50_000], 61_000);
  await putDelays('venue_b', [-40, null]);
  await sample();
  await sample();
  expect(await rows()).toEqual([
    { venue: 'venue_a', p50_ms: 20, p99_ms: 900, quotes: 100 },
    { venue: 'venue_b', p50_ms: 0, p99_ms: 0, quotes: 1 },
  ]);
});

test('stores nothing for a feed without a quote, and deletes what is older than 25 hours', async () => {
  await db.sql`insert into stream.feed_delays values (clock_timestamp() - interval '26 hours', 'venue_a', 1, 1, 1)`;
  await sample();
  expect(await rows()).toEqual([]);
});

test('read_insights gives the delays of 24 hours by five minutes', async () => {
  await db.sql`
    insert into stream.feed_delays
    select date_bin('5 minutes', clock_timestamp() - interval '1 hour', 'epoch') + n * interval '1 minute',
           'venue_b', 10 * n, 100 * n, 5
    from generate_series(0, 4) n`;
  await db.sql`insert into stream.feed_delays values (clock_timestamp() - interval '24 hours 6 minutes', 'venue_a', 1, 1, 1)`;
  const { owner } = await organization(db.sql);
  const { feed_delays } = await rpc<{ feed_delays: object[] }>(db.sql, owner, 'read_insights()');
  expect(feed_delays).toEqual([{ venue: 'venue_b', at: expect.stringMatching(/Z$/), p50_ms: 20, p99_ms: 400 }]);
});
