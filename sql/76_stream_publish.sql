-- What is published: the difference between what listeners were told and what is true now.
--
-- stream.publish_changes is called once by whatever changed something, as the last thing in its transaction. It takes one gate for the channels of
-- the market feed and keeps it to the commit: only so is a frame rendered from everything that was committed before it, and the order of
-- offsets the order of commits. One gate and not a lock a channel, since one flush speaks on several of them and two flushes must not hold
-- what the other waits for. What is done under the gate is rendering: figures in docs/stream.md.

create type stream.frame as (channel text, pair_id uuid, json text);
comment on type stream.frame is 'A frame on its way to the log: where it goes, which pair it is about (null: none), and its text.';

create function stream.market_channel_of(p_stage text, p_sport text, p_category text) returns text
language sql immutable
set search_path = ''
as $$ select case p_stage when 'catalog' then 'markets:all' else 'candidates:' || coalesce(p_sport, p_category) end $$;
comment on function stream.market_channel_of(text, text, text) is 'The channel of a market: candidates have theirs by sport, outside sports by category.';

create function stream.market_json(p_row price.snapshot, p_read_a timestamptz, p_read_b timestamptz) returns text
language plpgsql stable
set search_path = ''
-- Not in plain SQL, and with its times written in place: a function of SQL with a search_path of its own is begun anew for each row, and
-- four of them in one another were a quarter of what a match pass took.
as $$
begin
  return price.market_json(
    p_row.head,
    p_row.outcomes,
    p_row.tail,
    p_row.ids,
    (
      select price.fields_of(row_to_json(x)::text)
      from (
        -- Texts of the rules stay with REST: of a thousand markets they are megabytes.
        select (('{' || p_row.settlement || '}')::jsonb -> 'settlement') - array['venue_a_text', 'venue_b_text'] as settlement, t as books_read_at
        from (
          select to_char(p_read_a at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as venue_a,
                 to_char(p_read_b at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as venue_b
        ) t
      ) x
    )
  );
end
$$;
comment on function stream.market_json(price.snapshot, timestamptz, timestamptz) is
  'A Market as REST renders it, with ids, its settlement without the texts, and books_read_at: when each book was read off its venue''s wire, to the millisecond that it was read with, never rounded to a step and never delayed. The row must be rendered fresh.';

create function stream.market_frame(p_row price.snapshot, p_read_a timestamptz, p_read_b timestamptz) returns text
language plpgsql stable
set search_path = ''
as $$
begin
  return '{"type":"market",' || price.fields_of(stream.market_json(p_row, p_read_a, p_read_b)) || '}';
end
$$;
comment on function stream.market_frame(price.snapshot, timestamptz, timestamptz) is 'A market frame: type, then the Market.';

create function stream.removed_frame(p_pair_id uuid, p_reason text) returns text
language sql stable
set search_path = ''
as $$ select '{"type":"market_removed","id":"mkt_' || p_pair_id || '","reason":' || to_json(p_reason) || '}' $$;
comment on function stream.removed_frame(uuid, text) is 'Beyond contract.md: a market that leaves its channel (withdrawn, or it became a candidate or ceased to be one), with the reason.';

create function stream.render_markets(p_frames price.price_update[], p_fresh boolean) returns price.snapshot[]
language plpgsql stable
set search_path = ''
as $$
begin
  return array(
    select r::price.snapshot
    from price.render_rows(array(
      select row(f.pair_id, p_fresh, f)::price.render_input
      from unnest(p_frames) f
    )) r
  );
end
$$;
comment on function stream.render_markets(price.price_update[], boolean) is 'Rows of pairs as REST would show them with these frames, one frame a pair.';

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
comment on function stream.latest_updates_of(uuid[]) is 'The newest frame of each pair; one of nulls where there is none.';

create function stream.market_frames(p_frames price.price_update[], p_rows price.snapshot[], p_fresh boolean default false) returns setof stream.frame
language plpgsql volatile
set search_path = ''
-- What was told is looked up pair by pair (lateral, offset 0): planned while told_markets was empty, as in the first match pass of a
-- database, a join read all of it for each hundred pairs.
as $$
declare
  v_due price.price_update[];
  v_rows price.snapshot[];
begin
  -- What differs from what was told; a pair that is over and that nobody was told of stays untold.
  select array_agg(f)
  into v_due
  from unnest(p_frames) f
  join unnest(p_rows) r on r.pair_id = f.pair_id
  left join lateral (select m.* from stream.published_markets m where m.pair_id = f.pair_id offset 0) t on true
  where case
    when t.pair_id is null then r.status not in ('closed', 'settled')
    -- A price that goes is told by its price frame; one that comes to a Market told without outcomes needs their names.
    else (t.change_no, t.signal) is distinct from (r.change_no, r.signal) or (r.priced and not t.priced)
  end;
  return query
  with gone as (
    delete from stream.published_markets t
    where t.pair_id = any (array(
        select f.pair_id
        from unnest(p_frames) f
        left join lateral (select c.* from catalog.pairs c where c.pair_id = f.pair_id offset 0) p on true
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
    select r::price.snapshot as shown, stream.market_channel_of(r.stage, r.sport, r.category) as channel, f.read_a, f.read_b,
           t.channel as channel_was, t.status as status_was
    from unnest(v_rows) r
    join unnest(v_due) f on f.pair_id = r.pair_id
    left join lateral (select m.* from stream.published_markets m where m.pair_id = r.pair_id offset 0) t on true
  ), told as (
    insert into stream.published_markets as t (pair_id, channel, change_no, status, signal, priced)
    select (d.shown).pair_id, d.channel, (d.shown).change_no, (d.shown).status, (d.shown).signal, (d.shown).priced
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
    select d.channel_was, (d.shown).pair_id, stream.removed_frame((d.shown).pair_id, 'channel_changed')
    where d.channel_was <> d.channel
    union all
    select d.channel, (d.shown).pair_id, stream.market_frame(d.shown, d.read_a, d.read_b)
    union all
    select 'status', null,
           '{"type":"market_status","id":"mkt_' || (d.shown).pair_id || '","from":"' || d.status_was || '","to":"' || (d.shown).status || '"}'
    where d.status_was <> (d.shown).status
      and d.channel = 'markets:all'
  ) s;
end
$$;
comment on function stream.market_frames(price.price_update[], price.snapshot[], boolean) is
  'Part of stream.publish_changes: market, market_status and market_removed frames of the pairs of these frames (one a pair, with their rows) that differ from what was told, and notes what is told now. p_fresh: the rows have their ids and settlement; else they are rendered here for the pairs that need them.';

create function stream.price_frames(p_frames price.price_update[], p_rows price.snapshot[]) returns setof stream.frame
language sql stable
set search_path = ''
-- Times are written in place, as in price.render_rows: a call of base.format_time for each would cost more than all the rest.
as $$
  select t.channel,
         r.pair_id,
         '{' || concat_ws(
           ',', price.fields_of(row_to_json(frame)::text), case when f.void_reason is not null then '"void":' || to_json(f.void_reason) end
         ) || '}'
  from unnest(p_frames) f
  join unnest(p_rows) r on r.pair_id = f.pair_id
  -- Of a market that nobody was told of (it was over before) no price is told either.
  join stream.published_markets t on t.pair_id = f.pair_id
  cross join lateral (
    select to_char(f.read_a at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as venue_a,
           to_char(f.read_b at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as venue_b
  ) read
  cross join lateral (
    select 'price' as type,
           'mkt_' || r.pair_id as id,
           to_char(f.priced_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as priced_at,
           read as books_read_at,
           trim_scale(r.spread_pts) as spread_pts,
           case
             when r.signal = 'arb' then trim_scale(price.potential_arb_pct((r.price_update).ask_a, (r.price_update).ask_b))
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
  order by f.priced_at, f.update_no
$$;
comment on function stream.price_frames(price.price_update[], price.snapshot[]) is
  'Part of stream.publish_changes: a price frame for each of these frames, one a pair, with the row that price.render_rows made of it. Beyond contract.md: void says why no price may be shown.';

create function stream.append_frames(p_frames stream.frame[]) returns integer
language plpgsql volatile
set search_path = ''
as $$
declare
  v_said record;
begin
  for v_said in
    select f.channel, array_agg(f.json order by f.ordinality) as frames
    from unnest(p_frames) with ordinality f
    group by f.channel
    order by f.channel
  loop
    perform stream.append_publication(v_said.channel, v_said.frames);
  end loop;
  return cardinality(p_frames);
end
$$;
comment on function stream.append_frames(stream.frame[]) is 'Part of stream.publish_changes: appends frames to their channels, in the order of the channels'' names and each in its own. Returns how many.';

create function stream.publish_changes(
  p_pairs uuid[],
  p_frames price.price_update[] default '{}',
  p_quotes jsonb default '[]',
  p_readers jsonb default '{}'
) returns integer
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  -- So many pairs are rendered at a time. Right after a match pass the planner knows nothing of the rows that it wrote, and joins that are
  -- square in the number of pairs must stay small.
  v_most constant integer := 100;
  -- So many frames wait before they are appended. To gather all that a match pass has to say first, 70 MB for 20,000 pairs, was to copy
  -- them once a round: square as well.
  v_gather constant integer := 200;
  v_frames stream.frame[] := '{}';
  v_round price.price_update[];
  v_rows price.snapshot[];
  v_pairs uuid[];
  v_count integer := 0;
begin
  if coalesce(cardinality(p_pairs), 0) + coalesce(cardinality(p_frames), 0) + jsonb_array_length(p_quotes) = 0 then
    return 0;
  end if;
  perform pg_advisory_xact_lock(hashtextextended('stream.publish_changes', 0));
  -- Pairs that no frame of now is about.
  select array_agg(distinct x) into v_pairs
  from unnest(p_pairs) x
  where x not in (select f.pair_id from unnest(p_frames) f);
  for v_first in 1 .. coalesce(cardinality(v_pairs), 0) by v_most loop
    v_round := stream.latest_updates_of(v_pairs[v_first : v_first + v_most - 1]);
    -- Mostly they are here because there is something to tell of them, so all are rendered as it would be told.
    v_rows := stream.render_markets(v_round, true);
    v_frames := v_frames || array(select m::stream.frame from stream.market_frames(v_round, v_rows, true) m);
    if cardinality(v_frames) >= v_gather then
      v_count := v_count + stream.append_frames(v_frames || array(select s::stream.frame from stream.sample_frames(v_frames) s));
      v_frames := '{}';
    end if;
  end loop;
  -- A pair may have several frames in one flush, and each is published: rendering takes one a pair at a time.
  for v_round in
    select array_agg(p.frame order by (p.frame).priced_at, (p.frame).update_no)
    from (
      select f.*, (row_number() over (partition by f.n order by (f.frame).priced_at, (f.frame).update_no) - 1) / v_most as part
      from (
        select g as frame, row_number() over (partition by g.pair_id order by g.priced_at, g.update_no) as n
        from unnest(p_frames) g
      ) f
    ) p
    group by p.n, p.part
    order by p.n, p.part
  loop
    v_rows := stream.render_markets(v_round, false);
    v_frames := v_frames || array(select m::stream.frame from stream.market_frames(v_round, v_rows) m);
    -- A statement of its own: it goes by what the one before it has told.
    v_frames := v_frames || array(select m::stream.frame from stream.price_frames(v_round, v_rows) m);
  end loop;
  select array_agg(distinct x) into v_pairs
  from (select unnest(p_pairs) union all select f.pair_id from unnest(p_frames) f) as t (x);
  v_frames := v_frames || array(select o::stream.frame from stream.opportunity_frames(v_pairs) o);
  v_frames := v_frames || array(select s::stream.frame from stream.sample_frames(v_frames) s);
  if jsonb_array_length(p_quotes) > 0 then
    v_frames := v_frames || array(select q::stream.frame from stream.quote_frames(p_quotes, p_readers) q);
  end if;
  -- A reader's flush ends nothing: its pairs are read, and what is no leg any more was ended by whoever changed the pair.
  if p_readers = '{}' then
    v_frames := v_frames || array(select q::stream.frame from stream.closing_quotes(v_pairs) q);
  end if;
  return v_count + stream.append_frames(v_frames);
end
$$;
comment on function stream.publish_changes(uuid[], price.price_update[], jsonb, jsonb) is
  'Tells what changed. p_pairs: pairs whose identity, status, gates or windows may have changed; p_frames: frames just written, each of which is published; p_quotes, p_readers: as stream.quote_frames takes them. The last thing that a transaction does: the gate is held to its end. Returns how many frames.';

create function stream.unpublished_pairs() returns uuid[]
language plpgsql stable
set search_path = ''
-- Not in plain SQL: what it asks of windows and quotes loads after it.
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
    select w.pair_id
    from stream.published_opportunities t
    full join (select o.opportunity_id, o.pair_id from arb.opportunities o where o.closed_at = 'infinity') w on w.opportunity_id = t.opportunity_id
    where t.opportunity_id is null
    union
    select t.pair_id
    from stream.published_opportunities t
    left join arb.opportunities w on w.opportunity_id = t.opportunity_id
    where w.opportunity_id is null
      or w.closed_at < 'infinity'
      or arb.gate_close_reason(t.pair_id) is not null
    union
    select q from stream.stale_quote_pairs() q
  );
end
$$;
comment on function stream.unpublished_pairs() is
  'Pairs of which something is true that was not told: for writers that change many at once, and for stream.broadcast_pending to make good what one forgot.';

revoke all on function
  stream.market_frames(price.price_update[], price.snapshot[], boolean),
  stream.append_frames(stream.frame[]),
  stream.publish_changes(uuid[], price.price_update[], jsonb, jsonb),
  stream.unpublished_pairs()
from public;
