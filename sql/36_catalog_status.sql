-- Market status: from what both venues say of their contracts, and the market clock. Forwards only, but for a game that is moved.

create function catalog.contracts_now() returns table (
  pair_id uuid, venue text, key text, state text, paid numeric, settled_at timestamptz
)
language sql stable
set search_path = ''
as $$
  select o.pair_id, v.venue, o.key, m.state::text,
         -- payout is what YES (outcome 0) got: NO and the second token got the rest.
         case when o.side_a = 'no' and v.venue = 'venue_a' or k.ordinal = 1 then 1 - m.payout else m.payout end,
         m.settled_at
  from catalog.outcomes o
  join catalog.pairs p on p.pair_id = o.pair_id and p.withdrawn_at is null and p.status <> 'settled'
  cross join lateral (values ('venue_a', o.market_a), ('venue_b', o.market_b)) as v (venue, market_id)
  left join venue.markets m on m.venue = v.venue and m.market_id = v.market_id
  left join venue.contracts k on v.venue = 'venue_b' and k.venue = 'venue_b' and k.contract_id = o.contract_b
  where v.market_id is not null
  union all
  -- venue_a's own ladder: where a row has no contract of venue_a for an outcome, its rungs still say whether venue_a trades or has paid.
  select l.pair_id, 'venue_a', null, m.state::text, m.payout, m.settled_at
  from catalog.ladder l
  join catalog.pairs p on p.pair_id = l.pair_id and p.withdrawn_at is null and p.status <> 'settled'
  left join venue.markets m on m.venue = 'venue_a' and m.market_id = l.market_a
$$;
comment on function catalog.contracts_now() is
  'Part of catalog.statuses_now: every contract of the unsettled pairs with its state and what it paid; key is null for a rung of venue_a''s ladder.';

create function catalog.statuses_now() returns table (pair_id uuid, status text, result jsonb)
language sql volatile
set search_path = ''
as $$
  with ranks as (
    select array['open', 'live', 'resolving', 'closed', 'settled'] as way, clock.now() as now_at
  ), contracts as materialized (
    select c.* from catalog.contracts_now() c
  ), venues as (
    -- A listing that has left the venue's pages (no row, or gone) neither trades nor keeps the rest from being final.
    select c.pair_id, c.venue,
           coalesce(bool_and(c.state = 'final' and c.paid is not null) filter (where c.state <> 'gone'), false) as final,
           coalesce(bool_or(c.state in ('trading', 'unopened', 'paused')), false) as trades,
           coalesce(bool_or(c.state = 'trading'), false) as open,
           bool_and(c.state is null or c.state = 'gone') as gone,
           coalesce(bool_and(c.paid in (0, 1)) filter (where c.paid is not null), true) as whole,
           max(c.settled_at) as settled_at
    from contracts c
    group by c.pair_id, c.venue
  ), payouts as (
    select o.pair_id, o.key, a.paid as paid_a, b.paid as paid_b,
           case
             when o.market_a is not null and o.market_b is not null then a.paid = b.paid
             -- venue_b's band came true: so must one of the venue_a bands that it meets.
             when o.span is not null and b.paid = 1 then (
               select bool_or(m.payout = 1)
               from catalog.ladder l
               join venue.markets m on m.venue = 'venue_a' and m.market_id = l.market_a
               where l.pair_id = o.pair_id
                 and l.label = any (o.span)
             )
           end as alike
    from catalog.outcomes o
    left join contracts a on a.pair_id = o.pair_id and a.key = o.key and a.venue = 'venue_a'
    left join contracts b on b.pair_id = o.pair_id and b.key = o.key and b.venue = 'venue_b'
    where exists (select from venues v where v.pair_id = o.pair_id and v.final)
  ), compared as (
    select p.pair_id,
           -- Null where no outcome can be compared: then the venues neither agree nor part.
           bool_and(p.alike) as alike,
           jsonb_agg(p.key order by p.key) filter (where coalesce(p.paid_a, 1) = 1 and coalesce(p.paid_b, 1) = 1 and coalesce(p.paid_a, p.paid_b) is not null) as winners
    from payouts p
    group by p.pair_id
  ), judged as (
    select p.pair_id, p.status as was, p.scheduled, p.start_time, r.now_at, r.way,
           coalesce(a.final, false) as final_a, coalesce(b.final, false) as final_b,
           coalesce(a.trades, false) as trades_a, coalesce(b.trades, false) as trades_b,
           coalesce(a.open, false) as open_a, coalesce(b.open, false) as open_b,
           coalesce(a.gone, true) and coalesce(b.gone, true) as gone,
           a.whole as whole_a, b.whole as whole_b,
           c.alike, coalesce(c.winners, '[]') as winners,
           greatest(a.settled_at, b.settled_at) as settled_at,
           coalesce(greatest(p.closes_a, p.closes_b), p.start_time) as last_close
    from catalog.pairs p
    cross join ranks r
    left join venues a on a.pair_id = p.pair_id and a.venue = 'venue_a'
    left join venues b on b.pair_id = p.pair_id and b.venue = 'venue_b'
    left join compared c on c.pair_id = p.pair_id
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
             'verdict', case when t.alike is null or not (t.whole_a and t.whole_b) then 'edge_case' when t.alike then 'agree' else 'diverge' end,
             'venues_agree', t.alike,
             'void', not t.whole_a and not t.whole_b,
             'winners', case when t.alike is false then '[]'::jsonb else t.winners end,
             'settled_at', to_char(coalesce(t.settled_at, t.now_at) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')
           )
         end
  from target t
  where t.next <> t.was
    and (
      array_position(t.way, t.next) > array_position(t.way, t.was)
      -- Postponed: the start was moved into the future and both venues trade again.
      or (t.next = 'open' and t.was in ('live', 'resolving') and t.scheduled and t.start_time > t.now_at and t.open_a and t.open_b)
    )
$$;
comment on function catalog.statuses_now() is 'Pairs whose status has moved, with what it moves to and the result once both venues are final.';

create function catalog.refresh_statuses() returns integer
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_moved integer;
  v_settled text[];
begin
  with moved as (
    update catalog.pairs p
    set status = n.status,
        result = coalesce(n.result, p.result),
        change_no = nextval('catalog.changes')
    from catalog.statuses_now() n
    where p.pair_id = n.pair_id
    returning p.rule_id, p.status
  )
  select count(*)::integer, array_agg(distinct m.rule_id) filter (where m.status = 'settled')
  into v_moved, v_settled
  from moved m;
  -- In this transaction: a result and the record of its rule are never apart, whatever is killed when.
  if v_settled is not null then
    perform catalog.judge_rules(v_settled);
  end if;
  perform catalog.show_parity();
  return v_moved;
end
$$;
comment on function catalog.refresh_statuses() is
  'Moves every pair''s status to what both venues and the clock say; returns how many moved. A status is no identity: change_no rises, updated_at does not. What has settled is counted for its rule.';
grant execute on function catalog.refresh_statuses() to parallax_ingest;
