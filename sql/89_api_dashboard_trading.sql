-- RPCs of the pages Markets, Market and Opportunities, besides those of 89_api_dashboard.sql: what
-- the live channels do not carry.

create function dashboard.market_terms(p_ids text[]) returns json
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  perform account.admit_session(1);
  if cardinality(p_ids) > 1000 then
    perform account.raise_error(422, 'request.too_many_ids', 'Ask for at most 1,000 markets at once.');
  end if;
  return (
    with wanted as materialized (
      select distinct right(i, 36)::uuid as pair_id
      from unnest(p_ids) i
      where i ~* '^mkt_[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'
    ), legs as materialized (
      select p.pair_id, p.closes_a, p.closes_b, o.ordinal, o.key, a.fee as fee_a, b.fee as fee_b, a.event_id as event_a,
             b.event_id as event_b, coalesce(a.expected_at, a.close_at) as expected_a, b.close_at as expected_b
      from wanted w
      join catalog.pairs p on p.pair_id = w.pair_id and p.withdrawn_at is null
      join catalog.outcomes o on o.pair_id = p.pair_id
      left join venue.markets a on a.venue = 'venue_a' and a.market_id = o.market_a
      left join venue.markets b on b.venue = 'venue_b' and b.market_id = o.market_b
    ), fees as materialized (
      -- Thousands of contracts share a few schedules.
      select array_agg(distinct f.fee) as list
      from legs l
      cross join lateral (values (l.fee_a), (l.fee_b)) f(fee)
      where f.fee is not null
    ), markets as (
      select l.pair_id,
             -- The rule of arb.list_venue_terms, over the contracts of all outcomes.
             greatest(coalesce(max(l.expected_a), l.closes_a), max(l.expected_b), l.closes_b) as expected_at,
             array_agg(distinct l.event_a) as events_a,
             array_agg(distinct l.event_b) as events_b,
             json_agg(
               json_build_object(
                 'key', l.key, 'fee_a', array_position(f.list, l.fee_a) - 1, 'fee_b',
                 array_position(f.list, l.fee_b) - 1
               )
               order by l.ordinal
             ) as outcomes
      from legs l
      cross join fees f
      group by l.pair_id, l.closes_a, l.closes_b
    )
    select json_build_object(
      'fees', coalesce((select to_json(f.list) from fees f), '[]'),
      'markets', coalesce(json_agg(json_build_object(
        'id', 'mkt_' || m.pair_id,
        'expected_settlement_at', base.format_time(m.expected_at),
        'volume', json_build_object('venue_a', trim_scale(v.venue_a), 'venue_b', trim_scale(v.venue_b)),
        'outcomes', m.outcomes
      )), '[]')
    )
    from markets m
    cross join lateral (
      select sum(e.volume) filter (where e.venue = 'venue_a') as venue_a,
             sum(e.volume) filter (where e.venue = 'venue_b') as venue_b
      from venue.events e
      where e.venue = 'venue_a' and e.event_id = any (m.events_a)
        or e.venue = 'venue_b' and e.event_id = any (m.events_b)
    ) v
  );
end
$$;
comment on function dashboard.market_terms(text[]) is
  'Of at most 1,000 markets: the fee schedules (an index into fees), the expected settlement, and '
  'what was traded in their events. Unknown ids are left out.';

create function dashboard.closed_opportunities(p_market_id text) returns json
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_step timestamptz;
  v_params jsonb := jsonb_build_object('limit', 200, 'view', 'dashboard');
begin
  perform account.admit_session(1);
  if p_market_id is not null then
    v_params := v_params || jsonb_build_object('market_id', dashboard.parse_market_id(p_market_id));
  end if;
  perform pipeline.refresh_snapshot();
  select t.step into v_step from price.snapshot_state t;
  if isfinite(v_step) then
    v_params := v_params || jsonb_build_object(
      'since',
      floor(extract(epoch from case
        when p_market_id is null then date_trunc('day', v_step, 'UTC')
        else v_step - interval '7 days'
      end) * 1000)
    );
  end if;
  return (api.get_arbitrage_history(v_params)).body::json;
end
$$;
comment on function dashboard.closed_opportunities(text) is
  'GET /v2/arbitrage/history, its first 200 rows: of the UTC day of the snapshot, or of one '
  'market for seven days.';

create function api.get_market_terms(p_ids text[]) returns json
language sql volatile
set search_path = ''
as $$ select dashboard.market_terms(p_ids) $$;
comment on function api.get_market_terms(text[]) is
  'Fee schedules, expected settlement and volume of markets: {fees, markets: [{id, '
  'expected_settlement_at, volume, outcomes: [{key, fee_a, fee_b}]}]}.';

create function api.list_closed_opportunities(p_market_id text default null) returns json
language sql volatile
set search_path = ''
as $$ select dashboard.closed_opportunities(p_market_id) $$;
comment on function api.list_closed_opportunities(text) is
  'What closed today in all markets, or within seven days in one, as GET /v2/arbitrage/history '
  'has it.';

revoke all on function
  dashboard.market_terms(text[]),
  dashboard.closed_opportunities(text),
  api.get_market_terms(text[]),
  api.list_closed_opportunities(text)
from public;
grant execute on function
  dashboard.market_terms(text[]),
  dashboard.closed_opportunities(text),
  api.get_market_terms(text[]),
  api.list_closed_opportunities(text)
to authenticated;
