-- Schema account: which organizations and keys may call, and how often. All times are real time: a
-- replayed market does not affect quotas.

create schema account;
revoke all on schema account from public;
grant usage on schema account to parallax_api, authenticated;

create domain account.key_prefix as text check (value ~ '^sk_live_[0-9A-Za-z]{8}$');
comment on domain account.key_prefix is
  'The public part of a key: sk_live_ and its id. After its creation, no other part of a key is '
  'returned.';

create table account.tiers (
  tier text primary key,
  window_requests integer not null check (window_requests > 0),
  month_requests integer not null check (month_requests > 0),
  stream_connections smallint not null check (stream_connections >= 0),
  webhook_endpoints smallint not null check (webhook_endpoints >= 0),
  exports boolean not null
);
comment on table account.tiers is
  'The limits of each tier (spec.md, Limits). A window is 60 seconds, a month is a UTC calendar '
  'month.';
insert into account.tiers (tier, window_requests, month_requests, stream_connections, webhook_endpoints, exports)
values
  ('free', 600, 10000, 1, 0, false),
  ('basic', 600, 1000000, 3, 3, false),
  ('premium', 1500, 5000000, 10, 3, false),
  ('pro', 1500, 5000000, 10, 3, true)
on conflict (tier) do update
set window_requests = excluded.window_requests,
    month_requests = excluded.month_requests,
    stream_connections = excluded.stream_connections,
    webhook_endpoints = excluded.webhook_endpoints,
    exports = excluded.exports;

create table account.organizations (
  org_id uuid primary key default gen_random_uuid(),
  name text not null check (length(btrim(name)) between 1 and 200),
  is_operator boolean not null default false,
  made_by_user boolean not null default false,
  created_at timestamptz not null default clock_timestamp()
);
comment on table account.organizations is
  'The unit that is limited and billed. Names are labels and need not be unique.';
comment on column account.organizations.is_operator is
  'Its members decide the review queue of the catalog. Only role postgres sets it.';
comment on column account.organizations.made_by_user is
  'A signed-in user made it, so account.mint_key never takes it by its name. False: an operator '
  'made it.';
create index organizations_by_name on account.organizations (name);

create table account.members (
  org_id uuid not null references account.organizations (org_id) on delete cascade,
  user_id uuid not null references auth.users (id) on delete cascade,
  role text not null default 'member' check (role in ('owner', 'member')),
  created_at timestamptz not null default clock_timestamp(),
  primary key (org_id, user_id)
);
comment on table account.members is 'The users who belong to an organization.';
create index members_by_user on account.members (user_id);

create table account.subscriptions (
  org_id uuid primary key references account.organizations (org_id) on delete cascade,
  tier text not null default 'free' references account.tiers (tier),
  status text not null default 'active' check (status in ('active', 'inactive')),
  lease_percent smallint not null default 0 check (lease_percent between 0 and 25),
  changed_at timestamptz not null default clock_timestamp()
);
comment on table account.subscriptions is
  'The plan of an organization. inactive: every call gets a 402 until the plan is paid.';
comment on column account.subscriptions.lease_percent is
  'The largest part of the window that one request lease holds (account.lease_requests), in '
  'percent. 0: the database counts each request.';
create index subscriptions_by_tier on account.subscriptions (tier);

create table account.keys (
  key_id uuid primary key default gen_random_uuid(),
  org_id uuid not null references account.organizations (org_id) on delete cascade,
  prefix account.key_prefix not null unique,
  hash bytea not null unique check (length(hash) = 32),
  name text not null default 'key' check (length(btrim(name)) between 1 and 100),
  scope text not null default 'full' check (scope in ('full', 'read_only')),
  created_at timestamptz not null default clock_timestamp(),
  lifetime interval check (lifetime > '0'),
  expires_at timestamptz,
  revoked_at timestamptz,
  last_used_at timestamptz
) with (fillfactor = 80);
comment on table account.keys is
  'API keys: the prefix and the SHA-256 of the whole key, nothing else of it.';
comment on column account.keys.hash is
  'SHA-256 of the ASCII text of the key. With 190 bits of randomness, a fast hash is enough.';
comment on column account.keys.scope is
  'read_only: requests that change something get 403 (api.is_write_route).';
comment on column account.keys.lifetime is
  'How long the key was made to live; null: without end. A rotation sets an earlier expires_at '
  'and keeps this, because the new key lives as long.';
comment on column account.keys.last_used_at is
  'To the minute, so that a busy key is written once a minute and not with each request.';
create index keys_by_org on account.keys (org_id);

create table account.usage (
  org_id uuid primary key references account.organizations (org_id) on delete cascade,
  window_began_at timestamptz not null default '-infinity',
  window_used integer not null default 0,
  month date not null default date_trunc('month', clock_timestamp() at time zone 'UTC')::date,
  month_used integer not null default 0,
  day date not null default (clock_timestamp() at time zone 'UTC')::date,
  day_keys uuid[] not null default '{}',
  day_requests integer[] not null default '{}'
) with (fillfactor = 50);
comment on table account.usage is
  'The current window and month of each organization over all its keys; the one row that '
  'admission locks. Half-empty pages keep its updates in place.';
comment on column account.usage.day_keys is
  'The keys that were used on the day. day_requests has their counts at the same index '
  '(account.key_days).';

create table account.monthly_usage (
  org_id uuid not null references account.organizations (org_id) on delete cascade,
  month date not null,
  used integer not null,
  primary key (org_id, month)
);
comment on table account.monthly_usage is
  'Requests that carried data in each past month, written with the first request of a later month.';

alter table account.tiers enable row level security;
alter table account.tiers force row level security;
alter table account.organizations enable row level security;
alter table account.organizations force row level security;
alter table account.members enable row level security;
alter table account.members force row level security;
alter table account.subscriptions enable row level security;
alter table account.subscriptions force row level security;
alter table account.keys enable row level security;
alter table account.keys force row level security;
alter table account.usage enable row level security;
alter table account.usage force row level security;
alter table account.monthly_usage enable row level security;
alter table account.monthly_usage force row level security;

create function account.current_org() returns uuid
language sql stable
set search_path = ''
as $$ select nullif(current_setting('parallax.org', true), '')::uuid $$;
comment on function account.current_org() is
  'The organization that account.admit admitted, for the rest of this transaction; null before '
  'admission. No other code sets it.';

create function account.has_second_factor(p_user uuid) returns boolean
language plpgsql stable security definer
set search_path = ''
as $$
declare
  v_has boolean := false;
begin
  -- Only the Auth of the platform has this table, so the statement is planned only where it is.
  if to_regclass('auth.mfa_factors') is not null then
    execute 'select exists (select from auth.mfa_factors f where f.user_id = $1 and f.status = ''verified'')'
    into v_has
      using p_user;
  end if;
  return v_has;
end
$$;
comment on function account.has_second_factor(uuid) is
  'Whether a user has set up an authenticator app or another second factor.';

create function account.session_error() returns text
language plpgsql stable security definer
set search_path = ''
as $$
declare
  v_user uuid := auth.uid();
  v_claims jsonb := auth.jwt();
begin
  if v_user is null then
    return 'session.none';
  end if;
  -- An access token is valid for up to an hour after its session was signed out or has reached its
  -- end, or its user was deleted.
  if not exists (
    select
    from auth.sessions s
    where s.id = (v_claims ->> 'session_id')::uuid
      and s.user_id = v_user
      and (s.not_after is null or s.not_after > clock_timestamp())
  ) then
    return case when exists (select from auth.users u where u.id = v_user) then 'session.ended' else 'session.none' end;
  end if;
  if coalesce(v_claims ->> 'aal', 'aal1') = 'aal1' and account.has_second_factor(v_user) then
    return 'session.second_factor';
  end if;
  return null;
end
$$;
comment on function account.session_error() is
  'Why the caller has no power as a signed-in user: session.none, session.ended or '
  'session.second_factor; null for a session that lives. The one place that decides it.';

create function account.current_user_orgs() returns setof uuid
language sql stable security definer rows 2
set search_path = ''
as $$
  select m.org_id
  from account.members m
  where m.user_id = (select auth.uid())
    and (select account.session_error()) is null
$$;
comment on function account.current_user_orgs() is
  'The organizations of the signed-in user; none after the session has ended. security definer, '
  'because a policy on members cannot read members.';
revoke all on function account.has_second_factor(uuid), account.session_error() from public;

-- any (array(select …)) and not in (select …): the first uses the index on org_id, the second reads
-- the row of every organization.
create policy "everyone signed in reads the limits" on account.tiers
  for select to parallax_api, authenticated using (true);

create policy "the admitted organization reads itself" on account.organizations
  for select to parallax_api using (org_id = (select account.current_org()));
create policy "members read their organization" on account.organizations
  for select to authenticated using (org_id = any (array(select account.current_user_orgs())));

create policy "members read the members of their organization" on account.members
  for select to authenticated using (org_id = any (array(select account.current_user_orgs())));

create policy "the admitted organization reads its plan" on account.subscriptions
  for select to parallax_api using (org_id = (select account.current_org()));
create policy "members read their plan" on account.subscriptions
  for select to authenticated using (org_id = any (array(select account.current_user_orgs())));

create policy "the admitted organization reads its keys" on account.keys
  for select to parallax_api using (org_id = (select account.current_org()));
create policy "members read their keys" on account.keys
  for select to authenticated using (org_id = any (array(select account.current_user_orgs())));

create policy "the admitted organization reads its usage" on account.usage
  for select to parallax_api using (org_id = (select account.current_org()));
create policy "members read their usage" on account.usage
  for select to authenticated using (org_id = any (array(select account.current_user_orgs())));

create policy "the admitted organization reads its months" on account.monthly_usage
  for select to parallax_api using (org_id = (select account.current_org()));
create policy "members read their months" on account.monthly_usage
  for select to authenticated using (org_id = any (array(select account.current_user_orgs())));

grant select on account.tiers, account.organizations, account.subscriptions, account.usage, account.monthly_usage
to parallax_api, authenticated;
grant select on account.members to authenticated;
-- No function or view returns the hash, not even to the owner of the key.
grant select (key_id, org_id, prefix, name, scope, created_at, lifetime, expires_at, revoked_at, last_used_at)
  on account.keys
to parallax_api, authenticated;
grant execute on function account.current_org() to parallax_api;
grant execute on function account.current_user_orgs() to authenticated;

create function account.create_organization(p_name text, p_tier text default 'free') returns uuid
language plpgsql volatile
set search_path = ''
as $$
declare
  v_org uuid;
begin
  insert into account.organizations (name, made_by_user)
  values (btrim(p_name), auth.uid() is not null)
  returning org_id into v_org;
  insert into account.subscriptions (org_id, tier) values (v_org, p_tier);
  insert into account.usage (org_id) values (v_org);
  perform account.write_audit(v_org, 'organization.created', btrim(p_name), jsonb_build_object('tier', p_tier));
  return v_org;
end
$$;
comment on function account.create_organization(text, text) is
  'Creates an organization with its plan and its usage row. Each organization has exactly one of '
  'both.';
revoke all on function account.create_organization(text, text) from public;
