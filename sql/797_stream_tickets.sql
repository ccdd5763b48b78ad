-- How a client with an API key gets to the stream: a ticket for the stream function, or a token for
-- Realtime. All times are real time, as in schema account.

create table stream.tickets (
  hash bytea primary key check (length(hash) = 32),
  org_id uuid not null references account.organizations (org_id) on delete cascade,
  key_id uuid not null references account.keys (key_id) on delete cascade,
  expires_at timestamptz not null default clock_timestamp() + interval '120 seconds'
);
comment on table stream.tickets is
  'Unused tickets. A ticket is deleted when it is presented, so a used, an expired and an unknown '
  'ticket are all unknown.';
comment on column stream.tickets.hash is
  'SHA-256 of the ticket. 26 random characters of 62 are 154 bits, so a fast hash is enough '
  '(52_account_keys.sql).';
comment on column stream.tickets.key_id is
  'The key that minted it. Revoking the key also ends the connections of its tickets.';
create index tickets_by_org on stream.tickets (org_id);
create index tickets_by_key on stream.tickets (key_id);
create index tickets_by_end on stream.tickets (expires_at);

create table stream.realtime_grants (
  grant_id uuid primary key default gen_random_uuid(),
  org_id uuid not null references account.organizations (org_id) on delete cascade,
  expires_at timestamptz not null default clock_timestamp() + interval '120 seconds',
  topics text[] not null default '{}',
  counters integer[] not null default '{}',
  check (cardinality(topics) = cardinality(counters))
);
comment on table stream.realtime_grants is
  'Realtime tokens that were issued and have not expired. Realtime has no limit of connections '
  'for an organization, so joins are limited instead.';
comment on column stream.realtime_grants.counters is
  'For each topic, the sequence that counts its joins (stream.join_counters).';
create index realtime_grants_by_org on stream.realtime_grants (org_id, expires_at);
create index realtime_grants_by_end on stream.realtime_grants (expires_at);

alter table stream.tickets enable row level security;
alter table stream.tickets force row level security;
alter table stream.realtime_grants enable row level security;
alter table stream.realtime_grants force row level security;

create function stream.take_realtime_grant(p_org_id uuid, p_limit integer) returns uuid
language plpgsql volatile
set search_path = ''
as $$
declare
  v_grant uuid;
  v_topics text[];
begin
  -- A token with at most 45 s left does not count: its holder needs the next one before it
  -- ends, and Realtime checks it with each heartbeat, every 25 s.
  if p_limit > (
    select count(*)
    from stream.realtime_grants g
    where g.org_id = p_org_id
      and g.expires_at > clock_timestamp() + interval '45 seconds'
      and not base.is_over(g.expires_at, interval '120 seconds')
  ) then
    v_topics := array(select c from unnest(stream.entitled_channels(p_org_id)) c where stream.has_topic(c));
    insert into stream.realtime_grants (org_id, topics, counters)
    values (p_org_id, v_topics, stream.allocate_join_counters(cardinality(v_topics)))
    returning grant_id into v_grant;
  end if;
  return v_grant;
end
$$;
comment on function stream.take_realtime_grant(uuid, integer) is
  'Permission for one more Realtime token of 120 s; null while p_limit are alive. The caller '
  'holds a lock on the row of account.usage, so two calls do not count at once.';

-- For the organization and the key that account.admit has admitted.
create function stream.mint_ticket(p_key_hash bytea) returns jsonb
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_org_id uuid := account.current_org();
  -- The stream function rejects a wrong checksum before any query (functions/_shared/ticket.ts).
  v_body text := 'st_' || account.random_base62(26);
  v_ticket text := v_body || account.checksum(v_body);
  v_limit integer;
begin
  select t.stream_connections
  into strict v_limit
  from account.subscriptions s
  join account.tiers t on t.tier = s.tier
  where s.org_id = v_org_id;
  insert into stream.tickets (hash, org_id, key_id)
  select sha256(convert_to(v_ticket, 'UTF8')), k.org_id, k.key_id
  from account.keys k
  where k.hash = p_key_hash
    and k.org_id = v_org_id;
  if not found then
    raise exception 'the key that requests a ticket was not admitted' using errcode = '42501';
  end if;
  return jsonb_build_object(
    'ticket', v_ticket,
    'expires_in', 120,
    'allowed', jsonb_build_object('channels', stream.entitled_channels(v_org_id), 'max_conns', v_limit),
    'org_id', v_org_id,
    'grant_id', stream.take_realtime_grant(v_org_id, v_limit)
  );
end
$$;
comment on function stream.mint_ticket(bytea) is
  'A ticket of 120 s: {ticket, expires_in, allowed: {channels, max_conns}, org_id, grant_id}. '
  'grant_id: permission to sign one Realtime token, else null.';

-- For the organization that account.admit has admitted.
create function stream.replay_for_caller(p_channel text, p_epoch text, p_after bigint) returns json
language plpgsql stable security definer
set search_path = ''
as $$
declare
  v_log record;
begin
  if not stream.is_entitled(account.current_org(), p_channel) then
    return null;
  end if;
  select * into v_log from stream.replay_publications(p_channel, p_epoch, p_after);
  if v_log.epoch is null then
    return null;
  end if;
  return json_build_object(
    'channel', p_channel,
    'epoch', v_log.epoch,
    'recovered', v_log.recovered,
    'offset', case when v_log.recovered then v_log.upto else v_log.top end,
    'top', v_log.top,
    'frames', case when v_log.recovered then to_json(v_log.frames) else '[]' end
  );
end
$$;
comment on function stream.replay_for_caller(text, text, bigint) is
  'Frames of a channel after an offset: {channel, epoch, recovered, offset, top, frames}, frames '
  'as texts. Null when it is not in the plan or does not exist.';

create function stream.state_for_caller(p_channel text) returns json
language plpgsql stable security definer
set search_path = ''
as $$
begin
  if not stream.is_entitled(account.current_org(), p_channel) then
    return null;
  end if;
  return stream.channel_state_of(p_channel);
end
$$;
comment on function stream.state_for_caller(text) is
  'stream.channel_state_of for the organization of the key. Null when the channel is not in the '
  'plan or does not exist.';

revoke all on function
  stream.take_realtime_grant(uuid, integer),
  stream.mint_ticket(bytea),
  stream.replay_for_caller(text, text, bigint),
  stream.state_for_caller(text)
from public;
grant usage on schema stream to parallax_api;
grant execute on function
  stream.mint_ticket(bytea),
  stream.replay_for_caller(text, text, bigint),
  stream.state_for_caller(text)
to parallax_api;
