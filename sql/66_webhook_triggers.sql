-- When an event fires, decided in the transaction that made it true.
--
-- The trigger of spec.md has a state for each endpoint and pair. Almost all of it follows from one number: what the pair's gap was the
-- last time. An endpoint is armed for a pair exactly when that number is below its threshold, or when it crossed the threshold within 30
-- minutes of a delivery, which changes nothing: and then too a crossing needs the gap to be below first. So an event fires when the gap
-- was below, is not any more, and the last one is 30 minutes old; what is stored is the gap of each pair, and when each event last fired.
-- The minutes are those of the market clock, like the gap itself: the same prices fire the same events at whatever speed they are played.

create table webhook.observed_spreads (
  pair_id uuid primary key,
  spread_pts numeric(7, 4) not null,
  seen_at timestamptz not null default clock_timestamp()
) with (fillfactor = 70);
comment on table webhook.observed_spreads is
  'The gap of each pair when it was last on this side of every threshold that there is. A gap that moves between the same two thresholds is not written again.';
comment on column webhook.observed_spreads.seen_at is 'Real time. An endpoint that was registered later has not seen this pair yet: its first observation fires nothing.';

create table webhook.threshold_firings (
  endpoint_id uuid not null references webhook.endpoints (endpoint_id) on delete cascade,
  pair_id uuid not null,
  fired_at timestamptz not null,
  primary key (endpoint_id, pair_id)
);
comment on table webhook.threshold_firings is 'When spread.threshold last fired for an endpoint and a pair, market time.';

create table webhook.announced_pairs (
  pair_id uuid primary key,
  at timestamptz not null default clock_timestamp()
);
comment on table webhook.announced_pairs is
  'Pairs that have been visible in the catalog: pair.created is for the others. A pair that is withdrawn and comes back keeps its id, and is no news. Rows go when the pair is over, which is for good, or forgotten.';

alter table webhook.observed_spreads enable row level security;
alter table webhook.observed_spreads force row level security;
alter table webhook.threshold_firings enable row level security;
alter table webhook.threshold_firings force row level security;
alter table webhook.announced_pairs enable row level security;
alter table webhook.announced_pairs force row level security;

create view webhook.active_endpoints with (security_invoker = true) as
select e.*
from webhook.endpoints e
join account.subscriptions s on s.org_id = e.org_id and s.status = 'active'
join account.tiers t on t.tier = s.tier and t.webhook_endpoints > 0
where e.disabled_at is null;
comment on view webhook.active_endpoints is 'Endpoints that are neither disabled nor paused.';

create function webhook.detect_crossings(p_frames price.price_update[]) returns void
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_newest timestamptz;
  v_one record;
  v_most integer := (select s.inline_deliveries from webhook.settings s);
  v_left integer := v_most;
begin
  select max(e.created_at) into v_newest
  from webhook.endpoints e
  where e.disabled_at is null
    and e.min_spread_pts is not null;
  if v_newest is null then
    return;
  end if;
  for v_one in
    with steps as (
      select f.pair_id, f.priced_at, f.update_no, f.spread_pts, o.seen_at,
             lag(f.spread_pts, 1, o.spread_pts) over w as was,
             row_number() over w = 1 as first,
             row_number() over (partition by f.pair_id order by f.priced_at desc, f.update_no desc) = 1 as last
      from unnest(p_frames) f
      left join webhook.observed_spreads o on o.pair_id = f.pair_id
      where f.spread_pts is not null
      window w as (partition by f.pair_id order by f.priced_at, f.update_no)
    ), gaps as materialized (
      -- Whether there is any threshold between: one look into its index a frame, however many endpoints there are (50 frames of
      -- which none crosses: 1 ms for 12 of them and for 90,000; reading the list of all thresholds took 32 ms of a flush, 2026-11-20).
      select s.*,
             exists (
               select
               from webhook.endpoints e
               where e.disabled_at is null
                 and e.min_spread_pts > least(s.was, s.spread_pts)
                 and e.min_spread_pts <= greatest(s.was, s.spread_pts)
             ) as crosses
      from steps s
    ), kept as (
      insert into webhook.observed_spreads as o (pair_id, spread_pts)
      select g.pair_id, g.spread_pts
      from gaps g
      where g.last
        and (
          g.seen_at is null
          or g.seen_at < v_newest
          or exists (select from gaps n where n.pair_id = g.pair_id and n.crosses)
        )
      order by g.pair_id
      on conflict (pair_id) do update
      set spread_pts = excluded.spread_pts,
          seen_at = excluded.seen_at
    )
    select g.pair_id, g.was, g.spread_pts, g.priced_at, case when g.first then g.seen_at else clock_timestamp() end as endpoints_created_before
    from gaps g
    where g.crosses
      and g.spread_pts > g.was
    order by g.pair_id, g.priced_at, g.update_no
  loop
    v_left := v_left - webhook.fire_threshold(v_one.pair_id, v_one.was, v_one.spread_pts, v_one.priced_at, v_one.endpoints_created_before, v_left);
  end loop;
  if v_left < v_most then
    perform webhook.wake_sender();
  end if;
end
$$;
comment on function webhook.detect_crossings(price.price_update[]) is
  'Part of price.apply_flush: what these frames, just written, make cross a threshold. Frames without a gap change nothing.';

create function webhook.fire_threshold(p_pair uuid, p_was numeric, p_spread numeric, p_at timestamptz, p_known_before timestamptz, p_limit integer)
returns integer
language plpgsql volatile
set search_path = ''
as $$
declare
  v_event webhook.fired_events;
  v_out record;
begin
  select 'spread.threshold', p.pair_id, jsonb_build_object('slug', p.slug, 'title', p.title, 'observed_at', base.format_time(p_at)), p_was, p_spread,
         p_known_before
  into v_event.event, v_event.pair_id, v_event.pair_json, v_event.previous_spread_pts, v_event.spread_pts, v_event.endpoints_created_before
  from catalog.pairs p
  where p.pair_id = p_pair
    and p.stage = 'catalog'
    and p.withdrawn_at is null;
  if v_event.pair_id is null or p_known_before is null then
    return 0;
  end if;
  -- Behind what was decided about this pair before and is not written out yet.
  if p_limit <= 0 or exists (select from webhook.fired_events d where d.pair_id = p_pair) then
    perform webhook.record_fired_event(v_event);
    return 1;
  end if;
  v_out := webhook.insert_deliveries(v_event, p_limit);
  if v_out.last_endpoint_id is not null then
    v_event.last_endpoint_id := v_out.last_endpoint_id;
    v_event.last_threshold_pts := v_out.last_threshold_pts;
    perform webhook.record_fired_event(v_event);
  end if;
  return v_out.seen;
end
$$;
comment on function webhook.fire_threshold(uuid, numeric, numeric, timestamptz, timestamptz, integer) is
  'Part of webhook.detect_crossings: a crossing, in order, of thresholds above p_was and up to p_spread, for endpoints known before then; null: for none. Nothing where the pair is not in the catalog. Writes the deliveries of at most p_limit endpoints and leaves the others to webhook.fan_out_events. Returns how many it looked at.';

create function webhook.fire_pair_created() returns void
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  with fresh as (
    insert into webhook.announced_pairs (pair_id)
    select p.pair_id
    from catalog.pairs p
    where p.stage = 'catalog'
      and p.withdrawn_at is null
      -- What was over before it was first seen is history, not news.
      and p.status not in ('closed', 'settled')
      and not exists (select from webhook.announced_pairs a where a.pair_id = p.pair_id)
    order by p.pair_id
    on conflict (pair_id) do nothing
    returning pair_id
  )
  insert into webhook.fired_events (event, pair_id, pair_json, endpoints_created_before)
  select 'pair.created', p.pair_id,
         jsonb_build_object(
           'slug', p.slug, 'title', p.title, 'sport', p.sport, 'category', p.category, 'status', p.status, 'created_at', base.format_time(p.created_at)
         ),
         clock_timestamp()
  from fresh f
  join catalog.pairs p on p.pair_id = f.pair_id
  where exists (select from webhook.active_endpoints e where 'pair.created' = any (e.events))
  order by p.start_time, p.pair_id;
  if not found then
    return;
  end if;
  perform webhook.fan_out_events((select s.inline_deliveries from webhook.settings s));
  perform webhook.wake_sender();
end
$$;
comment on function webhook.fire_pair_created() is
  'Tells of pairs that are visible in the catalog and never were before. Called by the match pass, and before an endpoint is registered, so that it hears of later ones alone.';

create function webhook.send_ping(p_endpoint uuid) returns uuid
language plpgsql volatile
set search_path = ''
as $$
declare
  v_delivery uuid;
begin
  insert into webhook.deliveries (endpoint_id, event, body)
  select p_endpoint, 'ping', row_to_json(b)::text
  from (select 'ping' as event, p_endpoint as endpoint_id, base.format_time(clock_timestamp()) as created_at) b
  returning delivery_id into v_delivery;
  perform webhook.wake_sender();
  return v_delivery;
end
$$;
comment on function webhook.send_ping(uuid) is 'A test of an endpoint: a delivery like any other that never counts as a failure.';

create function webhook.replay_delivery(p_delivery uuid) returns boolean
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
  perform webhook.wake_sender();
  return true;
end
$$;
comment on function webhook.replay_delivery(uuid) is 'Puts a delivery that failed or was dropped back among those to be sent, with all its attempts. False for any other.';

revoke all on function
  webhook.detect_crossings(price.price_update[]),
  webhook.fire_threshold(uuid, numeric, numeric, timestamptz, timestamptz, integer),
  webhook.fire_pair_created(),
  webhook.send_ping(uuid),
  webhook.replay_delivery(uuid)
from public;
