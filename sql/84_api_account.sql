-- What the dashboard calls over PostgREST, as role authenticated. These functions and views run
-- with the rights of the caller: policies decide which rows are visible, functions of schema
-- account make the changes. anon has no right here. An error is {code, message} with its HTTP
-- status, from account.raise_error. Times are texts of base.format_time.

grant usage on schema api to authenticated;

create function api.start_session(p_name text default null) returns jsonb
language sql volatile
set search_path = ''
as $$ select account.start_session(p_name) $$;
comment on function api.start_session(text) is
  'Called after sign-in: {org_id, name, role, tier, status}. Creates an organization the first '
  'time.';

create function api.rename_organization(p_org_id uuid, p_name text) returns void
language sql volatile
set search_path = ''
as $$ select account.rename_organization(p_org_id, p_name) $$;
comment on function api.rename_organization(uuid, text) is
  'Owners: renames the organization, 1 to 200 characters.';

create function api.delete_organization(p_org_id uuid) returns void
language sql volatile
set search_path = ''
as $$ select account.delete_organization(p_org_id) $$;
comment on function api.delete_organization(uuid) is
  'Owners: deletes the organization with its keys, members and usage, at once and for good.';

create function api.list_members(p_org_id uuid) returns table (user_id uuid, email text, role text, since text)
language sql stable
set search_path = ''
as $$ select * from account.list_members(p_org_id) $$;
comment on function api.list_members(uuid) is 'The members of an organization of the caller.';

create function api.invite_member(p_org_id uuid, p_role text default 'member') returns jsonb
language sql volatile
set search_path = ''
as $$ select account.invite_member(p_org_id, p_role) $$;
comment on function api.invite_member(uuid, text) is
  'Owners: {invitation_id, code, role, expires_at}; the code is returned once.';

create function api.withdraw_invitation(p_invitation uuid) returns void
language sql volatile
set search_path = ''
as $$ select account.withdraw_invitation(p_invitation) $$;
comment on function api.withdraw_invitation(uuid) is
  'Owners: makes the code of an invitation invalid.';

create function api.accept_invitation(p_code text) returns jsonb
language sql volatile
set search_path = ''
as $$ select account.accept_invitation(p_code) $$;
comment on function api.accept_invitation(text) is 'Joins an organization: {org_id, name, role}.';

create function api.remove_member(p_org_id uuid, p_user uuid) returns void
language sql volatile
set search_path = ''
as $$ select account.remove_member(p_org_id, p_user) $$;
comment on function api.remove_member(uuid, uuid) is
  'Owners: removes a member. Every member may remove themselves.';

create function api.leave_organization(p_org_id uuid) returns void
language sql volatile
set search_path = ''
as $$ select account.remove_member(p_org_id, (select auth.uid())) $$;
comment on function api.leave_organization(uuid) is
  'Ends the membership of the caller. 409 for the last owner.';

create function api.set_member_role(p_org_id uuid, p_user uuid, p_role text) returns void
language sql volatile
set search_path = ''
as $$ select account.set_member_role(p_org_id, p_user, p_role) $$;
comment on function api.set_member_role(uuid, uuid, text) is
  'Owners: sets a role, owner or member.';

create function api.mint_key(
  p_org_id uuid,
  p_name text,
  p_expires_at timestamptz default null,
  p_scope text default 'full'
) returns jsonb
language sql volatile
set search_path = ''
as $$ select account.mint_own_key(p_org_id, p_name, p_expires_at, p_scope) $$;
comment on function api.mint_key(uuid, text, timestamptz, text) is
  'Owners: {org_id, key_id, prefix, name, scope, created_at, expires_at, key}; the key is '
  'returned once. p_scope: full or read_only.';

create function api.rename_key(p_key uuid, p_name text) returns void
language sql volatile
set search_path = ''
as $$ select account.rename_key(p_key, p_name) $$;
comment on function api.rename_key(uuid, text) is 'Owners: renames a key, 1 to 100 characters.';

create function api.revoke_key(p_key uuid) returns void
language sql volatile
set search_path = ''
as $$ select account.revoke_key(p_key) $$;
comment on function api.revoke_key(uuid) is
  'Owners: revokes a key. The next request with it gets 401.';

create function api.rotate_key(p_key uuid, p_overlap_hours integer) returns jsonb
language sql volatile
set search_path = ''
as $$ select account.rotate_key(p_key, p_overlap_hours) $$;
comment on function api.rotate_key(uuid, integer) is
  'Owners: the result of mint_key with {replaces, old_expires_at}. The old key works for another '
  '0 to 72 hours.';

create function api.list_sessions() returns table (
  session_id uuid,
  created_at text,
  last_used_at text,
  user_agent text,
  ip text,
  is_current boolean
)
language sql stable
set search_path = ''
as $$ select * from account.list_sessions() $$;
comment on function api.list_sessions() is
  'The sessions of the caller, the current one first. user_agent and ip: null where Auth does not '
  'keep them.';

create function api.end_session(p_session uuid) returns void
language sql volatile
set search_path = ''
as $$ select account.end_session(p_session) $$;
comment on function api.end_session(uuid) is
  'Ends a session of the caller at once. For all of them, Auth has signOut.';

create function api.read_account() returns jsonb
language sql stable
set search_path = ''
as $$ select account.read_account() $$;
comment on function api.read_account() is
  '{email, created_at, has_password, has_factors, organizations}: the account, and what its '
  'deletion does to each organization.';

create function api.delete_account(p_email text) returns void
language sql volatile
set search_path = ''
as $$ select account.delete_account(p_email) $$;
comment on function api.delete_account(text) is
  'Deletes the account of the caller, within 10 minutes of a sign-in. p_email: theirs, to confirm.';

create view api.my_organizations with (security_invoker = true) as
select o.org_id, o.name, m.role, s.tier, s.status, base.format_time(o.created_at) as created_at, o.is_operator
from account.members m
join account.organizations o on o.org_id = m.org_id
join account.subscriptions s on s.org_id = m.org_id
where m.user_id = (select auth.uid());
comment on view api.my_organizations is 'The organizations of the caller, with role and plan.';

create view api.my_keys with (security_invoker = true) as
select k.org_id, k.key_id, k.prefix::text as prefix, k.name,
       base.format_time(k.created_at) as created_at,
       base.format_time(k.expires_at) as expires_at,
       base.format_time(k.revoked_at) as revoked_at,
       base.format_time(k.last_used_at) as last_used_at,
       k.scope,
       extract(epoch from k.lifetime)::bigint as lifetime_seconds
from account.keys k;
comment on view api.my_keys is
  'Keys of the caller''s organizations; inactive ones stay for a year. lifetime_seconds: null '
  'where the key was made to live without end.';

create view api.my_invitations with (security_invoker = true) as
select i.org_id, i.invitation_id, i.role, base.format_time(i.created_at) as created_at,
       base.format_time(i.expires_at) as expires_at
from account.invitations i
where i.expires_at between clock_timestamp() and clock_timestamp() + interval '7 days';
comment on view api.my_invitations is 'Open invitations to the caller''s organizations.';

-- The same arithmetic as account.admit; a test compares them.
create view api.my_usage with (security_invoker = true) as
select u.org_id, s.tier, s.status,
       t.window_requests as window_quota,
       case when w.runs then u.window_used else 0 end as window_used,
       case when w.runs then base.format_time(u.window_began_at + interval '60 seconds') end as window_ends_at,
       t.month_requests as month_quota,
       case
         when u.month = n.month then u.month_used
         else coalesce((select m.used from account.monthly_usage m where m.org_id = u.org_id and m.month = n.month), 0)
       end as month_used,
       base.format_time((n.month + interval '1 month') at time zone 'UTC') as month_ends_at,
       t.stream_connections,
       t.webhook_endpoints
from account.usage u
join account.subscriptions s on s.org_id = u.org_id
join account.tiers t on t.tier = s.tier
cross join lateral (
  select u.window_began_at between clock_timestamp() - interval '60 seconds' and clock_timestamp() as runs
) w
cross join lateral (select date_trunc('month', clock_timestamp() at time zone 'UTC')::date as month) n;
comment on view api.my_usage is
  'Rate-limit window and month of the caller''s organizations as the next request would find '
  'them; window_ends_at is null without a current window.';

create view api.my_monthly_usage with (security_invoker = true) as
select m.org_id, m.month::text as month, m.used
from account.monthly_usage m;
comment on view api.my_monthly_usage is 'Requests with data in past months.';

create view api.my_key_days with (security_invoker = true) as
select d.org_id, d.key_id, d.day::text as day, sum(d.requests)::bigint as requests
from (
  select k.org_id, k.key_id, k.day, k.requests
  from account.key_days k
  union all
  select u.org_id, t.key_id, u.day, t.requests
  from account.usage u
  cross join lateral unnest(u.day_keys, u.day_requests) t (key_id, requests)
) d
where d.day > (clock_timestamp() at time zone 'UTC')::date - 30
group by d.org_id, d.key_id, d.day;
comment on view api.my_key_days is
  'Admitted requests by UTC day and key of the caller''s organizations, for the last 30 days with '
  'today. A key_id of zeros: requests of the dashboard.';

create view api.my_audit with (security_invoker = true) as
select a.audit_id, a.org_id, base.format_time(a.at) as at, a.actor, a.action, a.subject, a.detail
from account.audit a;
comment on view api.my_audit is
  'Changes in the caller''s organizations and who made them. Kept for a year.';

create view api.tiers with (security_invoker = true) as
select t.tier, t.window_requests, t.month_requests, t.stream_connections, t.webhook_endpoints
from account.tiers t;
comment on view api.tiers is 'The features of each tier.';

create function api.reject_view_write() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  raise exception 'this view is read-only' using errcode = '42501';
end
$$;
comment on function api.reject_view_write() is
  'Rejects a write with 42501. Without it Postgres raises 55000 for a view with joins before it '
  'checks rights, which is a 500 over REST.';
create trigger reading_only instead of insert or update or delete on api.my_organizations
  for each row execute function api.reject_view_write();
create trigger reading_only instead of insert or update or delete on api.my_key_days
  for each row execute function api.reject_view_write();
create trigger reading_only instead of insert or update or delete on api.my_usage
  for each row execute function api.reject_view_write();

grant select on api.my_organizations, api.my_keys, api.my_invitations, api.my_usage, api.my_monthly_usage,
  api.my_key_days, api.my_audit,
  api.tiers to authenticated;
grant execute on function
  api.start_session(text),
  api.rename_organization(uuid, text),
  api.delete_organization(uuid),
  api.list_members(uuid),
  api.invite_member(uuid, text),
  api.withdraw_invitation(uuid),
  api.accept_invitation(text),
  api.remove_member(uuid, uuid),
  api.leave_organization(uuid),
  api.set_member_role(uuid, uuid, text),
  api.mint_key(uuid, text, timestamptz, text),
  api.rename_key(uuid, text),
  api.revoke_key(uuid),
  api.rotate_key(uuid, integer),
  api.list_sessions(),
  api.end_session(uuid),
  api.read_account(),
  api.delete_account(text)
to authenticated;

create function api.get_account(p_in account.admission) returns api.route_result
language plpgsql stable
set search_path = ''
as $$
declare
  v_answer api.route_result;
begin
  v_answer.status := 200;
  v_answer.body := (
    select json_build_object(
      'organization', json_build_object('id', o.org_id, 'name', o.name),
      'tier', s.tier,
      'status', s.status,
      'window', json_build_object(
        'quota', p_in.window_quota, 'used', p_in.window_used, 'seconds', 60,
        'resets_at', base.format_time(u.window_began_at + interval '60 seconds')
      ),
      'month',
      json_build_object(
        'quota', p_in.month_quota, 'used', p_in.month_used, 'resets_at', base.format_time(p_in.month_ends_at)
      ),
      'stream_connections', t.stream_connections,
      'webhook_endpoints', t.webhook_endpoints
    )::text
    from account.organizations o
    join account.subscriptions s on s.org_id = o.org_id
    join account.tiers t on t.tier = s.tier
    join account.usage u on u.org_id = o.org_id
    where o.org_id = p_in.org_id
  );
  return v_answer;
end
$$;
comment on function api.get_account(account.admission) is
  'GET /v1/account: the organization, its plan and its rate state, this request included. Part of '
  'api.call_action_route.';
grant execute on function api.get_account(account.admission) to parallax_api;
