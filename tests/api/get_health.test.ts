import { afterAll, beforeAll, expect, test } from 'vitest';
import { serveApi } from './support/server.ts';
import { makeWorld, type World } from './support/fixture.ts';

let world: World;
beforeAll(async () => {
  world = await makeWorld();
});
afterAll(() => world.close());

/** A fresh isolate: one looks at the database once a second at most. */
async function health(url = world.db.url('parallax_api')) {
  const api = await serveApi(url);
  try {
    const began = Date.now();
    const answer = await fetch(`${api.base}/health`);
    return { status: answer.status, body: await answer.json(), ms: Date.now() - began, headers: answer.headers };
  } finally {
    await api.close();
  }
}

test('needs no key, tells version, market time, and that no venue has been heard', async () => {
  const { status, body, headers } = await health();
  expect(status).toBe(200);
  expect(headers.get('Cache-Control')).toBe('no-store');
  const silent = { state: 'down', source: 'simulated', last_message_at: null };
  expect(body).toEqual({
    status: 'degraded',
    version: '2.0.0',
    time: '2026-11-20T12:00:00.000Z',
    venues: { venue_a: silent, venue_b: silent },
  });
});

test('ok while both venues are alive, degraded when one is down; the source is what the feeds say', async () => {
  const at = Date.parse('2026-11-20T11:59:50.500Z');
  const beat = (a: number, b: number) =>
    world.db.sql`
      select venue.heartbeat('replay', ${world.db.sql.json([
        { venue: 'venue_a', last_message_ms: a, last_alive_ms: a, detail: null },
        { venue: 'venue_b', last_message_ms: b, last_alive_ms: b, detail: null },
      ])})`;
  // A clock that runs: whether somebody still answers is judged by real seconds.
  const running = (shown: string) =>
    world.db.sql.begin(async (sql) => {
      await sql`delete from clock.segments`;
      await sql`
      insert into clock.segments (real_from, market_from, rate)
      values (clock_timestamp() - interval '5 minutes', ${shown}::timestamptz - interval '5 minutes', 1)`;
    });
  await running('2026-11-20T12:00:00Z');
  await beat(at, at);
  const up = { state: 'up', source: 'replay', last_message_at: '2026-11-20T11:59:50.500Z' };
  expect((await health()).body).toMatchObject({ status: 'ok', venues: { venue_a: up, venue_b: up } });
  await running('2026-11-20T12:01:00Z');
  await beat(at + 65_000, at);
  expect((await health()).body).toMatchObject({
    status: 'degraded',
    venues: { venue_a: { state: 'up' }, venue_b: { state: 'down' } },
  });
});

test('a venue that was heard a second ago is up, also where market time runs a hundred times as fast', async () => {
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

test('200 and degraded without a database, in under 3 s', async () => {
  const { status, body, ms } = await health('postgres://parallax_api:x@127.0.0.1:1/nowhere');
  expect(status).toBe(200);
  expect(body).toMatchObject({ status: 'degraded', venues: { venue_a: { state: 'unknown', source: 'simulated' } } });
  expect(ms).toBeLessThan(3000);
});
