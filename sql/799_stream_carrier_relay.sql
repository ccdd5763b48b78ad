-- Gives the committed frames of the log to the broker of Centrifugo. ingest calls
-- stream.relay_pending after each flush, in a transaction of its own, and pg_cron for all other
-- writers. The broker's rows and the position of the relay are one commit.
--
-- With the PostgreSQL broker, Centrifugo has the epochs and offsets of the log: its row of a
-- channel is set to the position before the first frame, and every published offset is compared.
-- With Redis, Centrifugo counts by itself; the version of a frame is its offset, so a frame that is
-- sent twice is published once.

-- The functions that write into schema centrifugo run as parallax_relay, because the owner of the
-- schema could attach code to its tables. They write the rows themselves: cf_binary_stream_publish
-- of Centrifugo takes 0.5 ms a frame, and in one transaction ten times as many frames take thirty
-- times as long. The statements are dynamic, because Centrifugo makes the tables when it starts.

create function stream.set_broker_position(p_channel text, p_epoch text, p_offset bigint) returns void
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  execute 'select from centrifugo.cf_binary_stream_shard_lock where shard_id = 0 for update';
  execute 'delete from centrifugo.cf_binary_stream where channel = $1 and kind = 0' using p_channel;
  execute $sql$
    insert into centrifugo.cf_binary_stream_meta (channel, top_offset, epoch, expires_at)
    values ($1, $2, $3, 'infinity')
    on conflict (channel) do update
    set top_offset = excluded.top_offset,
        epoch = excluded.epoch,
        expires_at = excluded.expires_at
  $sql$ using p_channel, p_offset, p_epoch;
end
$$;
comment on function stream.set_broker_position(text, text, bigint) is
  'Sets epoch and offset of a channel in the PostgreSQL broker and removes its history: a client '
  'with another position gets recovered false.';

create function stream.publish_to_broker(
  p_channel text, p_epoch text, p_after bigint, p_frames text[], p_keep interval, p_history integer
) returns void
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_rows bigint;
begin
  -- The lock with which Centrifugo itself publishes: ids are committed in their order.
  execute 'select from centrifugo.cf_binary_stream_shard_lock where shard_id = 0 for update';
  execute $sql$
    update centrifugo.cf_binary_stream_meta
    set top_offset = $3 + $4,
        history_ttl = $5,
        history_size = $6,
        updated_at = now()
    where channel = $1
      and epoch = $2
      and top_offset = $3
  $sql$ using p_channel, p_epoch, p_after, cardinality(p_frames), p_keep, p_history;
  get diagnostics v_rows = row_count;
  if v_rows = 0 then
    raise exception 'the broker does not have channel % at epoch % and offset %', p_channel, p_epoch, p_after
      using errcode = '55000', hint = 'Another program wrote into schema centrifugo, or it was restored.';
  end if;
  -- bytea: with jsonb, Centrifugo would send the keys of a frame in another order.
  execute $sql$
    insert into centrifugo.cf_binary_stream (channel, epoch, channel_offset, data)
    select $1, $2, $3 + f.place, convert_to(f.frame, 'UTF8')
    from unnest($4) with ordinality f (frame, place)
    order by f.place
  $sql$ using p_channel, p_epoch, p_after, p_frames;
  notify cf_binary_stream_notify;
end
$$;
comment on function stream.publish_to_broker(text, text, bigint, text[], interval, integer) is
  'Publishes the frames after an offset in the PostgreSQL broker. Raises an error where its '
  'position is another one.';

revoke all on function
  stream.set_broker_position(text, text, bigint),
  stream.publish_to_broker(text, text, bigint, text[], interval, integer)
from public;
grant usage, create on schema stream to parallax_relay;
alter function stream.set_broker_position(text, text, bigint) owner to parallax_relay;
alter function stream.publish_to_broker(text, text, bigint, text[], interval, integer) owner to parallax_relay;
revoke create on schema stream from parallax_relay;
grant execute on function
  stream.set_broker_position(text, text, bigint),
  stream.publish_to_broker(text, text, bigint, text[], interval, integer)
to postgres;

create function stream.queue_for_redis(p_channel text, p_epoch text, p_after bigint, p_frames text[]) returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  insert into stream.carrier_commands (method, partition, payload)
  select 'publish', 0,
         jsonb_build_object(
           'channel', p_channel,
           'b64data', translate(encode(convert_to(f.frame, 'UTF8'), 'base64'), E'\n', ''),
           'version', p_after + f.place,
           'version_epoch', p_epoch
         )
  from unnest(p_frames) with ordinality f (frame, place)
  order by f.place;
  perform pg_notify('carrier_commands', '0');
end
$$;
comment on function stream.queue_for_redis(text, text, bigint, text[]) is
  'Queues the frames after an offset for the consumer of Centrifugo, which publishes them in '
  'order.';

create function stream.frames_after(p_channel text, p_after bigint, p_top bigint) returns text[]
language sql stable
set search_path = ''
as $$
  select coalesce(array_agg(f.frame order by p.before + f.place), '{}')
  from (
    -- cardinality() runs once a row, as in stream.replay_publications.
    select p.last_offset - cardinality(p.frames) as before, p.frames
    from stream.publications p
    where p.channel = p_channel
      and p.last_offset > p_after
      and p.last_offset < p_top + 200
    offset 0
  ) p
  cross join lateral unnest(p.frames) with ordinality as f (frame, place)
  where p.before + f.place > p_after
    and p.before + f.place <= p_top
$$;
comment on function stream.frames_after(text, bigint, bigint) is
  'The frames of a channel after an offset up to p_top, without those that the log has dropped.';

create function stream.announce_channel(p_channel text) returns void
language sql volatile
set search_path = ''
as $$
  select stream.command_carrier('subscribe', jsonb_build_object('user', o.org_id, 'channel', p_channel))
  from (select distinct c.org_id from stream.connections c where c.node is not null) o
  where not starts_with(p_channel, 'org:')
    and stream.is_entitled(o.org_id, p_channel)
$$;
comment on function stream.announce_channel(text) is
  'Subscribes the connected clients whose plan has it to a new channel.';

create function stream.seed_carrier_channel(p_channel text) returns void
language plpgsql volatile
set search_path = ''
as $$
declare
  -- A client recovers at most so many frames (recovery_max_publication_limit of Centrifugo).
  v_history constant integer := 10000;
  v_carrier text := (select s.carrier from stream.settings s);
  v_channel stream.channels;
  v_start bigint;
begin
  if v_carrier = 'embedded' or exists (select from stream.relay_positions r where r.channel = p_channel) then
    return;
  end if;
  select c.* into v_channel from stream.channels c where c.channel = p_channel;
  v_start := v_channel.last_offset
    - cardinality(
      stream.frames_after(p_channel, greatest(v_channel.last_offset - v_history, 0), v_channel.last_offset)
    );
  insert into stream.relay_positions (channel, epoch, last_offset)
  values (p_channel, v_channel.epoch, v_start)
  on conflict do nothing;
  if found and v_carrier = 'postgres' then
    perform stream.set_broker_position(p_channel, v_channel.epoch, v_start);
  end if;
end
$$;
comment on function stream.seed_carrier_channel(text) is
  'Makes a channel known to the broker, at a position from which the log still has all frames, so '
  'that a client gets its epoch and can recover.';

create function stream.relay_channel(p_channel text) returns integer
language plpgsql volatile
set search_path = ''
as $$
declare
  v_history constant integer := 10000;
  v_settings stream.settings := (select s from stream.settings s);
  v_from stream.relay_positions;
  v_channel stream.channels;
  v_top bigint;
  v_frames text[];
begin
  select r.* into v_from from stream.relay_positions r where r.channel = p_channel;
  select c.* into v_channel from stream.channels c where c.channel = p_channel;
  v_top := least(v_channel.last_offset, v_from.last_offset + v_history);
  if v_channel.epoch = v_from.epoch then
    v_frames := stream.frames_after(p_channel, v_from.last_offset, v_top);
  end if;
  if v_frames is null or cardinality(v_frames) <> v_top - v_from.last_offset then
    -- The log was reset, or the relay has not run for longer than the log is kept. Redis would give
    -- the next frame the next number, and its clients would not notice.
    if v_settings.carrier = 'redis' then
      raise exception 'the log of channel % no longer follows what Redis has', p_channel
        using errcode = '55000',
        hint = 'Call stream.use_carrier(''embedded''), run after_failover.sh --now HOST PORT, then call '
               'stream.use_carrier(''redis''). Every client gets recovered false.';
    end if;
    delete from stream.relay_positions r where r.channel = p_channel;
    perform stream.seed_carrier_channel(p_channel);
    return stream.relay_channel(p_channel);
  end if;
  if v_frames = '{}' then
    return 0;
  end if;
  if v_settings.carrier = 'postgres' then
    perform stream.publish_to_broker(
      p_channel, v_channel.epoch, v_from.last_offset, v_frames, v_settings.keep, v_history
    );
  else
    perform stream.queue_for_redis(p_channel, v_channel.epoch, v_from.last_offset, v_frames);
  end if;
  update stream.relay_positions r
  set last_offset = v_top
  where r.channel = p_channel;
  return cardinality(v_frames);
end
$$;
comment on function stream.relay_channel(text) is
  'Part of stream.relay_pending: gives new frames of a channel to the broker, at most 10,000. '
  'Returns how many.';

create function stream.relay_pending() returns integer
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_channel record;
  v_count integer := 0;
begin
  if (select s.carrier from stream.settings s) = 'embedded' then
    return 0;
  end if;
  -- One at a time, and no call is skipped: this call gives what the one before could not see yet.
  perform pg_advisory_xact_lock(hashtextextended('stream.relay_pending', 0));
  for v_channel in
    select c.channel, r.channel is null as is_new
    from stream.channels c
    left join stream.relay_positions r on r.channel = c.channel
    where r.channel is null
      or r.epoch <> c.epoch
      or r.last_offset < c.last_offset
    order by c.channel
  loop
    if v_channel.is_new then
      perform stream.seed_carrier_channel(v_channel.channel);
      perform stream.announce_channel(v_channel.channel);
    end if;
    v_count := v_count + stream.relay_channel(v_channel.channel);
  end loop;
  return v_count;
end
$$;
comment on function stream.relay_pending() is
  'Gives what was committed since the last call to the broker of Centrifugo; nothing where the '
  'stream function carries the stream. Returns the number of frames.';
grant execute on function stream.relay_pending() to parallax_ingest;

create view stream.unrelayed_channels with (security_invoker = true) as
select c.channel, c.last_offset - coalesce(r.last_offset, 0) as frames, p.at as since
from stream.channels c
left join stream.relay_positions r on r.channel = c.channel and r.epoch = c.epoch
left join lateral (
  select x.at
  from stream.publications x
  where x.channel = c.channel
    and x.last_offset > coalesce(r.last_offset, 0)
  order by x.last_offset
  limit 1
) p on true
where c.last_offset > coalesce(r.last_offset, 0)
  and (select s.carrier from stream.settings s) <> 'embedded';
comment on view stream.unrelayed_channels is
  'Channels with frames that the broker of Centrifugo does not have yet, and when the oldest of '
  'them that the log still has was published (null where it has none).';

revoke all on function
  stream.queue_for_redis(text, text, bigint, text[]),
  stream.frames_after(text, bigint, bigint),
  stream.announce_channel(text),
  stream.seed_carrier_channel(text),
  stream.relay_channel(text),
  stream.relay_pending()
from public;
