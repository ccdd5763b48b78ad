-- The MCP tool watch_markets: frames of a few markets for a few seconds, read from the log. It
-- reads the channels that the organization is entitled to, from the offset at the start. It needs
-- no broadcast and no connection.

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
  'The channel from which an organization reads a market: its own, else the sample if it is in '
  'it; null when the plan includes neither.';

create function stream.start_watch(p_org_id uuid, p_pairs uuid[]) returns json
language sql stable security definer
set search_path = ''
-- One statement, so one snapshot: the prices are those at the returned offsets. json and not jsonb,
-- which would reorder the fields of a frame; type is first.
as $$
  with requested as (
    select r.pair_id, r.place, p.pair_id is not null as found,
           case when p.pair_id is not null then stream.watch_channel_of(p_org_id, p) end as channel
    from unnest(p_pairs) with ordinality as r (pair_id, place)
    left join catalog.pairs p on p.pair_id = r.pair_id and p.withdrawn_at is null
  ), latest as materialized (
    select stream.latest_updates_of(
      array(select r.pair_id from requested r where r.channel is not null order by r.place)
    ) as updates
  )
  select json_build_object(
    'watched',
    (
      select coalesce(json_agg('mkt_' || r.pair_id order by r.place), '[]') from requested r where r.channel is not null
    ),
    'unheard', (
      select coalesce(
        json_agg(
          json_build_object(
            'id', 'mkt_' || r.pair_id, 'code', case when r.found then 'stream.tier' else 'pair.not_found' end
          )
          order by r.place
        ),
        '[]'
      )
      from requested r
      where r.channel is null
    ),
    'places', (
      select coalesce(
        json_agg(json_build_object('channel', c.channel, 'epoch', c.epoch, 'after', c.last_offset) order by c.channel),
        '[]'
      )
      from stream.channels c
      where c.channel in (select r.channel from requested r)
        or (c.channel = 'status' and stream.is_entitled(p_org_id, 'status'))
    ),
    'now', (
      select coalesce(json_agg(f.json::json order by f.pair_id), '[]')
      from latest l
      cross join lateral stream.price_frames(l.updates, stream.render_markets(l.updates, true)) f
    )
  )
$$;
comment on function stream.start_watch(uuid, uuid[]) is
  'Starts a watch: {watched: ids, unheard: [{id, code}], places: [{channel, epoch, after}], now: '
  'price frames}. stream.read_watch reads on from places.';

create function stream.market_id_of(p_frame text) returns text
language sql immutable parallel safe
set search_path = ''
-- Most frames are of other markets, so they are compared as text: parsing JSON, or a regular
-- expression, takes ten times as long. No other text can match: inside a JSON string, quotes have a
-- backslash before them.
as $$
  select left(
    split_part(
      p_frame, case when starts_with(p_frame, '{"type":"opportunity"') then '"market_id":"' else '"id":"' end, 2
    ), 40
  )
$$;
comment on function stream.market_id_of(text) is
  'The id of the market of a frame, mkt_ and a uuid; other text for a frame without a market.';

create function stream.read_watch(p_org_id uuid, p_pairs uuid[], p_places jsonb) returns json
language plpgsql stable security definer
set search_path = ''
-- Not stream.replay_publications, which measures each frame: here few of many frames are wanted.
-- The half second between two calls has at most 500 frames: 2.5 ms. 10,000 frames of 400 bytes take
-- 44 ms, for one market or for 20 (PostgreSQL 17, 2026-11-20).
as $$
declare
  -- Rows of the log, of at most 200 frames each. The next call reads the rest.
  v_max_rows constant integer := 2000;
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
      limit v_max_rows
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
      -- The epoch changed, or the log no longer reaches back: continue at the present offset and
      -- report lost.
      v_lost := true;
    end if;
    v_places := v_places
      || jsonb_build_object('channel', v_place.channel, 'epoch', v_now.epoch, 'after', v_now.last_offset);
  end loop;
  return json_build_object(
    'frames', ('[' || array_to_string(v_frames, ',') || ']')::json, 'places', v_places, 'lost', v_lost
  );
end
$$;
comment on function stream.read_watch(uuid, uuid[], jsonb) is
  'Frames of these markets after places: {frames, places, lost}, or {ended: code} when the '
  'organization is no longer entitled to a channel.';

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
