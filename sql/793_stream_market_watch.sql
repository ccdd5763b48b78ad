-- What watch_markets of MCP hears: a few markets for a few seconds, out of the log. The frames are those of the channels that the
-- organization is entitled to, from the offset at which it began to listen; nothing is broadcast for it and it takes no connection.

grant usage on schema stream to parallax_api;

create function stream.watch_channel_of(p_org_id uuid, p_pair catalog.pairs) returns text
language sql stable
set search_path = ''
as $$
  select c.channel
  from (
    values
      (1, stream.market_channel_of(p_pair.stage, p_pair.sport, p_pair.category)),
      (2, case when exists (select from stream.sample_markets s where s.pair_id = p_pair.pair_id) then 'sample' end)
  ) as c (place, channel)
  where c.channel is not null
    and stream.is_entitled(p_org_id, c.channel)
  order by c.place
  limit 1
$$;
comment on function stream.watch_channel_of(uuid, catalog.pairs) is
  'The channel on which an organization hears a market: its own, else the sample where it is in there; null where its tier hears neither.';

create function stream.start_watch(p_org_id uuid, p_pairs uuid[]) returns json
language sql stable security definer
set search_path = ''
-- One statement, so one snapshot: the prices are those of the very offsets that are named beside them. json and not jsonb: a frame keeps
-- its order, type first.
as $$
  with asked as (
    select a.pair_id, a.place, p.pair_id is not null as found,
           case when p.pair_id is not null then stream.watch_channel_of(p_org_id, p) end as channel
    from unnest(p_pairs) with ordinality as a (pair_id, place)
    left join catalog.pairs p on p.pair_id = a.pair_id and p.withdrawn_at is null
  ), framed as materialized (
    select stream.latest_updates_of(array(select a.pair_id from asked a where a.channel is not null order by a.place)) as frames
  )
  select json_build_object(
    'heard', (select coalesce(json_agg('mkt_' || a.pair_id order by a.place), '[]') from asked a where a.channel is not null),
    'unheard', (
      select coalesce(
        json_agg(
          json_build_object('id', 'mkt_' || a.pair_id, 'code', case when a.found then 'stream.tier' else 'pair.not_found' end)
          order by a.place
        ),
        '[]'
      )
      from asked a
      where a.channel is null
    ),
    'places', (
      select coalesce(json_agg(json_build_object('channel', c.channel, 'epoch', c.epoch, 'after', c.last_offset) order by c.channel), '[]')
      from stream.channels c
      where c.channel in (select a.channel from asked a)
        or (c.channel = 'status' and stream.is_entitled(p_org_id, 'status'))
    ),
    'now', (
      select coalesce(json_agg(f.json::json order by f.pair_id), '[]')
      from framed n
      cross join lateral stream.price_frames(n.frames, stream.render_markets(n.frames, true)) f
    )
  )
$$;
comment on function stream.start_watch(uuid, uuid[]) is
  'Begins to listen: {heard: ids, unheard: [{id, code}], places: [{channel, epoch, after}], now: a price frame of each market}. What follows the places is read with stream.read_watch.';

create function stream.market_id_of(p_frame text) returns text
language sql immutable parallel safe
set search_path = ''
-- Most frames are of other markets, so each is looked at as text: as JSON, or by a regular expression, it would take ten times as long.
-- Nothing else can look so: within a string of JSON the quotes have backslashes before them.
as $$
  select left(
    split_part(p_frame, case when starts_with(p_frame, '{"type":"opportunity"') then '"market_id":"' else '"id":"' end, 2), 40
  )
$$;
comment on function stream.market_id_of(text) is 'The id of the market that a frame is about, mkt_ and a uuid; other text where it is about none.';

create function stream.read_watch(p_org_id uuid, p_pairs uuid[], p_places jsonb) returns json
language plpgsql stable security definer
set search_path = ''
-- Not by stream.replay_publications, which measures every frame for its reader: here a handful is wanted of all that was said. The half second that a
-- call is behind is at most 500 frames: 2.5 ms; 10,000 of 400 bytes take 44 ms, for one market or for 20 (PostgreSQL 17, 2026-11-20).
as $$
declare
  -- Rows of the log, of at most 200 frames each: who is further behind than that comes again.
  v_most_rows constant integer := 2000;
  v_ids constant text[] := array(select 'mkt_' || p from unnest(p_pairs) p);
  v_place record;
  v_now record;
  v_read record;
  v_places jsonb := '[]';
  v_frames text[] := '{}';
  v_lost boolean := false;
begin
  for v_place in
    select x.channel, x.epoch, x.after
    from jsonb_to_recordset(p_places) as x (channel text, epoch text, after bigint)
    order by x.channel
    limit 30
  loop
    if not stream.is_entitled(p_org_id, v_place.channel) then
      return json_build_object('ended', 'stream.tier');
    end if;
    select c.epoch, c.last_offset into v_now from stream.channels c where c.channel = v_place.channel;
    with read as materialized (
      select p.last_offset, p.frames, p.last_offset - cardinality(p.frames) as before
      from stream.publications p
      where p.channel = v_place.channel
        and p.last_offset > v_place.after
        and v_now.epoch = v_place.epoch
      order by p.last_offset
      limit v_most_rows
    )
    select (select min(r.before) from read r) as reaches,
           (select max(r.last_offset) from read r) as last_offset,
           array(
             select f.frame
             from read r
             cross join lateral unnest(r.frames) with ordinality as f (frame, place)
             where r.before + f.place > v_place.after
               and stream.market_id_of(f.frame) = any (v_ids)
             order by r.before + f.place
           ) as frames
    into v_read;
    if v_now.epoch = v_place.epoch and (v_read.reaches <= v_place.after or v_place.after = v_now.last_offset) then
      v_frames := v_frames || v_read.frames;
      v_now.last_offset := coalesce(v_read.last_offset, v_place.after);
    else
      -- The log was begun anew or no longer reaches back: go on from where it stands, and say that something is missing.
      v_lost := true;
    end if;
    v_places := v_places || jsonb_build_object('channel', v_place.channel, 'epoch', v_now.epoch, 'after', v_now.last_offset);
  end loop;
  return json_build_object(
    'frames', ('[' || array_to_string(v_frames, ',') || ']')::json, 'places', v_places, 'lost', v_lost
  );
end
$$;
comment on function stream.read_watch(uuid, uuid[], jsonb) is
  'What channels said of these markets after [{channel, epoch, after}]: {frames, places, lost}, or {ended: code} once the organization no longer hears one of them.';

revoke all on function
  stream.watch_channel_of(uuid, catalog.pairs),
  stream.market_id_of(text),
  stream.start_watch(uuid, uuid[]),
  stream.read_watch(uuid, uuid[], jsonb)
from public;
grant execute on function
  stream.start_watch(uuid, uuid[]),
  stream.read_watch(uuid, uuid[], jsonb)
to parallax_api;
