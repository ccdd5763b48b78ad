-- Who may read which channel. Realtime checks it at each join and at each change of token, by row
-- security on realtime.messages. The stream function checks it with stream.entitled_channels.

create table stream.entitlements (
  tier text not null references account.tiers (tier),
  channel text not null,
  primary key (tier, channel)
);
comment on table stream.entitlements is
  'The channels of each tier. A name that ends in * is a prefix. The members of an organization '
  'always have its channel org:{id}.';
insert into stream.entitlements (tier, channel)
values
  ('free', 'status'),
  ('free', 'sample'),
  ('basic', 'status'),
  ('basic', 'markets:all'),
  ('premium', 'status'),
  ('premium', 'markets:all'),
  ('pro', 'status'),
  ('pro', 'markets:all'),
  ('pro', 'candidates:*'),
  ('pro', 'quotes:all'),
  ('pro', 'best:all')
on conflict do nothing;
alter table stream.entitlements enable row level security;
alter table stream.entitlements force row level security;

create function stream.is_entitled(p_org_id uuid, p_channel text) returns boolean
language sql stable
set search_path = ''
as $$
  select p_channel = 'org:' || p_org_id or exists (
    select
    from account.subscriptions s
    join stream.entitlements e on e.tier = s.tier
    where s.org_id = p_org_id
      and s.status = 'active'
      and case
        when right(e.channel, 1) = '*'
          then starts_with(p_channel, left(e.channel, -1)) and length(p_channel) >= length(e.channel)
        else e.channel = p_channel
      end
  )
$$;
comment on function stream.is_entitled(uuid, text) is
  'An organization always has its own channel, so that it learns when its plan is active again. '
  'The others depend on its tier, while its plan is active.';

create function stream.entitled_channels(p_org_id uuid) returns text[]
language sql stable
set search_path = ''
as $$
  select array(
    select c.channel
    from (
      select k.channel
      from stream.channels k
      where not starts_with(k.channel, 'org:')
      union
      select 'org:' || p_org_id
      where exists (select from account.organizations o where o.org_id = p_org_id)
    ) c
    where stream.is_entitled(p_org_id, c.channel)
    order by c.channel
  )
$$;
comment on function stream.entitled_channels(uuid) is
  'The existing channels that an organization may read now.';

create function stream.caller_orgs() returns setof uuid
language sql stable
set search_path = ''
as $$
  select m.org_id
  from account.members m
  where m.user_id = (select auth.uid())
    and (select account.session_error()) is null
  union all
  -- A stream token: no person, one organization. A session has a sub. It cannot have this claim,
  -- which only our signing key puts at the top level.
  select o.org_id
  from account.organizations o
  where (select auth.jwt()) ->> 'sub' is null
    and o.org_id::text = (select auth.jwt()) ->> 'org'
$$;
comment on function stream.caller_orgs() is
  'The organizations of the caller of Realtime: those of the signed-in person, or the one of a '
  'stream token.';

create function stream.is_caller_entitled(p_topic text) returns boolean
language sql stable
set search_path = ''
as $$
  select coalesce(stream.has_topic(p_topic), false)
    and exists (select from stream.caller_orgs() o where stream.is_entitled(o, p_topic))
$$;
comment on function stream.is_caller_entitled(text) is
  'Whether an organization of the caller may read a topic, which only a broadcast channel has.';

create function stream.is_carrier() returns boolean
language sql stable
set search_path = ''
as $$
  -- As with the claim org: only our signing key puts this one at the top level.
  select (select auth.jwt()) ->> 'sub' is null and coalesce((select auth.jwt()) ->> 'carrier' = 'stream', false)
$$;
comment on function stream.is_carrier() is
  'Whether the caller of Realtime is the function stream. It checks the plan of each of its '
  'clients itself.';

create function stream.may_join_topic(p_topic text) returns boolean
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  if stream.is_carrier() then
    return coalesce(stream.has_topic(p_topic), false);
  end if;
  -- Only a stream token has join slots. A session lasts an hour, and the database cannot
  -- distinguish its reconnections from new sockets.
  return stream.is_caller_entitled(p_topic) and (auth.jwt() ->> 'sub' is not null or stream.take_join_slot(p_topic));
end
$$;
comment on function stream.may_join_topic(text) is
  'Whether the caller may join a private topic; Realtime asks at a join and at a change of token. '
  'Takes a join slot of a stream token.';
revoke all on function
  stream.is_entitled(uuid, text),
  stream.entitled_channels(uuid),
  stream.caller_orgs(),
  stream.is_caller_entitled(text),
  stream.is_carrier(),
  stream.may_join_topic(text)
from public;
grant execute on function stream.may_join_topic(text) to authenticated;

create function stream.has_realtime_policy() returns boolean
language sql stable
set search_path = ''
as $$
  select exists (
    select
    from pg_catalog.pg_policy p
    where p.polrelid = to_regclass('realtime.messages')
      and p.polname = 'organizations read the channels of their plan'
  )
$$;
comment on function stream.has_realtime_policy() is
  'Whether realtime.messages has the policy that lets organizations join their channels.';

-- A function, because migrations are written from a comparison that leaves out the tables of the
-- platform.
create function stream.install_realtime_policy() returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  if stream.has_realtime_policy() then
    return;
  end if;
  -- Realtime evaluates the policy at each join, with the topic and the claims only. There is no
  -- policy for insert: only the database sends. No `comment on policy`: the platform lets postgres
  -- create policies on this table but not comment on them (until supautils 3.4.0).
  create policy "organizations read the channels of their plan" on realtime.messages
    for select to authenticated
    using (extension = 'broadcast' and (select stream.may_join_topic((select realtime.topic()))));
exception
  when insufficient_privilege then
    -- Some logins of the CLI may not create it where the SQL editor may. The rest of the migration
    -- does not need it.
    raise warning 'The policy on realtime.messages cannot be created (%), so private channels reject every join.',
      sqlerrm
      using hint = 'Run "select stream.install_realtime_policy()" in the SQL editor of the project.';
end
$$;
comment on function stream.install_realtime_policy() is
  'Creates the policy on realtime.messages unless it exists; a warning where it may not. '
  'jobs.install_schedules calls it after each migration.';
revoke all on function stream.has_realtime_policy(), stream.install_realtime_policy() from public;
select stream.install_realtime_policy();

create function stream.publish_org_event(p_org_id uuid, p_type text, p_fields jsonb default '{}') returns bigint
language sql volatile
set search_path = ''
as $$
  select stream.append_publication(
    'org:' || p_org_id,
    array[
      '{"type":' || to_json(p_type)
        || case when p_fields = '{}' then '' else ',' || substr(p_fields::text, 2, length(p_fields::text) - 2) end
        || '}'
    ]
  )
  from account.organizations o
  where o.org_id = p_org_id
$$;
comment on function stream.publish_org_event(uuid, text, jsonb) is
  'Publishes a key, quota, plan, webhook or report frame to an organization. Call it last. '
  'Returns null when the organization does not exist.';

create function stream.publish_plan_event(p_org_id uuid) returns bigint
language sql volatile
set search_path = ''
as $$
  select stream.publish_org_event(
    p_org_id, 'plan',
    jsonb_build_object('tier', s.tier, 'status', s.status, 'changed_at', base.format_time(s.changed_at))
  )
  from account.subscriptions s
  where s.org_id = p_org_id
$$;
comment on function stream.publish_plan_event(uuid) is
  'Publishes a plan frame {tier, status, changed_at}, for each change of account.subscriptions.';

create function stream.publish_key_event(p_key_id uuid, p_event text) returns bigint
language sql volatile
set search_path = ''
as $$
  select stream.publish_org_event(
    k.org_id, 'key',
    jsonb_build_object(
      'event', p_event, 'key_id', k.key_id, 'prefix', k.prefix, 'name', k.name, 'expires_at',
      base.format_time(k.expires_at)
    )
  )
  from account.keys k
  where k.key_id = p_key_id
$$;
comment on function stream.publish_key_event(uuid, text) is
  'Publishes a key frame {event, key_id, prefix, name, expires_at}; event: created, renamed, '
  'revoked, rotated. Never the key or its hash.';
revoke all on function
  stream.publish_org_event(uuid, text, jsonb),
  stream.publish_plan_event(uuid),
  stream.publish_key_event(uuid, text)
from public;
