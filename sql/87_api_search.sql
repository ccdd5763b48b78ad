-- GET /v2/search

create function api.get_search(p_params jsonb) returns api.route_result
language plpgsql volatile
set search_path = ''
as $$
declare
  v_page bigint := (p_params ->> 'page')::bigint;
  v_size bigint := (p_params ->> 'page_size')::bigint;
  v_rows record;
  v_answer api.route_result;
begin
  select f.total, f.read_as, m.row_count, m.markets,
         -- Read in the statement of the rows: another session may make the next step meanwhile.
         api.markets_version() as version,
         (select x.step from price.snapshot_state x) as step
  into v_rows
  from price.search_snapshot(
    p_params ->> 'q',
    array(select jsonb_array_elements_text(p_params -> 'status')),
    p_params ->> 'category',
    p_params ->> 'sport',
    v_size,
    (v_page - 1) * v_size
  ) f
  cross join lateral (
    select count(*) as row_count, string_agg(j.json, ',' order by p.n) as markets
    from unnest(f.pairs) with ordinality as p (pair_id, n)
    join price.snapshot s on s.pair_id = p.pair_id
    join price.search_texts t on t.pair_id = p.pair_id
    cross join lateral (select ('{' || s.head || '}')::json as head) h
    cross join lateral (
      select row_to_json(x)::text as json
      from (
        select h.head -> 'id' as id, h.head -> 'category' as category, h.head -> 'market_type' as market_type,
               h.head -> 'sport' as sport, h.head -> 'competition' as competition, h.head -> 'tags' as tags,
               h.head -> 'title' as title, h.head -> 'start_time' as start_time, h.head -> 'status' as status,
               h.head -> 'signal' as signal, t.outcomes::json as outcomes, h.head -> 'coverage' as coverage
      ) x
    ) j
  ) m;

  v_answer.status := 200;
  v_answer.version := v_rows.version;
  v_answer.step := v_rows.step;
  v_answer.body := '{"q":' || to_json(p_params ->> 'q')
    || ',"category":' || coalesce(to_json(p_params ->> 'category')::text, 'null')
    || ',"sport":' || coalesce(to_json(p_params ->> 'sport')::text, 'null')
    || ',"page":' || v_page
    || ',"page_size":' || v_size
    || ',"count":' || v_rows.row_count
    || ',"total":' || v_rows.total
    || ',"has_more":' || case when v_rows.total > v_page * v_size then 'true' else 'false' end
    || coalesce(',"read_as":' || v_rows.read_as, '')
    || ',"markets":[' || coalesce(v_rows.markets, '') || ']}';
  return v_answer;
end
$$;
comment on function api.get_search(jsonb) is
  'Free-text search over rows of both stages, identity only. p_params, from '
  'functions/api/routes/get_search.ts: q, status[], category, sport, page, page_size.';

grant execute on function api.get_search(jsonb) to parallax_api;
