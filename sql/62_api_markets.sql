-- GET /v2/markets
--
-- The statement is built from the filters that are present, so each combination gets its own plan. The default view,
--   stage = 'catalog' and status in (open, live) and market_type in (moneyline, outright) order by start_time, pair_id limit 501
-- on 3,000 open pairs (explain analyze, PostgreSQL 17, 2 cores, 2026-11-20; planning 0.7 ms, execution 3.6 ms for 427 KB):
--   Aggregate (actual time=3.415..3.417 rows=1)
--     CTE page -> Limit (actual time=0.087..1.363 rows=501)
--       -> Index Scan using snapshot_trading on snapshot s (rows=501)
--            Index Cond: (stage = 'catalog'), Filter: (market_type = ANY ('{moneyline,outright}'))
--     -> WindowAgg -> CTE Scan on page p
-- The index holds open and live rows alone, in the order asked for, so settled ones cost nothing however many there are.
-- sort=-spread_pts has no index on purpose (see sql/44): a sequential scan and a top-501 heapsort of 3,000 rows take 6.7 ms.

create function api.markets_version() returns text
language plpgsql stable
set search_path = ''
as $$
begin
  return (select s.version from price.steps s);
end
$$;
comment on function api.markets_version() is 'The version of every list: all of them change with the step.';

create function api.get_markets(p_params jsonb) returns api.answer
language plpgsql volatile
set search_path = ''
as $$
declare
  v_where text := '';
  v_order text;
  v_after text := '';
  v_key text;
  v_limit integer := (p_params ->> 'limit')::integer;
  v_column text;
  v_rows record;
  v_answer api.answer;
begin
  v_where := format('s.stage = %L', case p_params ->> 'signal' when 'candidates' then 'candidate' else 'catalog' end);
  v_where := v_where || format(' and s.status = any (%L::text[])', array(select jsonb_array_elements_text(p_params -> 'status')));
  if p_params ? 'market_type' then
    v_where := v_where || format(
      ' and s.market_type = any (%L::text[])', array(select jsonb_array_elements_text(p_params -> 'market_type'))
    );
  end if;
  foreach v_column in array array['category', 'sport', 'location', 'asset', 'indicator', 'basis', 'institution'] loop
    if p_params ? v_column then
      v_where := v_where || format(' and s.%I = %L', v_column, p_params ->> v_column);
    end if;
  end loop;
  if p_params ? 'competition' then
    v_where := v_where || format(' and lower(s.competition) = lower(%L)', p_params ->> 'competition');
  end if;
  if p_params ->> 'signal' = 'spread' then
    v_where := v_where || ' and s.signal = ''spread''';
  end if;
  if p_params ? 'game_id' then
    -- One that is no id comes as null and equals nothing.
    v_where := v_where || format(' and s.game_id = %L', (p_params ->> 'game_id')::uuid);
  end if;
  if (p_params ->> 'has_history')::boolean then
    v_where := v_where || ' and s.has_history';
  end if;

  -- Every order ends in the id, so it is total; after is the last row of the page before, {key, id}.
  case p_params ->> 'sort'
    when 'start_time' then
      v_order := 's.start_time, s.pair_id';
      v_key := '(extract(epoch from s.start_time) * 1000000)::bigint::text';
      v_after := ' and (s.start_time, s.pair_id) > (%1$s, %2$L::uuid)';
    when '-start_time' then
      v_order := 's.start_time desc, s.pair_id';
      v_key := '(extract(epoch from s.start_time) * 1000000)::bigint::text';
      v_after := ' and (s.start_time < %1$s or (s.start_time = %1$s and s.pair_id > %2$L::uuid))';
    else
      v_order := 's.spread_pts desc nulls last, s.pair_id';
      v_key := 's.spread_pts::text';
      v_after := case
        when p_params #>> '{after,key}' is null then ' and s.spread_pts is null and s.pair_id > %2$L::uuid'
        else ' and (s.spread_pts < %1$s or s.spread_pts is null or (s.spread_pts = %1$s and s.pair_id > %2$L::uuid))'
      end;
  end case;
  if p_params ? 'after' then
    v_where := v_where || format(
      v_after,
      case
        when p_params ->> 'sort' = '-spread_pts' then format('%L::numeric', p_params #>> '{after,key}')
        else format('(timestamptz ''epoch'' + %L::bigint * interval ''1 microsecond'')', p_params #>> '{after,key}')
      end,
      p_params #>> '{after,id}'
    );
  end if;

  execute format(
    $q$
      with page as materialized (
        select s.pair_id, %1$s as key, s.head || s.%2$I || s.tail%3$s as market
        from price.snapshot s
        where %4$s
        order by %5$s
        limit %6$s
        offset %7$s
      ), numbered as (
        select p.*, row_number() over () as n
        from page p
      )
      select count(*) as found,
             string_agg('{' || p.market || '}', ',' order by p.n) filter (where p.n <= %8$s) as markets,
             max(p.key) filter (where p.n = %8$s) as last_key,
             max(p.pair_id::text) filter (where p.n = %8$s) as last_id,
             -- Of the same statement as the rows: another session may make the next step meanwhile.
             api.markets_version() as version,
             (select t.step from price.steps t) as step
      from numbered p
    $q$,
    v_key,
    case when p_params -> 'include' ? 'depth' then 'outcomes_depth' else 'outcomes' end,
    case when p_params -> 'include' ? 'ids' then ' || s.ids' else '' end
      || case when p_params -> 'include' ? 'settlement' then ' || s.settlement' else '' end,
    v_where,
    v_order,
    v_limit + 1,
    ((p_params ->> 'page')::bigint - 1) * v_limit,
    v_limit
  )
  into v_rows;

  v_answer.status := 200;
  v_answer.version := v_rows.version;
  v_answer.step := v_rows.step;
  v_answer.body := '{"count":' || least(v_rows.found, v_limit)
    || ',"category":' || coalesce(to_json(p_params ->> 'category')::text, 'null')
    || ',"sport":' || coalesce(to_json(p_params ->> 'sport')::text, 'null')
    || ',"has_more":' || case when v_rows.found > v_limit then 'true' else 'false' end
    || ',"next_cursor":' || case
      when v_rows.found > v_limit
        then to_json(api.cursor(p_params ->> 'view', v_rows.last_key, v_rows.last_id))::text
      else 'null'
    end
    || ',"snapshot_at":"' || price.iso(v_rows.step)
    || '","delay_seconds":' || (select trim_scale(extract(epoch from s.rest_delay)) from price.settings s)
    || ',"markets":[' || coalesce(v_rows.markets, '') || ']}';
  return v_answer;
end
$$;
comment on function api.get_markets(jsonb) is
  'The list. p_params as functions/api/routes/get_markets.ts makes them: filters that are present, status[], market_type[] (absent: all), signal, sort, include[], page, limit, after {key, id}, view (what a cursor is bound to).';

create function api.cursor(p_view text, p_key text, p_id text) returns text
language sql stable parallel safe
set search_path = ''
as $$
  select translate(encode(convert_to(json_build_array(p_view, p_key, p_id)::text, 'UTF8'), 'base64'), E'+/=\n', '-_')
$$;
comment on function api.cursor(text, text, text) is 'base64url of [view, sort key, id] of the last row of a page; read by functions/api/cursor.ts.';

grant execute on function
  api.markets_version(),
  api.get_markets(jsonb),
  api.cursor(text, text, text)
to parallax_api;
