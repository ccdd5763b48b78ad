import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { changePair, idOf, putPair, stopClock, uuidOf } from '../api/support/catalog.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { endpoint, organizationWithPlan } from './support/sender.ts';

// What fires events in the rooms that make them true: pipeline.apply_books and the catalog.
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
/** A flush of ingest's: gaps of a pair as asks, in points; null is a void frame. */
async function flush(pair: number, ...moves: [at: string, gap: number | null][]): Promise<void> {
  const [lease] = await db.sql<{ name: string; token: string }[]>`
    select c.name, c.token::text as token from venue.claim_leases(${holder}::uuid, 'books:', 64, interval '60 seconds', null) c`;
  const tokens = await db.sql<{ tokens: string }[]>`
    select jsonb_object_agg(l.name, l.token)::text as tokens from venue.leases l where l.holder = ${holder}::uuid`;
  expect(lease ?? tokens[0]?.tokens).toBeTruthy();
  const frames = moves.map(([at, gap]) => ({
    pair: uuidOf(pair),
    at: Date.parse(at),
    ask_a: gap === null ? [] : [400_000 + Math.round(gap * 10_000), 500_000],
    ask_b: gap === null ? [] : [400_000, 500_000],
    ...{ bid_a: [], bid_b: [], size_a: gap === null ? [] : [100, 100], size_b: gap === null ? [] : [100, 100] },
    ...{ read_a: Date.parse(at), read_b: Date.parse(at), void: gap === null ? 'feed.silent' : null },
  }));
  await db.sql`select pipeline.apply_books(${tokens[0]?.tokens ?? ''}::text::jsonb, ${JSON.stringify(frames)}::text::jsonb)`;
}
const bodies = async () =>
  (await db.sql<{ body: string }[]>`select body from webhook.deliveries order by created_at, delivery_id`).map((row) =>
    JSON.parse(row.body),
  );

describe('spread.threshold', () => {
  test('fires in the flush that crosses, with the gap and the time of the frame', async () => {
    const n = next++;
    await putPair(db.sql, { n, title: 'Say "who" wins' });
    const { id } = await endpoint(db.sql, org, 'https://hooks.example.com', { threshold: 2.5 });
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

  test('what was wide at registration is no crossing, and a price that was gone in between changes nothing', async () => {
    const n = next++;
    await putPair(db.sql, { n });
    await flush(n, ['2026-11-20T11:00:00Z', 1]);
    await endpoint(db.sql, org, 'https://hooks.example.com', { threshold: 2 });
    await flush(n, ['2026-11-20T11:00:01Z', 3]);
    expect(await bodies()).toEqual([]);
    await flush(n, ['2026-11-20T11:00:02Z', 1], ['2026-11-20T11:00:03Z', null], ['2026-11-20T11:00:04Z', 5]);
    expect(await bodies()).toMatchObject([{ spread_pts: 5 }]);
  });

  test('fires again 30 minutes after the last event and not a millisecond before; what came too early needs a new crossing', async () => {
    const n = next++;
    await putPair(db.sql, { n });
    await endpoint(db.sql, org, 'https://hooks.example.com', { threshold: 2 });
    const fired = async () => (await bodies()).map((one) => one.observed_at.slice(11, -1));
    await flush(n, ['2026-11-20T10:00:00Z', 1], ['2026-11-20T10:00:00.500Z', 2]);
    await flush(n, ['2026-11-20T10:10:00Z', 1], ['2026-11-20T10:30:00.499Z', 3]);
    expect(await fired()).toEqual(['10:00:00.500']);
    await flush(n, ['2026-11-20T10:40:00Z', 4]);
    expect(await fired()).toEqual(['10:00:00.500']);
    await flush(n, ['2026-11-20T10:41:00Z', 1], ['2026-11-20T10:42:00Z', 2]);
    expect(await fired()).toEqual(['10:00:00.500', '10:42:00.000']);
    await flush(n, ['2026-11-20T10:50:00Z', 1], ['2026-11-20T11:12:00.000Z', 2]);
    expect(await fired()).toEqual(['10:00:00.500', '10:42:00.000', '11:12:00.000']);
  });

  test('a candidate and a pair that was withdrawn fire nothing', async () => {
    const [candidate, withdrawn] = [next++, next++];
    await putPair(db.sql, { n: candidate, stage: 'candidate' });
    await putPair(db.sql, { n: withdrawn });
    await endpoint(db.sql, org, 'https://hooks.example.com', { threshold: 2 });
    for (const n of [candidate, withdrawn]) await flush(n, ['2026-11-20T11:00:00Z', 1]);
    await changePair(db.sql, withdrawn, { withdrawn_at: '2026-11-20T11:00:01Z', withdrawn_code: 'test' });
    for (const n of [candidate, withdrawn]) await flush(n, ['2026-11-20T11:00:02Z', 3]);
    expect(await bodies()).toEqual([]);
  });

  test('a flush that is rolled back has fired nothing', async () => {
    const n = next++;
    await putPair(db.sql, { n });
    await endpoint(db.sql, org, 'https://hooks.example.com', { threshold: 2 });
    await flush(n, ['2026-11-20T11:00:00Z', 1]);
    await db.sql
      .begin(async (sql) => {
        await sql`select webhook.detect_crossings(array[row(${uuidOf(n)}, '2026-11-20T11:00:01Z', 1, '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', null, null, null, 9, null)::price.price_update])`;
        expect(await sql`select from webhook.deliveries`).toHaveLength(1);
        throw new Error('undone');
      })
      .catch(() => {});
    expect(await bodies()).toEqual([]);
  });
});

test('an endpoint that is being deleted neither stops a flush nor fails it', async () => {
  const n = next++;
  await putPair(db.sql, { n });
  const { id } = await endpoint(db.sql, org, 'https://hooks.example.com', { threshold: 2 });
  const { id: other } = await endpoint(db.sql, org, 'https://hooks.example.com', {
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

  test('fires once for each endpoint when a pair is first visible, not for those that were there when it was registered', async () => {
    const [old, fresh] = [next++, next++];
    await putPair(db.sql, { n: old });
    const { id } = await endpoint(db.sql, org, 'https://hooks.example.com');
    const { id: other } = await endpoint(
      db.sql,
      await organizationWithPlan(db.sql, 'basic'),
      'https://hooks.example.com',
    );
    await endpoint(db.sql, org, 'https://hooks.example.com', { threshold: 2 });
    await announce();
    expect(await bodies()).toEqual([]);
    await putPair(db.sql, { n: fresh, title: 'Fresh', sport: null, category: 'crypto', status: 'live' });
    await announce();
    await announce();
    const told = await bodies();
    expect(told.map((one) => one.endpoint_id).sort()).toEqual([id, other].sort());
    expect(told[0]).toEqual({
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

  test('a candidate fires when it enters the catalog; a pair that left and came back does not fire again', async () => {
    const n = next++;
    await endpoint(db.sql, org, 'https://hooks.example.com');
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

  test('nothing fires for what was over before it was seen, for a paused endpoint, or for one that is disabled', async () => {
    const paused = await organizationWithPlan(db.sql);
    await endpoint(db.sql, paused, 'https://hooks.example.com');
    await db.sql`select account.set_plan(${paused}, 'free', 'active', 'test')`;
    await endpoint(db.sql, org, 'https://hooks.example.com');
    await db.sql`update webhook.endpoints set disabled_at = now(), disabled_reason = 'delivery_failures' where org_id = ${org}`;
    const listening = await organizationWithPlan(db.sql);
    await endpoint(db.sql, listening, 'https://hooks.example.com');
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
  test('a failing pg_net or an empty Vault is no reason to refuse a price', async () => {
    const n = next++;
    await putPair(db.sql, { n });
    await endpoint(db.sql, org, 'https://hooks.example.com', { threshold: 2 });
    await flush(n, ['2026-11-20T11:00:00Z', 1], ['2026-11-20T11:00:01Z', 3]);
    expect(await bodies()).toHaveLength(1);
  });

  test('one call for many flushes, none while a sender looks by itself, one when it leaves with work undone', async () => {
    await db.sql`select vault.create_secret('http://127.0.0.1:1', 'project_url'), vault.create_secret('x', 'cron_secret_key')`;
    const calls = async () =>
      (await db.sql<{ url: string }[]>`select url from net.http_request_queue`).map((row) => row.url);
    const wait = () => db.sql`select setval('webhook.deliver_called_ms', 1)`;
    const { id } = await endpoint(db.sql, org, 'https://hooks.example.com');
    await wait();
    for (let i = 0; i < 5; i++) await db.sql`select webhook.send_ping(${id})`;
    expect(await calls()).toEqual(['http://127.0.0.1:1/functions/v1/deliver']);
    await wait();
    await db.sql`select * from webhook.claim_deliveries(1, 1, interval '5 seconds')`;
    await db.sql`select webhook.send_ping(${id})`;
    expect(await calls()).toHaveLength(1);
    await db.sql`select webhook.release_sender()`;
    expect(await calls()).toHaveLength(2);
    await wait();
    await db.sql`select webhook.wake_if_due()`;
    expect(await calls()).toHaveLength(3);
    await db.sql`delete from webhook.deliveries`;
    await wait();
    await db.sql`select webhook.wake_if_due()`;
    expect(await calls()).toHaveLength(3);
  });
});

test('deliveries are kept for seven days, those of a paused endpoint are dropped and can be sent again', async () => {
  const { id } = await endpoint(db.sql, org, 'https://hooks.example.com');
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

test('the sender’s role reaches its four functions and no table', async () => {
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
