-- GET /v2/spreads
--
-- An observation is published when it is certainly the same question on both venues (both
-- confidences at least 0.95), is no arb, and both venues quote different prices now. The band does
-- not matter: a ladder that its family keeps in REVIEW is listed with its match_band. Candidates
-- never qualify: it is not certain that they ask the same question, and 338_catalog_assemble.sql
-- makes one of every pair with a confidence below 0.95.
--
-- 3,000 pairs of which 2,597 qualify (explain analyze, PostgreSQL 17, 2 cores, 2026-11-20): 5.0 ms
-- for the 100 widest (176 KB), 17 ms for 500 (880 KB): CTE widest -> Limit -> Sort (top-N heapsort,
-- 37 kB) -> Seq Scan on snapshot s (rows=2597) Nested Loop -> CTE Scan on widest w, Index Scan
-- using snapshot_pkey on snapshot s (rows=100) Only id and spread are sorted: with the texts of
-- every row in the sort the same took 25 and 45 ms. spread_pts has no index
-- (44_price_snapshot.sql).

create function api.get_spreads(p_params jsonb) returns api.route_result
language plpgsql volatile
set search_path = ''
as $$
declare
  v_named constant text[] := array[
    'category', 'sport', 'competition', 'location', 'asset', 'indicator', 'basis', 'institution'
  ];
  v_where text := price.filter_condition(p_params);
  v_echo text := '';
  v_column text;
  v_rows record;
  v_answer api.route_result;
begin
  foreach v_column in array v_named loop
    v_echo := v_echo || format('"%s":%s,', v_column, coalesce(to_json(p_params ->> v_column)::text, 'null'));
  end loop;
  if p_params ->> 'min_gap' is not null then
    v_where := v_where || format(' and s.spread_pts >= %L::numeric', p_params ->> 'min_gap');
  end if;

  execute format(
    $q$
      with widest as materialized (
        select s.pair_id, s.spread_pts
        from price.snapshot s
        where s.stage = 'catalog'
          and s.status in ('open', 'live')
          and s.signal = 'spread'
          and s.priced
          and s.spread_pts > 0
          and s.entity_confidence >= 0.95
          and s.resolution_confidence >= 0.95%1$s
        order by s.spread_pts desc, s.pair_id
        limit %2$s
      )
      select count(*) as found,
             string_agg(
               '{' || price.fields_of(j.json) || ',' || s.settlement || '}',
               ',' order by w.spread_pts desc, w.pair_id
             ) as spreads,
             -- Read in the statement of the rows: another session may make the next step meanwhile.
             api.markets_version() as version,
             (select t.step from price.snapshot_state t) as step
      from widest w
      join price.snapshot s on s.pair_id = w.pair_id
      cross join lateral (
        select row_to_json(x)::text as json
        from (
          select 'mkt_' || s.pair_id as id, s.category, s.market_type, s.sport, s.competition,
                 ('{' || s.head || '}')::json -> 'title' as title,
                 s.status, s.signal, trim_scale(s.spread_pts) as spread_pts, s.band as match_band
        ) x
      ) j
    $q$,
    v_where,
    (p_params ->> 'limit')::integer
  )
  into v_rows;

  v_answer.status := 200;
  v_answer.version := v_rows.version;
  v_answer.step := v_rows.step;
  v_answer.body := '{' || v_echo
    || '"min_gap":' || coalesce(p_params ->> 'min_gap', 'null')
    || ',"count":' || v_rows.found
    || ',"spreads":[' || coalesce(v_rows.spreads, '') || ']}';
  return v_answer;
end
$$;
comment on function api.get_spreads(jsonb) is
  'Spread observations, widest first. p_params, from functions/api/routes/get_spreads.ts: present '
  'filters, min_gap (number or null), limit.';

grant execute on function api.get_spreads(jsonb) to parallax_api;
