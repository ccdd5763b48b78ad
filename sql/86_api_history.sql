-- GET /v2/pairs/{market_id}/history
--
-- A response has at most 20,160 points: a week of two outcomes, about 1 MB. If the range has more,
-- the newest stay and "from" is their start, so that a client can continue with to = from - 60000.
--
-- A week of two outcomes among 300 pairs (explain analyze, PostgreSQL 17, 2026-11-20, both cores
-- under load): Aggregate (actual rows=1, 989 kB; execution 187 ms, 100 to 200 ms in all runs)
--     -> GroupAggregate -> Sort (rows=20160, 2 MB)
--       -> Hash Join with places (actual time=0.078..46.2 rows=20160)
--         -> Nested Loop (actual time=0.035..41.6 rows=20160)
--           -> Append: the open hour, and a bitmap scan of each day in range (0.017..0.61 rows=169)
--           -> Function Scan on unnest (rows=119 loops=169)
-- Most of the time goes into writing 40,000 numbers as text. An isolate caches the response until
-- the next minute.

create function api.history_state(p_params jsonb) returns text
language plpgsql stable
set search_path = ''
as $$
begin
  return (
    -- Two numbers, like every version (functions/api/database.ts). The second is the bucket in
    -- minutes followed by ten digits of how often history was written.
    select p.change_no || '.'
      || coalesce(floor(extract(epoch from nullif(t.step, '-infinity')) / 60)::bigint, 0)
      || lpad(s.change_no::text, 10, '0')
    from catalog.pairs p
    cross join price.sampler_state s
    cross join price.snapshot_state t
    where p.pair_id = (p_params ->> 'id')::uuid
      and p.withdrawn_at is null
  );
end
$$;
comment on function api.history_state(jsonb) is
  'The identity of a pair, how often its history was written, and the newest bucket that REST may '
  'serve; null for an unknown or withdrawn id.';

create function api.history_series(
  p_pair_id uuid, p_first timestamptz, p_last timestamptz, p_bucket interval, p_include jsonb
) returns text
language plpgsql stable
set search_path = ''
as $$
begin
  return (
    with points as (
      select s.order_no, s.t, u.n as place, u.ask_a, u.ask_b, u.bid_a, u.bid_b
      from price.minute_samples s
      cross join lateral unnest(s.ask_a, s.ask_b, s.bid_a, s.bid_b) with ordinality u(ask_a, ask_b, bid_a, bid_b, n)
      where s.pair_id = p_pair_id
        and s.t between p_first and p_last
        and s.t = date_bin(p_bucket, s.t, timestamptz 'epoch')
      union all
      -- One pass over each array: access to an element of a two-dimensional array counts from the
      -- first element, so single accesses are quadratic.
      select h.order_no, v.t, (u.n - 1) % w.outcomes + 1, u.ask_a, u.ask_b, u.bid_a, u.bid_b
      from price.hourly_history h
      cross join lateral (select array_length(h.ask_a, 2) as outcomes) w
      cross join lateral unnest(h.ask_a, h.ask_b, h.bid_a, h.bid_b) with ordinality u(ask_a, ask_b, bid_a, bid_b, n)
      cross join lateral (select h.hour + h.minutes[(u.n - 1) / w.outcomes + 1] * interval '1 minute' as t) v
      where h.pair_id = p_pair_id
        and h.hour between date_trunc('hour', p_first, 'UTC') and p_last
        and v.t between p_first and p_last
        and v.t = date_bin(p_bucket, v.t, timestamptz 'epoch')
    ), places as materialized (
      select o.order_no, k.place, k.key, coalesce(c.name, k.name) as name, c.ordinal
      from price.outcome_orders o
      cross join lateral unnest(o.keys, o.names) with ordinality k(key, name, place)
      left join catalog.outcomes c on c.pair_id = o.pair_id and c.key = k.key
      where o.pair_id = p_pair_id
    ), series as (
      -- Current outcomes come first, in the order of the pair. Former outcomes follow with their
      -- points.
      select min(l.ordinal) as ordinal, min(l.order_no) as order_no, min(l.place) as place,
             '{"outcome":' || to_json(l.key) || ',"name":' || to_json((array_agg(l.name order by l.order_no desc))[1])
               || ',"points":['
               || string_agg(
                 price.history_point(
                   p.t, p.ask_a, p.ask_b, p.bid_a, p.bid_b, p_include ? 'bid', p_include ? 'gap'
                 ),
                 ',' order by p.t
               ) || ']}' as one
      from points p
      join places l on l.order_no = p.order_no and l.place = p.place
      where p.ask_a is not null or p.ask_b is not null
      group by l.key
    )
    select coalesce(string_agg(s.one, ',' order by s.ordinal nulls last, s.order_no, s.place), '')
    from series s
  );
end
$$;
comment on function api.history_series(uuid, timestamptz, timestamptz, interval, jsonb) is
  'Part of api.get_history: a series for each outcome with a point in the range, without points '
  'that have no ask on either venue.';

create function api.get_history(p_params jsonb) returns api.route_result
-- Stable: all its statements read one snapshot of the database, so the version matches the bytes.
language plpgsql stable
set search_path = ''
as $$
declare
  v_most constant integer := 20160;
  v_id uuid := (p_params ->> 'id')::uuid;
  v_bucket interval := coalesce((p_params ->> 'bucket')::integer, 1) * interval '1 minute';
  v_step timestamptz := (select s.step from price.snapshot_state s);
  v_from timestamptz := timestamptz 'epoch' + (p_params ->> 'from')::bigint * interval '1 millisecond';
  v_to timestamptz := timestamptz 'epoch' + (p_params ->> 'to')::bigint * interval '1 millisecond';
  v_outcomes integer;
  v_first timestamptz;
  v_last timestamptz;
  v_answer api.route_result;
begin
  select count(distinct k.key)
  into v_outcomes
  from price.outcome_orders o
  cross join lateral unnest(o.keys) k(key)
  where o.pair_id = v_id
    and o.until is not null;
  -- Not later than the snapshot. The sampler stays behind it, unless the market clock was set back.
  v_last := date_bin(v_bucket, least(v_to, v_step), timestamptz 'epoch');
  v_first := greatest(
    date_bin(v_bucket, v_from + v_bucket - interval '1 millisecond', timestamptz 'epoch'),
    v_last - (v_most / greatest(v_outcomes, 1) - 1) * v_bucket,
    case when v_from is null then v_last - interval '7 days' + v_bucket end
  );

  v_answer.version := api.history_state(p_params);
  if v_answer.version is null then
    v_answer.status := 404;
    v_answer.code := 'pair.not_found';
    return v_answer;
  end if;
  v_answer.status := 200;
  v_answer.step := v_step;
  v_answer.body := '{"id":"mkt_' || v_id || '","bucket_seconds":' || extract(epoch from v_bucket)::integer
    || ',"delay_seconds":'
    || (select trim_scale(extract(epoch from s.rest_delay)) from price.settings s)
    || ',"from":' || (extract(epoch from v_first) * 1000)::bigint
    || ',"to":' || (extract(epoch from v_last) * 1000)::bigint
    || ',"series":['
    || case
      when v_outcomes > 0 then api.history_series(v_id, v_first, v_last, v_bucket, p_params -> 'include')
      else ''
    end || ']}';
  return v_answer;
end
$$;
comment on function api.get_history(jsonb) is
  'Asks of both venues, oldest first. p_params: {id, from, to: epoch ms or absent (the last 7 '
  'days), bucket: minutes, include[]}. 404 pair.not_found for an unknown or withdrawn id.';

grant execute on function
  api.history_state(jsonb),
  api.history_series(uuid, timestamptz, timestamptz, interval, jsonb),
  api.get_history(jsonb)
to parallax_api;
