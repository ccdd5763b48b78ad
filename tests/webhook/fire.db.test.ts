import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { changePair, idOf, putPair, stopClock, uuidOf } from '../api/support/catalog.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { createEndpoint, organizationWithPlan } from './support/sender.ts';

// Events fire in the transaction that causes them: in pipeline.apply_books and in the catalog.
let db: TestDatabase;
let org: string;
let next = 1;
beforeAll(async () => {
  db = await createDatabase();
  await stopClock(db.sql, '2026-11-20T12:00:00Z');
});
afterAll(() => db.close());
beforeEach(async () => {
  await db.sql`delete from webhook.endpoints`;
  org = await organizationWithPlan(db.sql);
});

const holder = '00000000-0000-4000-8000-0000000000aa';
/** Applies spreads of a pair, in points, in one flush of ingest. Null is a void price update. */
async function flush(pair: number, ...moves: [at: string, spread: number | null][]): Promise<void> {
  const [lease] = await db.sql<{ name: string; token: string }[]>`
    select c.name, c.token::text as token from venue.claim_leases(${holder}::uuid, 'books:', 64, interval '60 seconds', null) c`;
  const tokens = await db.sql<{ tokens: string }[]>`
    select jsonb_object_agg(l.name, l.token)::text as tokens from venue.leases l where l.holder = ${holder}::uuid`;
  expect(lease ?? tokens[0]?.tokens).toBeTruthy();
  const updates = moves.map(([at, spread]) => ({
    pair: uuidOf(pair),
    at: Date.parse(at),
    ask_a: spread === null ? [] : [400_000 + Math.round(spread * 10_000), 500_000],
    ask_b: spread === null ? [] : [400_000, 500_000],
    ...{ bid_a: [], bid_b: [], size_a: spread === null ? [] : [100, 100], size_b: spread === null ? [] : [100, 100] },
    ...{ read_a: Date.parse(at), read_b: Date.parse(at), void: spread === null ? 'feed.silent' : null },
  }));
  await db.sql`select pipeline.apply_books(${tokens[0]?.tokens ?? ''}::text::jsonb, ${JSON.stringify(updates)}::text::jsonb)`;
}
const bodies = async () =>
  (await db.sql<{ body: string }[]>`select body from webhook.deliveries order by created_at, delivery_id`).map((row) =>
    JSON.parse(row.body),
  );

describe('spread.threshold', () => {
  test('fires in the flush that crosses, with the spread and the time of the price update', async () => {
    const n = next++;
    await putPair(db.sql, { n, title: 'Say "who" wins' });
    const { id } = await createEndpoint(db.sql, org, 'https://hooks.example.com', { threshold: 2.5 });
    await flush(n, ['2026-11-20T11:00:00Z', 1]);
    expect(await bodies()).toEqual([]);
    await flush(n, ['2026-11-20T11:00:01.250Z', 2.5]);
    expect(await bodies()).toEqual([
      {
        event: 'spread.threshold',
        endpoint_id: id,
        pair_id: idOf(n),
        slug: `pair-${n}`,
        title: 'Say "who" wins',
        spread_pts: 2.5,
        threshold_pts: 2.5,
        observed_at: '2026-11-20T11:00:01.250Z',
      },
    ]);
  });

  test('does not fire for a spread already above the threshold at registration, and ignores a void price', async () => {
    const n = next++;
    await putPair(db.sql, { n });
    await flush(n, ['2026-11-20T11:00:00Z', 1]);
    await createEndpoint(db.sql, org, 'https://hooks.example.com', { threshold: 2 });
    await flush(n, ['2026-11-20T11:00:01Z', 3]);
    expect(await bodies()).toEqual([]);
    await flush(n, ['2026-11-20T11:00:02Z', 1], ['2026-11-20T11:00:03Z', null], ['2026-11-20T11:00:04Z', 5]);
    expect(await bodies()).toMatchObject([{ spread_pts: 5 }]);
  });

  test('fires again 30 minutes after the last event; an earlier crossing fires nothing and is not kept', async () => {
    const n = next++;
    await putPair(db.sql, { n });
    await createEndpoint(db.sql, org, 'https://hooks.example.com', { threshold: 2 });
    const firedTimes = async () => (await bodies()).map((one) => one.observed_at.slice(11, -1));
    await flush(n, ['2026-11-20T10:00:00Z', 1], ['2026-11-20T10:00:00.500Z', 2]);
    await flush(n, ['2026-11-20T10:10:00Z', 1], ['2026-11-20T10:30:00.499Z', 3]);
    expect(await firedTimes()).toEqual(['10:00:00.500']);
    await flush(n, ['2026-11-20T10:40:00Z', 4]);
    expect(await firedTimes()).toEqual(['10:00:00.500']);
    await flush(n, ['2026-11-20T10:41:00Z', 1], ['2026-11-20T10:42:00Z', 2]);
    expect(await firedTimes()).toEqual(['10:00:00.500', '10:42:00.000']);
    await flush(n, ['2026-11-20T10:50:00Z', 1], ['2026-11-20T11:12:00.000Z', 2]);
    expect(await firedTimes()).toEqual(['10:00:00.500', '10:42:00.000', '11:12:00.000']);
  });

  test('does not fire for a candidate or a withdrawn pair', async () => {
    const [candidate, withdrawn] = [next++, next++];
    await putPair(db.sql, { n: candidate, stage: 'candidate' });
    await putPair(db.sql, { n: withdrawn });
    await createEndpoint(db.sql, org, 'https://hooks.example.com', { threshold: 2 });
    for (const n of [candidate, withdrawn]) await flush(n, ['2026-11-20T11:00:00Z', 1]);
    await changePair(db.sql, withdrawn, { withdrawn_at: '2026-11-20T11:00:01Z', withdrawn_code: 'test' });
    for (const n of [candidate, withdrawn]) await flush(n, ['2026-11-20T11:00:02Z', 3]);
    expect(await bodies()).toEqual([]);
  });

  test('fires nothing when the flush is rolled back', async () => {
    const n = next++;
    await putPair(db.sql, { n });
    await createEndpoint(db.sql, org, 'https://hooks.example.com', { threshold: 2 });
    await flush(n, ['2026-11-20T11:00:00Z', 1]);
    await db.sql
      .begin(async (sql) => {
        await sql`select webhook.detect_crossings(array[row(${uuidOf(n)}, '2026-11-20T11:00:01Z', 1, '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', null, null, null, 9, null)::price.price_update])`;
        expect(await sql`select from webhook.deliveries`).toHaveLength(1);
        throw new Error('rolled back');
      })
      .catch(() => {});
    expect(await bodies()).toEqual([]);
  });
});

test('a concurrent deletion of an endpoint neither blocks nor fails a flush', async () => {
  const n = next++;
  await putPair(db.sql, { n });
  const { id } = await createEndpoint(db.sql, org, 'https://hooks.example.com', { threshold: 2 });
  const { id: other } = await createEndpoint(db.sql, org, 'https://hooks.example.com', {
    events: ['pair.created', 'spread.threshold'],
    threshold: 2,
  });
  await flush(n, ['2026-11-20T11:00:00Z', 1]);
  await db.sql.begin(async (deleting) => {
    await deleting`delete from webhook.endpoints where endpoint_id = ${id}`;
    await flush(n, ['2026-11-20T11:00:01Z', 3]);
    await putPair(db.sql, { n: next++ });
    await db.sql`select webhook.fire_pair_created()`;
  });
  expect((await bodies()).map((one) => [one.event, one.endpoint_id])).toEqual([
    ['spread.threshold', other],
    ['pair.created', other],
  ]);
});

describe('pair.created', () => {
  const announce = () => db.sql`select webhook.fire_pair_created()`;

  test('fires once for each endpoint when a pair is first visible, and not for pairs older than the endpoint', async () => {
    const [older, fresh] = [next++, next++];
    await putPair(db.sql, { n: older });
    const { id } = await createEndpoint(db.sql, org, 'https://hooks.example.com');
    const { id: other } = await createEndpoint(
      db.sql,
      await organizationWithPlan(db.sql, 'basic'),
      'https://hooks.example.com',
    );
    await createEndpoint(db.sql, org, 'https://hooks.example.com', { threshold: 2 });
    await announce();
    expect(await bodies()).toEqual([]);
    await putPair(db.sql, { n: fresh, title: 'Fresh', sport: null, category: 'crypto', status: 'live' });
    await announce();
    await announce();
    const events = await bodies();
    expect(events.map((one) => one.endpoint_id).sort()).toEqual([id, other].sort());
    expect(events[0]).toEqual({
      event: 'pair.created',
      endpoint_id: expect.any(String),
      pair_id: idOf(fresh),
      slug: `pair-${fresh}`,
      title: 'Fresh',
      sport: null,
      category: 'crypto',
      status: 'live',
      created_at: '2026-11-19T00:00:00.000Z',
    });
  });

  test('fires when a candidate enters the catalog, and not again when a withdrawn pair returns', async () => {
    const n = next++;
    await createEndpoint(db.sql, org, 'https://hooks.example.com');
    await putPair(db.sql, { n, stage: 'candidate' });
    await announce();
    expect(await bodies()).toEqual([]);
    await changePair(db.sql, n, { stage: 'catalog' });
    await announce();
    expect(await bodies()).toMatchObject([{ pair_id: idOf(n) }]);
    await changePair(db.sql, n, { withdrawn_at: '2026-11-20T11:00:00Z', withdrawn_code: 'test' });
    await announce();
    await changePair(db.sql, n, { withdrawn_at: null, withdrawn_code: null });
    await announce();
    expect(await bodies()).toHaveLength(1);
  });

  test('does not fire for a pair that was over when first seen, or for a paused or disabled endpoint', async () => {
    const paused = await organizationWithPlan(db.sql);
    await createEndpoint(db.sql, paused, 'https://hooks.example.com');
    await db.sql`select account.set_plan(${paused}, 'free', 'active', 'test')`;
    await createEndpoint(db.sql, org, 'https://hooks.example.com');
    await db.sql`update webhook.endpoints set disabled_at = now(), disabled_reason = 'delivery_failures' where org_id = ${org}`;
    const active = await organizationWithPlan(db.sql);
    await createEndpoint(db.sql, active, 'https://hooks.example.com');
    await putPair(db.sql, { n: next++, status: 'settled' });
    await putPair(db.sql, { n: next++, status: 'closed' });
    await announce();
    expect(await bodies()).toEqual([]);
    await putPair(db.sql, { n: next++ });
    await announce();
    expect(await bodies()).toHaveLength(1);
  });
});

describe('waking the sender', () => {
  test('applies prices and writes the delivery when the Vault is empty', async () => {
    const n = next++;
    await putPair(db.sql, { n });
    await createEndpoint(db.sql, org, 'https://hooks.example.com', { threshold: 2 });
    await flush(n, ['2026-11-20T11:00:00Z', 1], ['2026-11-20T11:00:01Z', 3]);
    expect(await bodies()).toHaveLength(1);
  });

  test('calls once for many flushes, not while a sender is awake, and once when it stops with work left', async () => {
    await db.sql`select vault.create_secret('http://127.0.0.1:1', 'project_url'), vault.create_secret('x', 'cron_key')`;
    const calls = async () =>
      (await db.sql<{ url: string }[]>`select url from net.http_request_queue`).map((row) => row.url);
    const resetLastCall = () => db.sql`select setval('webhook.deliver_called_ms', 1)`;
    const { id } = await createEndpoint(db.sql, org, 'https://hooks.example.com');
    await resetLastCall();
    for (let i = 0; i < 5; i++) await db.sql`select webhook.send_ping(${id})`;
    expect(await calls()).toEqual(['http://127.0.0.1:1/functions/v1/deliver']);
    await resetLastCall();
    await db.sql`select * from webhook.claim_deliveries(1, 1, interval '5 seconds')`;
    await db.sql`select webhook.send_ping(${id})`;
    expect(await calls()).toHaveLength(1);
    await db.sql`select webhook.release_sender()`;
    expect(await calls()).toHaveLength(2);
    await resetLastCall();
    await db.sql`select webhook.wake_if_due()`;
    expect(await calls()).toHaveLength(3);
    await db.sql`delete from webhook.deliveries`;
    await resetLastCall();
    await db.sql`select webhook.wake_if_due()`;
    expect(await calls()).toHaveLength(3);
  });
});

test('keeps deliveries for seven days and drops those of a paused endpoint, which can be replayed', async () => {
  const { id } = await createEndpoint(db.sql, org, 'https://hooks.example.com');
  await db.sql`
    insert into webhook.deliveries (endpoint_id, event, body, state, due_at, created_at)
    values (${id}, 'ping', '1', 'delivered', null, now() - interval '7 days 1 minute'),
           (${id}, 'ping', '2', 'failed', null, now() - interval '6 days 23 hours'),
           (${id}, 'ping', '3', 'waiting', now(), now())`;
  await db.sql`select webhook.purge_expired()`;
  expect(await bodies()).toEqual([2, 3]);
  await db.sql`select account.set_plan(${org}, 'free', 'active', 'test')`;
  await db.sql`select webhook.purge_expired()`;
  const [dropped] = await db.sql`select delivery_id, state, last_error from webhook.deliveries where body = '3'`;
  expect(dropped).toMatchObject({ state: 'dropped', last_error: 'endpoint.paused' });
  expect(await db.sql`select * from webhook.claim_deliveries(10, 10, interval '5 seconds')`).toHaveLength(0);
  await db.sql`select account.set_plan(${org}, 'pro', 'active', 'test'), webhook.replay_delivery(${dropped?.delivery_id})`;
  expect(await db.sql`select * from webhook.claim_deliveries(10, 10, interval '5 seconds')`).toHaveLength(1);
});

test('keeps what a trigger remembers of a market while it trades, and a threshold for a day', async () => {
  const { id } = await createEndpoint(db.sql, org, 'https://hooks.example.com');
  await putPair(db.sql, { n: 91 });
  const statuses = ['open', 'live', 'resolving', 'settled', 'closed'];
  for (const [at, status] of statuses.entries()) {
    await putPair(db.sql, { n: 80 + at, status });
    await db.sql`insert into webhook.announced_pairs (pair_id) values (${uuidOf(80 + at)})`;
  }
  // No pair has this id any more.
  await db.sql`insert into webhook.announced_pairs (pair_id) values (${uuidOf(99)})`;
  await db.sql`
    insert into webhook.threshold_firings (endpoint_id, pair_id, fired_at)
    values (${id}, ${uuidOf(80)}, clock.now() - interval '1 day 1 minute'),
           (${id}, ${uuidOf(81)}, clock.now() - interval '23 hours 59 minutes')`;
  await db.sql`select webhook.purge_expired()`;
  const kept = await db.sql<{ pair_id: string }[]>`
    select pair_id from webhook.announced_pairs where pair_id >= ${uuidOf(80)} order by pair_id`;
  expect(kept.map(({ pair_id }) => pair_id)).toEqual([80, 81, 82].map(uuidOf));
  expect(await db.sql`select pair_id from webhook.threshold_firings`).toEqual([{ pair_id: uuidOf(81) }]);
});

test('parallax_deliver may execute its four functions and use no table', async () => {
  const rows = await db.sql<{ called: string }[]>`
    select p.oid::regprocedure::text as called from pg_proc p join pg_namespace n on n.oid = p.pronamespace
    where n.nspname not in ('pg_catalog', 'information_schema', 'auth', 'extensions', 'realtime', 'storage')
      and has_schema_privilege('parallax_deliver', n.oid, 'usage') and has_function_privilege('parallax_deliver', p.oid, 'execute')`;
  expect(rows.map((row) => row.called).sort()).toEqual([
    'pipeline.record_results(jsonb)',
    'webhook.claim_deliveries(integer,integer,interval)',
    'webhook.filter_public_addresses(text[])',
    'webhook.release_sender()',
  ]);
  const tables = await db.sql`
    select c.oid::regclass::text as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname not in ('pg_catalog', 'information_schema', 'auth', 'extensions', 'realtime', 'storage')
      and c.relkind in ('r', 'p', 'v', 'S') and has_schema_privilege('parallax_deliver', n.oid, 'usage')
      and case c.relkind when 'S' then has_sequence_privilege('parallax_deliver', c.oid, 'usage, select, update')
          else has_table_privilege('parallax_deliver', c.oid, 'select, insert, update, delete') end`;
  expect(tables).toEqual([]);
});
