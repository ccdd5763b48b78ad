-- Which opportunities may be served: those that were open at the step of the REST snapshot, each
-- checked again against the present pair.

create function arb.invalid_state_reason(p_state arb.opportunity_states) returns text
language sql immutable
set search_path = ''
as $$
  select case
    when count(*) < 2 then 'state.too_few_legs'
    when count(distinct l.venue) < 2 then 'state.one_venue'
    when sum(l.ask + l.fee) is distinct from p_state.cost::bigint then 'state.cost'
    when sum(l.stake) is distinct from 1000000::bigint then 'state.stakes'
    when not bool_and(coalesce(
      l.ask between 1 and 1000000
      and l.fee >= 0
      and l.stake > 0
      and l.size >= p_state.size
      and l.contract <> ''
      and l.key <> ''
      and (l.venue = 'venue_b') = (l.side is null),
      false
    )) then 'state.leg'
  end
  from jsonb_to_recordset(p_state.legs) as l (
    key text, venue text, side text, contract text, ask bigint, fee bigint, stake bigint, size bigint
  )
$$;
comment on function arb.invalid_state_reason(arb.opportunity_states) is
  'What is inconsistent in a state; null when it is consistent.';

create function arb.has_changed_legs(p_pair_id uuid, p_legs jsonb) returns boolean
language sql stable
set search_path = ''
as $$
  select (select array_agg(o.key order by o.ordinal) from catalog.outcomes o where o.pair_id = p_pair_id)
    is distinct from (
      select array_agg(l.leg ->> 'key' order by l.place)
      from jsonb_array_elements(p_legs) with ordinality as l(leg, place)
    )
    or exists (
      select
      from jsonb_to_recordset(p_legs) as l (key text, venue text, side text, contract text)
      where not exists (
        select
        from catalog.outcomes o
        where o.pair_id = p_pair_id
          and case
            when l.venue = 'venue_b' then o.key = l.key and o.contract_b = l.contract
            when o.key = l.key then o.contract_a = l.contract and o.side_a = l.side
            -- The opposite side of the other outcome's contract, in a pair with two outcomes.
            else o.contract_a = l.contract and o.side_a <> l.side and jsonb_array_length(p_legs) = 2
          end
      )
    )
$$;
comment on function arb.has_changed_legs(uuid, jsonb) is
  'Whether the legs of a state are no longer those of its pair: another set of outcomes, or '
  'another contract of an outcome.';

create function arb.unservable_reason(p_pair_id uuid, p_state arb.opportunity_states) returns text
-- plpgsql keeps the plans of the functions that it calls. In language sql they are planned again
-- for each opportunity: 600 against 80 ms of CPU for 400 of them (2026-11-27).
language plpgsql stable
set search_path = ''
as $$
begin
  return coalesce(
    arb.gate_close_reason(p_pair_id),
    case when p_state.retracted then 'state.retracted' end,
    arb.invalid_state_reason(p_state),
    case when arb.has_changed_legs(p_pair_id, p_state.legs) then 'legs.changed' end
  );
end
$$;
comment on function arb.unservable_reason(uuid, arb.opportunity_states) is
  'Why a state of an open opportunity may not be served now, by REST or on the stream; null when '
  'it may.';

-- With 3,000 pairs, 21,000 closed and 400 open opportunities and 214,000 states, far more than
-- there are: 28 ms, nearly all for the checks, 65 us each (explain analyze, PostgreSQL 17, 2 busy
-- cores, 2026-11-20). Closed opportunities cost nothing, because the index scan begins at the step.
--
--   Nested Loop (rows=400)
--     -> Index Scan using opportunities_by_close on opportunities o (rows=400)
--          Index Cond: (closed_at > step), Filter: (opened_at <= step, not retracted)
--     -> Limit -> Index Scan Backward using opportunity_states_pkey (rows=1, loops=400)
--          Index Cond: (opportunity_id = o.opportunity_id)
create function arb.list_open_at(p_step timestamptz) returns table (
  pair_id uuid, opportunity_id uuid, opened_at timestamptz, state arb.opportunity_states, refused text
)
language sql stable security definer
set search_path = ''
as $$
  select o.pair_id, o.opportunity_id, o.opened_at, s.state,
         arb.unservable_reason(o.pair_id, s.state)
  from arb.opportunities o
  cross join lateral (
    select t as state
    from arb.opportunity_states t
    where t.opportunity_id = o.opportunity_id
      and t.from_at <= p_step
    order by t.state_no desc
    limit 1
  ) s
  where o.closed_at > p_step
    and o.opened_at <= p_step
    and o.retracted_at is null
$$;
comment on function arb.list_open_at(timestamptz) is
  'Opportunities that were open at a market time, with their state at that time. refused: why it '
  'may not be served now, else null.';

create function arb.list_servable(p_step timestamptz)
returns table (pair_id uuid, opportunity_id uuid, opened_at timestamptz, state arb.opportunity_states)
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_one record;
begin
  for v_one in select * from arb.list_open_at(p_step) loop
    if v_one.refused is null then
      perform arb.record_served(v_one.opportunity_id, (v_one.state).state_no);
      pair_id := v_one.pair_id;
      opportunity_id := v_one.opportunity_id;
      opened_at := v_one.opened_at;
      state := v_one.state;
      return next;
    else
      perform arb.record_rejection(v_one.pair_id, 'serving', v_one.refused, v_one.opportunity_id::text, p_step);
    end if;
  end loop;
end
$$;
comment on function arb.list_servable(timestamptz) is
  'Opportunities of this step that may be served now, which adds them to the track record. '
  'Records in arb.rejections why the others may not.';

grant execute on function arb.list_servable(timestamptz) to parallax_api;
