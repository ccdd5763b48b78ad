-- Market status, from the states of the contracts on both venues and from market time. A status
-- only moves forward, except when a game is postponed.

create function catalog.compare_payouts(p_outcomes catalog.outcomes[], p_strikes catalog.strikes[])
returns table (pair_id uuid, alike boolean, winners jsonb, whole_a boolean, whole_b boolean, final boolean, paid jsonb)
language sql stable
set search_path = ''
set plan_cache_mode = force_custom_plan
as $$
  with payouts as (
    select o.pair_id, o.ordinal, o.key, o.name, o.span, o.market_a is not null and o.market_b is not null as both_list,
           -- payout is what YES (outcome 0) was paid. NO and the second token were paid the rest.
           case when o.side_a = 'no' then 1 - a.payout else a.payout end as paid_a,
           case when k.ordinal = 1 then 1 - b.payout else b.payout end as paid_b
    from unnest(p_outcomes) o
    left join venue.markets a on a.venue = 'venue_a' and a.market_id = o.market_a
    left join venue.markets b on b.venue = 'venue_b' and b.market_id = o.market_b
    left join venue.contracts k on k.venue = 'venue_b' and k.contract_id = o.contract_b
  ), compared as (
    select p.*,
           case
             when p.both_list then p.paid_a = p.paid_b
             -- The band of venue_b came true, so one of the venue_a bands that it overlaps must
             -- have paid.
             when p.span is not null and p.paid_b = 1 then (
               select bool_or(m.payout = 1)
               from unnest(p_strikes) l
               join venue.markets m on m.venue = 'venue_a' and m.market_id = l.market_a
               where l.pair_id = p.pair_id
                 and l.label = any (p.span)
             )
           end as alike
    from payouts p
  )
  select c.pair_id, bool_and(c.alike),
         coalesce(
           jsonb_agg(c.key order by c.key) filter (
             where coalesce(c.paid_a, c.paid_b) = 1
               and coalesce(c.paid_b, c.paid_a) = 1
           ),
           '[]'
         ),
         coalesce(bool_and(c.paid_a in (0, 1)), true), coalesce(bool_and(c.paid_b in (0, 1)), true),
         bool_and(not c.both_list or (c.paid_a is not null and c.paid_b is not null)),
         jsonb_agg(
           jsonb_build_object(
             'outcome', c.name, 'venue_a', trim_scale(c.paid_a)::text, 'venue_b', trim_scale(c.paid_b)::text
           )
           order by c.ordinal
         )
  from compared c
  group by c.pair_id
$$;
comment on function catalog.compare_payouts(catalog.outcomes[], catalog.strikes[]) is
  'Whether both venues paid the same where they can be compared (null: nowhere), the winners, '
  'whole payouts, whether all results are known, and what each outcome was paid.';

create function catalog.due_status_changes() returns table (pair_id uuid, status text, result jsonb)
language sql volatile
set search_path = ''
as $$
  with ranks as (
    select array['open', 'live', 'resolving', 'closed', 'settled'] as way, clock.now() as now_at
  ), contracts as (
    select o.pair_id, a.state as state_a, a.payout as payout_a, a.settled_at as settled_a,
           b.state as state_b, b.payout as payout_b, b.settled_at as settled_b
    from catalog.outcomes o
    join catalog.pairs p on p.pair_id = o.pair_id and p.withdrawn_at is null and p.status <> 'settled'
    left join venue.markets a on a.venue = 'venue_a' and a.market_id = o.market_a
    left join venue.markets b on b.venue = 'venue_b' and b.market_id = o.market_b
    union all
    -- For an outcome without a venue_a contract, the strikes of venue_a show whether the venue
    -- trades or has paid.
    select l.pair_id, m.state, m.payout, m.settled_at, null, null, null
    from catalog.strikes l
    join catalog.pairs p on p.pair_id = l.pair_id and p.withdrawn_at is null and p.status <> 'settled'
    join venue.markets m on m.venue = 'venue_a' and m.market_id = l.market_a
  ), seen as (
    -- A contract that the venue no longer lists (gone, or no row) does not trade, and does not keep
    -- the pair from being final.
    select c.pair_id,
           coalesce(
             bool_and(c.state_a = 'final' and c.payout_a is not null) filter (where c.state_a <> 'gone'), false
           ) as final_a,
           coalesce(
             bool_and(c.state_b = 'final' and c.payout_b is not null) filter (where c.state_b <> 'gone'), false
           ) as final_b,
           coalesce(bool_or(c.state_a in ('trading', 'unopened', 'paused')), false) as trades_a,
           coalesce(bool_or(c.state_b in ('trading', 'unopened', 'paused')), false) as trades_b,
           coalesce(bool_or(c.state_a = 'trading'), false) as open_a,
           coalesce(bool_or(c.state_b = 'trading'), false) as open_b,
           bool_and((c.state_a is null or c.state_a = 'gone') and (c.state_b is null or c.state_b = 'gone')) as gone,
           coalesce(bool_and(c.payout_a in (0, 1)), true) as whole_a,
           coalesce(bool_and(c.payout_b in (0, 1)), true) as whole_b,
           greatest(max(c.settled_a), max(c.settled_b)) as settled_at
    from contracts c
    group by c.pair_id
  ), target as (
    select s.*, p.status as was, r.way, r.now_at, p.has_scheduled_start, p.start_time,
           case
             when s.final_a and s.final_b then 'settled'
             when s.gone then 'closed'
             when not s.trades_a and not s.trades_b
               and coalesce(greatest(p.closes_a, p.closes_b), p.start_time) < r.now_at - interval '30 days'
               then 'closed'
             -- A runner that is out of a race settles alone. A venue has stopped when none of its
             -- contracts trades.
             when not s.trades_a or not s.trades_b then 'resolving'
             when p.has_scheduled_start and p.start_time <= r.now_at and s.open_a and s.open_b then 'live'
             else 'open'
           end as next
    from seen s
    join catalog.pairs p on p.pair_id = s.pair_id
    cross join ranks r
  ), moved as materialized (
    select t.*
    from target t
    where t.next <> t.was
      and (
        array_position(t.way, t.next) > array_position(t.way, t.was)
        -- Postponed: the start is in the future again and both venues trade.
        or (
          t.next = 'open'
          and t.was in ('live', 'resolving')
          and t.has_scheduled_start
          and t.start_time > t.now_at
          and t.open_a
          and t.open_b
        )
      )
  )
  select m.pair_id, m.next,
         case
           when m.next = 'settled' then jsonb_build_object(
             -- Both venues paid whole contracts: they agree or diverge. Anything else (a fair
             -- price, 50-50) is an edge case.
             'verdict',
             case
               when c.alike is null or not (m.whole_a and m.whole_b) then 'edge_case'
               when c.alike then 'agree'
               else 'diverge'
             end,
             'venues_agree', c.alike,
             'void', not m.whole_a and not m.whole_b,
             'winners', case when c.alike is false then '[]' else c.winners end,
             'paid', case when c.alike is false then c.paid end,
             'settled_at', to_char(coalesce(m.settled_at, m.now_at) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')
           )
         end
  from moved m
  left join catalog.compare_payouts(
    array(select o from catalog.outcomes o join moved f on f.pair_id = o.pair_id and f.next = 'settled'),
    array(select l from catalog.strikes l join moved f on f.pair_id = l.pair_id and f.next = 'settled')
  ) c on c.pair_id = m.pair_id
$$;
comment on function catalog.due_status_changes() is
  'Pairs whose status is due to change, with the new status, and the result once both venues are '
  'final.';

create function catalog.refresh_statuses(out moved uuid[], out parity_moved boolean)
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_settled text[];
begin
  with updated as (
    update catalog.pairs p
    set status = n.status,
        result = coalesce(n.result, p.result),
        change_no = nextval('catalog.change_numbers')
    from catalog.due_status_changes() n
    where p.pair_id = n.pair_id
    returning p.pair_id, p.rule_id, p.status
  )
  select coalesce(array_agg(u.pair_id), '{}'), array_agg(distinct u.rule_id) filter (where u.status = 'settled')
  into moved, v_settled
  from updated u;
  -- In this transaction, so that no crash separates a result from the record of its rule.
  if v_settled is not null then
    perform catalog.update_rule_parity(v_settled);
  end if;
  parity_moved := catalog.publish_parity_changes() > 0;
end
$$;
comment on function catalog.refresh_statuses() is
  'Applies catalog.due_status_changes and counts the pairs that settled for their rules. Returns '
  'the changed pairs and whether a change of parity marked pairs.';
revoke all on function catalog.refresh_statuses() from public;
