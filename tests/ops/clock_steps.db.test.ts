import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { mint, organization, person, rpc } from '../account/support/people.ts';
import { holdShardLeases, putPair, putUpdate, uuidOf } from '../api/support/catalog.ts';
import { flush, good } from '../arb/fixture.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { createEndpoint, enqueue, organizationWithPlan } from '../webhook/support/sender.ts';

// Guarantee: nothing waits until the clock catches up (docs/clocks.md). Each test writes the times
// that a clock leaves behind that was an hour ahead and was set back.

let db: TestDatabase;
beforeAll(async () => {
  db = await createDatabase();
  await holdShardLeases(db.sql);
});
afterAll(() => db.close());

const one = async <T>(query: PromiseLike<readonly Record<string, unknown>[]>) => {
  const [row] = await query;
  return Object.values(row ?? {})[0] as T;
};

describe('after the clock was set back by an hour, leases', () => {
  const lease = 'books:0';
  const other = randomUUID();
  beforeEach(async () => {
    await db.sql`
      update venue.leases
      set holder = gen_random_uuid(), token = 7, expires_at = clock_timestamp() + interval '1 hour 10 seconds',
          ttl = interval '10 seconds', handover_at = null, successor = null, successor_expires_at = null
      where name = ${lease}`;
  });
  afterAll(() => holdShardLeases(db.sql));

  test('a lease of the future is free for another reader, which sends every price again', async () => {
    const claimed = await db.sql`
      select name, warm from venue.claim_leases(${other}, ${lease}, 1, interval '10 seconds', null)`;
    expect(claimed.map((row) => ({ ...row }))).toEqual([{ name: lease, warm: false }]);
  });

  test('a lease of the future is not renewed, because its prices may have been voided', async () => {
    const holder = await one<string>(db.sql`select holder from venue.leases where name = ${lease}`);
    const tokens = db.sql.json({ [lease]: 7 });
    expect(await db.sql`select name from venue.renew_leases(${holder}, ${tokens}, interval '10 seconds')`).toEqual([]);
  });

  test('a lease of the future can be taken over, and the reservation of its successor is over', async () => {
    await db.sql`
      update venue.leases
      set expires_at = clock_timestamp() + interval '9 seconds', handover_at = clock_timestamp(),
          successor = gen_random_uuid(), successor_expires_at = clock_timestamp() + interval '1 hour'
      where name = ${lease}`;
    const [warm] = await db.sql`
      select warm from venue.claim_leases(${other}, ${lease}, 1, interval '10 seconds', null)`;
    expect(warm?.warm).toBe(true);
    await db.sql`update venue.leases set expires_at = clock_timestamp() + interval '1 hour' where name = ${lease}`;
    const taken = db.sql`select venue.take_over_lease(${randomUUID()}, ${lease}, interval '10 seconds', null)`;
    expect(await one(taken)).toBe('8');
  });

  test('a lease of the future leaves its pairs unread, as of now', async () => {
    await putPair(db.sql, { n: 90 });
    await db.sql`update catalog.pairs set shard_key = 0 where pair_id = ${uuidOf(90)}`;
    const [unread] = await db.sql`
      select expires_at <= clock_timestamp() as past from price.unread_pairs where pair_id = ${uuidOf(90)}`;
    expect(unread?.past).toBe(true);
    await db.sql`delete from catalog.pairs where pair_id = ${uuidOf(90)}`;
  });

  test('a stream connection with a lease of the future holds no slot', async () => {
    const { owner, org } = await organization(db.sql);
    const { key, key_id } = await mint(db.sql, owner, org);
    await db.sql`
      insert into stream.connections (connection_id, org_id, key_id, server_id, lease_until)
      values (gen_random_uuid(), ${org}, ${key_id}, gen_random_uuid(), clock_timestamp() + interval '1 hour')`;
    const [minted] = await db.sql<{ ticket: string }[]>`
      select stream.mint_ticket(account.key_hash(${key})) ->> 'ticket' as ticket
      from (select set_config('parallax.org', ${org}, true)) as admitted`;
    const opened = await one<{ refused?: string; org_id?: string }>(db.sql`
      select stream.open_connection(sha256(convert_to(${minted?.ticket ?? ''}, 'UTF8')), ${randomUUID()}, ${randomUUID()})`);
    expect(opened).toMatchObject({ org_id: org });
  });
});

describe('after the clock was set back by an hour, admission', () => {
  const admit = async (org: string) => {
    const [row] = await db.sql<{ code: string | null; window_left_s: number; month_used: number }[]>`
      select code, window_left_s, month_used from account.count_request(${org}, true, 1, 1, null)`;
    return row;
  };

  test('begins a new window instead of a Retry-After of an hour', async () => {
    const { org } = await organization(db.sql);
    await db.sql`
      update account.usage set window_began_at = clock_timestamp() + interval '1 hour', window_used = 600
      where org_id = ${org}`;
    const displayed = await db.sql`
      select u.window_used from api.my_usage u where u.org_id = ${org}`;
    expect(displayed[0]?.window_used).toBe(0);
    expect(await admit(org)).toMatchObject({ code: null, window_left_s: 60 });
  });

  test('leaves a request lease of the future counted, and deletes it with the purge', async () => {
    const { org } = await organization(db.sql);
    await db.sql`update account.usage set window_used = 50, month_used = 50 where org_id = ${org}`;
    const lease = await one<string>(db.sql`
      insert into account.request_leases (org_id, window_began_at, month, key_id, day, granted, expires_at)
      select u.org_id, u.window_began_at, u.month, gen_random_uuid(), u.day, 40, clock_timestamp() + interval '1 hour'
      from account.usage u
      where u.org_id = ${org}
      returning lease_id`);
    await db.sql`select account.purge_expired()`;
    expect(await db.sql`select from account.request_leases where lease_id = ${lease}`).toHaveLength(0);
    await db.sql`select account.return_requests(${lease}, 40, 40)`;
    const [usage] = await db.sql`select window_used, month_used from account.usage where org_id = ${org}`;
    expect({ ...usage }).toEqual({ window_used: 50, month_used: 50 });
  });

  test('goes on with the count of a month that the clock had left, and keeps the other', async () => {
    const { org } = await organization(db.sql);
    await db.sql`update account.usage set month_used = 700 where org_id = ${org}`;
    const month = await one<Date>(db.sql`select month from account.usage where org_id = ${org}`);
    // The clock was in the next month: admission stored this month and began that one.
    await db.sql`
      with moved as (
        insert into account.monthly_usage (org_id, month, used)
        select org_id, month, month_used from account.usage where org_id = ${org}
      )
      update account.usage set month = month + interval '1 month', month_used = 3 where org_id = ${org}`;
    const displayed = await one(db.sql`select month_used from api.my_usage where org_id = ${org}`);
    expect(displayed).toBe(700);
    expect(await admit(org)).toMatchObject({ code: null, month_used: 701 });
    expect(await admit(org)).toMatchObject({ month_used: 702 });
    const [usage] = await db.sql`select month, month_used from account.usage where org_id = ${org}`;
    expect({ ...usage }).toEqual({ month, month_used: 702 });
    const kept = await db.sql`select used from account.monthly_usage where org_id = ${org}`;
    expect(kept.map((row) => row.used)).toEqual([3]);
  });

  test('counts no Realtime token of the future', async () => {
    const { owner, org } = await organization(db.sql);
    await mint(db.sql, owner, org);
    await db.sql`
      insert into stream.realtime_grants (org_id, expires_at) values (${org}, clock_timestamp() + interval '1 hour')`;
    expect(await one(db.sql`select stream.take_realtime_grant(${org}, 1)`)).toMatch(/^[0-9a-f-]{36}$/);
    await db.sql`select stream.purge_tickets()`;
    expect(await db.sql`select from stream.realtime_grants where org_id = ${org}`).toHaveLength(1);
  });
});

describe('after the clock was set back by an hour, a credential that lives too long', () => {
  test('is no key that was revoked in the future', async () => {
    const { owner, org } = await organization(db.sql);
    const { key } = await mint(db.sql, owner, org);
    await db.sql`update account.keys set revoked_at = clock_timestamp() + interval '1 hour' where org_id = ${org}`;
    const code = db.sql`select code from account.admit(account.key_hash(${key}), true, 1, 1)`;
    expect(await one(code)).toBe('auth.revoked_key');
  });

  test('is no invitation', async () => {
    const { owner, org } = await organization(db.sql);
    const { code } = await rpc<{ code: string }>(db.sql, owner, `invite_member('${org}', 'member')`);
    await db.sql`
      update account.invitations set expires_at = clock_timestamp() + interval '7 days 1 hour' where org_id = ${org}`;
    await expect(rpc(db.sql, await person(db.sql), `accept_invitation('${code}')`)).rejects.toMatchObject({
      code: 'invitation.not_found',
    });
    await db.sql`select account.purge_expired()`;
    expect(await db.sql`select from account.invitations where org_id = ${org}`).toEqual([]);
  });

  test('is no ticket', async () => {
    const { owner, org } = await organization(db.sql);
    const { key_id } = await mint(db.sql, owner, org);
    const ticket = (expires: string) => db.sql`
      insert into stream.tickets (hash, org_id, key_id, expires_at)
      values (sha256('old'), ${org}, ${key_id}, clock_timestamp() + ${expires}::interval)`;
    await ticket('1 hour');
    const opened = db.sql`select stream.open_connection(sha256('old'), ${randomUUID()}, ${randomUUID()})`;
    expect(await one(opened)).toEqual({ refused: 'ticket' });
    await ticket('1 hour');
    await db.sql`select stream.purge_tickets()`;
    expect(await db.sql`select from stream.tickets where org_id = ${org}`).toEqual([]);
  });

  test('is no session that may delete its account', async () => {
    const { owner } = await organization(db.sql);
    await db.sql`
      update auth.sessions set created_at = clock_timestamp() + interval '50 minutes' where id = ${owner.session}`;
    await expect(rpc(db.sql, owner, `delete_account('${owner.email}')`)).rejects.toMatchObject({
      code: 'session.not_recent',
    });
  });
});

describe('after the clock was set back by an hour, a limit of a day', () => {
  test('counts no change of the future', async () => {
    const { owner, org } = await organization(db.sql);
    await db.sql`
      insert into account.audit (org_id, at, actor, action)
      select ${org}, clock_timestamp() + interval '1 hour', 'operator', 'key.minted' from generate_series(1, 1000)`;
    expect(await mint(db.sql, owner, org)).toMatchObject({ name: 'a key' });
  });

  test('counts no organization and no ping of the future', async () => {
    const who = await person(db.sql);
    await db.sql`
      insert into account.audit (org_id, at, actor, actor_id, action)
      select gen_random_uuid(), clock_timestamp() + interval '1 hour', ${who.email}, ${who.id}, 'organization.created'
      from generate_series(1, 10)`;
    const { org_id } = await rpc<{ org_id: string }>(db.sql, who, 'start_session()');
    await db.sql`select account.set_plan(${org_id}, 'pro', 'active')`;
    const { id } = await createEndpoint(db.sql, org_id, 'https://hooks.example.com/in');
    await db.sql`
      insert into webhook.deliveries (endpoint_id, event, body, state, due_at, created_at)
      select ${id}, 'ping', '{}', 'delivered', null, clock_timestamp() + interval '1 hour' from generate_series(1, 100)`;
    expect(await rpc(db.sql, who, `test_webhook('${id}')`)).toMatchObject({ delivery_id: expect.any(String) });
  });
});

describe('after the clock was set back by an hour, webhooks', () => {
  let endpoint: { id: string };
  beforeAll(async () => {
    endpoint = await createEndpoint(db.sql, await organizationWithPlan(db.sql), 'https://hooks.example.com/clock');
    await db.sql`select vault.create_secret('http://127.0.0.1:1', 'project_url'), vault.create_secret('key', 'cron_key')`;
  });
  beforeEach(() => db.sql`delete from webhook.deliveries`);
  const calls = () => one<number>(db.sql`select count(*)::int from net.http_request_queue where url like '%/deliver'`);

  test('are due at once where a retry was due later, and an attempt in progress after one lease', async () => {
    const [retry = '', claimed = ''] = await enqueue(db.sql, endpoint.id, 2);
    await db.sql`
      update webhook.deliveries set due_at = clock_timestamp() + interval '1 hour 25 seconds', attempts = 3
      where delivery_id = ${retry}`;
    await db.sql`
      update webhook.deliveries set due_at = clock_timestamp() + interval '1 hour 15 seconds', claim = gen_random_uuid()
      where delivery_id = ${claimed}`;
    const attempts = await db.sql`select delivery_id from webhook.claim_deliveries(10, 10, interval '5 seconds')`;
    expect(attempts.map((row) => row.delivery_id)).toEqual([retry]);
    const left = db.sql`
      select extract(epoch from due_at - clock_timestamp())::float8 from webhook.deliveries
      where delivery_id = ${claimed} and claim is not null`;
    expect(await one<number>(left)).toBeLessThanOrEqual(15);
  });

  test('wake the sender, although it was called and seemed awake in the future', async () => {
    const before = await calls();
    await db.sql`select setval('webhook.deliver_called_ms', (extract(epoch from clock_timestamp()) * 1000)::bigint + 3600000)`;
    await db.sql`update webhook.sender_state set awake_until = clock_timestamp() + interval '1 hour'`;
    await enqueue(db.sql, endpoint.id);
    await db.sql`update webhook.deliveries set due_at = clock_timestamp() + interval '1 hour'`;
    await db.sql`select webhook.wake_if_due()`;
    expect(await calls()).toBe(before + 1);
    // And a sender that claims states until when it is awake.
    await db.sql`update webhook.sender_state set awake_until = clock_timestamp() + interval '1 hour'`;
    await db.sql`select from webhook.claim_deliveries(1, 1, interval '5 seconds')`;
    const awake = db.sql`select awake_until < clock_timestamp() + interval '6 seconds' from webhook.sender_state`;
    expect(await one(awake)).toBe(true);
  });

  test('fire for an endpoint that was registered before', async () => {
    await db.sql`
      update webhook.endpoints set subscribed_at = clock_timestamp() + interval '1 hour' where endpoint_id = ${endpoint.id}`;
    await putPair(db.sql, { n: 91 });
    await db.sql`select webhook.fire_pair_created()`;
    expect(await db.sql`select from webhook.deliveries where endpoint_id = ${endpoint.id}`).toHaveLength(1);
  });
});

describe('after the clock was set back by an hour, prices', () => {
  let n = 0;
  const at = (offsetMs: number) => new Date(Date.now() + offsetMs).toISOString();
  const hour = 3_600_000;
  const latest = async () => {
    const [row] = await db.sql<{ ask: number; void_reason: string | null; ahead: boolean }[]>`
      select ask_a[1] as ask, void_reason, priced_at > clock.now() as ahead
      from price.latest_updates where pair_id = ${uuidOf(n)}`;
    return { ...row };
  };
  const future = () => db.sql`select from price.updates where pair_id = ${uuidOf(n)} and priced_at > clock.horizon()`;
  beforeEach(async () => {
    await holdShardLeases(db.sql);
    await putPair(db.sql, { n: ++n, confirmed: true });
    await putUpdate(db.sql, n, { at: at(-5_000), ask_a: [400_000, 610_000] });
    await putUpdate(db.sql, n, { at: at(hour), ask_a: [500_000, 610_000] });
    expect(await latest()).toMatchObject({ ask: 500_000, ahead: true });
  });

  test('go on with the next update, and those of the future are never served', async () => {
    await putUpdate(db.sql, n, { at: at(0), ask_a: [450_000, 610_000] });
    expect(await latest()).toMatchObject({ ask: 450_000, ahead: false });
    expect(await future()).toEqual([]);
  });

  test('end at once where no worker reads the pair', async () => {
    await db.sql`
      update venue.leases set expires_at = clock_timestamp() + interval '1 hour', ttl = interval '10 seconds'
      where name like 'books:%'`;
    await db.sql`select price.void_unread_pairs()`;
    expect(await latest()).toMatchObject({ void_reason: 'lease.expired', ahead: false });
    expect(await future()).toEqual([]);
  });

  test('close an opportunity that was opened in the future, and open the next one', async () => {
    await flush(db.sql, n, [{ at: at(hour + 1_000), opp: good(n) }]);
    await flush(db.sql, n, [{ at: at(10), opp: good(n) }]);
    await flush(db.sql, n, [{ at: at(30), opp: good(n), ask: 440_000 }]);
    const rows = await db.sql`
      select closed_at = 'infinity' as open, retracted_at is not null as retracted, opened_at > clock.now() as ahead
      from arb.opportunities where pair_id = ${uuidOf(n)} order by opened_at`;
    expect(rows.map((row) => ({ ...row }))).toEqual([
      { open: true, retracted: false, ahead: false },
      { open: false, retracted: true, ahead: true },
    ]);
  });

  test('are not listed further by a cursor of the future', async () => {
    await db.sql`
      insert into price.past_steps (change_no, ended_at) values (4711, clock_timestamp() + interval '1 hour')`;
    expect(await one(db.sql`select price.is_cursor_valid(4711)`)).toBe(false);
    await db.sql`select price.end_step(4712)`;
    expect(await db.sql`select from price.past_steps where change_no = 4711`).toEqual([]);
  });

  test('are read again: a sweep, a scope of the backtest and a feed do not wait for their time', async () => {
    await db.sql`
      insert into catalog.backtest_scopes (scope, state, days, requested_at, retry_at)
      values ('League', 'failed', 30, clock.now(), clock_timestamp() + interval '1 hour 10 minutes')`;
    expect(await one(db.sql`select catalog.start_backtest_scope()`)).toBe('League');
    await db.sql`
      insert into venue.sweeps (venue, sweep, finished_at) values ('venue_a', 4, clock.now() + interval '1 hour')
      on conflict (venue) do update set sweep = 4, finished_at = excluded.finished_at`;
    expect(await db.sql`select from venue.resume_sweep('venue_a', interval '5 minutes')`).toHaveLength(1);
    await db.sql`
      insert into venue.feeds (venue, source, last_message_at, last_alive_at)
      values ('venue_a', 'live', clock.now() + interval '1 hour', clock.now() + interval '1 hour')
      on conflict (venue) do update
      set last_message_at = excluded.last_message_at, last_alive_at = excluded.last_alive_at`;
    expect(await one(db.sql`select state from venue.feed_states() where venue = 'venue_a'`)).toBe('down');
  });
});

describe('after the clock was set back by an hour, the stream', () => {
  test('publishes the prices of the sample', async () => {
    await putPair(db.sql, { n: 92 });
    await putUpdate(db.sql, 92, { at: new Date().toISOString(), ask_a: [400_000, 610_000], ask_b: [410_000, 600_000] });
    await db.sql`
      insert into stream.sample_markets (pair_id, published_at, update_no)
      values (${uuidOf(92)}, clock_timestamp() + interval '1 hour', 0)`;
    expect(await one(db.sql`select stream.publish_sample_prices()`)).toBe(1);
    await db.sql`delete from stream.sample_markets`;
  });

  test('sends, repairs and publishes the sample', async () => {
    await db.sql`select stream.broadcast_pending()`;
    await db.sql`insert into stream.channels (channel) values ('status') on conflict do nothing`;
    await db.sql`
      insert into stream.broadcast_positions (channel, epoch, last_offset, beacon_at)
      select channel, epoch, 0, clock_timestamp() + interval '1 hour' from stream.channels where channel = 'status'
      on conflict (channel) do update set beacon_at = excluded.beacon_at`;
    await db.sql`
      update stream.flush_state
      set repaired_at = clock_timestamp() + interval '1 hour', refilled_at = clock_timestamp() + interval '1 hour',
          sample_hour = date_trunc('hour', clock_timestamp(), 'UTC') + interval '1 hour', tokens = 100`;
    await db.sql`select stream.broadcast_pending()`;
    const [state] = await db.sql`
      select repaired_at <= clock_timestamp() as repaired, tokens >= 0 as funded,
             sample_hour <= clock_timestamp() as sampled
      from stream.flush_state`;
    expect({ ...state }).toEqual({ repaired: true, funded: true, sampled: true });
    const beacon = db.sql`
      select beacon_at <= clock_timestamp() from stream.broadcast_positions where channel = 'status'`;
    expect(await one(beacon)).toBe(true);
  });
});
