-- GET /v2/arbitrage, POST /v2/report-bad-arb
--
-- Runs once for each step and isolate. CPU of the backend on 2 slow cores under load, 2026-11-27: 1
-- ms with no open opportunity, 11 ms with five (nearly all for planning), 220 ms for 100 rows of
-- 400 open ones. Of these the checks of 581_arb_serve.sql take 80 and the terms of the venues 10.

create function api.annualized_pct(p_cost integer, p_from timestamptz, p_to timestamptz) returns numeric
language plpgsql immutable parallel safe
set search_path = ''
as $$
begin
  return case
    when p_to > p_from then
      -- 31,536,000 seconds are 365 days.
      trim_scale(round((1000000 - p_cost) / 10000.0 * 31536000 / extract(epoch from p_to - p_from), 2))
  end;
end
$$;
comment on function api.annualized_pct(integer, timestamptz, timestamptz) is
  'The edge of a cost, for 365 days at the same rate, in percent; null when p_to is unknown or '
  'not after p_from.';

create function api.list_opportunities(p_params jsonb, p_step timestamptz) returns table (
  ordinal bigint, priced_at timestamptz, pair_id uuid, body text
)
language plpgsql volatile
set search_path = ''
as $$
declare
  v_limit integer := (p_params ->> 'limit')::integer;
  v_sort text := coalesce(p_params ->> 'sort', '-edge_pct');
  -- Only the venues' terms decide these orders, so they need the terms of every row.
  v_by_terms boolean := v_sort in ('-annualized_pct', 'expected_settlement_at');
begin
  return query
  with found as materialized (
    select w.opportunity_id, w.opened_at, w.state, p::catalog.pairs as pair, (w.state).cost,
           (w.state).size * 10000 - (w.state).total_cost as profit
    from arb.list_servable(p_step) w
    -- Lateral: the planner expects a thousand opportunities and would read all pairs for a few.
    cross join lateral (
      select q.*
      from catalog.pairs q
      where q.pair_id = w.pair_id
      offset 0
    ) p
    where (p_params ->> 'sport' is null or lower(p.sport) = lower(p_params ->> 'sport'))
      and (p_params ->> 'category' is null or lower(p.category) = lower(p_params ->> 'category'))
      and (p_params ->> 'competition' is null or lower(p.competition) = lower(p_params ->> 'competition'))
      and (p_params -> 'market_type' is null or p_params -> 'market_type' ? p.market_type)
      and (p_params ->> 'market_id' is null or p.pair_id = (p_params ->> 'market_id')::uuid)
      and (
        p_params ->> 'starts_after' is null
        or p.start_time >= timestamptz 'epoch' + (p_params ->> 'starts_after')::bigint * interval '1 millisecond'
      )
      and (
        p_params ->> 'starts_before' is null
        or p.start_time < timestamptz 'epoch' + (p_params ->> 'starts_before')::bigint * interval '1 millisecond'
      )
      and (
        p_params ->> 'min_edge' is null
        or (1000000 - (w.state).cost) / 10000.0 >= (p_params ->> 'min_edge')::numeric
      )
      and (
        p_params ->> 'min_profit_usd' is null
        or (w.state).size * 10000 - (w.state).total_cost >= (p_params ->> 'min_profit_usd')::numeric * 1000000
      )
    order by case v_sort when '-profit_usd' then (w.state).total_cost - (w.state).size * 10000 end,
             (w.state).cost, w.opportunity_id
    limit case when not v_by_terms then v_limit end
  ), page as (
    select f.*, t.expected_at, t.leg_fields, a.annualized,
           row_number() over (
             order by case v_sort when '-profit_usd' then -f.profit end,
                      case v_sort when '-annualized_pct' then -a.annualized end nulls last,
                      case v_sort when 'expected_settlement_at' then t.expected_at end nulls last,
                      f.cost, f.opportunity_id
           ) as place
    from found f
    join arb.list_venue_terms(array(select o.state from found o)) t on t.opportunity_id = f.opportunity_id
    cross join lateral (select api.annualized_pct(f.cost, p_step, t.expected_at) as annualized) a
  )
  select g.place, (g.state).priced_at, (g.pair).pair_id,
         left(arb.opportunity_json(g.pair, g.opportunity_id, g.opened_at, g.state, g.leg_fields), -1)
           || ',"profit_usd":' || trim_scale(g.profit / 1000000.0)
           || ',"expected_settlement_at":' || coalesce('"' || base.format_time(g.expected_at) || '"', 'null')
           || ',"annualized_pct":' || coalesce(g.annualized::text, 'null')
  from page g
  where g.place <= v_limit;
end
$$;
comment on function api.list_opportunities(jsonb, timestamptz) is
  'The opportunities of a step that these parameters choose, in their order, each as a JSON '
  'object without its last brace.';

create function api.get_arbitrage(p_params jsonb) returns api.route_result
language plpgsql volatile
set search_path = ''
as $$
declare
  v_answer api.route_result;
  v_rows record;
  v_settlement boolean := coalesce(p_params -> 'include' ? 'settlement', false);
  v_books boolean := coalesce(p_params -> 'include' ? 'books', false);
begin
  select t.step, api.markets_version() as version into v_rows from price.snapshot_state t;
  v_answer.step := v_rows.step;
  v_answer.version := v_rows.version;
  v_answer.status := 200;
  select '{"as_of":' || coalesce('"' || base.format_time(max(o.priced_at)) || '"', 'null')
    || ',"delay_seconds":' || (select trim_scale(extract(epoch from s.rest_delay)) from price.settings s)
    || ',"count":' || count(*)
    || ',"opportunities":['
    || coalesce(
      string_agg(o.body || coalesce(',' || b.settlement, '') || coalesce(b.books, '') || '}', ',' order by o.ordinal),
      ''
    )
    || ']}'
  into v_answer.body
  from api.list_opportunities(p_params, v_rows.step) o
  left join lateral (
    select case when v_settlement then s.settlement end as settlement,
           case when v_books then ',"outcomes":' || s.outcomes_depth end as books
    from price.snapshot s
    where (v_settlement or v_books)
      and s.pair_id = o.pair_id
  ) b on true;
  return v_answer;
end
$$;
comment on function api.get_arbitrage(jsonb) is
  'Opportunities that are open at the step and still valid now. p_params: limit, and what '
  'functions/api/routes/get_arbitrage.ts adds. The others are recorded in arb.rejections.';

create function api.post_report(p_org_id uuid, p_key_hash bytea, p_params jsonb) returns api.route_result
language plpgsql volatile
set search_path = ''
as $$
declare
  v_answer api.route_result;
begin
  if arb.file_report(p_org_id, p_key_hash, p_params) is null then
    v_answer.status := 409;
    v_answer.code := 'report.limit';
    return v_answer;
  end if;
  v_answer.status := 202;
  v_answer.body := '{"status":"received"}';
  return v_answer;
end
$$;
comment on function api.post_report(uuid, bytea, jsonb) is
  'Files a report. p_params: the body with its five fields trimmed, without blank and null ones. '
  '202; 409 with too many open reports.';

grant execute on function
  api.annualized_pct(integer, timestamptz, timestamptz),
  api.list_opportunities(jsonb, timestamptz),
  api.get_arbitrage(jsonb),
  api.post_report(uuid, bytea, jsonb)
to parallax_api;
