-- Who may hear which channel. Realtime asks at join and at each change of token, by row-level security on realtime.messages;
-- the stream function will ask stream.entitled_channels for the same answer.

create table stream.entitlements (
  tier text not null references account.tiers (tier),
  channel text not null,
  primary key (tier, channel)
);
comment on table stream.entitlements is 'Which channels a tier hears (contract.md, Stream), as data; a name that ends in * stands for all that begin so. org:{id} is its members'' and is no matter of tiers.';
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
  ('pro', 'quotes:all')
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
        when right(e.channel, 1) = '*' then starts_with(p_channel, left(e.channel, -1)) and length(p_channel) >= length(e.channel)
        else e.channel = p_channel
      end
  )
$$;
comment on function stream.is_entitled(uuid, text) is
  'Whether an organization hears a channel: its own always, so that it learns when its plan is active again; the others by its tier, while its plan is active.';

create function stream.entitled_channels(p_org_id uuid) returns text[]
language sql stable
set search_path = ''
as $$
  select array(
    select c.channel
    from (
      select k.channel from stream.channels k where not starts_with(k.channel, 'org:')
      union
      select 'org:' || p_org_id
      where exists (select from account.organizations o where o.org_id = p_org_id)
    ) c
    where stream.is_entitled(p_org_id, c.channel)
    order by c.channel
  )
$$;
comment on function stream.entitled_channels(uuid) is 'The channels that an organization hears now, of those that there are.';

create function stream.caller_orgs() returns setof uuid
language sql stable
set search_path = ''
as $$
  select m.org_id
  from account.members m
  where m.user_id = (select auth.uid())
  union all
  -- The stream's own token (contract.md, Stream, way 2): no person, one organization. A session has a sub and could not carry this claim,
  -- which only our signing key puts at the top level.
  select o.org_id
  from account.organizations o
  where (select auth.jwt()) ->> 'sub' is null
    and o.org_id::text = (select auth.jwt()) ->> 'org'
$$;
comment on function stream.caller_orgs() is 'The organizations that the caller of Realtime speaks for: those of the signed-in person, or the one that a stream token names.';

create function stream.is_caller_entitled(p_topic text) returns boolean
language sql stable
set search_path = ''
as $$
  select coalesce(p_topic <> 'quotes:all', false)
    and exists (select from stream.caller_orgs() o where stream.is_entitled(o, p_topic))
$$;
comment on function stream.is_caller_entitled(text) is 'Whether an organization of the caller hears a topic. quotes:all is read from the log and never broadcast.';

create function stream.may_join_topic(p_topic text) returns boolean
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  -- Only a token of ours has seats. A session lasts an hour, and its reconnections cannot be told from new sockets.
  return stream.is_caller_entitled(p_topic) and (auth.jwt() ->> 'sub' is not null or stream.take_join_slot(p_topic));
end
$$;
comment on function stream.may_join_topic(text) is
  'Whether the caller may join a private topic, asked by Realtime at a join and at a change of token. Takes a seat of a stream token (795_stream_join_counters.sql).';
revoke all on function
  stream.is_entitled(uuid, text),
  stream.entitled_channels(uuid),
  stream.caller_orgs(),
  stream.is_caller_entitled(text),
  stream.may_join_topic(text)
from public;
grant execute on function stream.may_join_topic(text) to authenticated;

create function stream.install_realtime_policy() returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  if exists (
    select
    from pg_catalog.pg_policy p
    where p.polrelid = 'realtime.messages'::regclass
      and p.polname = 'organizations hear the channels of their plan'
  ) then
    return;
  end if;
  -- No policy to insert: nobody but the database sends.
  create policy "organizations hear the channels of their plan" on realtime.messages
    for select to authenticated
    using (extension = 'broadcast' and (select stream.may_join_topic((select realtime.topic()))));
  comment on policy "organizations hear the channels of their plan" on realtime.messages is
    'What Realtime asks when somebody joins a private topic. It looks at the topic and the claims alone (platform.md 1.6); stream.may_join_topic decides.';
end
$$;
comment on function stream.install_realtime_policy() is
  'Puts our one policy on the platform''s table, unless it is there. A function, since migrations are written from a comparison that leaves the platform''s own tables out: jobs.install_schedules calls it at the end of each.';
revoke all on function stream.install_realtime_policy() from public;
select stream.install_realtime_policy();

create function stream.publish_org_event(p_org_id uuid, p_type text, p_fields jsonb default '{}') returns bigint
language sql volatile
set search_path = ''
as $$
  select stream.append_publication(
    'org:' || p_org_id,
    array['{"type":' || to_json(p_type) || case when p_fields = '{}' then '' else ',' || substr(p_fields::text, 2, length(p_fields::text) - 2) end || '}']
  )
  from account.organizations o
  where o.org_id = p_org_id
$$;
comment on function stream.publish_org_event(uuid, text, jsonb) is
  'Says something to an organization: key, quota, plan, webhook or report (contract.md), with its fields. The last thing of a transaction. Nothing for an organization that is not there.';

create function stream.publish_plan_event(p_org_id uuid) returns bigint
language sql volatile
set search_path = ''
as $$
  select stream.publish_org_event(p_org_id, 'plan', jsonb_build_object('tier', s.tier, 'status', s.status, 'changed_at', base.format_time(s.changed_at)))
  from account.subscriptions s
  where s.org_id = p_org_id
$$;
comment on function stream.publish_plan_event(uuid) is 'A plan frame {tier, status, changed_at}, for whatever changes account.subscriptions.';

create function stream.publish_key_event(p_key_id uuid, p_event text) returns bigint
language sql volatile
set search_path = ''
as $$
  select stream.publish_org_event(
    k.org_id, 'key', jsonb_build_object('event', p_event, 'key_id', k.key_id, 'prefix', k.prefix, 'name', k.name, 'expires_at', base.format_time(k.expires_at))
  )
  from account.keys k
  where k.key_id = p_key_id
$$;
comment on function stream.publish_key_event(uuid, text) is 'A key frame {event, key_id, prefix, name, expires_at}; event: created, renamed, revoked, rotated. Never the key or its hash.';
revoke all on function
  stream.publish_org_event(uuid, text, jsonb),
  stream.publish_plan_event(uuid),
  stream.publish_key_event(uuid, text)
from public;
