import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { putPair, stopClock, uuidOf } from '../api/support/catalog.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';

// One event may go to thousands of endpoints. Its cost in a flush is bounded, no delivery of it is
// lost, and no organization waits for the backlog of another.
const pairs = 60;
let db: TestDatabase;
beforeAll(async () => {
  db = await createDatabase();
  await stopClock(db.sql, '2026-11-20T12:00:00Z');
  for (let n = 1; n <= pairs; n++) await putPair(db.sql, { n });
  await db.sql`update webhook.settings set inline_deliveries = 500`;
});
afterAll(() => db.close());
beforeEach(async () => {
  await db.sql`delete from webhook.endpoints`;
  for (const table of ['fired_events', 'observed_spreads', 'announced_pairs'])
    await db.sql.unsafe(`delete from webhook.${table}`);
});

/** Inserts endpoints for both events with one threshold, three an organization, without secrets. */
async function endpoints(count: number, threshold = 3): Promise<void> {
  await db.sql`select webhook.fire_pair_created()`;
  await db.sql`delete from webhook.announced_pairs`;
  await db.sql`
    with orgs as materialized (
      select account.create_organization('org ' || g, 'pro') as org from generate_series(1, ${Math.ceil(count / 3)}::int) g
    )
    insert into webhook.endpoints (org_id, url, events, min_spread_pts, secret_id, secret_preview)
    select o.org, 'https://hooks.example.com/' || k, array['pair.created', 'spread.threshold'], ${threshold}, gen_random_uuid(), 'whsec_x'
    from orgs o, generate_series(1, 3) k
    limit ${count}`;
  await db.sql.unsafe('analyze webhook.endpoints');
}

/** Flushes this spread for the first `count` pairs and returns how long it took, ms. */
async function flush(spread: number, at: string, count = pairs): Promise<number> {
  const ids = Array.from({ length: count }, (_, n) => uuidOf(n + 1));
  const began = performance.now();
  await db.sql`
    select webhook.detect_crossings(array(
      select row(p.id, ${at}::timestamptz, p.n, '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', null, null, null, ${spread}::numeric, null)::price.price_update
      from unnest(${ids}::uuid[]) with ordinality p (id, n)))`;
  return performance.now() - began;
}
const countDeliveries = async () => {
  const [row] = await db.sql<{ n: number; combinations: number }[]>`
    select count(*)::int as n, count(distinct (endpoint_id, pair_id))::int as combinations from webhook.deliveries`;
  return row ?? { n: 0, combinations: 0 };
};
/** Fans out all events and returns the size of the largest batch. */
async function fanOutAll(limit = 500): Promise<number> {
  for (let largest = 0; ; ) {
    const [row] = await db.sql<{ n: number }[]>`select webhook.fan_out_events(${limit}) as n`;
    if (!row?.n) return largest;
    largest = Math.max(largest, row.n);
  }
}

describe('bounded fan-out', () => {
  test('a flush that crosses for 3,000 endpoints writes 500 deliveries; batches write the rest, each once', async () => {
    await endpoints(3_000);
    await flush(1, '2026-11-20T11:00:00Z', 4);
    await flush(1, '2026-11-20T11:00:01Z', 4);
    const took = await flush(4, '2026-11-20T11:00:02Z', 4);
    expect((await countDeliveries()).n).toBe(500);
    expect(await fanOutAll()).toBeLessThanOrEqual(500);
    expect(await countDeliveries()).toEqual({ n: 12_000, combinations: 12_000 });
    const quiet = await flush(4.5, '2026-11-20T11:00:03Z', 4);
    console.log(
      `4 pairs cross for 3,000 endpoints: ${took.toFixed(0)} ms of the flush; ${quiet.toFixed(0)} ms without a crossing`,
    );
  });

  test('60 new pairs for 1,000 endpoints write 60 events and 500 deliveries first, and 60,000 in the end', async () => {
    await endpoints(1_000);
    await db.sql`select webhook.fire_pair_created()`;
    expect((await countDeliveries()).n).toBe(500);
    expect(await db.sql`select from webhook.fired_events`).toHaveLength(60);
    await fanOutAll(2_000);
    expect(await countDeliveries()).toEqual({ n: 60_000, combinations: 60_000 });
  });

  test('fans out a threshold crossing before earlier new pairs', async () => {
    await endpoints(1_000);
    await flush(1, '2026-11-20T11:00:00Z', 1);
    await db.sql`select webhook.fire_pair_created()`;
    await flush(4, '2026-11-20T11:00:02Z', 1);
    await db.sql`select webhook.fan_out_events(1000)`;
    const [row] = await db.sql`select count(*)::int as n from webhook.deliveries where event = 'spread.threshold'`;
    expect(row?.n).toBe(1_000);
  });

  test('fans out no event to a later endpoint, and keeps the body from the time of the event', async () => {
    await db.sql`update webhook.settings set inline_deliveries = 0`;
    await endpoints(3);
    await db.sql`select webhook.fire_pair_created()`;
    await db.sql`update webhook.endpoints set subscribed_at = clock_timestamp() where url like '%/2'`;
    const [pair] = await db.sql`select title from catalog.pairs where pair_id = ${uuidOf(1)}`;
    await db.sql`update catalog.pairs set title = 'changed' where pair_id = ${uuidOf(1)}`;
    await fanOutAll();
    const bodies = await db.sql<{ body: string; url: string }[]>`
      select d.body, e.url from webhook.deliveries d join webhook.endpoints e using (endpoint_id) where d.pair_id = ${uuidOf(1)}`;
    expect(bodies.map((one) => [one.url.at(-1), JSON.parse(one.body).title]).sort()).toEqual([
      ['1', pair?.title],
      ['3', pair?.title],
    ]);
    await db.sql`update catalog.pairs set title = ${pair?.title} where pair_id = ${uuidOf(1)}`;
    await db.sql`update webhook.settings set inline_deliveries = 500`;
  });

  test('writes each event once under concurrent flushes and senders', async () => {
    await endpoints(300);
    await flush(1, '2026-11-20T10:00:00Z', 20);
    await flush(1, '2026-11-20T10:00:01Z', 20);
    let flushing = true;
    const senders = [1, 2, 3].map(async () => {
      while (flushing) await db.sql`select webhook.fan_out_events(70)`;
    });
    // Up, down and up again within 30 minutes is one event for each pair and endpoint.
    for (let n = 2; n < 12; n++) await flush(n % 2 ? 1 : 4, `2026-11-20T10:00:${String(n).padStart(2, '0')}Z`, 20);
    flushing = false;
    await Promise.all(senders);
    await fanOutAll();
    expect(await countDeliveries()).toEqual({ n: 6_000, combinations: 6_000 });
    const times = await db.sql<
      { at: string }[]
    >`select distinct body::json ->> 'observed_at' as at from webhook.deliveries`;
    expect(times.map((row) => row.at)).toEqual(['2026-11-20T10:00:02.000Z']);
  });

  test('wakes a sender for an event that no sender has fanned out', async () => {
    await db.sql`select vault.create_secret('http://127.0.0.1:1', 'project_url'), vault.create_secret('x', 'cron_key')`;
    await db.sql`update webhook.settings set inline_deliveries = 0`;
    await endpoints(3);
    await db.sql`select webhook.fire_pair_created()`;
    await db.sql`delete from net.http_request_queue`;
    await db.sql`select setval('webhook.deliver_called_ms', 1)`;
    await db.sql`select webhook.wake_if_due()`;
    expect(await db.sql`select from net.http_request_queue`).toHaveLength(1);
    // The first claim of the sender includes the deliveries that it fans out itself.
    expect(await db.sql`select * from webhook.claim_deliveries(64, 8, interval '5 seconds')`).toHaveLength(24);
    await db.sql`update webhook.settings set inline_deliveries = 500`;
  });
});

describe('fair claims across organizations', () => {
  const claim = (limit: number, lease = '5 seconds') => db.sql<{ org: string }[]>`
    select e.org_id as org from webhook.claim_deliveries(${limit}, 8, ${lease}::interval) c
    join webhook.deliveries d using (delivery_id) join webhook.endpoints e using (endpoint_id)`;
  const due = (condition: string, count: number, age: string) =>
    db.sql.unsafe(`
      insert into webhook.deliveries (endpoint_id, event, body, due_at, created_at)
      select e.endpoint_id, 'ping', '{}', clock_timestamp() - interval '${age}', clock_timestamp() - interval '${age}'
      from webhook.endpoints e, generate_series(1, ${count}) g where ${condition}`);

  test('the backlog of some organizations does not delay the first delivery of another', async () => {
    await endpoints(60);
    const [last] = await db.sql<
      { org: string }[]
    >`select org_id as org from webhook.endpoints order by org_id desc limit 1`;
    const org = last?.org ?? '';
    await due(`e.org_id <> '${org}'`, 50, '10 minutes');
    await due(`e.org_id = '${org}'`, 1, '1 second');
    const claimed = await claim(64);
    expect(claimed).toHaveLength(64);
    const claims = new Map<string, number>();
    for (const one of claimed) claims.set(one.org, (claims.get(one.org) ?? 0) + 1);
    expect(claims.size).toBe(20);
    expect(Math.max(...claims.values())).toBeLessThanOrEqual(4);
    expect(claims.get(org)).toBe(3);
  });

  test('skips a delivery that another sender has locked, without waiting', async () => {
    await endpoints(2);
    await due('true', 1, '1 minute');
    const claims = await db.sql.begin(async (holder) => {
      const [locked] = await holder<{ id: string }[]>`
        select delivery_id as id from webhook.deliveries order by delivery_id limit 1 for update`;
      const others = await db.sql.begin(async (sql) => {
        // A claim that waits would fail here, because the holder releases its lock only afterwards.
        await sql`set local lock_timeout = '3s'`;
        return await sql<
          { id: string }[]
        >`select delivery_id as id from webhook.claim_deliveries(64, 8, interval '5 seconds')`;
      });
      return { locked: locked?.id, others: others.map((one) => one.id) };
    });
    expect(claims.others).toHaveLength(1);
    expect(claims.others).not.toContain(claims.locked);
  });

  test('claims a delivery of each of 2,000 waiting endpoints within 60 claims', async () => {
    await endpoints(2_000);
    await due('true', 1, '1 minute');
    const began = performance.now();
    const sizes: number[] = [];
    let claimed = 0;
    while (claimed < 2_000 && sizes.length < 60) {
      // No claim ends before the last one, however slow the machine is.
      const some = (await claim(256, '1 hour')).length;
      sizes.push(some);
      claimed += some;
    }
    console.log(
      `2,000 endpoints: ${sizes.length} claims, ${((performance.now() - began) / sizes.length).toFixed(0)} ms each`,
    );
    expect(claimed).toBe(2_000);
  });
});
