-- What is published: the difference between the published state and the present state.
--
-- A writer calls stream.publish_changes once, as the last call of its transaction. The function
-- takes the publication lock, which covers all market channels, and keeps it to the commit. So each
-- frame is rendered from everything that was committed before it, and offset order is commit order.
-- One lock for all channels: a flush appends to several, and with a lock for each, two flushes
-- could deadlock. Frames are rendered under it (figures: docs/measurements/2026-11-20-stream.md).

create type stream.frame as (channel text, pair_id uuid, json text);
comment on type stream.frame is
  'A frame before it is appended: its channel, its pair (null: none) and its text.';

create function stream.market_channel_of(p_stage text, p_sport text, p_category text) returns text
language sql immutable parallel safe
return case p_stage when 'catalog' then 'markets:all' else 'candidates:' || coalesce(p_sport, p_category) end;
comment on function stream.market_channel_of(text, text, text) is
  'The channel of a market. Candidates have a channel for each sport, outside sports for each '
  'category.';

-- SQL expressions, which the planner inlines: a match pass writes 20,000 frames.
create function stream.market_fields(p_row price.snapshot, p_read_a timestamptz, p_read_b timestamptz) returns text
language sql stable parallel safe
return price.market_fields((p_row).head, (p_row).outcomes, (p_row).tail, (p_row).ids, (p_row).settlement)
  || ',"books_read_at":{"venue_a":'
  || coalesce('"' || to_char(p_read_a at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"', 'null')
  || ',"venue_b":'
  || coalesce('"' || to_char(p_read_b at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"', 'null') || '}';
comment on function stream.market_fields(price.snapshot, timestamptz, timestamptz) is
  'The fields of a Market as REST renders it, with ids, settlement and books_read_at, exact to '
  'the millisecond. p_row comes from stream.render_markets with p_fresh.';

create function stream.market_json(p_row price.snapshot, p_read_a timestamptz, p_read_b timestamptz) returns text
language sql stable parallel safe
return '{' || stream.market_fields(p_row, p_read_a, p_read_b) || '}';
comment on function stream.market_json(price.snapshot, timestamptz, timestamptz) is
  'A Market as the stream publishes it: stream.market_fields in braces.';

create function stream.market_frame(p_row price.snapshot, p_read_a timestamptz, p_read_b timestamptz) returns text
language sql stable parallel safe
return '{"type":"market",' || stream.market_fields(p_row, p_read_a, p_read_b) || '}';
comment on function stream.market_frame(price.snapshot, timestamptz, timestamptz) is
  'A market frame: type, then the Market.';

create function stream.removed_frame(p_pair_id uuid, p_reason text) returns text
language sql stable
set search_path = ''
as $$ select '{"type":"market_removed","id":"mkt_' || p_pair_id || '","reason":' || to_json(p_reason) || '}' $$;
comment on function stream.removed_frame(uuid, text) is
  'A market leaves its channel, with the reason: withdrawn, moved between candidates and catalog, '
  'or no longer in the sample.';

create function stream.render_markets(p_updates price.price_update[], p_fresh boolean) returns price.snapshot[]
language plpgsql stable
set search_path = ''
as $$
begin
  return array(
    select r::price.snapshot
    from price.render_rows(array(
      -- Without the rule texts, which are megabytes for a thousand markets. REST has them.
      select row(u.pair_id, p_fresh, u, false, null)::price.render_input
      from unnest(p_updates) u
    )) r
  );
end
$$;
comment on function stream.render_markets(price.price_update[], boolean) is
  'Renders the REST rows of pairs for these price updates, one update a pair. p_fresh: with ids '
  'and settlement.';

create function stream.latest_updates_of(p_pairs uuid[]) returns price.price_update[]
language sql stable
set search_path = ''
as $$
  select array(
    select case
      when l.pair_id is not null then row(l.*)::price.price_update
      else jsonb_populate_record(null::price.price_update, jsonb_build_object('pair_id', x.pair_id))
    end
    from unnest(p_pairs) as x (pair_id)
    left join price.latest_updates l on l.pair_id = x.pair_id
  )
$$;
comment on function stream.latest_updates_of(uuid[]) is
  'The newest price update of each pair; one with nulls when the pair has none.';

-- p_updates: one update a pair; p_rows: their rows. p_fresh: the rows have ids and settlement; else
-- the rows of the due pairs are rendered here.
create function stream.market_frames(
  p_updates price.price_update[], p_rows price.snapshot[], p_fresh boolean default false
) returns setof stream.frame
language plpgsql volatile
set search_path = ''
-- published_markets is read pair by pair (lateral, offset 0). The first match pass of a database
-- plans this query while the table is empty, and a join then read all of it in each round.
as $$
declare
  v_due price.price_update[];
  v_rows price.snapshot[];
begin
  -- The pairs that differ from their published state. A pair that is over and was never published
  -- stays unpublished.
  select array_agg(u)
  into v_due
  from unnest(p_updates) u
  join unnest(p_rows) r on r.pair_id = u.pair_id
  left join lateral (select m.* from stream.published_markets m where m.pair_id = u.pair_id offset 0) t on true
  where case
    when t.pair_id is null then r.status not in ('closed', 'settled')
    -- A price frame publishes that prices are gone. Their return needs a market frame with the
    -- names of the outcomes if the market was published without them.
    else (t.change_no, t.signal) is distinct from (r.change_no, r.signal) or (r.priced and not t.priced)
  end;
  return query
  with gone as (
    delete from stream.published_markets t
    where t.pair_id = any (array(
      select u.pair_id
      from unnest(p_updates) u
      left join lateral (select c.* from catalog.pairs c where c.pair_id = u.pair_id offset 0) p on true
      where p.pair_id is null
        or p.withdrawn_at is not null
    ))
    returning t.channel, t.pair_id
  )
  select g.channel, g.pair_id, stream.removed_frame(g.pair_id, coalesce(p.withdrawn_code, 'not_listed'))
  from gone g
  left join catalog.pairs p on p.pair_id = g.pair_id;
  if v_due is null then
    return;
  end if;
  v_rows := case when p_fresh then p_rows else stream.render_markets(v_due, true) end;
  return query
  with due as materialized (
    select r.pair_id, r.change_no, r.status, r.signal, r.priced,
           stream.market_channel_of(r.stage, r.sport, r.category) as channel,
           stream.market_frame(r, u.read_a, u.read_b) as frame, t.channel as channel_was, t.status as status_was
    from unnest(v_rows) r
    join unnest(v_due) u on u.pair_id = r.pair_id
    left join lateral (select m.* from stream.published_markets m where m.pair_id = r.pair_id offset 0) t on true
  ), written as (
    insert into stream.published_markets as t (pair_id, channel, change_no, status, signal, priced)
    select d.pair_id, d.channel, d.change_no, d.status, d.signal, d.priced
    from due d
    on conflict (pair_id) do update
    set channel = excluded.channel,
        change_no = excluded.change_no,
        status = excluded.status,
        signal = excluded.signal,
        priced = excluded.priced,
        published_at = excluded.published_at
  )
  select s.*
  from due d
  cross join lateral (
    select d.channel_was, d.pair_id, stream.removed_frame(d.pair_id, 'channel_changed')
    where d.channel_was <> d.channel
    union all
    select d.channel, d.pair_id, d.frame
    union all
    select 'status', null,
           '{"type":"market_status","id":"mkt_' || d.pair_id || '","from":"' || d.status_was || '","to":"' || d.status
             || '"}'
    where d.status_was <> d.status
      and d.channel = 'markets:all'
  ) s;
end
$$;
comment on function stream.market_frames(price.price_update[], price.snapshot[], boolean) is
  'Part of stream.publish_changes: market, market_status and market_removed frames of the pairs '
  'that differ from their published state, which it updates.';

create function stream.price_frames(p_updates price.price_update[], p_rows price.snapshot[]) returns setof stream.frame
language sql stable
set search_path = ''
-- Times are formatted in place, as in price.render_rows: a call of base.format_time for each one
-- costs more than all the rest.
as $$
  select t.channel,
         r.pair_id,
         '{' || concat_ws(
           ',', price.fields_of(row_to_json(frame)::text),
           case when u.void_reason is not null then '"void":' || to_json(u.void_reason) end
         ) || '}'
  from unnest(p_updates) u
  join unnest(p_rows) r on r.pair_id = u.pair_id
  -- No price of a market that was never published, because it was over before.
  join stream.published_markets t on t.pair_id = u.pair_id
  cross join lateral (
    select to_char(u.read_a at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as venue_a,
           to_char(u.read_b at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as venue_b
  ) read
  cross join lateral (
    select 'price' as type,
           'mkt_' || r.pair_id as id,
           to_char(u.priced_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as priced_at,
           read as books_read_at,
           trim_scale(r.spread_pts) as spread_pts,
           case
             when r.signal = 'arb'
               then trim_scale(price.potential_arb_pct((r.price_update).ask_a, (r.price_update).ask_b))
           end as potential_arb_pct,
           r.signal,
           (
             select coalesce(array_to_json(array_agg(row_to_json(x) order by o.ordinality)), '[]')
             from json_array_elements(r.outcomes_depth::json) with ordinality o
             cross join lateral (
               select o.value -> 'key' as key, o.value -> 'venue_a' as venue_a, o.value -> 'venue_b' as venue_b,
                      o.value -> 'venue_a_book' -> 'side' as side
             ) x
           ) as outcomes
  ) frame
  order by u.priced_at, u.update_no
$$;
comment on function stream.price_frames(price.price_update[], price.snapshot[]) is
  'Part of stream.publish_changes: one price frame for each update, with its row of '
  'price.render_rows. void is the reason why the update has no usable price.';

create function stream.append_frames(p_frames stream.frame[]) returns integer
language plpgsql volatile
set search_path = ''
as $$
declare
  v_channel record;
begin
  for v_channel in
    select f.channel, array_agg(f.json order by f.ordinality) as frames
    from unnest(p_frames) with ordinality f
    group by f.channel
    order by f.channel
  loop
    perform stream.append_publication(v_channel.channel, v_channel.frames);
  end loop;
  return cardinality(p_frames);
end
$$;
comment on function stream.append_frames(stream.frame[]) is
  'Part of stream.publish_changes: appends frames to their channels, in the order of the channel '
  'names. Returns how many.';

-- p_pairs: pairs whose identity, status, gates or opportunities may have changed. p_updates:
-- updates that were just written, each of which is published. p_quotes, p_readers: as in
-- stream.quote_frames.
create function stream.publish_changes(
  p_pairs uuid[],
  p_updates price.price_update[] default '{}',
  p_quotes jsonb default '[]',
  p_readers jsonb default '{}'
) returns integer
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  -- Pairs that are rendered at a time. Right after a match pass the planner has no statistics of
  -- the new rows, so joins that are quadratic in the number of pairs must stay small.
  v_round_pairs constant integer := 500;
  -- Frames that are collected before an append. An array of all frames of a match pass (70 MB for
  -- 20,000 pairs) was copied in each round: quadratic as well.
  v_append_frames constant integer := 500;
  v_frames stream.frame[] := '{}';
  v_round price.price_update[];
  v_rows price.snapshot[];
  v_pairs uuid[];
  v_count integer := 0;
begin
  if coalesce(cardinality(p_pairs), 0) + coalesce(cardinality(p_updates), 0) + jsonb_array_length(p_quotes) = 0 then
    return 0;
  end if;
  perform pg_advisory_xact_lock(hashtextextended('stream.publish_changes', 0));
  -- Pairs without an update in this call.
  select array_agg(distinct x) into v_pairs
  from unnest(p_pairs) x
  where x not in (select f.pair_id from unnest(p_updates) f);
  for v_first in 1 .. coalesce(cardinality(v_pairs), 0) by v_round_pairs loop
    v_round := stream.latest_updates_of(v_pairs[v_first : v_first + v_round_pairs - 1]);
    -- Most of these pairs have a frame due, so all are rendered with ids and settlement.
    v_rows := stream.render_markets(v_round, true);
    v_frames := v_frames || array(select m::stream.frame from stream.market_frames(v_round, v_rows, true) m);
    if cardinality(v_frames) >= v_append_frames then
      v_count := v_count
        + stream.append_frames(v_frames || array(select s::stream.frame from stream.sample_frames(v_frames) s));
      v_frames := '{}';
    end if;
  end loop;
  -- A pair may have several updates in one flush, and each is published. Rendering takes one update
  -- a pair, so each round has at most one.
  for v_round in
    select array_agg(p.price_update order by (p.price_update).priced_at, (p.price_update).update_no)
    from (
      select f.*,
             (row_number() over (partition by f.n order by (f.price_update).priced_at, (f.price_update).update_no) - 1)
               / v_round_pairs as part
      from (
        select g as price_update, row_number() over (partition by g.pair_id order by g.priced_at, g.update_no) as n
        from unnest(p_updates) g
      ) f
    ) p
    group by p.n, p.part
    order by p.n, p.part
  loop
    v_rows := stream.render_markets(v_round, false);
    v_frames := v_frames || array(select m::stream.frame from stream.market_frames(v_round, v_rows) m);
    -- A statement of its own, so that it reads the markets that the one before has published.
    v_frames := v_frames || array(select m::stream.frame from stream.price_frames(v_round, v_rows) m);
  end loop;
  select array_agg(distinct x) into v_pairs
  from (select unnest(p_pairs) union all select f.pair_id from unnest(p_updates) f) as t (x);
  v_frames := v_frames || array(select o::stream.frame from stream.opportunity_frames(v_pairs) o);
  v_frames := v_frames || array(select s::stream.frame from stream.sample_frames(v_frames) s);
  if jsonb_array_length(p_quotes) > 0 then
    v_frames := v_frames || array(select q::stream.frame from stream.quote_frames(p_quotes, p_readers) q);
  end if;
  -- A reader's flush ends no quotes: its pairs are read, and the writer that removed a leg from a
  -- pair has ended its quote.
  if p_readers = '{}' then
    v_frames := v_frames || array(select q::stream.frame from stream.closing_quotes(v_pairs) q);
  end if;
  return v_count + stream.append_frames(v_frames);
end
$$;
comment on function stream.publish_changes(uuid[], price.price_update[], jsonb, jsonb) is
  'Publishes what changed and returns the number of frames. Call it last: it keeps the '
  'publication lock to the end of the transaction.';

create function stream.unpublished_pairs() returns uuid[]
language plpgsql stable
set search_path = ''
-- plpgsql, because stream.stale_quote_pairs loads after this file.
as $$
begin
  return array(
    select coalesce(p.pair_id, t.pair_id)
    from catalog.pairs p
    full join stream.published_markets t on t.pair_id = p.pair_id
    where case
      when t.pair_id is null then p.withdrawn_at is null and p.status not in ('closed', 'settled')
      else p.pair_id is null or p.withdrawn_at is not null or t.change_no <> p.change_no
    end
    union
    select o.pair_id
    from stream.published_opportunities t
    full join (select o.opportunity_id, o.pair_id from arb.opportunities o where o.closed_at = 'infinity') o
      on o.opportunity_id = t.opportunity_id
    where t.opportunity_id is null
    union
    select t.pair_id
    from stream.published_opportunities t
    left join arb.opportunities o on o.opportunity_id = t.opportunity_id
    where o.opportunity_id is null
      or o.closed_at < 'infinity'
      or arb.gate_close_reason(t.pair_id) is not null
    union
    select q
    from stream.stale_quote_pairs() q
  );
end
$$;
comment on function stream.unpublished_pairs() is
  'Pairs that differ from their published state: for writers that change many pairs, and for '
  'stream.broadcast_pending, which repairs what a writer did not publish.';

revoke all on function
  stream.market_frames(price.price_update[], price.snapshot[], boolean),
  stream.append_frames(stream.frame[]),
  stream.publish_changes(uuid[], price.price_update[], jsonb, jsonb),
  stream.unpublished_pairs()
from public;
