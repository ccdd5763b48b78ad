import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import {
  addMember,
  as,
  asRole,
  claimsOf,
  expectRpcError,
  joinOrganization,
  mint,
  organization,
  type Person,
  registerEndpoint,
  rpc,
  start,
} from './support/people.ts';

// Calls every function and reads every view of schema api as each caller without rights to it.
let db: TestDatabase;
let org: string;
let owner: Person;
let stranger: Person;
let removed: Person;
let key: string;
let invitation: string;
let endpoint: string;
let delivery: string;
const unknownId = '00000000-0000-4000-8000-000000000000';
const [ended, over] = ['00000000-0000-4000-8000-0000000000e1', '00000000-0000-4000-8000-0000000000e2'];
beforeAll(async () => {
  db = await createDatabase();
  ({ owner, org } = await organization(db.sql));
  await db.sql`select account.set_plan(${org}, 'pro', 'active', 'test')`;
  key = (await mint(db.sql, owner, org)).key_id;
  invitation = (await rpc<{ invitation_id: string }>(db.sql, owner, `invite_member('${org}')`)).invitation_id;
  endpoint = (await registerEndpoint(db.sql, owner, org)).id;
  delivery = (await rpc<{ delivery_id: string }>(db.sql, owner, `test_webhook('${endpoint}')`)).delivery_id;
  stranger = (await organization(db.sql)).owner;
  removed = await addMember(db.sql, owner, org, 'owner');
  await rpc(db.sql, owner, `remove_member('${org}', '${removed.id}')`);
  await db.sql`
    insert into auth.sessions (id, user_id, not_after)
    values (${ended}, ${owner.id}, null), (${over}, ${owner.id}, clock_timestamp())`;
  await db.sql`delete from auth.sessions where id = ${ended}`;
  await db.sql`insert into account.monthly_usage (org_id, month, used) values (${org}, '2026-01-01', 7)`;
  await db.sql`
    insert into account.key_days (org_id, key_id, day, requests) values (${org}, ${key}, current_date - 1, 7)`;
});
afterAll(() => db.close());

/**
 * The call of each function with an id of another organization, and the expected code. A plain text
 * is a call that names no id of an organization.
 */
const cases = (): Record<string, { call: string; code: string } | string> => {
  const at = (call: string, code = 'organization.not_found') => ({ call, code });
  return {
    accept_invitation: `accept_invitation('x')`,
    start_session: `start_session('x')`,
    list_sessions: 'list_sessions()',
    end_session: `end_session('${unknownId}')`,
    read_account: 'read_account()',
    delete_account: `delete_account('x')`,
    get_channel_state: `get_channel_state('x')`,
    get_market_detail: `get_market_detail('x')`,
    get_market_history: `get_market_history('x')`,
    get_market_terms: `get_market_terms(array['x'])`,
    list_closed_opportunities: 'list_closed_opportunities()',
    explain_market: `explain_market('x')`,
    open_opportunities: `open_opportunities()`,
    list_rules: `list_rules()`,
    read_coverage: `read_coverage()`,
    read_insights: `read_insights()`,
    search_markets: `search_markets('x')`,
    read_rule: `read_rule('x')`,
    list_reviews: `list_reviews()`,
    read_review: `read_review('x')`,
    decide_review: `decide_review('x', 'confirm', 'y')`,
    report_bad_arb: `report_bad_arb('x', 'y')`,
    delete_organization: at(`delete_organization('${org}')`),
    invite_member: at(`invite_member('${org}', 'owner')`),
    leave_organization: at(`leave_organization('${org}')`),
    list_members: at(`list_members('${org}')`),
    mint_key: at(`mint_key('${org}', 'mine')`),
    remove_member: at(`remove_member('${org}', '${owner.id}')`),
    rename_key: at(`rename_key('${key}', 'mine')`, 'key.not_found'),
    rename_organization: at(`rename_organization('${org}', 'mine')`),
    revoke_key: at(`revoke_key('${key}')`, 'key.not_found'),
    rotate_key: at(`rotate_key('${key}', 0)`, 'key.not_found'),
    delete_webhook: at(`delete_webhook('${endpoint}')`, 'webhook.not_found'),
    list_webhook_deliveries: at(`list_webhook_deliveries('${endpoint}')`, 'webhook.not_found'),
    roll_webhook: at(`roll_webhook('${endpoint}')`, 'webhook.not_found'),
    test_webhook: at(`test_webhook('${endpoint}')`, 'webhook.not_found'),
    replay_delivery: at(`replay_delivery('${delivery}')`, 'delivery.not_found'),
    set_member_role: at(`set_member_role('${org}', '${stranger.id}', 'owner')`),
    withdraw_invitation: at(`withdraw_invitation('${invitation}')`, 'invitation.not_found'),
  };
};
/** The cases that name an id of an organization. */
const foreignCases = () => Object.values(cases()).filter((attempt) => typeof attempt !== 'string');
const calls = () => Object.values(cases()).map((attempt) => (typeof attempt === 'string' ? attempt : attempt.call));
const views = [
  ...['my_organizations', 'my_keys', 'my_invitations', 'my_usage', 'my_monthly_usage', 'my_key_days', 'my_audit'],
  'my_webhooks',
];
const tables = [
  'audit',
  'key_days',
  'keys',
  'members',
  'monthly_usage',
  'organizations',
  'subscriptions',
  'usage',
  'invitations',
];

/** All rows of the organization, to compare before and after. */
async function organizationRows(): Promise<unknown> {
  const found: unknown[] = [];
  for (const table of tables)
    found.push(await db.sql.unsafe(`select t::text from account.${table} t where org_id = '${org}'`));
  return found;
}

test('every function and view that a browser reaches is tried in this file', async () => {
  const functions = await db.sql<{ name: string }[]>`
    select distinct p.proname as name from pg_proc p
    where p.pronamespace = 'api'::regnamespace and has_function_privilege('authenticated', p.oid, 'execute')`;
  expect(functions.map((row) => row.name).sort()).toEqual(Object.keys(cases()).sort());
  const seen = await db.sql<{ name: string }[]>`
    select c.relname as name from pg_class c
    where c.relnamespace = 'api'::regnamespace and c.relkind = 'v' and has_table_privilege('authenticated', c.oid, 'select')`;
  expect(seen.map((row) => row.name).sort()).toEqual([...views, 'tiers'].sort());
});

describe.each([
  ['a member of another organization', () => stranger],
  ['a member who was removed', () => removed],
])('%s', (_, caller) => {
  test('gets 404 from each function, as for an unknown id, and changes nothing', async () => {
    const before = await organizationRows();
    for (const attempt of foreignCases()) await expectRpcError(rpc(db.sql, caller(), attempt.call), 404, attempt.code);
    await expectRpcError(registerEndpoint(db.sql, caller(), org), 404, 'organization.not_found');
    expect(await organizationRows()).toEqual(before);
    for (const attempt of foreignCases()) {
      const call = [org, key, invitation, endpoint, delivery].reduce(
        (text, id) => text.replaceAll(id, unknownId),
        attempt.call,
      );
      await expectRpcError(rpc(db.sql, caller(), call), 404, attempt.code);
    }
    await expectRpcError(registerEndpoint(db.sql, caller(), unknownId), 404, 'organization.not_found');
  });

  test('sees no row of the organization in any view or table', async () => {
    for (const view of views) {
      expect(await as(db.sql, caller(), `select * from api.${view} where org_id = '${org}'`), view).toEqual([]);
    }
    for (const table of tables) {
      expect(await as(db.sql, caller(), `select org_id from account.${table} where org_id = '${org}'`), table).toEqual(
        [],
      );
    }
  });
});

test('null arguments cause no internal error, also for a member', async () => {
  for (const attempt of foreignCases()) {
    const withNulls = attempt.call.replaceAll(/'[^']*'|\b\d+\b/g, 'null');
    await expectRpcError(rpc(db.sql, owner, withNulls), 404, attempt.code);
  }
});

describe.each([
  ['a token without a person', () => ({}), 401, 'session.none'],
  ['a token of a deleted person', () => ({ sub: unknownId, session_id: unknownId }), 401, 'session.none'],
  ['a token without a session', () => ({ sub: owner.id }), 401, 'session.ended'],
  ['a token whose session was signed out', () => ({ sub: owner.id, session_id: ended }), 401, 'session.ended'],
  ['a token whose session has reached its end', () => ({ sub: owner.id, session_id: over }), 401, 'session.ended'],
  ['a token with the session of another', () => ({ ...claimsOf(stranger), sub: owner.id }), 401, 'session.ended'],
])('%s', (_, claims, status, code) => {
  test('is rejected by every function, and sees no row', async () => {
    for (const call of calls()) {
      await expectRpcError(asRole(db.sql, 'authenticated', claims(), `select api.${call}`), status, code);
    }
    for (const view of views)
      expect([view, await asRole(db.sql, 'authenticated', claims(), `select * from api.${view}`)]).toEqual([view, []]);
  });
});

test('the role anon has no right on the schema', async () => {
  for (const call of calls()) {
    await expect(asRole(db.sql, 'anon', { sub: owner.id }, `select api.${call}`)).rejects.toThrow(/permission denied/);
  }
  for (const view of [...views, 'tiers'])
    await expect(asRole(db.sql, 'anon', { sub: owner.id }, `select * from api.${view}`)).rejects.toThrow(
      /permission denied/,
    );
});

test('an owner writes to no table except through the functions', async () => {
  for (const table of tables) {
    await expect(as(db.sql, owner, `delete from account.${table}`), table).rejects.toThrow(/permission denied/);
    await expect(as(db.sql, owner, `update account.${table} set org_id = org_id`), table).rejects.toThrow(
      /permission denied/,
    );
  }
  await expect(as(db.sql, owner, 'select hash from account.keys')).rejects.toThrow(/permission denied/);
  await expect(as(db.sql, owner, 'select hash from account.invitations')).rejects.toThrow(/permission denied/);
  await expect(as(db.sql, owner, 'update api.my_usage set window_used = 0')).rejects.toThrow(
    /permission denied|cannot update/,
  );
  await expect(as(db.sql, owner, `select account.set_plan('${org}', 'pro', 'active')`)).rejects.toThrow(
    /permission denied/,
  );
  await expect(as(db.sql, owner, `select account.insert_key('${org}', 'x')`)).rejects.toThrow(/permission denied/);
});

test('a member of two organizations sees both, each under its own id', async () => {
  const both = await addMember(db.sql, owner, org, 'member');
  const { org: second, owner: other } = await organization(db.sql);
  await joinOrganization(db.sql, both, { owner: other, org: second, role: 'owner' });
  expect(await as(db.sql, both, 'select org_id, role from api.my_organizations order by role')).toEqual([
    { org_id: org, role: 'member' },
    { org_id: second, role: 'owner' },
  ]);
  expect((await start(db.sql, both)).org_id).toBe(org);
  await expectRpcError(mint(db.sql, both, org), 403, 'role.owner_needed');
  await mint(db.sql, both, second);
});
