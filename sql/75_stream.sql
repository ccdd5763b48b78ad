-- Schema stream: the publication log of each channel, and who may read which channel. A frame is
-- written in the transaction of the change that it publishes. Nothing is delayed: REST returns a
-- price two minutes late, the stream publishes it when it is committed. Times of the log are real
-- time, so that retention also holds where market time is fast or stopped.

create schema stream;
revoke all on schema stream from public;
grant usage on schema stream to parallax_ingest, authenticated;

create table stream.settings (
  singleton boolean primary key default true check (singleton),
  keep interval not null default interval '60 minutes' check (keep >= interval '60 minutes'),
  broadcast_bytes integer not null default 190000 check (broadcast_bytes between 1000 and 195000),
  messages_a_second numeric not null default 80 check (messages_a_second > 0),
  listeners integer not null default 1 check (listeners >= 0),
  beacon_every interval not null default interval '5 seconds',
  max_broadcast_delay interval not null default interval '30 seconds',
  quote_repeat_interval interval not null default interval '3 minutes' check (quote_repeat_interval >= interval '0'),
  sample_markets smallint not null default 20 check (sample_markets between 0 and 20),
  carrier text not null default 'embedded' check (carrier in ('embedded', 'postgres', 'redis')),
  carried_for interval not null default interval '300 seconds' check (carried_for >= interval '1 second')
);
comment on table stream.settings is
  'The one row of settings: how long the log is kept, and what broadcasts may use.';
comment on column stream.settings.broadcast_bytes is
  'Bytes of frames in one broadcast, which stays under 200 KB with its envelope. Realtime takes '
  'messages of up to 256 KB on the Free plan.';
comment on column stream.settings.messages_a_second is
  'Messages a second that broadcasts may use of the plan''s quota (Free 100, Pro 500). Joins and '
  'other messages of the project use the rest.';
comment on column stream.settings.listeners is
  'Estimated subscribers of each broadcast. Realtime counts one message for the send and one for '
  'each delivery.';
comment on column stream.settings.max_broadcast_delay is
  'An older frame is not broadcast. The next offset shows the gap, and the client reads it from '
  'the log.';
comment on column stream.settings.quote_repeat_interval is
  'A quote published longer ago is due again when its reader repeats it, which the reader does '
  'every two minutes. So each quote is published at least every five minutes.';
comment on column stream.settings.carrier is
  'What carries the stream: the stream function, or Centrifugo with its PostgreSQL broker or with '
  'Redis. stream.use_carrier changes it.';
comment on column stream.settings.carried_for is
  'How long Centrifugo keeps a connection before it asks again. A shorter time notices more and '
  'costs more calls.';
insert into stream.settings (singleton) values (true) on conflict do nothing;

create table stream.channels (
  channel text primary key check (
    channel in ('markets:all', 'sample', 'status', 'quotes:all', 'best:all')
    or channel ~ '^candidates:.'
    or channel ~ '^org:[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'
  ),
  epoch text not null default left(replace(gen_random_uuid()::text, '-', ''), 12),
  last_offset bigint not null default 0 check (last_offset >= 0)
) with (fillfactor = 50);
comment on table stream.channels is
  'The epoch and offset of each channel. An append locks the row to the commit: offset order is '
  'commit order, and a rollback leaves no gap.';
comment on column stream.channels.epoch is
  'Changes when the log was lost and offsets began at 1 again.';
comment on column stream.channels.last_offset is 'Offset of the newest frame; 0 before the first.';
-- For stream.entitled_channels: a ticket would read a row for each organization.
create index shared_channels on stream.channels (channel) where not starts_with(channel, 'org:');
insert into stream.channels (channel)
values ('markets:all'), ('sample'), ('status'), ('quotes:all'), ('best:all')
on conflict do nothing;

create function stream.has_topic(p_channel text) returns boolean
language sql immutable parallel safe
return p_channel not in ('quotes:all', 'best:all');
comment on function stream.has_topic(text) is
  'Whether a channel has a topic on Realtime. The others are read from the log only.';

-- A row of 50 frames is compressed to 63 bytes a frame: 230 MB an hour at 1,000 frames a second
-- (measured 2026-11-20). One row for each frame would take 400 bytes.
create table stream.publications (
  channel text not null,
  last_offset bigint not null,
  at timestamptz not null default clock_timestamp(),
  frames text[] not null check (cardinality(frames) > 0),
  primary key (channel, last_offset, at)
) partition by range (at);
comment on table stream.publications is
  'The publication log: what one transaction published on one channel, in one or several rows. '
  'Partitions of ten minutes, dropped after stream.settings.keep.';
comment on column stream.publications.last_offset is
  'Offset of the last frame; the first has last_offset - cardinality(frames) + 1.';
comment on column stream.publications.frames is 'JSON texts, type first, as they are sent.';

create table stream.published_markets (
  pair_id uuid primary key,
  channel text not null,
  change_no bigint not null,
  status text not null,
  signal text not null,
  priced boolean not null,
  published_at timestamptz not null default clock_timestamp()
) with (fillfactor = 70);
comment on table stream.published_markets is
  'The last market frame of each pair. A frame is due when the pair differs from it, whichever '
  'writer changed the pair: the next call repairs what a writer did not publish.';
comment on column stream.published_markets.change_no is
  'catalog.pairs.change_no when it was published.';
comment on column stream.published_markets.priced is
  'Whether the frame had outcomes. A Market without prices has none, so a new frame with their '
  'names is due when prices return.';

create table stream.published_opportunities (
  opportunity_id uuid primary key,
  pair_id uuid not null,
  state_no bigint not null,
  change_no bigint not null
);
comment on table stream.published_opportunities is
  'Opportunities published as open, with the state and the catalog.pairs.change_no that were last '
  'published.';
create index published_opportunities_by_pair on stream.published_opportunities (pair_id);

alter table stream.settings enable row level security;
alter table stream.settings force row level security;
alter table stream.channels enable row level security;
alter table stream.channels force row level security;
alter table stream.publications enable row level security;
alter table stream.publications force row level security;
alter table stream.published_markets enable row level security;
alter table stream.published_markets force row level security;
alter table stream.published_opportunities enable row level security;
alter table stream.published_opportunities force row level security;

create function stream.ensure_partition(p_at timestamptz) returns void
language plpgsql volatile
set search_path = ''
as $$
declare
  v_from timestamptz := date_bin(interval '10 minutes', p_at, timestamptz 'epoch');
  v_name text := 'publications_' || to_char(v_from at time zone 'UTC', 'YYYYMMDDHH24MI');
begin
  if to_regclass('stream.' || v_name) is not null then
    return;
  end if;
  perform pg_advisory_xact_lock(hashtextextended('stream.publications', 0));
  -- Reads the catalog: after the wait for the lock, to_regclass still returns its cached null.
  if exists (
    select from pg_catalog.pg_class c where c.relnamespace = 'stream'::regnamespace and c.relname = v_name
  ) then
    return;
  end if;
  -- Created apart, then attached: "create table … partition of" would lock out every reader and
  -- writer of the log until the commit.
  execute format('create table stream.%I (like stream.publications including defaults including constraints)', v_name);
  execute format('alter table stream.%I enable row level security', v_name);
  execute format('alter table stream.%I force row level security', v_name);
  execute format(
    'alter table stream.publications attach partition stream.%I for values from (%L) to (%L)', v_name, v_from,
    v_from + interval '10 minutes'
  );
end
$$;
comment on function stream.ensure_partition(timestamptz) is
  'Creates the partition of this time unless it exists. stream.broadcast_pending creates the next '
  'one ten minutes ahead.';

create function stream.drop_old_partitions() returns integer
language plpgsql volatile
set search_path = ''
as $$
declare
  v_oldest text := 'publications_' || to_char(
    (clock_timestamp() - (select s.keep from stream.settings s) - interval '10 minutes') at time zone 'UTC',
    'YYYYMMDDHH24MI'
  );
  v_name text;
  v_dropped integer := 0;
begin
  for v_name in
    select c.relname
    from pg_catalog.pg_inherits i
    join pg_catalog.pg_class c on c.oid = i.inhrelid
    where i.inhparent = 'stream.publications'::regclass
      and c.relname <= v_oldest
    order by c.relname
  loop
    execute format('drop table stream.%I', v_name);
    v_dropped := v_dropped + 1;
  end loop;
  return v_dropped;
end
$$;
comment on function stream.drop_old_partitions() is
  'Retention: drops the partitions that ended longer ago than stream.settings.keep. Returns how '
  'many.';

create function stream.append_publication(p_channel text, p_frames text[]) returns bigint
language plpgsql volatile
set search_path = ''
as $$
declare
  v_row_frames constant integer := 200;
  v_top bigint;
  v_at timestamptz;
begin
  if coalesce(cardinality(p_frames), 0) = 0 then
    return (select c.last_offset from stream.channels c where c.channel = p_channel);
  end if;
  insert into stream.channels as c (channel, last_offset)
  values (p_channel, cardinality(p_frames))
  on conflict (channel) do update
  set last_offset = c.last_offset + excluded.last_offset
  returning c.last_offset into v_top;
  v_at := clock_timestamp();
  perform stream.ensure_partition(v_at);
  -- Several rows, so that a reader of few frames does not decompress a whole match pass.
  insert into stream.publications (channel, last_offset, at, frames)
  select p_channel,
         v_top - cardinality(p_frames) + least(g + v_row_frames - 1, cardinality(p_frames)),
         v_at,
         p_frames[g : g + v_row_frames - 1]
  from generate_series(1, cardinality(p_frames), v_row_frames) g;
  return v_top;
end
$$;
comment on function stream.append_publication(text, text[]) is
  'Appends frames and returns the last offset. Locks the channel to the end of the transaction: '
  'call it last, and take several channels in the order of their names.';

create function stream.reset_channel(p_channel text) returns text
language plpgsql volatile
set search_path = ''
as $$
declare
  v_epoch text;
begin
  update stream.channels c
  set epoch = default,
      last_offset = 0
  where c.channel = p_channel
  returning c.epoch into v_epoch;
  delete from stream.publications p where p.channel = p_channel;
  return v_epoch;
end
$$;
comment on function stream.reset_channel(text) is
  'Starts a channel again at offset 0 under another epoch (for operators, after a log was lost). '
  'Returns the epoch.';

create function stream.replay_publications(p_channel text, p_epoch text, p_after bigint, p_limit integer default 500)
returns table (
  epoch text,
  top bigint,
  recovered boolean,
  upto bigint,
  frames text[]
)
language plpgsql stable security definer
set search_path = ''
as $$
declare
  v_max_bytes constant integer := 256 * 1024;
  v_limit integer := least(greatest(coalesce(p_limit, 500), 1), 500);
  v_row record;
  v_size bigint := 0;
begin
  select c.epoch, c.last_offset into epoch, top from stream.channels c where c.channel = p_channel;
  recovered := epoch is not null and p_epoch = epoch and p_after between 0 and top;
  frames := '{}';
  upto := p_after;
  if epoch is not null and recovered then
    for v_row in
      select f.frame, p.before + f.place as at_offset
      from (
        -- cardinality() decompresses a long row. offset 0 makes it run once a row: once a frame
        -- took 300 ms a page.
        select p.last_offset - cardinality(p.frames) as before, p.frames
        from stream.publications p
        where p.channel = p_channel
          and p.last_offset > p_after
          and p.last_offset < p_after + v_limit + 201
        offset 0
      ) p
      cross join lateral unnest(p.frames) with ordinality as f (frame, place)
      where p.before + f.place > p_after
      order by p.before, f.place
      limit v_limit
    loop
      -- A gap before the first frame: the log no longer reaches back to this offset.
      if v_row.at_offset <> upto + 1 then
        recovered := false;
        exit;
      end if;
      v_size := v_size + octet_length(v_row.frame) + 1;
      exit when v_size > v_max_bytes and cardinality(frames) > 0;
      frames := frames || v_row.frame;
      upto := v_row.at_offset;
    end loop;
    recovered := recovered and (upto > p_after or p_after = top);
  end if;
  return next;
end
$$;
comment on function stream.replay_publications(text, text, bigint, integer) is
  'At most p_limit (500) frames or 256 KiB after an offset; upto is the offset of the last. Not '
  'recovered when the epoch differs or the log no longer has them: read the state again.';

revoke all on function
  stream.ensure_partition(timestamptz),
  stream.drop_old_partitions(),
  stream.append_publication(text, text[]),
  stream.reset_channel(text),
  stream.replay_publications(text, text, bigint, integer)
from public;
