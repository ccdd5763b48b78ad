-- Fan-out: from one fired event to its deliveries. A pair may concern thousands of endpoints, and
-- thousands of pairs may be created at once. The firing transaction writes a bounded number of
-- deliveries, and one row of webhook.fired_events for the rest, which the senders expand. So no
-- event is lost, and no flush waits for the fan-out. With 9,000 endpoints of one threshold
-- (2026-11-20), a flush in which 10 pairs crossed it took 25 ms, and 3.3 s when it wrote all
-- deliveries itself.

create table webhook.fired_events (
  decision_no bigint generated always as identity primary key,
  event text not null check (event in ('pair.created', 'spread.threshold', 'opportunity.opened')),
  pair_id uuid not null,
  pair_json jsonb,
  opportunity json,
  previous_spread_pts numeric,
  spread_pts numeric,
  edge_pct numeric,
  profit_usd numeric,
  tiers text[],
  endpoints_created_before timestamptz not null,
  last_endpoint_id uuid,
  last_threshold_pts numeric,
  fired_at timestamptz not null default clock_timestamp(),
  check ((event = 'spread.threshold') = (spread_pts is not null)),
  check ((event = 'opportunity.opened') = (pair_json is null)),
  check (event <> 'opportunity.opened' or num_nulls(opportunity, edge_pct, profit_usd, tiers) = 0)
);
comment on table webhook.fired_events is
  'Events that fired and do not have a delivery for each of their endpoints yet.';
comment on column webhook.fired_events.pair_json is
  'The fields of the pair in the body, as they were when the event fired.';
comment on column webhook.fired_events.opportunity is
  'The Opportunity in the body of opportunity.opened, in the bytes of the stream.';
comment on column webhook.fired_events.tiers is
  'The plans that may see the event; null: every plan with webhooks.';
comment on column webhook.fired_events.previous_spread_pts is
  'The spread before; spread_pts is the one that crossed. The event is for thresholds above the '
  'first and up to the second.';
comment on column webhook.fired_events.endpoints_created_before is
  'The event is for endpoints that subscribed before this time (webhook.endpoints.subscribed_at).';
comment on column webhook.fired_events.last_endpoint_id is
  'The last endpoint with a delivery, in order of threshold (spread.threshold only) and id; null '
  'before the first. last_threshold_pts is its threshold.';
create index fired_events_in_order on webhook.fired_events ((event = 'pair.created'), decision_no);
create index fired_events_by_pair on webhook.fired_events (pair_id);
alter table webhook.fired_events enable row level security;
alter table webhook.fired_events force row level security;

create function webhook.next_endpoints(
  p_event webhook.fired_events, p_limit integer, out endpoints uuid[], out last_threshold_pts numeric
)
language plpgsql stable
set search_path = ''
as $$
begin
  -- In index order, so that the next endpoints are found without reading the others. An endpoint
  -- from the future subscribed before the clock was set back.
  if p_event.event = 'pair.created' then
    endpoints := array(
      select e.endpoint_id
      from webhook.endpoints e
      where e.disabled_at is null
        and 'pair.created' = any (e.events)
        and (e.subscribed_at < p_event.endpoints_created_before or e.subscribed_at > clock_timestamp())
        and e.endpoint_id > coalesce(p_event.last_endpoint_id, '00000000-0000-0000-0000-000000000000')
      order by e.endpoint_id
      limit p_limit
    );
  elsif p_event.event = 'opportunity.opened' then
    endpoints := array(
      select e.endpoint_id
      from webhook.endpoints e
      where e.disabled_at is null
        and 'opportunity.opened' = any (e.events)
        and coalesce(e.min_edge_pct, 0) <= p_event.edge_pct
        and coalesce(e.min_profit_usd, 0) <= p_event.profit_usd
        and (e.subscribed_at < p_event.endpoints_created_before or e.subscribed_at > clock_timestamp())
        and e.endpoint_id > coalesce(p_event.last_endpoint_id, '00000000-0000-0000-0000-000000000000')
      order by e.endpoint_id
      limit p_limit
    );
  else
    select coalesce(array_agg(w.endpoint_id order by w.min_spread_pts, w.endpoint_id), '{}'), max(w.min_spread_pts)
    into endpoints, last_threshold_pts
    from (
      select e.endpoint_id, e.min_spread_pts
      from webhook.endpoints e
      where e.disabled_at is null
        and (e.min_spread_pts, e.endpoint_id) > (
          coalesce(p_event.last_threshold_pts, p_event.previous_spread_pts),
          coalesce(p_event.last_endpoint_id, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
        )
        and e.min_spread_pts <= p_event.spread_pts
        and (e.subscribed_at < p_event.endpoints_created_before or e.subscribed_at > clock_timestamp())
      order by e.min_spread_pts, e.endpoint_id
      limit p_limit
    ) w;
  end if;
end
$$;
comment on function webhook.next_endpoints(webhook.fired_events, integer) is
  'The next p_limit endpoints of a fired event, including paused ones. last_threshold_pts: the '
  'highest of their thresholds (spread.threshold only).';

create function webhook.insert_deliveries(
  p_event webhook.fired_events, p_limit integer, out seen integer, out last_endpoint_id uuid,
  out last_threshold_pts numeric
)
language plpgsql volatile
set search_path = ''
as $$
declare
  v_endpoints uuid[];
begin
  select n.endpoints, n.last_threshold_pts
  into v_endpoints, last_threshold_pts
  from webhook.next_endpoints(p_event, p_limit) n;
  seen := cardinality(v_endpoints);
  last_endpoint_id := case when seen >= p_limit then v_endpoints[seen] end;
  if seen = 0 then
    return;
  end if;
  with present as materialized (
    -- Skips an endpoint that is being deleted: a flush must not fail because of it, nor deadlock.
    select e.endpoint_id, e.min_spread_pts
    from webhook.endpoints e
    where e.endpoint_id in (
      select l.endpoint_id
      from webhook.active_endpoints l
      where l.endpoint_id = any (v_endpoints)
        and (p_event.tiers is null or l.tier = any (p_event.tiers))
    )
    order by e.endpoint_id
    for key share skip locked
  ), recorded as (
    insert into webhook.threshold_firings as f (endpoint_id, pair_id, fired_at)
    select p.endpoint_id, p_event.pair_id, (p_event.pair_json ->> 'observed_at')::timestamptz
    from present p
    where p_event.event = 'spread.threshold'
    order by p.endpoint_id
    on conflict (endpoint_id, pair_id) do update
    set fired_at = excluded.fired_at
    where excluded.fired_at >= f.fired_at + interval '30 minutes'
      -- The market clock was set back: another replay.
      or excluded.fired_at < f.fired_at
    returning f.endpoint_id
  )
  insert into webhook.deliveries (endpoint_id, event, pair_id, body)
  select p.endpoint_id, p_event.event, p_event.pair_id, webhook.render_body(p_event, p.endpoint_id, p.min_spread_pts)
  from present p
  where p_event.event <> 'spread.threshold'
    or p.endpoint_id in (select r.endpoint_id from recorded r)
  order by p.endpoint_id;
end
$$;
comment on function webhook.insert_deliveries(webhook.fired_events, integer) is
  'Writes deliveries of a fired event for its next p_limit endpoints, except where it fired '
  'within 30 minutes. seen: endpoints that it read; last_endpoint_id: null at the end.';

create function webhook.render_body(p_event webhook.fired_events, p_endpoint uuid, p_threshold numeric) returns text
language sql stable
set search_path = ''
as $$
  select case p_event.event
    when 'pair.created' then (
      select row_to_json(b)
      from (
        select p_event.event, p_endpoint as endpoint_id, 'mkt_' || p_event.pair_id as pair_id, t.slug, t.title, t.sport,
               t.category, t.status, t.created_at
        from jsonb_to_record(p_event.pair_json) as t (
          slug text, title text, sport text, category text, status text, created_at text
        )
      ) b
    )
    when 'opportunity.opened' then (
      select row_to_json(b)
      from (
        select p_event.event, p_endpoint as endpoint_id, 'mkt_' || p_event.pair_id as pair_id,
               trim_scale(p_event.profit_usd) as profit_usd, p_event.opportunity
      ) b
    )
    else (
      select row_to_json(b)
      from (
        select p_event.event, p_endpoint as endpoint_id, 'mkt_' || p_event.pair_id as pair_id, t.slug, t.title,
               trim_scale(p_event.spread_pts) as spread_pts, trim_scale(p_threshold) as threshold_pts, t.observed_at
        from jsonb_to_record(p_event.pair_json) as t (slug text, title text, observed_at text)
      ) b
    )
  end::text
$$;
comment on function webhook.render_body(webhook.fired_events, uuid, numeric) is
  'The body of a delivery (docs/webhooks.md).';

create function webhook.record_fired_event(p_event webhook.fired_events) returns void
language sql volatile
set search_path = ''
as $$
  insert into webhook.fired_events (
    event, pair_id, pair_json, previous_spread_pts, spread_pts, endpoints_created_before, last_endpoint_id,
    last_threshold_pts
  )
  values (
    p_event.event, p_event.pair_id, p_event.pair_json, p_event.previous_spread_pts, p_event.spread_pts,
    p_event.endpoints_created_before, p_event.last_endpoint_id,
    p_event.last_threshold_pts
  )
$$;
comment on function webhook.record_fired_event(webhook.fired_events) is
  'Stores a fired event for webhook.fan_out_events.';

create function webhook.fan_out_events(p_limit integer) returns integer
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_one webhook.fired_events;
  v_out record;
  v_seen integer := 0;
begin
  -- One at a time: events of a pair must be expanded in order, or its 30 minutes would start at the
  -- wrong one.
  if not exists (select from webhook.fired_events)
    or not pg_try_advisory_xact_lock(hashtext('webhook.fan_out_events')) then
    return 0;
  end if;
  for v_one in
    -- Spreads first: a new pair may be announced a moment later.
    select e.*
    from webhook.fired_events e
    order by e.event = 'pair.created', e.decision_no
  loop
    exit when v_seen >= p_limit;
    v_out := webhook.insert_deliveries(v_one, p_limit - v_seen);
    -- An event without endpoints counts as work too.
    v_seen := v_seen + greatest(v_out.seen, 1);
    if v_out.last_endpoint_id is null then
      delete from webhook.fired_events e where e.decision_no = v_one.decision_no;
    else
      update webhook.fired_events e
      set last_endpoint_id = v_out.last_endpoint_id,
          last_threshold_pts = v_out.last_threshold_pts
      where e.decision_no = v_one.decision_no;
    end if;
  end loop;
  return v_seen;
end
$$;
comment on function webhook.fan_out_events(integer) is
  'Expands fired events into about p_limit deliveries. Each claim calls it; 0 when none is left '
  'or another call runs. Returns the number of endpoints it read.';

revoke all on function
  webhook.next_endpoints(webhook.fired_events, integer),
  webhook.insert_deliveries(webhook.fired_events, integer),
  webhook.render_body(webhook.fired_events, uuid, numeric),
  webhook.record_fired_event(webhook.fired_events),
  webhook.fan_out_events(integer)
from public;
