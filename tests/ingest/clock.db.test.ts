import { afterAll, beforeAll, expect, it } from 'vitest';
import { connect, IngestQueries } from '../../functions/ingest/database.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';

/** Guarantee: a worker that sends a heartbeat gets the current market clock in the same call. */

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

const sign = { venue: 'venue_a', last_message_ms: 1_000, last_alive_ms: 2_000, detail: 'websocket' } as const;

it('a heartbeat returns every clock segment, and none when market time is real time', async () => {
  expect(await queries.heartbeat('live', [sign])).toEqual([]);
  await database.sql`
    insert into clock.segments (real_from, market_from, rate)
    values (to_timestamp(1000), to_timestamp(500), 0), (to_timestamp(2000), to_timestamp(500), 60)`;
  const segments = [
    { real_from: 1_000_000, market_from: 500_000, rate: 0 },
    { real_from: 2_000_000, market_from: 500_000, rate: 60 },
  ];
  expect(await queries.heartbeat('simulated', [sign])).toEqual(segments);
  expect(await queries.segments()).toEqual(segments);
  const [feed] = await database.sql`select source, last_alive_at from venue.feeds`;
  expect(feed).toEqual({ source: 'simulated', last_alive_at: new Date(2_000) });
});
