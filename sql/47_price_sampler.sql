-- The sampler records which price update was current at each whole minute of market time, once the
-- snapshot has passed that minute.
--
-- 3,000 pairs of two outcomes with three updates a minute each (PostgreSQL 17, 2 busy cores,
-- 2026-11-20): 70 to 190 ms a minute, 650 ms for one that packs an hour. A step never waits for the
-- sampler: they only share rows of the snapshot, and the sampler skips those that a step has
-- locked.

-- A change of outcomes also changes updated_at, so updates before it belong to the former order.
create function price.record_outcome_orders(p_since timestamptz) returns void
language sql volatile
set search_path = ''
as $$
  insert into price.outcome_orders (pair_id, since, keys, names)
  select p.pair_id, case when k.since is null then timestamptz '-infinity' else p.updated_at end, n.keys, n.names
  from catalog.pairs p
  cross join lateral (
    select array_agg(o.key order by o.ordinal) as keys, array_agg(o.name order by o.ordinal) as names
    from catalog.outcomes o
    where o.pair_id = p.pair_id
  ) n
  left join lateral (
    select o.keys, o.since
    from price.outcome_orders o
    where o.pair_id = p.pair_id
    order by o.since desc
    limit 1
  ) k on true
  where (
    (p.withdrawn_at is null and p.status in ('open', 'live', 'resolving'))
    -- Settled before its first point was sampled.
    or p.pair_id in (select l.pair_id from price.latest_updates l where l.priced_at > p_since)
  )
    and n.keys is not null
    and k.keys is distinct from n.keys
    and (k.since is null or p.updated_at > k.since)
$$;
comment on function price.record_outcome_orders(timestamptz) is
  'Part of price.sample_history: records the outcome order of pairs that are new or whose '
  'outcomes changed. p_since: the last sampled minute.';

create function price.sample_bucket(p_since timestamptz, p_t timestamptz) returns integer
-- plpgsql makes its plans again when a partition is added. An SQL function keeps its plan for all
-- calls of a loop, and would not read what it wrote into an hour that began within the loop.
language plpgsql volatile
set search_path = ''
as $$
declare
  v_points integer;
begin
  with moved as materialized (
    select distinct on (f.pair_id) f.pair_id, f.priced_at, f.ask_a, f.ask_b, f.bid_a, f.bid_b, f.void_reason
    from price.updates f
    where f.priced_at > p_since
      and f.priced_at <= p_t
    order by f.pair_id, f.priced_at desc, f.update_no desc
  ), still as materialized (
    -- Pairs without an update in this minute.
    select l.pair_id, l.priced_at, l.ask_a, l.ask_b, l.bid_a, l.bid_b, l.void_reason
    from price.latest_updates l
    where not exists (select from moved m where m.pair_id = l.pair_id)
  ), current_prices as (
    select m.pair_id, m.priced_at, null::integer as order_no, m.ask_a, m.ask_b, m.bid_a, m.bid_b
    from moved m
    where m.void_reason is null
    union all
    -- The latest update is older and still current, also when its hour of price.updates has been
    -- dropped. The minute in which a pair stopped trading is unknown, so such a pair gets no point
    -- after its last update.
    select s.pair_id, s.priced_at, null, s.ask_a, s.ask_b, s.bid_a, s.bid_b
    from still s
    join catalog.pairs p on p.pair_id = s.pair_id
    where s.priced_at <= p_t
      and s.void_reason is null
      and p.withdrawn_at is null
      and p.status in ('open', 'live', 'resolving')
    union all
    -- The latest update is later than this minute: the point of the minute before is still current.
    select b.pair_id, null, b.order_no, b.ask_a, b.ask_b, b.bid_a, b.bid_b
    from price.minute_samples b
    join still s on s.pair_id = b.pair_id
    where b.t = p_since
      and s.priced_at > p_t
  ), put as (
    insert into price.minute_samples (pair_id, t, order_no, ask_a, ask_b, bid_a, bid_b)
    select s.pair_id, p_t, o.order_no, s.ask_a, s.ask_b, s.bid_a, s.bid_b
    from current_prices s
    cross join lateral (
      select r.order_no, r.keys
      from price.outcome_orders r
      where r.pair_id = s.pair_id
        and (r.order_no = s.order_no or (s.order_no is null and r.since <= s.priced_at))
      order by r.since desc
      limit 1
    ) o
    where cardinality(s.ask_a) = cardinality(o.keys)
      and cardinality(s.ask_b) = cardinality(o.keys)
      and cardinality(s.bid_a) = cardinality(o.keys)
      and cardinality(s.bid_b) = cardinality(o.keys)
      and array_remove(s.ask_a || s.ask_b, null) <> '{}'
    on conflict (pair_id, t) do nothing
    returning pair_id, order_no
  ), begun as (
    update price.outcome_orders o
    set until = date_trunc('hour', p_t, 'UTC')
    from put
    where o.order_no = put.order_no
      and o.until is null
    returning 1
  )
  select count(*) into v_points
  from put;
  return v_points;
end
$$;
comment on function price.sample_bucket(timestamptz, timestamptz) is
  'Part of price.sample_history: samples one minute. p_since: the minute before (-infinity: '
  'none). An update that is void or of another number of outcomes gives no point.';

create function price.update_has_history(p_since timestamptz) returns integer
language sql volatile
set search_path = ''
as $$
  -- Skips rows that a step has locked. The next call finds them, and a step never waits for this
  -- one.
  with due as (
    select s.pair_id
    from price.snapshot_rows s
    where not s.has_history
      and s.pair_id in (select o.pair_id from price.outcome_orders o where o.until >= p_since)
    for update skip locked
  ), marked as (
    update price.snapshot_rows s
    set has_history = true
    from due d
    where s.pair_id = d.pair_id
    returning 1
  )
  select count(*)::integer
  from marked
$$;
comment on function price.update_has_history(timestamptz) is
  'Part of price.sample_history: sets has_history of pairs in the snapshot with points since '
  'p_since. A row that enters the snapshot later is rendered with it.';

-- All points come from price.updates, so a call that was killed or missed loses nothing that is
-- still kept. pg_cron calls it, and so does each request for history.
create function price.sample_history(p_limit integer default 15) returns integer
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_minute constant interval := interval '1 minute';
  v_upto timestamptz;
  v_last timestamptz;
  v_t timestamptz;
  v_points integer := 0;
begin
  -- Prices up to the step of the snapshot are final: later flushes are past it, and
  -- pipeline.refresh_snapshot has voided the prices of shards without a holder.
  select date_bin(v_minute, s.step, timestamptz 'epoch') into v_upto
  from price.snapshot_state s
  where s.step > '-infinity';
  select s.sampled_at into v_last from price.sampler_state s;
  if v_upto is null
    or v_last = v_upto
    or not pg_try_advisory_xact_lock(hashtextextended('price.sample_history', 0)) then
    return 0;
  end if;
  select s.sampled_at into v_last from price.sampler_state s;
  if v_last > v_upto then
    -- The market clock was set back: points after it are in the future now.
    delete from price.minute_samples s where s.t > v_upto;
    delete from price.hourly_history h where h.hour >= date_trunc('hour', v_upto, 'UTC');
    v_last := v_upto;
  end if;
  v_t := greatest(
    v_last + v_minute,
    v_upto - (select s.keep_updates from price.settings s),
    -- Nothing was sampled before: start after the oldest update.
    case when v_last = '-infinity' then (
      select coalesce(date_bin(v_minute, min(f.priced_at), timestamptz 'epoch') + v_minute, v_upto) from price.updates f
    ) end
  );
  v_t := date_bin(v_minute, v_t, timestamptz 'epoch');
  if v_t <= v_upto then
    perform price.record_outcome_orders(v_last);
  end if;
  while v_t <= v_upto and p_limit > 0 loop
    perform price.create_partition(
      'minute_samples', 'minute_samples_' || to_char(v_t at time zone 'UTC', 'YYYYMMDDHH24'),
      date_trunc('hour', v_t, 'UTC'), date_trunc('hour', v_t, 'UTC') + interval '1 hour'
    );
    -- After a gap that price.updates no longer covers, nothing is carried over.
    v_points := v_points
      + price.sample_bucket(case when v_t = v_last + v_minute then v_last else timestamptz '-infinity' end, v_t);
    v_last := v_t;
    v_t := v_t + v_minute;
    p_limit := p_limit - 1;
  end loop;
  perform price.pack_hours(date_trunc('hour', v_last, 'UTC'));
  update price.sampler_state s set sampled_at = v_last, change_no = s.change_no + 1;
  perform price.update_has_history(v_last - interval '3 hours');
  return v_points;
end
$$;
comment on function price.sample_history(integer) is
  'Samples every minute that the snapshot has passed since the last call, at most p_limit; the '
  'next call continues. Returns the number of points.';

revoke all on function
  price.record_outcome_orders(timestamptz),
  price.sample_bucket(timestamptz, timestamptz),
  price.update_has_history(timestamptz)
from public;
grant execute on function price.sample_history(integer) to parallax_api;
