-- When an event fires, decided in the transaction that made it true.
--
-- The trigger of spec.md has a state for each endpoint and pair. Almost all of it follows from one number: what the pair's gap was the
-- last time. An endpoint is armed for a pair exactly when that number is below its threshold, or when it crossed the threshold within 30
-- minutes of a delivery, which changes nothing: and then too a crossing needs the gap to be below first. So an event fires when the gap
-- was below, is not any more, and the last one is 30 minutes old; what is stored is the gap of each pair, and when each event last fired.
-- The minutes are those of the market clock, like the gap itself: the same prices fire the same events at whatever speed they are played.

create table webhook.observed (
  pair_id uuid primary key,
  spread_pts numeric(7, 4) not null,
  seen_at timestamptz not null default clock_timestamp()
) with (fillfactor = 70);
comment on table webhook.observed is
  'The gap of each pair when it was last on this side of every threshold that there is. A gap that moves between the same two thresholds is not written again.';
comment on column webhook.observed.seen_at is 'Real time. An endpoint that was registered later has not seen this pair yet: its first observation fires nothing.';

create table webhook.firings (
  endpoint_id uuid not null references webhook.endpoints (endpoint_id) on delete cascade,
  pair_id uuid not null,
  fired_at timestamptz not null,
  primary key (endpoint_id, pair_id)
);
comment on table webhook.firings is 'When spread.threshold last fired for an endpoint and a pair, market time.';

create table webhook.announced (
  pair_id uuid primary key,
  at timestamptz not null default clock_timestamp()
);
comment on table webhook.announced is 'Pairs that have been visible in the catalog: pair.created is for the others. A pair that is withdrawn and comes back keeps its id, and is no news.';

do $$
declare
  v_table text;
begin
  foreach v_table in array array['observed', 'firings', 'announced'] loop
    execute format('alter table webhook.%I enable row level security', v_table);
    execute format('alter table webhook.%I force row level security', v_table);
  end loop;
end
$$;

create view webhook.live with (security_invoker = true) as
select e.*
from webhook.endpoints e
join account.subscriptions s on s.org_id = e.org_id and s.status = 'active'
join account.tiers t on t.tier = s.tier and t.webhook_endpoints > 0
where e.disabled_at is null;
comment on view webhook.live is 'Endpoints that are neither disabled nor paused.';

create function webhook.observe(p_frames price.frame[]) returns integer
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_thresholds numeric[];
  v_newest timestamptz;
  v_one record;
  v_fired integer := 0;
begin
  select array_agg(distinct e.min_spread_pts order by e.min_spread_pts), max(e.created_at)
  into v_thresholds, v_newest
  from webhook.endpoints e
  where e.disabled_at is null
    and e.min_spread_pts is not null;
  if v_thresholds is null then
    return 0;
  end if;
  for v_one in
    with gaps as (
      select f.pair_id, f.priced_at, f.frame_no, f.spread_pts, o.seen_at,
             lag(f.spread_pts, 1, o.spread_pts) over w as was,
             row_number() over w = 1 as first,
             row_number() over (partition by f.pair_id order by f.priced_at desc, f.frame_no desc) = 1 as last,
             width_bucket(f.spread_pts, v_thresholds) as above,
             width_bucket(lag(f.spread_pts, 1, o.spread_pts) over w, v_thresholds) as was_above
      from unnest(p_frames) f
      left join webhook.observed o on o.pair_id = f.pair_id
      where f.spread_pts is not null
      window w as (partition by f.pair_id order by f.priced_at, f.frame_no)
    ), kept as (
      insert into webhook.observed as o (pair_id, spread_pts)
      select g.pair_id, g.spread_pts
      from gaps g
      where g.last
        and (
          g.seen_at is null
          or g.seen_at < v_newest
          or exists (select from gaps n where n.pair_id = g.pair_id and n.above <> n.was_above)
        )
      order by g.pair_id
      on conflict (pair_id) do update
      set spread_pts = excluded.spread_pts,
          seen_at = excluded.seen_at
    )
    select e.endpoint_id, e.min_spread_pts, g.pair_id, g.spread_pts, g.priced_at
    -- Mostly none: then the endpoints are not looked at (2 ms a flush of 50 frames for 300 of them, beside 10 for the flush, 2026-11-20).
    from (select * from gaps c where c.above > c.was_above offset 0) g
    join webhook.live e on e.min_spread_pts > g.was and e.min_spread_pts <= g.spread_pts
    where not g.first
      or e.created_at < g.seen_at
    order by g.pair_id, g.priced_at, g.frame_no, e.endpoint_id
  loop
    v_fired := v_fired + webhook.fire(v_one.endpoint_id, v_one.min_spread_pts, v_one.pair_id, v_one.spread_pts, v_one.priced_at)::integer;
  end loop;
  if v_fired > 0 then
    perform webhook.wake();
  end if;
  return v_fired;
end
$$;
comment on function webhook.observe(price.frame[]) is
  'Part of price.apply: what these frames, just written, make cross a threshold. Frames without a gap change nothing. Returns how many events fired.';

create function webhook.fire(p_endpoint uuid, p_threshold numeric, p_pair uuid, p_spread numeric, p_at timestamptz) returns boolean
language plpgsql volatile
set search_path = ''
as $$
declare
  v_pair catalog.pairs;
begin
  select p.* into v_pair
  from catalog.pairs p
  where p.pair_id = p_pair
    and p.stage = 'catalog'
    and p.withdrawn_at is null;
  if v_pair.pair_id is null then
    return false;
  end if;
  -- One that is being deleted right now is not waited for: a flush must not fail over it, nor hang between two of them.
  perform from webhook.endpoints e where e.endpoint_id = p_endpoint for key share skip locked;
  if not found then
    return false;
  end if;
  insert into webhook.firings as f (endpoint_id, pair_id, fired_at)
  values (p_endpoint, p_pair, p_at)
  on conflict (endpoint_id, pair_id) do update
  set fired_at = excluded.fired_at
  where excluded.fired_at >= f.fired_at + interval '30 minutes'
    -- The market clock was set back: another replay.
    or excluded.fired_at < f.fired_at;
  if not found then
    return false;
  end if;
  insert into webhook.deliveries (endpoint_id, event, pair_id, body)
  select p_endpoint, 'spread.threshold', p_pair, row_to_json(b)::text
  from (
    select 'spread.threshold' as event, p_endpoint as endpoint_id, 'mkt_' || p_pair as pair_id, v_pair.slug, v_pair.title,
           trim_scale(p_spread) as spread_pts, trim_scale(p_threshold) as threshold_pts, price.iso(p_at) as observed_at
  ) b;
  return true;
end
$$;
comment on function webhook.fire(uuid, numeric, uuid, numeric, timestamptz) is
  'Part of webhook.observe: a crossing, in order. Writes the delivery unless the pair is not in the catalog or the last event of this endpoint and pair is younger than 30 minutes.';

create function webhook.announce() returns integer
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_told integer;
begin
  with fresh as (
    insert into webhook.announced (pair_id)
    select p.pair_id
    from catalog.pairs p
    where p.stage = 'catalog'
      and p.withdrawn_at is null
      and not exists (select from webhook.announced a where a.pair_id = p.pair_id)
    order by p.pair_id
    on conflict (pair_id) do nothing
    returning pair_id
  ), listening as materialized (
    -- As in webhook.fire: not one that is being deleted.
    select e.endpoint_id, e.events
    from webhook.endpoints e
    where e.endpoint_id in (select l.endpoint_id from webhook.live l)
    for key share skip locked
  )
  insert into webhook.deliveries (endpoint_id, event, pair_id, body)
  select e.endpoint_id, 'pair.created', p.pair_id, row_to_json(b)::text
  from fresh f
  join catalog.pairs p on p.pair_id = f.pair_id
  cross join listening e
  cross join lateral (
    select 'pair.created' as event, e.endpoint_id, 'mkt_' || p.pair_id as pair_id, p.slug, p.title, p.sport, p.category, p.status,
           price.iso(p.created_at) as created_at
  ) b
  where 'pair.created' = any (e.events)
    -- What was over before it was first seen is history, not news.
    and p.status not in ('closed', 'settled')
  order by p.start_time, p.pair_id, e.endpoint_id;
  get diagnostics v_told = row_count;
  if v_told > 0 then
    perform webhook.wake();
  end if;
  return v_told;
end
$$;
comment on function webhook.announce() is
  'Tells of pairs that are visible in the catalog and never were before. Called by the match pass, and before an endpoint is registered, so that it hears of later ones alone. Returns how many events fired.';

create function webhook.ping(p_endpoint uuid) returns uuid
language plpgsql volatile
set search_path = ''
as $$
declare
  v_delivery uuid;
begin
  insert into webhook.deliveries (endpoint_id, event, body)
  select p_endpoint, 'ping', row_to_json(b)::text
  from (select 'ping' as event, p_endpoint as endpoint_id, price.iso(clock_timestamp()) as created_at) b
  returning delivery_id into v_delivery;
  perform webhook.wake();
  return v_delivery;
end
$$;
comment on function webhook.ping(uuid) is 'A test of an endpoint: a delivery like any other that never counts as a failure.';

create function webhook.replay(p_delivery uuid) returns boolean
language plpgsql volatile
set search_path = ''
as $$
begin
  update webhook.deliveries d
  set state = 'waiting',
      attempts = 0,
      due_at = clock_timestamp(),
      claim = null,
      finished_at = null
  where d.delivery_id = p_delivery
    and d.state in ('failed', 'dropped');
  if not found then
    return false;
  end if;
  perform webhook.wake();
  return true;
end
$$;
comment on function webhook.replay(uuid) is 'Puts a delivery that failed or was dropped back among those to be sent, with all its attempts. False for any other.';

revoke all on function
  webhook.observe(price.frame[]),
  webhook.fire(uuid, numeric, uuid, numeric, timestamptz),
  webhook.announce(),
  webhook.ping(uuid),
  webhook.replay(uuid)
from public;
