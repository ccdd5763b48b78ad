-- When an event fires, decided in the transaction of the change.
--
-- spread.threshold has a state for each endpoint and pair: armed or not. Nearly all of it follows
-- from one number, the previous spread of the pair. An endpoint is armed for a pair when that
-- spread is below its threshold. So an event fires when the previous spread was below the
-- threshold, the new one is not, and the last event is 30 minutes old. A crossing within the 30
-- minutes fires nothing, and after it the spread has to fall below the threshold first as well.
-- The tables store the spread of each pair and the time of the last event of each endpoint and
-- pair. The 30 minutes are market time: the same prices fire the same events at any speed.

create table webhook.observed_spreads (
  pair_id uuid primary key,
  spread_pts numeric(7, 4) not null,
  seen_at timestamptz not null default clock_timestamp()
) with (fillfactor = 70);
comment on table webhook.observed_spreads is
  'The spread of each pair when it last changed its side of any threshold. A spread that moves '
  'between the same two thresholds is not written.';
comment on column webhook.observed_spreads.seen_at is
  'Real time. An endpoint that subscribed later has no previous spread of this pair: its first '
  'observation fires nothing.';

create table webhook.threshold_firings (
  endpoint_id uuid not null references webhook.endpoints (endpoint_id) on delete cascade,
  pair_id uuid not null,
  fired_at timestamptz not null,
  primary key (endpoint_id, pair_id)
);
comment on table webhook.threshold_firings is
  'Market time at which spread.threshold last fired for an endpoint and a pair.';

create table webhook.announced_pairs (
  pair_id uuid primary key,
  at timestamptz not null default clock_timestamp()
);
comment on table webhook.announced_pairs is
  'Pairs that have been visible in the catalog. pair.created fires for others only: a withdrawn '
  'pair that returns keeps its id. Purged when the pair is over.';

alter table webhook.observed_spreads enable row level security;
alter table webhook.observed_spreads force row level security;
alter table webhook.threshold_firings enable row level security;
alter table webhook.threshold_firings force row level security;
alter table webhook.announced_pairs enable row level security;
alter table webhook.announced_pairs force row level security;

create view webhook.active_endpoints with (security_invoker = true) as
select e.*, s.tier
from webhook.endpoints e
join account.subscriptions s on s.org_id = e.org_id and s.status = 'active'
join account.tiers t on t.tier = s.tier and t.webhook_endpoints > 0
where e.disabled_at is null;
comment on view webhook.active_endpoints is 'Endpoints that are neither disabled nor paused.';

create function webhook.detect_crossings(p_updates price.price_update[]) returns void
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_newest timestamptz;
  v_one record;
  v_limit integer := (select s.inline_deliveries from webhook.settings s);
  v_left integer := v_limit;
begin
  select max(e.subscribed_at) into v_newest
  from webhook.endpoints e
  where e.disabled_at is null
    and e.min_spread_pts is not null;
  if v_newest is null then
    return;
  end if;
  for v_one in
    with steps as (
      select u.pair_id, u.priced_at, u.update_no, u.spread_pts, o.seen_at,
             lag(u.spread_pts, 1, o.spread_pts) over w as previous_pts,
             row_number() over w = 1 as first,
             row_number() over (partition by u.pair_id order by u.priced_at desc, u.update_no desc) = 1 as last
      from unnest(p_updates) u
      left join webhook.observed_spreads o on o.pair_id = u.pair_id
      where u.spread_pts is not null
      window w as (partition by u.pair_id order by u.priced_at, u.update_no)
    ), gaps as materialized (
      -- Whether any threshold is between the two spreads: one index lookup for each update, for any
      -- number of endpoints (50 updates without a crossing: 1 ms for 12 endpoints and for 90,000.
      -- Reading the list of all thresholds took 32 ms of a flush, 2026-11-20).
      select s.*,
             exists (
               select
               from webhook.endpoints e
               where e.disabled_at is null
                 and e.min_spread_pts > least(s.previous_pts, s.spread_pts)
                 and e.min_spread_pts <= greatest(s.previous_pts, s.spread_pts)
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
    select g.pair_id, g.previous_pts, g.spread_pts, g.priced_at,
           case when g.first then g.seen_at else clock_timestamp() end as endpoints_created_before
    from gaps g
    where g.crosses
      and g.spread_pts > g.previous_pts
    order by g.pair_id, g.priced_at, g.update_no
  loop
    v_left := v_left
      - webhook.fire_threshold(
        v_one.pair_id, v_one.previous_pts, v_one.spread_pts, v_one.priced_at, v_one.endpoints_created_before, v_left
      );
  end loop;
  if v_left < v_limit then
    perform webhook.wake_sender();
  end if;
end
$$;
comment on function webhook.detect_crossings(price.price_update[]) is
  'Part of pipeline.apply_books: fires spread.threshold for the price updates that cross a '
  'threshold. Updates without a spread change nothing.';

-- p_created_before: for endpoints that subscribed before this time; null: for none. Fires
-- nothing for a pair that is not in the catalog. webhook.fan_out_events writes the deliveries after
-- p_limit.
create function webhook.fire_threshold(
  p_pair uuid, p_previous_pts numeric, p_spread_pts numeric, p_at timestamptz, p_created_before timestamptz,
  p_limit integer
)
returns integer
language plpgsql volatile
set search_path = ''
as $$
declare
  v_event webhook.fired_events;
  v_out record;
begin
  select 'spread.threshold', p.pair_id,
         jsonb_build_object('slug', p.slug, 'title', p.title, 'observed_at', base.format_time(p_at)), p_previous_pts,
         p_spread_pts,
         p_created_before
  into v_event.event, v_event.pair_id, v_event.pair_json, v_event.previous_spread_pts, v_event.spread_pts,
       v_event.endpoints_created_before
  from catalog.pairs p
  where p.pair_id = p_pair
    and p.stage = 'catalog'
    and p.withdrawn_at is null;
  if v_event.pair_id is null or p_created_before is null then
    return 0;
  end if;
  -- After the stored events of this pair that are not expanded yet.
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
comment on function webhook.fire_threshold(
  uuid, numeric, numeric, timestamptz, timestamptz, integer
) is
  'Part of webhook.detect_crossings: fires for thresholds above p_previous_pts and up to '
  'p_spread_pts. Writes at most p_limit deliveries. Returns the number of endpoints it read.';

create function webhook.fire_pair_created() returns void
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  with announced as (
    insert into webhook.announced_pairs (pair_id)
    select p.pair_id
    from catalog.pairs p
    where p.stage = 'catalog'
      and p.withdrawn_at is null
      -- A pair that was over before it was first visible is not announced.
      and p.status not in ('closed', 'settled')
      and not exists (select from webhook.announced_pairs a where a.pair_id = p.pair_id)
    order by p.pair_id
    on conflict (pair_id) do nothing
    returning pair_id
  )
  insert into webhook.fired_events (event, pair_id, pair_json, endpoints_created_before)
  select 'pair.created', p.pair_id,
         jsonb_build_object(
           'slug', p.slug, 'title', p.title, 'sport', p.sport, 'category', p.category, 'status', p.status, 'created_at',
           base.format_time(p.created_at)
         ),
         clock_timestamp()
  from announced f
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
  'Fires pair.created for pairs that are visible for the first time. Also called before an '
  'endpoint is registered, which gets later pairs only.';

create function webhook.wants_opportunity(p_edge_pct numeric, p_profit_usd numeric) returns boolean
language plpgsql stable
set search_path = ''
as $$
begin
  return exists (
    select
    from webhook.endpoints e
    where e.disabled_at is null
      and 'opportunity.opened' = any (e.events)
      and coalesce(e.min_edge_pct, 0) <= p_edge_pct
      and coalesce(e.min_profit_usd, 0) <= p_profit_usd
  );
end
$$;
comment on function webhook.wants_opportunity(numeric, numeric) is
  'Whether an endpoint asks for opportunities with this edge_pct and this profit.';

create function webhook.fire_opportunity_opened(
  p_pair uuid, p_opportunity json, p_edge_pct numeric, p_profit_usd numeric, p_tiers text[]
)
returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  -- The senders write the deliveries: the transaction holds the publication lock of the stream.
  insert into webhook.fired_events (
    event, pair_id, opportunity, edge_pct, profit_usd, tiers, endpoints_created_before
  )
  values (
    'opportunity.opened', p_pair, p_opportunity, p_edge_pct, p_profit_usd, p_tiers, clock_timestamp()
  );
  perform webhook.wake_sender();
end
$$;
comment on function webhook.fire_opportunity_opened(uuid, json, numeric, numeric, text[]) is
  'Fires opportunity.opened for the endpoints whose thresholds it reaches, of organizations with '
  'one of these plans.';

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
comment on function webhook.send_ping(uuid) is
  'A test of an endpoint: a delivery that never counts as a failure.';

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
comment on function webhook.replay_delivery(uuid) is
  'Makes a failed or dropped delivery due again, with all its attempts. Returns false for any '
  'other.';

revoke all on function
  webhook.detect_crossings(price.price_update[]),
  webhook.fire_threshold(uuid, numeric, numeric, timestamptz, timestamptz, integer),
  webhook.fire_pair_created(),
  webhook.wants_opportunity(numeric, numeric),
  webhook.fire_opportunity_opened(uuid, json, numeric, numeric, text[]),
  webhook.send_ping(uuid),
  webhook.replay_delivery(uuid)
from public;
