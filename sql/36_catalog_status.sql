-- Market status: from what both venues say of their contracts, and the market clock. Forwards only, but for a game that is moved.

create function catalog.statuses_now() returns table (pair_id uuid, status text, result jsonb)
language sql volatile
set search_path = ''
as $$
  with ranks as (
    select array['open', 'live', 'resolving', 'closed', 'settled'] as way, clock.now() as now_at
  ), outcomes as (
    select o.pair_id, o.key,
           a.state as state_a, b.state as state_b,
           -- payout is what YES (outcome 0) got: NO and the second token got the rest.
           case when o.side_a = 'no' then 1 - a.payout else a.payout end as paid_a,
           case when k.ordinal = 1 then 1 - b.payout else b.payout end as paid_b,
           a.settled_at as settled_a, b.settled_at as settled_b
    from catalog.outcomes o
    join catalog.pairs p on p.pair_id = o.pair_id and p.withdrawn_at is null and p.status <> 'settled'
    left join venue.markets a on a.venue = 'venue_a' and a.market_id = o.market_a
    left join venue.markets b on b.venue = 'venue_b' and b.market_id = o.market_b
    left join venue.contracts k on k.venue = 'venue_b' and k.contract_id = o.contract_b
  ), seen as (
    select o.pair_id,
           bool_and(o.state_a = 'final' and o.paid_a is not null) filter (where o.state_a is not null) as final_a,
           bool_and(o.state_b = 'final' and o.paid_b is not null) filter (where o.state_b is not null) as final_b,
           coalesce(bool_or(o.state_a in ('trading', 'unopened', 'paused')), false) as trades_a,
           coalesce(bool_or(o.state_b in ('trading', 'unopened', 'paused')), false) as trades_b,
           coalesce(bool_or(o.state_a = 'trading'), false) as open_a,
           coalesce(bool_or(o.state_b = 'trading'), false) as open_b,
           coalesce(bool_and(o.state_a is null or o.state_a = 'gone'), true) and coalesce(bool_and(o.state_b is null or o.state_b = 'gone'), true) as gone,
           bool_and(o.paid_a = o.paid_b) as alike,
           bool_and(o.paid_a in (0, 1)) as whole_a,
           bool_and(o.paid_b in (0, 1)) as whole_b,
           coalesce(jsonb_agg(o.key order by o.key) filter (where o.paid_a = 1 and o.paid_b = 1), '[]') as winners_both,
           greatest(max(o.settled_a), max(o.settled_b)) as settled_at
    from outcomes o
    group by o.pair_id
  ), judged as (
    select s.*, p.status as was, p.scheduled, p.start_time,
           r.now_at,
           greatest(p.closes_a, p.closes_b) as last_close
    from catalog.pairs p
    join seen s on s.pair_id = p.pair_id
    cross join ranks r
    where p.withdrawn_at is null
      and p.status <> 'settled'
  ), target as (
    select j.*,
           case
             when j.final_a and j.final_b then 'settled'
             when j.gone then 'closed'
             when not j.trades_a and not j.trades_b and j.last_close < j.now_at - interval '30 days' then 'closed'
             -- A runner that is out of the race settles alone; a venue has stopped when none of its contracts trades.
             when not j.trades_a or not j.trades_b then 'resolving'
             when j.scheduled and j.start_time <= j.now_at and j.open_a and j.open_b then 'live'
             else 'open'
           end as next
    from judged j
  )
  select t.pair_id, t.next,
         case
           when t.next = 'settled' then jsonb_build_object(
             -- Both paid whole contracts: they agree or they do not. Anything else (a fair price, 50-50) is an edge case.
             'verdict', case when not (t.whole_a and t.whole_b) then 'edge_case' when t.alike then 'agree' else 'diverge' end,
             'venues_agree', t.alike,
             'void', not t.whole_a and not t.whole_b,
             'winners', case when t.alike then t.winners_both else '[]'::jsonb end,
             'settled_at', to_char(coalesce(t.settled_at, t.now_at) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')
           )
         end
  from target t
  cross join ranks r
  where t.next <> t.was
    and (
      array_position(r.way, t.next) > array_position(r.way, t.was)
      -- Postponed: the start was moved into the future and both venues trade again.
      or (t.next = 'open' and t.was in ('live', 'resolving') and t.scheduled and t.start_time > t.now_at and t.open_a and t.open_b)
    )
$$;
comment on function catalog.statuses_now() is 'Pairs whose status has moved, with what it moves to and the result once both venues are final.';

create function catalog.refresh_statuses() returns integer
language sql volatile security definer
set search_path = ''
as $$
  with moved as (
    update catalog.pairs p
    set status = n.status,
        result = coalesce(n.result, p.result),
        change_no = nextval('catalog.changes')
    from catalog.statuses_now() n
    where p.pair_id = n.pair_id
    returning 1
  )
  select count(*)::integer from moved
$$;
comment on function catalog.refresh_statuses() is
  'Moves every pair''s status to what both venues and the clock say; returns how many moved. A status is no identity: change_no rises, updated_at does not.';
grant execute on function catalog.refresh_statuses() to parallax_ingest;
