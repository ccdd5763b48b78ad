-- The outcomes of a pair, with the contract of each venue that pays for them. Contracts are matched
-- by outcome key, never by position, so sides cannot be swapped. An outcome of a strike ladder
-- without an equal contract on venue_a gets a relation (OVERLAPS, DERIVED) or null, and never an
-- invented price.

create function catalog.payout_range_of(p_detail jsonb) returns numrange
language sql immutable
set search_path = ''
as $$
  select case p_detail ->> 'comparison'
    when 'within' then numrange(
      (p_detail ->> 'low')::numeric, (p_detail ->> 'high')::numeric,
      case p_detail ->> 'high_included' when 'false' then '[)' else '[]' end
    )
    when 'equal' then numrange((p_detail ->> 'low')::numeric, (p_detail ->> 'low')::numeric, '[]')
    when 'above' then numrange((p_detail ->> 'low')::numeric, null, '()')
    when 'at_or_above' then numrange((p_detail ->> 'low')::numeric, null, '[)')
    when 'below' then numrange(null, (p_detail ->> 'high')::numeric, '()')
    when 'at_or_below' then numrange(null, (p_detail ->> 'high')::numeric, '(]')
  end
$$;
comment on function catalog.payout_range_of(jsonb) is
  'The values for which a strike pays, from its detail {low, high, comparison, high_included}. '
  'Null when they are not one range.';

create function catalog.round_range_to_grid(p_range numrange, p_grid numeric) returns numrange
language sql immutable
set search_path = ''
as $$
  select numrange(
    lower(p_range) + case when lower_inc(p_range) then 0 else p_grid end,
    upper(p_range) - case when upper_inc(p_range) then 0 else p_grid end,
    '[]'
  )
$$;
comment on function catalog.round_range_to_grid(numrange, numeric) is
  'The same range with both ends included, for values that are multiples of p_grid. With one '
  'decimal, above 4.2 becomes at least 4.3.';

create function catalog.build_legs(p_chosen catalog.chosen_pair[]) returns setof catalog.pair_leg
language plpgsql stable
set search_path = ''
set plan_cache_mode = force_custom_plan
as $$
begin
  return query
  -- The wide rows of p_chosen are read once.
  with pairs as materialized (
    select p.pair_id, p.question_a, p.question_b, p.wanted, p.same_station
    from unnest(p_chosen) p
  ), sides as materialized (
    -- The registry names the sides of other pairs. Text evidence decides the sides of these, once
    -- for each pair.
    select p.pair_id, s.key_a, s.key_b
    from pairs p
    cross join lateral catalog.side_keys(p.question_a, p.question_b) s
    where p.wanted = 'sides'
  )
  select p.pair_id, p.wanted, coalesce(a.outcome_key, b.outcome_key) as key,
         -- The longer name of a person or team. A strike ladder uses the labels of the venue that
         -- defines its outcomes.
         case
           when p.wanted in ('bands', 'buckets') then coalesce(b.outcome_name, a.outcome_name)
           when p.wanted = 'twins' then coalesce(a.outcome_name, b.outcome_name)
           when length(b.outcome_name) > length(a.outcome_name) then b.outcome_name
           else coalesce(a.outcome_name, b.outcome_name)
         end as name,
         a.ordinal as ordinal_a, a.market_id as market_a, a.contract_id as contract_a, a.side as side_a,
         b.ordinal as ordinal_b, b.market_id as market_b, b.contract_id as contract_b,
         case when b.detail ? 'comparison' then catalog.payout_range_of(b.detail) end as range_b,
         p.wanted <> 'bands' or p.same_station as may_be_twin
  from (
    select p.pair_id, l.*
    from pairs p
    join venue.legs l on l.question_id = p.question_a
  ) a
  full join (
    select p.pair_id, coalesce(s.key_a, l.outcome_key) as key_a, l.*
    from pairs p
    join venue.legs l on l.question_id = p.question_b
    left join sides s on s.pair_id = p.pair_id and s.key_b = l.outcome_key
  ) b on b.pair_id = a.pair_id and b.key_a = a.outcome_key
  join pairs p on p.pair_id = coalesce(a.pair_id, b.pair_id);
end
$$;
comment on function catalog.build_legs(catalog.chosen_pair[]) is
  'Stage 6 of catalog.run_match_pass: all legs of both venues. Legs with the same outcome key '
  'share a row.';

create function catalog.build_outcomes(p_chosen catalog.chosen_pair[], p_legs catalog.pair_leg[])
returns setof catalog.outcomes
language plpgsql stable
set search_path = ''
set plan_cache_mode = force_custom_plan
as $$
begin
  return query
  select l.pair_id, (row_number() over (partition by l.pair_id order by l.ordinal_a) - 1)::smallint, l.key, l.name,
         l.market_a, l.contract_a, l.side_a, l.market_b, l.contract_b, case when l.wanted = 'twins' then 'EXACT' end,
         null::text[]
  from unnest(p_legs) l
  where l.wanted in ('equal', 'shared', 'twins', 'sides')
    and l.ordinal_a is not null
    and l.ordinal_b is not null;
  return query select * from catalog.build_ladder_outcomes(p_chosen, p_legs);
end
$$;
comment on function catalog.build_outcomes(catalog.chosen_pair[], catalog.pair_leg[]) is
  'Stage 7 of catalog.run_match_pass: the outcomes of each pair with their match keys.';

create function catalog.build_strikes(p_chosen catalog.chosen_pair[]) returns setof catalog.strikes
language plpgsql stable
set search_path = ''
set plan_cache_mode = force_custom_plan
as $$
begin
  return query
  select p.pair_id, l.ordinal, l.outcome_name, l.market_id, l.contract_id
  from unnest(p_chosen) p
  join venue.legs l on l.question_id = p.question_a
  where p.wanted in ('bands', 'buckets', 'choices', 'twins');
end
$$;
comment on function catalog.build_strikes(catalog.chosen_pair[]) is
  'Stage 9 of catalog.run_match_pass: all strikes of venue_a for the families that have them.';

create function catalog.build_ladder_outcomes(p_chosen catalog.chosen_pair[], p_legs catalog.pair_leg[])
returns setof catalog.outcomes
language plpgsql stable
set search_path = ''
set plan_cache_mode = force_custom_plan
as $$
begin
  return query
  with pairs as materialized (
    select p.pair_id, p.question_a, p.wanted, p.grid, p.kind_a
    from unnest(p_chosen) p
    where p.wanted in ('bands', 'buckets', 'choices')
  ), legs_a as (
    select p.pair_id, p.grid, p.kind_a, l.ordinal, l.outcome_name as label, catalog.payout_range_of(l.detail) as range_a
    from pairs p
    join venue.legs l on l.question_id = p.question_a
  ), ladder_legs as (
    -- The legs of venue_b, or all five outcomes of a rate decision, listed or not.
    select l.pair_id, l.ordinal_b::integer as place, l.key, l.name, l.wanted, l.market_b, l.contract_b, l.range_b,
           case when l.may_be_twin then l.market_a end as market_a,
           case when l.may_be_twin then l.contract_a end as contract_a,
           case when l.may_be_twin then l.side_a end as side_a
    from unnest(p_legs) l
    where l.wanted in ('bands', 'buckets')
      and l.ordinal_b is not null
    union all
    select p.pair_id, c.ordinal, c.key, c.name, p.wanted, l.market_b, l.contract_b, l.range_b, l.market_a, l.contract_a,
           l.side_a
    from pairs p
    cross join catalog.rate_decision_outcomes() c
    left join unnest(p_legs) l on l.pair_id = p.pair_id and l.key = c.key
    where p.wanted = 'choices'
  ), support as (
    select r.pair_id, r.key,
           array_agg(a.label order by a.ordinal) filter (where a.range_a && r.range_b) as span,
           -- Derived: both edges of the bucket are thresholds of the cumulative ladder of venue_a
           -- (an open end needs none). The edges are equal on the grid of the published figure, or
           -- equal as printed, where the venues count only the boundary value differently.
           bool_or(a.kind_a = 'above') and (
             (
               (
                 lower_inf(r.range_b)
                 or bool_or(
                   lower(catalog.round_range_to_grid(a.range_a, a.grid))
                     = lower(catalog.round_range_to_grid(r.range_b, a.grid))
                 )
               )
               and (
                 upper_inf(r.range_b)
                 or bool_or(
                   lower(catalog.round_range_to_grid(a.range_a, a.grid))
                     = upper(catalog.round_range_to_grid(r.range_b, a.grid)) + a.grid
                 )
               )
             ) or (
               lower(r.range_b) is distinct from upper(r.range_b)
               and (lower_inf(r.range_b) or bool_or(lower(a.range_a) = lower(r.range_b)))
               and (upper_inf(r.range_b) or bool_or(lower(a.range_a) = upper(r.range_b)))
             )
           ) as derived
    from ladder_legs r
    join legs_a a on a.pair_id = r.pair_id
    where r.contract_a is null
      and r.range_b is not null
    group by r.pair_id, r.key, r.range_b, a.grid
  )
  select r.pair_id, (row_number() over (partition by r.pair_id order by r.place) - 1)::smallint, r.key, r.name,
         r.market_a, r.contract_a, r.side_a, r.market_b, r.contract_b,
         case
           when r.contract_a is not null and r.contract_b is not null then 'EXACT'
           when r.contract_a is null and r.wanted = 'buckets' then case when s.derived then 'DERIVED' end
           when r.contract_a is null and s.span is not null then 'OVERLAPS'
         end,
         case when r.contract_a is null and r.wanted <> 'buckets' then s.span end
  from ladder_legs r
  left join support s on s.pair_id = r.pair_id and s.key = r.key;
end
$$;
comment on function catalog.build_ladder_outcomes(catalog.chosen_pair[], catalog.pair_leg[]) is
  'Part of catalog.build_outcomes: the bands or buckets of venue_b, or the five outcomes of a '
  'rate decision. Each is EXACT, OVERLAPS (with the span of venue_a), DERIVED or null.';
