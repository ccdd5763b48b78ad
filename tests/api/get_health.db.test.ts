import { afterAll, beforeAll, expect, test } from 'vitest';
import { holdShardLeases } from './support/catalog.ts';
import { type ApiFixture, createApiFixture } from './support/fixture.ts';
import { serveApi } from './support/server.ts';

let world: ApiFixture;
beforeAll(async () => {
  world = await createApiFixture();
});
afterAll(() => world.close());

/** Reads /health of a new isolate, because an isolate caches the state for a second. */
async function health(url = world.db.url('parallax_api')) {
  const api = await serveApi(url);
  try {
    const startedAt = Date.now();
    const answer = await fetch(`${api.base}/health`);
    return { status: answer.status, body: await answer.json(), ms: Date.now() - startedAt, headers: answer.headers };
  } finally {
    await api.close();
  }
}

test('GET /health works without a key and reports both venues as down before their first message', async () => {
  const { status, body, headers } = await health();
  expect(status).toBe(200);
  expect(headers.get('Cache-Control')).toBe('no-store');
  const silent = { state: 'down', source: 'simulated', last_message_at: null, detail: null };
  expect(body).toEqual({
    status: 'degraded',
    version: '2.0.0',
    time: '2026-11-20T12:00:00.000Z',
    venues: { venue_a: silent, venue_b: silent },
  });
});

test('GET /health is ok while both venues are up, degraded when one is down, with source and detail', async () => {
  const at = Date.parse('2026-11-20T11:59:50.500Z');
  const beat = (a: number, b: number) =>
    world.db.sql`
      select venue.heartbeat('replay', ${world.db.sql.json([
        { venue: 'venue_a', last_message_ms: a, last_alive_ms: a, detail: 'polling, key refused (401)' },
        { venue: 'venue_b', last_message_ms: b, last_alive_ms: b, detail: null },
      ])})`;
  // The clock must run: the last sign of life is judged in real seconds.
  const runFrom = (marketTime: string) =>
    world.db.sql.begin(async (sql) => {
      await sql`delete from clock.segments`;
      await sql`
      insert into clock.segments (real_from, market_from, rate)
      values (clock_timestamp() - interval '5 minutes', ${marketTime}::timestamptz - interval '5 minutes', 1)`;
    });
  await runFrom('2026-11-20T12:00:00Z');
  await beat(at, at);
  const up = { state: 'up', source: 'replay', last_message_at: '2026-11-20T11:59:50.500Z' };
  expect((await health()).body).toMatchObject({
    status: 'ok',
    venues: { venue_a: { ...up, detail: 'polling, key refused (401)' }, venue_b: { ...up, detail: null } },
  });
  await runFrom('2026-11-20T12:01:00Z');
  await beat(at + 65_000, at);
  expect((await health()).body).toMatchObject({
    status: 'degraded',
    venues: { venue_a: { state: 'up' }, venue_b: { state: 'down' } },
  });
});

test('GET /health reports a venue as up one second after its last message when market time runs 100 times as fast', async () => {
  await world.db.sql.begin(async (sql) => {
    await sql`delete from clock.segments`;
    await sql`
      insert into clock.segments (real_from, market_from, rate)
      values (clock_timestamp() - interval '5 minutes', '2026-11-20T12:00:00Z', 100)`;
    await sql`
      update venue.feeds
      set last_alive_at = clock.ago(interval '1 second'), last_message_at = clock.ago(interval '50 seconds')`;
  });
  expect((await health()).body).toMatchObject({
    status: 'ok',
    venues: { venue_a: { state: 'up' }, venue_b: { state: 'up' } },
  });
});

test('GET /health reports both venues as stale from the end of a dead worker’s lease until its successor has data', async () => {
  const worker = (prefix: string) =>
    world.db.sql`select venue.claim_leases(gen_random_uuid(), ${prefix}, 64, interval '10 seconds', null)`;
  const receive = () => world.db.sql`update venue.feeds set last_alive_at = clock.now(), last_message_at = clock.now()`;
  const states = async () => {
    const { body } = await health();
    return [body.status, body.venues.venue_a.state, body.venues.venue_b.state];
  };
  const [up, stale] = [
    ['ok', 'up', 'up'],
    ['degraded', 'stale', 'stale'],
  ];
  await world.db.sql`delete from clock.segments`;
  await world.db.sql`
    update venue.leases
    set holder = null, expires_at = null, successor = null, successor_expires_at = null, handover_at = null`;
  await receive();
  await worker('books:');
  expect(await states()).toEqual(stale);
  await receive();
  expect(await states()).toEqual(up);
  // One dead shard of several makes prices unknown too.
  await world.db.sql`
    update venue.leases set expires_at = clock_timestamp() - interval '1 millisecond' where name = 'books:1'`;
  expect(await states()).toEqual(stale);
  await worker('books:1');
  expect(await states()).toEqual(stale);
  await receive();
  expect(await states()).toEqual(up);
  await world.db.sql`update venue.leases set holder = null, expires_at = null where name = 'books:1'`;
  expect(await states()).toEqual(stale);
});

test('GET /health reports a venue without a sign of life for 20 s as stale, and for 30 s as down', async () => {
  await world.db.sql`delete from clock.segments`;
  await holdShardLeases(world.db.sql);
  const silentFor = async (seconds: number) => {
    await world.db.sql`
      update venue.feeds
      set last_alive_at = clock.now() - ${seconds} * interval '1 second', last_message_at = clock.now()`;
    await world.db.sql`update venue.leases set claimed_at = null`;
    return (await health()).body.venues.venue_a.state;
  };
  expect(await silentFor(17)).toBe('up');
  expect(await silentFor(21)).toBe('stale');
  expect(await silentFor(31)).toBe('down');
});

test('GET /health returns 200 and degraded within 3 s without a database', async () => {
  const { status, body, ms } = await health('postgres://parallax_api:x@127.0.0.1:1/nowhere');
  expect(status).toBe(200);
  expect(body).toMatchObject({ status: 'degraded', venues: { venue_a: { state: 'unknown', source: 'simulated' } } });
  expect(ms).toBeLessThan(3000);
});
