import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  addMember,
  as,
  auditRows,
  expectRpcError,
  organization,
  type Person,
  registerEndpoint,
  rpc,
} from '../account/support/people.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';

// What a signed-in person can do with endpoints, and how the RPCs reject other callers.
let db: TestDatabase;
let owner: Person;
let member: Person;
let org: string;
beforeAll(async () => {
  db = await createDatabase();
});
afterAll(() => db.close());
beforeEach(async () => {
  ({ owner, org } = await organization(db.sql));
  await db.sql`select account.set_plan(${org}, 'basic', 'active', 'test')`;
  member = await addMember(db.sql, owner, org, 'member');
});

type Registration = Parameters<typeof registerEndpoint>[3];
const register = (person: Person, registration?: Registration) => registerEndpoint(db.sql, person, org, registration);
const listed = (person: Person) => as(db.sql, person, `select * from api.my_webhooks where org_id = '${org}'`);

describe('registering an endpoint with the session of an owner', () => {
  test('returns the secret once and keeps it only in the Vault', async () => {
    const created = await register(owner, { events: ['spread.threshold'], min_spread_pts: 2.5 });
    expect(created).toEqual({
      id: expect.any(String),
      url: 'https://hooks.example.com/in',
      events: ['spread.threshold'],
      min_spread_pts: 2.5,
      min_edge_pct: null,
      min_profit_usd: null,
      secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/),
      created_at: expect.stringMatching(/Z$/),
    });
    const [row] = await listed(owner);
    expect(row).toMatchObject({
      ...{ id: created.id, status: 'enabled', disabled_reason: null, failure_count: 0 },
      ...{ min_spread_pts: 2.5, secret_preview: created.secret.slice(0, 10), last_success_at: null },
    });
    expect(JSON.stringify(row)).not.toContain(created.secret);
    const rows = await db.sql`select to_jsonb(e)::text as row from webhook.endpoints e
      union all select to_jsonb(a)::text from account.audit a union all select to_jsonb(s)::text from vault.secrets s`;
    expect(rows.some((one) => one.row.includes(created.secret))).toBe(false);
    const [stored] =
      await db.sql`select decrypted_secret from vault.decrypted_secrets where name = ${`webhook:${created.id}`}`;
    expect(stored?.decrypted_secret).toBe(created.secret);
  });

  test('records in the audit who registered the endpoint', async () => {
    await register(owner);
    expect((await auditRows(db.sql, org)).at(-1)).toEqual([
      owner.email,
      'webhook.registered',
      'https://hooks.example.com/in',
    ]);
  });

  test('accepts only owners, on an active plan that includes webhooks', async () => {
    await expectRpcError(register(member), 403, 'role.owner_needed');
    await expectRpcError(register((await organization(db.sql)).owner), 404, 'organization.not_found');
    await expectRpcError(register({ ...owner, id: randomUUID() }), 401, 'session.none');
    await db.sql`select account.set_plan(${org}, 'basic', 'inactive', 'test')`;
    await expectRpcError(register(owner), 402, 'billing.inactive');
    await db.sql`select account.set_plan(${org}, 'free', 'active', 'test')`;
    await expectRpcError(register(owner), 403, 'webhook.tier');
  });

  test('allows three endpoints, disabled ones included, also when two owners register the third at once', async () => {
    const other = await addMember(db.sql, owner, org, 'owner');
    await register(owner);
    await register(owner);
    await db.sql`update webhook.endpoints set disabled_at = now(), disabled_reason = 'delivery_failures' where org_id = ${org}`;
    const both = await Promise.allSettled([register(owner), register(other)]);
    expect(both.map((one) => one.status).sort()).toEqual(['fulfilled', 'rejected']);
    await expectRpcError(register(owner), 409, 'webhook.limit');
    expect(await listed(owner)).toHaveLength(3);
  });

  test('counts against the rate-limit window of the organization', async () => {
    await register(owner);
    const [usage] = await db.sql`select window_used from account.usage where org_id = ${org}`;
    expect(usage?.window_used).toBe(1);
    await db.sql`update account.usage set window_used = 600 where org_id = ${org}`;
    await expectRpcError(register(owner), 429, 'rate.window');
  });

  test('removes duplicate events and accepts both bounds of the threshold', async () => {
    const events = ['pair.created', 'spread.threshold', 'pair.created'];
    const created = await register(owner, { events, min_spread_pts: 0.5 });
    expect(created.events).toEqual(['pair.created', 'spread.threshold']);
    expect((await register(owner, { events: ['spread.threshold'], min_spread_pts: 50 })).min_spread_pts).toBe(50);
  });
});

describe('the status of an endpoint', () => {
  test('is paused while the plan is Free or inactive, enabled when it is active again, and then disabled', async () => {
    await register(owner);
    const status = async () => (await listed(member))[0]?.status;
    expect(await status()).toBe('enabled');
    await db.sql`select account.set_plan(${org}, 'free', 'active', 'test')`;
    expect(await status()).toBe('paused');
    await db.sql`select account.set_plan(${org}, 'pro', 'inactive', 'test')`;
    expect(await status()).toBe('paused');
    await db.sql`select account.set_plan(${org}, 'pro', 'active', 'test')`;
    expect(await status()).toBe('enabled');
    await db.sql`update webhook.endpoints set disabled_at = now(), disabled_reason = 'delivery_failures' where org_id = ${org}`;
    expect(await status()).toBe('disabled');
  });
});

describe('delete_webhook', () => {
  test('removes the secret from the Vault and records the deletion, also on a Free plan', async () => {
    const { id } = await register(owner);
    await db.sql`select account.set_plan(${org}, 'free', 'active', 'test')`;
    await expectRpcError(rpc(db.sql, member, `delete_webhook('${id}')`), 403, 'role.owner_needed');
    await rpc(db.sql, owner, `delete_webhook('${id}')`);
    expect(await listed(owner)).toEqual([]);
    expect(await db.sql`select from vault.secrets where name = ${`webhook:${id}`}`).toHaveLength(0);
    expect((await auditRows(db.sql, org)).at(-1)).toEqual([
      owner.email,
      'webhook.deleted',
      'https://hooks.example.com/in',
    ]);
    await expectRpcError(rpc(db.sql, owner, `delete_webhook('${id}')`), 404, 'webhook.not_found');
  });

  test('deletes endpoints and their secrets with the organization', async () => {
    const { id } = await register(owner);
    await rpc(db.sql, owner, `delete_organization('${org}')`);
    expect(await db.sql`select from webhook.endpoints where endpoint_id = ${id}`).toHaveLength(0);
    expect(await db.sql`select from vault.secrets where name = ${`webhook:${id}`}`).toHaveLength(0);
  });
});

describe('test pings, delivery history and replays', () => {
  type Delivery = { delivery_id: string; state: string; event: string; body: string; attempts: number };
  const deliveries = async (person: Person, id: string) =>
    (await as(db.sql, person, `select * from api.list_webhook_deliveries('${id}')`)) as unknown as Delivery[];

  test('lets owners send one ping at a time, visible to members, and none to a disabled endpoint', async () => {
    const { id } = await register(owner);
    await expectRpcError(rpc(db.sql, member, `test_webhook('${id}')`), 403, 'role.owner_needed');
    const { delivery_id } = await rpc<{ delivery_id: string }>(db.sql, owner, `test_webhook('${id}')`);
    const [ping] = await deliveries(member, id);
    expect(ping).toMatchObject({
      delivery_id,
      event: 'ping',
      state: 'waiting',
      attempts: 0,
      next_attempt_at: expect.any(String),
    });
    expect(JSON.parse(ping?.body ?? '')).toEqual({
      event: 'ping',
      endpoint_id: id,
      created_at: expect.stringMatching(/Z$/),
    });
    await expectRpcError(rpc(db.sql, owner, `test_webhook('${id}')`), 409, 'webhook.busy');
    await db.sql`update webhook.endpoints set disabled_at = now(), disabled_reason = 'delivery_failures' where endpoint_id = ${id}`;
    await expectRpcError(rpc(db.sql, owner, `test_webhook('${id}')`), 409, 'webhook.disabled');
  });

  test('allows 100 pings of an endpoint in a day and does not count other deliveries', async () => {
    const { id } = await register(owner);
    const addDelivered = (event: string, times: number, ago: string) => db.sql`
      insert into webhook.deliveries (endpoint_id, event, body, state, due_at, created_at, finished_at)
      select ${id}, ${event}, '{}', 'delivered', null, clock_timestamp() - ${ago}::interval, clock_timestamp() from generate_series(1, ${times})`;
    await addDelivered('pair.created', 200, '1 minute');
    await addDelivered('ping', 100, '1 day 1 minute');
    await addDelivered('ping', 99, '23 hours 59 minutes');
    await rpc(db.sql, owner, `test_webhook('${id}')`);
    await db.sql`update webhook.deliveries set state = 'delivered', due_at = null where endpoint_id = ${id}`;
    await expectRpcError(rpc(db.sql, owner, `test_webhook('${id}')`), 409, 'webhook.tests');
  });

  test('pages through seven days of delivery history and filters it by state', async () => {
    const { id } = await register(owner);
    await db.sql`
      insert into webhook.deliveries (endpoint_id, event, body, state, due_at, created_at, last_status, last_error, last_answer)
      select ${id}::uuid, 'pair.created', '{}', case when g % 10 = 0 then 'failed' else 'delivered' end, null::timestamptz, now() - g * interval '1 minute',
             case when g % 10 = 0 then 500 else 200 end, case when g % 10 = 0 then 'status.500' end, 'thanks'
      from generate_series(1, 230) g
      union all select ${id}::uuid, 'pair.created', '{}', 'failed', null::timestamptz, now() - interval '7 days 1 second', 500, 'status.500', null`;
    const page = (rest = '') =>
      as(db.sql, member, `select * from api.list_webhook_deliveries('${id}'${rest})`) as unknown as Promise<Delivery[]>;
    const sizes: number[] = [];
    const seen = new Set<string>();
    for (let before = ''; ; ) {
      const rows = await page(before);
      if (rows.length === 0) break;
      sizes.push(rows.length);
      for (const row of rows) seen.add(row.delivery_id);
      before = `, null, '${rows.at(-1)?.delivery_id}'`;
    }
    expect([sizes, seen.size]).toEqual([[100, 100, 30], 230]);
    const failed = await page(`, 'failed'`);
    expect(failed).toHaveLength(23);
    expect(failed[0]).toMatchObject({
      state: 'failed',
      last_status: 500,
      last_error: 'status.500',
      last_answer: 'thanks',
    });
    await expectRpcError(page(`, 'lost'`), 422, 'delivery.state');
    // A delivery of another endpoint is not a position in the history of this one.
    const other = await register(owner);
    const { delivery_id } = await rpc<{ delivery_id: string }>(db.sql, owner, `test_webhook('${other.id}')`);
    expect(await page(`, null, '${delivery_id}'`)).toEqual([]);
  });

  test('replays a failed delivery with its id and body, and no waiting or delivered one', async () => {
    const { id } = await register(owner);
    const { delivery_id } = await rpc<{ delivery_id: string }>(db.sql, owner, `test_webhook('${id}')`);
    const [before] = await deliveries(owner, id);
    await expectRpcError(rpc(db.sql, owner, `replay_delivery('${delivery_id}')`), 409, 'delivery.not_failed');
    await db.sql`update webhook.deliveries set state = 'failed', due_at = null, attempts = 4, finished_at = now() where delivery_id = ${delivery_id}`;
    await expectRpcError(rpc(db.sql, member, `replay_delivery('${delivery_id}')`), 403, 'role.owner_needed');
    await rpc(db.sql, owner, `replay_delivery('${delivery_id}')`);
    expect(await deliveries(owner, id)).toMatchObject([
      { delivery_id, body: before?.body, state: 'waiting', attempts: 0, finished_at: null },
    ]);
    await db.sql`update webhook.deliveries set state = 'delivered', due_at = null where delivery_id = ${delivery_id}`;
    await expectRpcError(rpc(db.sql, owner, `replay_delivery('${delivery_id}')`), 409, 'delivery.not_failed');
  });
});
