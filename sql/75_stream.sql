-- Room stream: the log of what was published, channel by channel, and who may hear it.
-- A publication is written in the transaction that made its fact true. Nothing is delayed: REST shows a price two minutes late, this
-- room shows it when it is committed. Times of the log are real, so that retention holds also where market time hurries or stands.

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
  sample_markets smallint not null default 20 check (sample_markets between 0 and 20)
);
comment on table stream.settings is 'The one row of settings: how long the log is kept, and what a broadcast may cost.';
comment on column stream.settings.broadcast_bytes is 'Frames of one broadcast; with its envelope it stays under 200 KB. A project on the Free plan takes 256 KB (platform.md 1.9).';
comment on column stream.settings.messages_a_second is 'Of the plan''s quota (Free 100, Pro 500), what broadcasts may use; the rest is left to joins and to whatever else the project sends.';
comment on column stream.settings.listeners is 'About how many hear each broadcast: the platform counts a message for the send and one for each delivery.';
comment on column stream.settings.max_broadcast_delay is 'What waited longer than this is not broadcast any more: the next offset shows the gap and the log fills it.';
comment on column stream.settings.quote_repeat_interval is 'A quote that stands and was told so long ago is told again when its reader next vouches for it, which it does every two minutes: so every standing quote is told at least every five.';
insert into stream.settings (singleton) values (true) on conflict do nothing;

create table stream.channels (
  channel text primary key check (
    channel in ('markets:all', 'sample', 'status', 'quotes:all')
    or channel ~ '^candidates:.'
    or channel ~ '^org:[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'
  ),
  epoch text not null default left(replace(gen_random_uuid()::text, '-', ''), 12),
  last_offset bigint not null default 0 check (last_offset >= 0)
) with (fillfactor = 50);
comment on table stream.channels is 'Where each channel stands. The row is locked from an append to the commit: so the order of offsets is the order of commits, and a rollback leaves no hole.';
comment on column stream.channels.epoch is 'Names one life of the log: another one means that it was lost and offsets began again at 1.';
comment on column stream.channels.last_offset is 'Offset of the newest frame; 0 before the first.';
insert into stream.channels (channel) values ('markets:all'), ('sample'), ('status'), ('quotes:all') on conflict do nothing;

create table stream.publications (
  channel text not null,
  last_offset bigint not null,
  at timestamptz not null default clock_timestamp(),
  frames text[] not null check (cardinality(frames) > 0),
  primary key (channel, last_offset, at)
) partition by range (at);
comment on table stream.publications is
  'The log: what one transaction said on one channel, in a row or a few. A row of 50 frames is compressed, 63 bytes a frame (230 MB an hour at 1,000 a second, measured 2026-11-20); a row for each would be 400. Partitions of ten minutes, dropped when they are over.';
comment on column stream.publications.last_offset is 'Offset of the last frame; the first has last_offset - cardinality(frames) + 1.';
comment on column stream.publications.frames is 'JSON texts, type first, as they go on the wire.';

create table stream.published_markets (
  pair_id uuid primary key,
  channel text not null,
  change_no bigint not null,
  status text not null,
  signal text not null,
  priced boolean not null,
  published_at timestamptz not null default clock_timestamp()
) with (fillfactor = 70);
comment on table stream.published_markets is 'What the last market frame of each pair said. A frame is due when the pair differs from it, whoever changed it: what a writer forgot to tell is told by the next flush.';
comment on column stream.published_markets.change_no is 'catalog.pairs.change_no that was told.';
comment on column stream.published_markets.priced is 'Whether it came with outcomes: an unpriced Market has none, so their names are due when prices return.';

create table stream.published_opportunities (
  opportunity_id uuid primary key,
  pair_id uuid not null,
  state_no bigint not null,
  change_no bigint not null
);
comment on table stream.published_opportunities is 'Opportunities that listeners hold to be open, with the state, and the identity of the pair (catalog.pairs.change_no), that they know.';
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
  -- Asked of the table this time: who has waited for the lock still remembers that there was none.
  if exists (select from pg_catalog.pg_class c where c.relnamespace = 'stream'::regnamespace and c.relname = v_name) then
    return;
  end if;
  -- Made apart and then attached: "create table … partition of" would keep every reader and writer of the log out until the commit.
  execute format('create table stream.%I (like stream.publications including defaults including constraints)', v_name);
  execute format('alter table stream.%I enable row level security', v_name);
  execute format('alter table stream.%I force row level security', v_name);
  execute format(
    'alter table stream.publications attach partition stream.%I for values from (%L) to (%L)', v_name, v_from, v_from + interval '10 minutes'
  );
end
$$;
comment on function stream.ensure_partition(timestamptz) is 'Makes the partition of this moment, unless it is there. stream.broadcast_pending makes the next one ahead of its time.';

create function stream.drop_old_partitions() returns integer
language plpgsql volatile
set search_path = ''
as $$
declare
  v_oldest text := 'publications_' || to_char(
    (clock_timestamp() - (select s.keep from stream.settings s) - interval '10 minutes') at time zone 'UTC', 'YYYYMMDDHH24MI'
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
comment on function stream.drop_old_partitions() is 'Retention: drops the ten minutes that ended longer ago than stream.settings.keep. Returns how many.';

create function stream.append_publication(p_channel text, p_frames text[]) returns bigint
language plpgsql volatile
set search_path = ''
as $$
declare
  v_most constant integer := 200;
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
  -- In rows of so many: a reader of few frames need not unpack what a whole match pass said.
  insert into stream.publications (channel, last_offset, at, frames)
  select p_channel,
         v_top - cardinality(p_frames) + least(g + v_most - 1, cardinality(p_frames)),
         v_at,
         p_frames[g : g + v_most - 1]
  from generate_series(1, cardinality(p_frames), v_most) g;
  return v_top;
end
$$;
comment on function stream.append_publication(text, text[]) is
  'Adds frames to a channel and returns the offset of the last. It locks the channel to the end of the transaction: do it last, and for more than one channel in the order of their names (stream.publish_changes).';

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
comment on function stream.reset_channel(text) is 'Begins a channel anew under another epoch (operators, after a log was lost). Returns the epoch.';

create function stream.replay_publications(p_channel text, p_epoch text, p_after bigint, p_limit integer default 500) returns table (
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
  v_bytes constant integer := 256 * 1024;
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
        -- Counted once a row (offset 0 keeps it so): to count a long row is to unpack it, and for each of its frames that was 300 ms a page.
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
      -- The first frame must follow on the place asked for: else the log no longer reaches back so far.
      if v_row.at_offset <> upto + 1 then
        recovered := false;
        exit;
      end if;
      v_size := v_size + octet_length(v_row.frame) + 1;
      exit when v_size > v_bytes and cardinality(frames) > 0;
      frames := frames || v_row.frame;
      upto := v_row.at_offset;
    end loop;
    recovered := recovered and (upto > p_after or p_after = top);
  end if;
  return next;
end
$$;
comment on function stream.replay_publications(text, text, bigint, integer) is
  'What a channel said after an offset, at most p_limit (500) frames or 256 KiB; upto is the offset of the last one given. recovered is false where the epoch is another or the log does not reach back: read the state anew. A channel that never was has no epoch.';

revoke all on function
  stream.ensure_partition(timestamptz),
  stream.drop_old_partitions(),
  stream.append_publication(text, text[]),
  stream.reset_channel(text),
  stream.replay_publications(text, text, bigint, integer)
from public;
