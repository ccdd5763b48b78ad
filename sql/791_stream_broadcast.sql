-- From the log to Realtime. What was committed goes out as broadcasts on the private topic of the same name.
--
-- ingest calls stream.broadcast_pending right after each price.apply_flush, in a transaction of its own: only what is committed has its place in the order.
-- pg_cron calls it every 5 s for everybody else. realtime.send writes a row, so "sent" and the row that Realtime delivers are one commit:
-- whatever is killed when, a frame goes out once or, where Realtime lost it, not at all; then the next offset shows the gap.

create table stream.broadcast_positions (
  channel text primary key references stream.channels (channel) on delete cascade,
  epoch text not null,
  last_offset bigint not null,
  sent_at timestamptz not null default '-infinity',
  beacon_at timestamptz not null default '-infinity'
) with (fillfactor = 50);
comment on table stream.broadcast_positions is 'How far each channel was broadcast. Apart from stream.channels, whose rows writers hold.';
alter table stream.broadcast_positions enable row level security;
alter table stream.broadcast_positions force row level security;

create function stream.send_broadcast(p_channel text, p_epoch text, p_offset bigint, p_frames text[] default '{}') returns void
language sql volatile
set search_path = ''
as $$
  select realtime.send(
    jsonb_build_object('channel', p_channel, 'epoch', p_epoch, 'offset', p_offset)
      || case when p_frames = '{}' then '{}' else jsonb_build_object('frames', ('[' || array_to_string(p_frames, ',') || ']')::jsonb) end,
    'frames',
    p_channel,
    true
  )
$$;
comment on function stream.send_broadcast(text, text, bigint, text[]) is
  'One message {channel, epoch, offset, frames} of event frames. offset is that of the last frame, the frames before it count down from it; without frames it says where the channel stands.';

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
      -- Counted once a row, as in stream.replay_publications.
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
    -- A frame too large for any message: its offset is passed over, so the next one shows a gap and the log fills it.
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
comment on function stream.broadcast_channel(text, integer) is 'Part of stream.broadcast_pending: broadcasts what a channel said since the last time, in at most so many messages. Returns how many.';

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
    where c.channel <> 'quotes:all'
      -- A tenth less: pg_cron's ticks of 5 s are not exact, and waiting for the next one would make it 10.
      and coalesce(s.beacon_at, '-infinity') <= clock_timestamp() - e.beacon_every * 0.9
      -- Organizations are many and mostly silent: a minute after their last frame they are.
      and (not starts_with(c.channel, 'org:') or s.sent_at > clock_timestamp() - interval '1 minute')
  ), noted as (
    insert into stream.broadcast_positions as s (channel, epoch, last_offset, beacon_at)
    select d.channel, d.epoch, 0, clock_timestamp()
    from due d
    order by d.channel
    on conflict (channel) do update
    set beacon_at = excluded.beacon_at
  )
  select count(stream.send_broadcast(d.channel, d.epoch, d.last_offset)) into v_count from due d;
  return v_count;
end
$$;
comment on function stream.send_position_beacons() is 'Part of stream.broadcast_pending: says where each channel stands, so that who lost the last broadcast notices. Returns how many messages.';

create function stream.broadcast_pending() returns integer
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_turn stream.flush_state;
  v_rate numeric;
  v_cost numeric;
  v_tokens numeric;
  v_channel text;
  v_messages integer;
  v_sent integer := 0;
begin
  -- One at a time, and nobody skips: what the one before did not see yet is ours to send.
  perform pg_advisory_xact_lock(hashtextextended('stream.broadcast_pending', 0));
  select * into v_turn from stream.flush_state;
  if v_turn.repaired_at < clock_timestamp() - interval '4.5 seconds' then
    perform stream.publish_changes(stream.unpublished_pairs());
    if v_turn.sample_hour < date_trunc('hour', clock_timestamp(), 'UTC') then
      perform stream.replace_sample();
    end if;
    update stream.flush_state set repaired_at = clock_timestamp();
  end if;
  perform stream.publish_feeds();
  perform stream.publish_sample_prices();

  -- The platform counts over a minute; five seconds' worth may be spent at once.
  select s.messages_a_second, 1 + s.listeners into v_rate, v_cost from stream.settings s;
  v_tokens := least(v_rate * 5, v_turn.tokens + v_rate * extract(epoch from clock_timestamp() - v_turn.refilled_at));
  v_tokens := v_tokens - v_cost * stream.send_position_beacons();
  -- Whoever has waited longest goes first, so that a channel full of news does not silence the others when messages run short.
  for v_channel in
    select c.channel
    from stream.channels c
    left join stream.broadcast_positions s on s.channel = c.channel
    where c.channel <> 'quotes:all'
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
  -- Last: writers ask for this while they hold the gate, so nobody may hold it and then wait for the gate.
  perform stream.ensure_partition(clock_timestamp() + interval '10 minutes');
  return v_sent;
end
$$;
comment on function stream.broadcast_pending() is
  'Broadcasts what was committed since the last call, as far as the message quota allows (what must wait is sent in larger batches), and tells what only time makes true: silent feeds, the sample, a beacon every 5 s. Returns how many messages with frames.';
grant execute on function stream.broadcast_pending() to parallax_ingest;

create function stream.purge_expired(p_limit integer default 50000) returns integer
language plpgsql volatile
set search_path = ''
as $$
declare
  v_gone integer;
begin
  -- Each row was delivered within moments of its commit; the platform itself would keep it for three days.
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
  get diagnostics v_gone = row_count;
  -- A market that is over is told once more if it changes after all: its next change finds it untold and settled, and stays silent.
  delete from stream.published_markets t
  where t.status = 'settled'
    and t.published_at < clock_timestamp() - interval '1 day';
  -- Of organizations that are gone. What they were told last is out, and deleted above.
  delete from stream.channels c
  using stream.broadcast_positions s
  where s.channel = c.channel
    and starts_with(c.channel, 'org:')
    and s.last_offset >= c.last_offset
    and s.sent_at < clock_timestamp() - interval '2 hours'
    and not exists (select from account.organizations o where c.channel = 'org:' || o.org_id);
  return v_gone;
end
$$;
comment on function stream.purge_expired(integer) is 'Retention of what this room broadcast: rows of realtime.messages older than an hour, at most so many, what was told of markets long settled, channels of organizations that are gone. Returns how many messages went.';

revoke all on function
  stream.send_broadcast(text, text, bigint, text[]),
  stream.broadcast_channel(text, integer),
  stream.send_position_beacons(),
  stream.broadcast_pending(),
  stream.purge_expired(integer)
from public;
