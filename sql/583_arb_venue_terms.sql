-- What the venues state about the contracts of an opportunity, for REST: the smallest order, the
-- price tick and the expected settlement.

create function arb.list_venue_terms(p_states arb.opportunity_states[])
returns table (opportunity_id uuid, expected_at timestamptz, leg_fields text[])
-- plpgsql keeps the plan for the next request.
language plpgsql stable security definer
set search_path = ''
as $$
begin
  return query
  select s.opportunity_id,
         -- venue_a states when it expects the result. venue_b states an end date only, which the
         -- parsers correct for the temperatures of a day (closes_b).
         greatest(
           coalesce(max(coalesce(m.expected_at, m.close_at)) filter (where l.venue = 'venue_a'), p.closes_a),
           max(m.close_at) filter (where l.venue = 'venue_b'),
           p.closes_b
         ),
         array_agg(
           '"min_order":' || coalesce(trim_scale(m.min_order)::text, 'null') || ',"tick":'
             || coalesce(trim_scale(r.step)::text, 'null')
           order by l.place
         )
  from unnest(p_states) s
  join arb.opportunities o on o.opportunity_id = s.opportunity_id
  join catalog.pairs p on p.pair_id = o.pair_id
  cross join lateral rows from (
    jsonb_to_recordset(s.legs) as (venue text, side text, contract text, ask numeric)
  ) with ordinality as l (venue, side, contract, ask, place)
  left join lateral (
    select k.close_at, k.expected_at, k.min_order, k.tick_sizes
    from venue.contracts c
    join venue.markets k on k.venue = c.venue and k.market_id = c.market_id
    where c.venue = l.venue and c.contract_id = l.contract
    offset 0
  ) m on true
  left join lateral (
    -- venue_a states its ranges for YES. A NO price is in the range of its complement.
    select t.step
    from jsonb_to_recordset(m.tick_sizes) as t ("start" numeric, "end" numeric, step numeric)
    where case
      when l.side = 'no' then 1 - l.ask / 1000000 > t."start" and 1 - l.ask / 1000000 <= t."end"
      else l.ask / 1000000 >= t."start" and l.ask / 1000000 < t."end"
    end
    limit 1
  ) r on true
  group by s.opportunity_id, p.closes_a, p.closes_b;
end
$$;
comment on function arb.list_venue_terms(arb.opportunity_states[]) is
  'Of each state: when the later venue expects to have settled, and the fields that REST adds to '
  'each leg, as JSON without braces. Null and "null" where a venue states nothing.';
grant execute on function arb.list_venue_terms(arb.opportunity_states[]) to parallax_api;
