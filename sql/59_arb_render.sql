-- The JSON of an opportunity, as REST, the stream and MCP send it.

create function arb.opportunity_json(
  p_pair catalog.pairs,
  p_opportunity_id uuid,
  p_opened_at timestamptz,
  p_state arb.opportunity_states,
  p_leg_fields text[] default null
) returns text
language sql stable
set search_path = ''
as $$
  select row_to_json(x)::text
  from (
    select 'opp_' || p_opportunity_id as id,
           'mkt_' || p_pair.pair_id as market_id,
           p_pair.title, p_pair.category, p_pair.market_type, p_pair.sport, p_pair.competition, p_pair.location,
           p_pair.asset, p_pair.indicator, p_pair.basis, p_pair.institution, p_pair.tags,
           base.format_time(p_pair.start_time) as start_time,
           trim_scale((1000000 - p_state.cost) / 10000.0) as edge_pct,
           -- Rounded down, so that the stated return is reached.
           trim_scale(trunc((p_state.size * 10000 - p_state.total_cost) * 100.0 / p_state.total_cost, 4)) as roi_pct,
           -- A divergence at worst turns the $1 payout into $0, so the bound costs its own share of
           -- $1.
           trim_scale((1000000 - p_state.cost) / 10000.0 - coalesce(r.record_bound, 1) * 100) as edge_after_bound_pct,
           true as fees_included,
           'conservative_per_contract' as fee_model,
           trim_scale(p_state.cost / 1000000.0) as cost_per_payout_usd,
           trim_scale(p_state.size / 100.0) as max_contracts,
           trim_scale(p_state.total_cost / 1000000.0) as max_wager_usd,
           trim_scale(least(p_pair.entity_confidence, p_pair.resolution_confidence)) as confidence,
           base.format_time(p_opened_at) as detected_at,
           base.format_time(p_state.priced_at) as priced_at,
           (
             select ('[' || string_agg(
               left(j.leg, -1)
                 || case
                   when l.delay > 0 then
                     ',"match_delay_seconds":' || trim_scale(l.delay) || ',"match_delay_ms":'
                     || trim_scale(l.delay * 1000)
                   else ''
                 end
                 || coalesce(',' || p_leg_fields[l.place], '')
                 || '}',
               ',' order by l.place
             ) || ']')::json
             from rows from (
               jsonb_to_recordset(p_state.legs) as (
                 key text, venue text, side text, ask numeric, fee numeric, stake numeric, size numeric, contract text,
                 delay numeric, label text,
                 question text
               )
             ) with ordinality as l (key, venue, side, ask, fee, stake, size, contract, delay, label, question, place)
             left join catalog.outcomes o on o.pair_id = p_pair.pair_id and o.key = l.key
             cross join lateral (
               select json_build_object(
                 'outcome', l.key,
                 'outcome_name', o.name,
                 'venue', l.venue,
                 'side', l.side,
                 'ask_usd', trim_scale(l.ask / 1000000.0),
                 'fee_usd', trim_scale(l.fee / 1000000.0),
                 'stake_fraction', trim_scale(l.stake / 1000000.0),
                 'available_contracts', trim_scale(l.size / 100.0),
                 'contract_id', l.contract,
                 'contract_label', arb.contract_label(l.label, l.question),
                 'instruction',
                 arb.instruction(
                   l.venue, l.side, l.contract, l.label, l.question, arb.pays_when(p_pair, l.key, o.name)
                 ),
                 'url', case l.venue when 'venue_a' then p_pair.url_a else p_pair.url_b end
               )::text as leg
             ) j
           ) as legs,
           (
             select json_agg(
               json_build_object(
                 'contracts', trim_scale(s.size / 100),
                 'cost_usd', trim_scale(s.cost / 100000000),
                 'edge_pct', trim_scale(trunc(100 - s.cost / s.size / 10000, 4))
               )
               order by s.size
             )
             from jsonb_to_recordset(p_state.size_curve) as s (size numeric, cost numeric)
           ) as ladder,
           k.risks,
           json_build_object(
             'agreeing', coalesce(r.record_agreeing, 0), 'diverging', coalesce(r.record_diverging, 0),
             'bound_pct', trim_scale(coalesce(r.record_bound, 1) * 100)
           ) as rule,
           catalog.weakest_link(k.risks, r) as weakest_link
    from catalog.public_risks(p_pair.assessment_id) as k (risks)
    left join catalog.rules r on r.rule_id = p_pair.rule_id
  ) x
$$;
comment on function arb.opportunity_json(
  catalog.pairs, uuid, timestamptz, arb.opportunity_states, text[]
) is
  'An Opportunity; docs/trading.md explains its fields. p_leg_fields: further fields of each leg, '
  'as JSON without braces, which only REST adds.';
revoke all on function arb.opportunity_json(catalog.pairs, uuid, timestamptz, arb.opportunity_states, text[])
from public;
grant execute on function arb.opportunity_json(catalog.pairs, uuid, timestamptz, arb.opportunity_states, text[])
to parallax_api;
