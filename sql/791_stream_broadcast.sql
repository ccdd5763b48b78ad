-- Sends committed frames of the log as broadcasts on the private Realtime topic of the same name.
--
-- ingest calls stream.broadcast_pending right after each flush, in a transaction of its own,
-- because an offset is final only after the commit. pg_cron calls it every 5 s for all other
-- writers. realtime.send writes a row, so the broadcast and the stored position are one commit:
-- after a crash a frame is sent once, or is lost in Realtime, and then the next offset shows the
-- gap.

create table stream.broadcast_positions (
  channel text primary key references stream.channels (channel) on delete cascade,
  epoch text not null,
  last_offset bigint not null,
  sent_at timestamptz not null default '-infinity',
  beacon_at timestamptz not null default '-infinity'
) with (fillfactor = 50);
comment on table stream.broadcast_positions is
  'The position up to which each channel was broadcast. A table of its own, because writers lock '
  'rows of stream.channels.';
alter table stream.broadcast_positions enable row level security;
alter table stream.broadcast_positions force row level security;

create function stream.send_broadcast(p_channel text, p_epoch text, p_offset bigint, p_frames text[] default '{}')
returns void
language sql volatile
set search_path = ''
as $$
  select realtime.send(
    jsonb_build_object('channel', p_channel, 'epoch', p_epoch, 'offset', p_offset)
      || case
        when p_frames = '{}' then '{}'
        else jsonb_build_object('frames', ('[' || array_to_string(p_frames, ',') || ']')::jsonb)
      end,
    'frames',
    p_channel,
    true
  )
$$;
comment on function stream.send_broadcast(text, text, bigint, text[]) is
  'Sends {channel, epoch, offset, frames} as event frames. offset is that of the last frame. '
  'Without frames it is a position beacon.';

create function stream.broadcast_channel(p_channel text, p_limit integer) returns integer
language plpgsql volatile
set search_path = ''
as $$
declare
  v_bytes integer;
  v_since timestamptz;
  v_channel record;
  v_one record;
  v_batch text[] := '{}';
  v_size integer := 0;
  v_upto bigint;
  v_sent integer := 0;
begin
  select s.broadcast_bytes, clock_timestamp() - s.max_broadcast_delay into v_bytes, v_since from stream.settings s;
  select c.epoch, c.last_offset, case when s.epoch = c.epoch then s.last_offset else 0 end as sent
  into v_channel
  from stream.channels c
  left join stream.broadcast_positions s on s.channel = c.channel
  where c.channel = p_channel;
  v_upto := v_channel.sent;
  for v_one in
    select f.frame, octet_length(f.frame) + 2 as size, p.before + f.place as at_offset
    from (
      -- cardinality() runs once a row, as in stream.replay_publications.
      select p.last_offset - cardinality(p.frames) as before, p.frames
      from stream.publications p
      where p.channel = p_channel
        and p.last_offset > v_channel.sent
        and p.last_offset <= v_channel.last_offset
        and p.at > v_since
      offset 0
    ) p
    cross join lateral unnest(p.frames) with ordinality as f (frame, place)
    where p.before + f.place > v_channel.sent
    order by p.before, f.place
  loop
    if v_batch <> '{}' and (v_size + v_one.size > v_bytes or v_one.at_offset <> v_upto + 1) then
      perform stream.send_broadcast(p_channel, v_channel.epoch, v_upto, v_batch);
      v_sent := v_sent + 1;
      v_batch := '{}';
      v_size := 0;
      exit when v_sent >= p_limit;
    end if;
    v_upto := v_one.at_offset;
    -- A frame too large for a message is not sent. The next offset shows the gap, and the client
    -- reads it from the log.
    continue when v_one.size > v_bytes;
    v_batch := v_batch || v_one.frame;
    v_size := v_size + v_one.size;
  end loop;
  if v_batch <> '{}' then
    perform stream.send_broadcast(p_channel, v_channel.epoch, v_upto, v_batch);
    v_sent := v_sent + 1;
  end if;
  if v_sent < p_limit then
    v_upto := v_channel.last_offset;
  end if;
  insert into stream.broadcast_positions as s (channel, epoch, last_offset, sent_at)
  values (p_channel, v_channel.epoch, v_upto, clock_timestamp())
  on conflict (channel) do update
  set epoch = excluded.epoch,
      last_offset = excluded.last_offset,
      sent_at = excluded.sent_at;
  return v_sent;
end
$$;
comment on function stream.broadcast_channel(text, integer) is
  'Part of stream.broadcast_pending: broadcasts the new frames of a channel in at most p_limit '
  'messages. Returns how many.';

create function stream.send_position_beacons() returns integer
language plpgsql volatile
set search_path = ''
as $$
declare
  v_count integer;
begin
  with due as materialized (
    select c.channel, c.epoch, c.last_offset
    from stream.channels c
    left join stream.broadcast_positions s on s.channel = c.channel
    cross join stream.settings e
    where stream.has_topic(c.channel)
      -- A tenth less, because pg_cron is not exact: with the full 5 s a beacon could wait 10 s.
      and not coalesce(base.is_within(s.beacon_at, e.beacon_every * 0.9), false)
      -- There are many organizations, mostly silent: beacons only for a minute after a broadcast.
      and (not starts_with(c.channel, 'org:') or base.is_within(s.sent_at, interval '1 minute'))
  ), written as (
    insert into stream.broadcast_positions as s (channel, epoch, last_offset, beacon_at)
    select d.channel, d.epoch, 0, clock_timestamp()
    from due d
    order by d.channel
    on conflict (channel) do update
    set beacon_at = excluded.beacon_at
  )
  select count(stream.send_broadcast(d.channel, d.epoch, d.last_offset)) into v_count
  from due d;
  return v_count;
end
$$;
comment on function stream.send_position_beacons() is
  'Part of stream.broadcast_pending: sends the position of each channel, so that a client that '
  'lost the last broadcast notices. Returns how many messages.';

create function stream.broadcast_pending() returns integer
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_state stream.flush_state;
  v_rate numeric;
  v_cost numeric;
  v_tokens numeric;
  v_channel text;
  v_messages integer;
  v_sent integer := 0;
begin
  -- One at a time, and no call is skipped: this call sends what the one before could not see yet.
  perform pg_advisory_xact_lock(hashtextextended('stream.broadcast_pending', 0));
  select * into v_state from stream.flush_state;
  if not base.is_within(v_state.repaired_at, interval '4.5 seconds') then
    perform stream.publish_changes(stream.unpublished_pairs());
    if v_state.sample_hour <> date_trunc('hour', clock_timestamp(), 'UTC') then
      perform stream.replace_sample();
    end if;
    update stream.flush_state set repaired_at = clock_timestamp();
  end if;
  perform stream.publish_feeds();
  perform stream.publish_sample_prices();

  -- Realtime counts messages over a minute. A call may use the quota of five seconds at once.
  select s.messages_a_second, 1 + s.listeners into v_rate, v_cost from stream.settings s;
  v_tokens := least(
    v_rate * 5,
    -- Nothing is taken away where the clock was set back.
    v_state.tokens + v_rate * greatest(extract(epoch from clock_timestamp() - v_state.refilled_at), 0)
  );
  v_tokens := v_tokens - v_cost * stream.send_position_beacons();
  -- Longest wait first, so that a busy channel does not block the others when messages run short.
  for v_channel in
    select c.channel
    from stream.channels c
    left join stream.broadcast_positions s on s.channel = c.channel
    where stream.has_topic(c.channel)
      and c.last_offset > 0
      and (s.channel is null or s.epoch <> c.epoch or s.last_offset < c.last_offset)
    order by s.sent_at nulls first, c.channel
  loop
    exit when v_tokens < v_cost;
    v_messages := stream.broadcast_channel(v_channel, floor(v_tokens / v_cost)::integer);
    v_tokens := v_tokens - v_cost * v_messages;
    v_sent := v_sent + v_messages;
  end loop;
  update stream.flush_state set tokens = v_tokens, refilled_at = clock_timestamp();
  -- Last: writers take the partition lock while they hold the publication lock, so a call that
  -- holds the partition lock must not wait for the publication lock.
  perform stream.ensure_partition(clock_timestamp() + interval '10 minutes');
  return v_sent;
end
$$;
comment on function stream.broadcast_pending() is
  'Broadcasts what was committed since the last call, within the message quota; publishes feeds, '
  'sample and beacons. Returns the number of messages with frames.';
grant execute on function stream.broadcast_pending() to parallax_ingest;

create function stream.purge_expired(p_limit integer default 50000) returns integer
language plpgsql volatile
set search_path = ''
as $$
declare
  v_deleted integer;
begin
  -- Realtime delivers a row within moments of its commit, but would keep it for three days.
  delete from realtime.messages m
  where (m.id, m.inserted_at) in (
    select o.id, o.inserted_at
    from realtime.messages o
    where o.inserted_at < (clock_timestamp() - interval '1 hour') at time zone 'UTC'
      and o.extension = 'broadcast'
      and o.private
      and o.topic in (select c.channel from stream.channels c)
    limit p_limit
  );
  get diagnostics v_deleted = row_count;
  -- Without a published state, the next change of a settled market is not published.
  delete from stream.published_markets t
  where t.status = 'settled'
    and t.published_at < clock_timestamp() - interval '1 day';
  -- Channels of deleted organizations, once their last frame was broadcast and purged above.
  delete from stream.channels c
  using stream.broadcast_positions s
  where s.channel = c.channel
    and starts_with(c.channel, 'org:')
    and s.last_offset >= c.last_offset
    and s.sent_at < clock_timestamp() - interval '2 hours'
    and not exists (select from account.organizations o where c.channel = 'org:' || o.org_id);
  return v_deleted;
end
$$;
comment on function stream.purge_expired(integer) is
  'Retention: at most p_limit broadcasts older than an hour, states of settled markets, channels '
  'of deleted organizations. Returns how many broadcasts.';

revoke all on function
  stream.send_broadcast(text, text, bigint, text[]),
  stream.broadcast_channel(text, integer),
  stream.send_position_beacons(),
  stream.broadcast_pending(),
  stream.purge_expired(integer)
from public;
