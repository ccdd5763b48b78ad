-- From one decision to its many deliveries. A pair may appear to thousands of endpoints, thousands of pairs may appear at once: the
-- transaction that decides writes a bounded number of deliveries, and one row a decision for the rest, which the senders write out in
-- turns. So nothing is lost that was decided, and no flush of prices waits for it. Measured with 9,000 endpoints of one threshold
-- (2026-11-20): 10 pairs that cross it at once took 3.3 s of their flush while it wrote all of that itself, and 25 ms now.

create table webhook.fired_events (
  decision_no bigint generated always as identity primary key,
  event text not null check (event in ('pair.created', 'spread.threshold')),
  pair_id uuid not null,
  pair_json jsonb not null,
  previous_spread_pts numeric,
  spread_pts numeric,
  endpoints_created_before timestamptz not null,
  last_endpoint_id uuid,
  last_threshold_pts numeric,
  fired_at timestamptz not null default clock_timestamp(),
  check ((event = 'spread.threshold') = (spread_pts is not null))
);
comment on table webhook.fired_events is 'Events that fired and have not reached all their endpoints yet.';
comment on column webhook.fired_events.pair_json is 'What the body says of the pair, as it was when this was decided.';
comment on column webhook.fired_events.previous_spread_pts is 'The gap before; spread_pts the one that crossed. It is for thresholds above the one and up to the other.';
comment on column webhook.fired_events.endpoints_created_before is 'It is for endpoints that were registered before this.';
comment on column webhook.fired_events.last_endpoint_id is
  'The endpoint that it has been written for last, in order of their thresholds (spread.threshold alone) and ids; null before the first. last_threshold_pts is its threshold.';
create index fired_events_in_order on webhook.fired_events ((event = 'pair.created'), decision_no);
create index fired_events_by_pair on webhook.fired_events (pair_id);
alter table webhook.fired_events enable row level security;
alter table webhook.fired_events force row level security;

create function webhook.insert_deliveries(p_event webhook.fired_events, p_limit integer, out seen integer, out last_endpoint_id uuid, out last_threshold_pts numeric)
language plpgsql volatile
set search_path = ''
as $$
declare
  v_wanted uuid[];
begin
  -- In the order of an index, so that the next of many are found without reading the others; which of them are paused is asked below.
  if p_event.event = 'pair.created' then
    v_wanted := array(
      select e.endpoint_id
      from webhook.endpoints e
      where e.disabled_at is null
        and 'pair.created' = any (e.events)
        and e.created_at < p_event.endpoints_created_before
        and e.endpoint_id > coalesce(p_event.last_endpoint_id, '00000000-0000-0000-0000-000000000000')
      order by e.endpoint_id
      limit p_limit
    );
  else
    select coalesce(array_agg(w.endpoint_id order by w.min_spread_pts, w.endpoint_id), '{}'), max(w.min_spread_pts)
    into v_wanted, last_threshold_pts
    from (
      select e.endpoint_id, e.min_spread_pts
      from webhook.endpoints e
      where e.disabled_at is null
        and (e.min_spread_pts, e.endpoint_id) > (
          coalesce(p_event.last_threshold_pts, p_event.previous_spread_pts), coalesce(p_event.last_endpoint_id, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
        )
        and e.min_spread_pts <= p_event.spread_pts
        and e.created_at < p_event.endpoints_created_before
      order by e.min_spread_pts, e.endpoint_id
      limit p_limit
    ) w;
  end if;
  seen := cardinality(v_wanted);
  last_endpoint_id := case when seen >= p_limit then v_wanted[seen] end;
  if seen = 0 then
    return;
  end if;
  with there as materialized (
    -- One that is being deleted right now is not waited for: a flush must not fail over it, nor hang between two of them.
    select e.endpoint_id, e.min_spread_pts
    from webhook.endpoints e
    where e.endpoint_id in (select l.endpoint_id from webhook.active_endpoints l where l.endpoint_id = any (v_wanted))
    order by e.endpoint_id
    for key share skip locked
  ), rested as (
    insert into webhook.threshold_firings as f (endpoint_id, pair_id, fired_at)
    select t.endpoint_id, p_event.pair_id, (p_event.pair_json ->> 'observed_at')::timestamptz
    from there t
    where p_event.event = 'spread.threshold'
    order by t.endpoint_id
    on conflict (endpoint_id, pair_id) do update
    set fired_at = excluded.fired_at
    where excluded.fired_at >= f.fired_at + interval '30 minutes'
      -- The market clock was set back: another replay.
      or excluded.fired_at < f.fired_at
    returning f.endpoint_id
  )
  insert into webhook.deliveries (endpoint_id, event, pair_id, body)
  select t.endpoint_id, p_event.event, p_event.pair_id, webhook.render_body(p_event, t.endpoint_id, t.min_spread_pts)
  from there t
  where p_event.event = 'pair.created'
    or t.endpoint_id in (select r.endpoint_id from rested r)
  order by t.endpoint_id;
end
$$;
comment on function webhook.insert_deliveries(webhook.fired_events, integer) is
  'Writes the deliveries of a decision for its next p_limit endpoints, but where spread.threshold fired for the endpoint and the pair less than 30 minutes ago. seen: how many endpoints it looked at; reached and last_threshold_pts: the last of them; reached is null where there are no more.';

create function webhook.render_body(p_event webhook.fired_events, p_endpoint uuid, p_threshold numeric) returns text
language sql stable
set search_path = ''
as $$
  select case p_event.event
    when 'pair.created' then (
      select row_to_json(b)
      from (
        select p_event.event, p_endpoint as endpoint_id, 'mkt_' || p_event.pair_id as pair_id, t.slug, t.title, t.sport, t.category,
               t.status, t.created_at
        from jsonb_to_record(p_event.pair_json) as t (slug text, title text, sport text, category text, status text, created_at text)
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
comment on function webhook.render_body(webhook.fired_events, uuid, numeric) is 'The body of a delivery: spec.md, Webhook events.';

create function webhook.record_fired_event(p_event webhook.fired_events) returns void
language sql volatile
set search_path = ''
as $$
  insert into webhook.fired_events (event, pair_id, pair_json, previous_spread_pts, spread_pts, endpoints_created_before, last_endpoint_id, last_threshold_pts)
  values (
    p_event.event, p_event.pair_id, p_event.pair_json, p_event.previous_spread_pts, p_event.spread_pts, p_event.endpoints_created_before, p_event.last_endpoint_id,
    p_event.last_threshold_pts
  )
$$;
comment on function webhook.record_fired_event(webhook.fired_events) is 'Writes a decision down, for webhook.fan_out_events.';

create function webhook.fan_out_events(p_limit integer) returns integer
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_one webhook.fired_events;
  v_out record;
  v_seen integer := 0;
begin
  -- One at a time: decisions about a pair are written out in their order, or its 30 minutes would count from the wrong one.
  if not exists (select from webhook.fired_events) or not pg_try_advisory_xact_lock(hashtext('webhook.fan_out_events')) then
    return 0;
  end if;
  for v_one in
    -- Gaps first: what a pair's appearance has to tell thousands is no older a moment later.
    select d.*
    from webhook.fired_events d
    order by d.event = 'pair.created', d.decision_no
  loop
    exit when v_seen >= p_limit;
    v_out := webhook.insert_deliveries(v_one, p_limit - v_seen);
    -- One without endpoints is work as well.
    v_seen := v_seen + greatest(v_out.seen, 1);
    if v_out.last_endpoint_id is null then
      delete from webhook.fired_events d where d.decision_no = v_one.decision_no;
    else
      update webhook.fired_events d
      set last_endpoint_id = v_out.last_endpoint_id,
          last_threshold_pts = v_out.last_threshold_pts
      where d.decision_no = v_one.decision_no;
    end if;
  end loop;
  return v_seen;
end
$$;
comment on function webhook.fan_out_events(integer) is
  'Writes out what was decided, at most about p_limit deliveries. Called with each claim; 0 where nothing is left or another does it. Returns how many endpoints it looked at.';

revoke all on function
  webhook.insert_deliveries(webhook.fired_events, integer),
  webhook.render_body(webhook.fired_events, uuid, numeric),
  webhook.record_fired_event(webhook.fired_events),
  webhook.fan_out_events(integer)
from public;
