import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createDatabase, type TestDatabase } from '../support/database.ts';

// All functions and relations that a browser may reach. A new RPC is added here, and to
// callers.test.ts with the errors that it must return.
const executable = {
  anon: [],
  authenticated: [
    'account.accept_invitation(text)',
    'account.current_user_orgs()',
    'account.delete_account(text)',
    'account.delete_organization(uuid)',
    'account.end_session(uuid)',
    'account.invite_member(uuid,text)',
    'account.list_members(uuid)',
    'account.list_sessions()',
    'account.mint_own_key(uuid,text,timestamp with time zone,text)',
    'account.read_account()',
    'account.remove_member(uuid,uuid)',
    'account.rename_key(uuid,text)',
    'account.rename_organization(uuid,text)',
    'account.revoke_key(uuid)',
    'account.rotate_key(uuid,integer)',
    'account.set_member_role(uuid,uuid,text)',
    'account.start_session(text)',
    'account.withdraw_invitation(uuid)',
    'api.accept_invitation(text)',
    'api.decide_review(text,text,text,text,text,text)',
    'api.delete_account(text)',
    'api.delete_organization(uuid)',
    'api.delete_webhook(uuid)',
    'api.end_session(uuid)',
    'api.explain_market(text)',
    'api.get_channel_state(text)',
    'api.get_market_detail(text)',
    'api.get_market_history(text)',
    'api.get_market_terms(text[])',
    'api.invite_member(uuid,text)',
    'api.leave_organization(uuid)',
    'api.list_closed_opportunities(text)',
    'api.list_members(uuid)',
    'api.list_reviews(text)',
    'api.list_rules(text)',
    'api.list_sessions()',
    'api.list_webhook_deliveries(uuid,text,uuid)',
    'api.mint_key(uuid,text,timestamp with time zone,text)',
    'api.open_opportunities()',
    'api.read_account()',
    'api.read_coverage()',
    'api.read_insights()',
    'api.read_review(text)',
    'api.read_rule(text)',
    'api.remove_member(uuid,uuid)',
    'api.rename_key(uuid,text)',
    'api.rename_organization(uuid,text)',
    'api.replay_delivery(uuid)',
    'api.report_bad_arb(text,text,text)',
    'api.revoke_key(uuid)',
    'api.roll_webhook(uuid)',
    'api.rotate_key(uuid,integer)',
    'api.search_markets(text)',
    'api.set_member_role(uuid,uuid,text)',
    'api.start_session(text)',
    'api.test_webhook(uuid)',
    'api.withdraw_invitation(uuid)',
    'base.format_time(timestamp with time zone)',
    'dashboard.closed_opportunities(text)',
    'dashboard.decide_review(text,text,text,text,text,text)',
    'dashboard.explain_market(text)',
    'dashboard.list_reviews(text)',
    'dashboard.list_rules(text)',
    'dashboard.market_detail(text)',
    'dashboard.market_history(text)',
    'dashboard.market_terms(text[])',
    'dashboard.open_opportunities()',
    'dashboard.read_coverage()',
    'dashboard.read_insights()',
    'dashboard.read_review(text)',
    'dashboard.read_rule(text)',
    'dashboard.search_markets(text)',
    'stream.dashboard_channel_state(text)',
    'stream.dashboard_report(text,text,text)',
    'stream.may_join_topic(text)',
    'webhook.dashboard_delete(uuid)',
    'webhook.dashboard_deliveries(uuid,text,uuid)',
    'webhook.dashboard_replay(uuid)',
    'webhook.dashboard_roll(uuid)',
    'webhook.dashboard_test(uuid)',
  ],
};
const readable = {
  anon: [],
  authenticated: [
    'account.audit: all',
    'account.invitations: created_at, expires_at, invitation_id, org_id, role',
    'account.key_days: all',
    'account.keys: created_at, expires_at, key_id, last_used_at, lifetime, name, org_id, prefix, revoked_at, scope',
    'account.members: all',
    'account.monthly_usage: all',
    'account.organizations: all',
    'account.subscriptions: all',
    'account.tiers: all',
    'account.usage: all',
    'api.my_audit: all',
    'api.my_invitations: all',
    'api.my_key_days: all',
    'api.my_keys: all',
    'api.my_monthly_usage: all',
    'api.my_organizations: all',
    'api.my_usage: all',
    'api.my_webhooks: all',
    'api.tiers: all',
    'webhook.deliveries: due_at, endpoint_id',
    'webhook.endpoint_summaries: all',
    'webhook.endpoints: created_at, disabled_at, disabled_reason, endpoint_id, events, failure_count, last_failure_at, last_success_at, min_edge_pct, min_profit_usd, min_spread_pts, org_id, previous_secret_until, secret_preview, url',
  ],
};
// Schemas whose rights the platform itself grants, such as the claims of the caller, extensions,
// and the policies of Realtime and Storage.
const platform = ['auth', 'extensions', 'information_schema', 'pg_catalog', 'realtime', 'storage'];

let db: TestDatabase;
beforeAll(async () => {
  db = await createDatabase();
});
afterAll(() => db.close());

describe.each(['anon', 'authenticated'] as const)('%s', (role) => {
  test('may execute the listed functions and no others, in all schemas', async () => {
    const rows = await db.sql<{ called: string }[]>`
      select p.oid::regprocedure::text as called
      from pg_proc p
      join pg_namespace n on n.oid = p.pronamespace
      where n.nspname <> all (${platform})
        and has_schema_privilege(${role}, n.oid, 'usage')
        and has_function_privilege(${role}, p.oid, 'execute')`;
    expect(rows.map((row) => row.called).sort()).toEqual(executable[role]);
  });

  test('may read the listed relations and no others, in all schemas, and write nothing', async () => {
    const rows = await db.sql<{ name: string; privilege: string; columns: string[]; whole: boolean }[]>`
      select c.oid::regclass::text as name, p.privilege, array_agg(a.attname order by a.attname collate "C") as columns,
             has_table_privilege(${role}, c.oid, p.privilege) as whole
      from pg_class c
      join pg_namespace n on n.oid = c.relnamespace
      join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
      cross join (values ('select'), ('insert'), ('update'), ('references')) p(privilege)
      where c.relkind in ('r', 'p', 'v', 'm', 'f')
        and n.nspname <> all (${platform})
        and has_schema_privilege(${role}, n.oid, 'usage')
        and has_column_privilege(${role}, c.oid, a.attnum, p.privilege)
      group by c.oid, p.privilege`;
    expect(rows.filter((row) => row.privilege !== 'select')).toEqual([]);
    expect(rows.map(({ name, whole, columns }) => `${name}: ${whole ? 'all' : columns.join(', ')}`).sort()).toEqual(
      readable[role],
    );
    const others = await db.sql`
      select c.oid::regclass::text as name, p.privilege
      from pg_class c
      join pg_namespace n on n.oid = c.relnamespace
      cross join (values ('delete'), ('truncate'), ('trigger')) p(privilege)
      where c.relkind in ('r', 'p', 'v', 'm', 'f')
        and n.nspname <> all (${platform})
        and has_schema_privilege(${role}, n.oid, 'usage')
        and has_table_privilege(${role}, c.oid, p.privilege)`;
    expect(others).toEqual([]);
  });

  test('may read no table of Auth', async () => {
    const rows = await db.sql`
      select c.oid::regclass::text as name
      from pg_class c
      where c.relnamespace = 'auth'::regnamespace
        and c.relkind in ('r', 'p', 'v')
        and has_table_privilege(${role}, c.oid, 'select, insert, update, delete')`;
    expect(rows).toEqual([]);
  });
});

test('every table of account and webhook forces row-level security; every view of api is security_invoker', async () => {
  expect(
    await db.sql`
      select c.relname from pg_class c
      where c.relnamespace in ('account'::regnamespace, 'webhook'::regnamespace) and c.relkind in ('r', 'p')
        and not (c.relrowsecurity and c.relforcerowsecurity)`,
  ).toEqual([]);
  expect(
    await db.sql`
      select c.relname from pg_class c
      where c.relnamespace = 'api'::regnamespace and c.relkind = 'v'
        and not coalesce(c.reloptions @> array['security_invoker=true'], false)`,
  ).toEqual([]);
});

test('no function of schema api is security definer, and every security definer has an empty search_path', async () => {
  expect(
    await db.sql`
      select p.oid::regprocedure::text as called from pg_proc p
      where p.pronamespace = 'api'::regnamespace and p.prosecdef`,
  ).toEqual([]);
  expect(
    await db.sql`
      select p.oid::regprocedure::text as called from pg_proc p
      where p.pronamespace in ('account'::regnamespace, 'stream'::regnamespace, 'webhook'::regnamespace) and p.prosecdef
        and not coalesce(p.proconfig @> array['search_path=""'], false)`,
  ).toEqual([]);
});
