-- GET /v2/markets
--
-- The statement is built from the filters that are present, so each combination gets its own plan.
-- The default request reads stage = 'catalog' and status in (open, live) and market_type in
-- (moneyline, outright) order by start_time, pair_id limit 501 from an index scan of
-- snapshot_trading, and the texts of that page by an index scan of snapshot_pkey. With 3,000 open
-- pairs, a third of them changed by each of 30 steps (PostgreSQL 17, 2 cores under other load,
-- 2026-11-23), a page of 50 / 500 takes: first page 1.5 / 7 ms, by -spread_pts 8 / 20 ms; a page of
-- a paging that began in this step 8 / 19 and 14 / 28 ms; one that began 28 steps ago, over 28,000
-- former rows, 41 / 74 and 72 / 94 ms. The index has open and live rows only, in the requested
-- order, so settled rows cost nothing. sort=-spread_pts has no index on purpose
-- (44_price_snapshot.sql): a sequential scan and a top-501 heapsort.

create function api.markets_version() returns text
language plpgsql stable
set search_path = ''
as $$
begin
  return (select s.version from price.snapshot_state s);
end
$$;
comment on function api.markets_version() is
  'The version of every list: all lists change with the step.';

-- A cursor names the state of the snapshot in which its paging began
-- (price.snapshot_state.change_no). Order and membership come from that state (price.past_rows);
-- the contents of a row are current, as snapshot_at states. has_history is current too: the sampler
-- sets it between steps, and a row that gains or loses its history enters or leaves the list at
-- once.

create function api.instant_literal(p_epoch_ms text) returns text
language sql stable
set search_path = ''
as $$
  select format('(timestamptz ''epoch'' + %L::bigint * interval ''1 millisecond'')', p_epoch_ms)
$$;
comment on function api.instant_literal(text) is
  'SQL of the time that is this many milliseconds after 1970.';

create function api.markets_where(p_params jsonb) returns text
language plpgsql stable
set search_path = ''
as $$
declare
  v_where text := format(
    's.stage = %L', case p_params ->> 'signal' when 'candidates' then 'candidate' else 'catalog' end
  );
begin
  v_where := v_where
    || format(' and s.status = any (%L::text[])', array(select jsonb_array_elements_text(p_params -> 'status')))
    || price.filter_condition(p_params);
  if p_params ? 'market_type' then
    v_where := v_where || format(
      ' and s.market_type = any (%L::text[])', array(select jsonb_array_elements_text(p_params -> 'market_type'))
    );
  end if;
  if p_params ->> 'signal' = 'spread' then
    v_where := v_where || ' and s.signal = ''spread''';
  end if;
  if p_params ? 'game_id' then
    -- A game_id that is no id arrives as null and matches nothing.
    v_where := v_where || format(' and s.game_id = %L', (p_params ->> 'game_id')::uuid);
  end if;
  if (p_params ->> 'has_history')::boolean then
    -- Only closed and settled markets, with any status in the request.
    v_where := v_where || ' and s.has_history and s.status in (''closed'', ''settled'')';
  end if;
  if p_params ? 'min_gap' then
    v_where := v_where || format(' and s.spread_pts >= %L::numeric', p_params ->> 'min_gap');
  end if;
  if p_params ? 'starts_after' then
    v_where := v_where || ' and s.start_time >= ' || api.instant_literal(p_params ->> 'starts_after');
  end if;
  if p_params ? 'starts_before' then
    v_where := v_where || ' and s.start_time < ' || api.instant_literal(p_params ->> 'starts_before');
  end if;
  if p_params ? 'updated_since' then
    v_where := v_where || ' and s.changed_at > ' || api.instant_literal(p_params ->> 'updated_since');
  end if;
  if p_params ? 'ids' then
    v_where := v_where || format(
      ' and s.pair_id = any (%L::uuid[])', array(select jsonb_array_elements_text(p_params -> 'ids'))
    );
  end if;
  return v_where;
end
$$;
comment on function api.markets_where(jsonb) is
  'SQL condition on a row s of the snapshot, from the parameters of api.get_markets.';

create function api.markets_from(p_change_no bigint) returns text
language sql immutable
set search_path = ''
as $$
  select case
    when p_change_no is null then 'price.snapshot s'
    else format(
      $q$(
          with was as materialized (
            select r.*
            from (
              select f.pair_id, min(f.until_change_no) as until_change_no
              from price.past_rows f
              where f.until_change_no > %1$s
              group by f.pair_id
            ) f
            join price.past_rows r on r.until_change_no = f.until_change_no and r.pair_id = f.pair_id
          )
          select n.pair_id, n.stage, n.category, n.market_type, n.sport, n.competition, n.location,
                 n.asset, n.indicator, n.basis, n.institution, n.status, n.signal,
                 n.spread_pts, n.start_time, n.game_id, n.changed_at, n.has_history
          from price.snapshot n
          where not exists (select from was w where w.pair_id = n.pair_id)
          union all
          select w.pair_id, w.stage, w.category, w.market_type, w.sport, w.competition, w.location,
                 w.asset, w.indicator, w.basis, w.institution, w.status, w.signal,
                 w.spread_pts, w.start_time, w.game_id, w.changed_at, n.has_history
          from was w
          join price.snapshot n on n.pair_id = w.pair_id
        ) s$q$,
      p_change_no
    )
  end
$$;
comment on function api.markets_from(bigint) is
  'SQL source of rows s: the current snapshot, or the one in which a paging began without the '
  'rows that left since.';

create type api.page_order as (order_by text, key text, after text);
comment on type api.page_order is
  'SQL of a total order of rows s: order by, the sort key of a row as text, and the condition for '
  'rows after a cursor.';

create function api.markets_order(p_sort text, p_after jsonb) returns api.page_order
language plpgsql stable
set search_path = ''
as $$
declare
  v_order api.page_order;
  v_at text;
begin
  -- Every order ends with the id, so it is total.
  if p_sort = '-spread_pts' then
    v_order := (
      's.spread_pts desc nulls last, s.pair_id',
      's.spread_pts::text',
      case
        when p_after ->> 'key' is null then ' and s.spread_pts is null and s.pair_id > %2$L::uuid'
        else ' and (s.spread_pts < %1$s or s.spread_pts is null or (s.spread_pts = %1$s and s.pair_id > %2$L::uuid))'
      end
    );
    v_at := format('%L::numeric', p_after ->> 'key');
  else
    v_order := (
      case p_sort when '-start_time' then 's.start_time desc, s.pair_id' else 's.start_time, s.pair_id' end,
      '(extract(epoch from s.start_time) * 1000000)::bigint::text',
      case p_sort
        when '-start_time' then ' and (s.start_time < %1$s or (s.start_time = %1$s and s.pair_id > %2$L::uuid))'
        else ' and (s.start_time, s.pair_id) > (%1$s, %2$L::uuid)'
      end
    );
    v_at := format('(timestamptz ''epoch'' + %L::bigint * interval ''1 microsecond'')', p_after ->> 'key');
  end if;
  v_order.after := case when p_after is null then '' else format(v_order.after, v_at, p_after ->> 'id') end;
  return v_order;
end
$$;
comment on function api.markets_order(text, jsonb) is
  'The order of a sort, and the condition for rows after {key, id}, the last row of the previous '
  'page; null for no condition.';

create function api.encode_cursor(p_view text, p_key text, p_id text, p_change_no bigint) returns text
language sql stable parallel safe
set search_path = ''
as $$
  select translate(
    encode(convert_to(json_build_array(p_view, p_key, p_id, p_change_no)::text, 'UTF8'), 'base64'), E'+/=\n', '-_'
  )
$$;
comment on function api.encode_cursor(text, text, text, bigint) is
  'base64url of [view, sort key, id, change_no]: the last row of a page and the start of the '
  'paging. functions/api/cursor.ts parses it.';

create function api.get_markets(p_params jsonb) returns api.route_result
language plpgsql volatile
set search_path = ''
as $$
declare
  v_limit integer := (p_params ->> 'limit')::integer;
  v_began bigint := (p_params #>> '{after,change_no}')::bigint;
  v_from text := api.markets_from(v_began);
  v_where text := api.markets_where(p_params);
  v_order api.page_order := api.markets_order(p_params ->> 'sort', p_params -> 'after');
  v_rows record;
  v_answer api.route_result;
begin
  execute format(
    $q$
      with page as materialized (
        select s.pair_id, %1$s as key
        from %2$s
        where %3$s%4$s
        order by %5$s
        limit %6$s
        offset %7$s
      ), numbered as (
        select p.*, row_number() over () as n
        from page p
      )
      select count(*) as found,
             string_agg(price.market_json(s.head, %8$s, s.tail%13$s, %9$s), ',' order by p.n)
               filter (where p.n <= %10$s) as markets,
             max(p.key) filter (where p.n = %10$s) as last_key,
             max(p.pair_id::text) filter (where p.n = %10$s) as last_id,
             -- Read in the statement of the rows: another session may make the next step meanwhile.
             api.markets_version() as version,
             (select t.step from price.snapshot_state t) as step,
             (select t.change_no from price.snapshot_state t) as change_no,
             %11$s as lives,
             %12$s as total
      from numbered p
      join price.snapshot s on s.pair_id = p.pair_id
      %14$s
    $q$,
    v_order.key,
    v_from,
    v_where,
    v_order.after,
    v_order.order_by,
    v_limit + 1,
    ((p_params ->> 'page')::bigint - 1) * v_limit,
    case
      when p_params ? 'levels'
        then format('price.add_levels(s.outcomes, s.outcomes_depth, v, %s)', (p_params ->> 'levels')::integer)
      when p_params -> 'include' ? 'depth' then 's.outcomes_depth'
      else 's.outcomes'
    end,
    case when p_params -> 'include' ? 'ids' then 's.ids, ' else 'null, ' end
      || case when p_params -> 'include' ? 'settlement' then 's.settlement' else 'null' end,
    v_limit,
    case when v_began is null then 'true' else format('price.is_cursor_valid(%s)', v_began) end,
    case
      when p_params -> 'include' ? 'total'
        then format('(select count(*) from %s where %s)', v_from, v_where)
      else 'null::bigint'
    end,
    case when p_params ? 'levels' then ' || '','' || price.levels_read_at(s.priced, s.price_update, v)' else '' end
      || case when p_params -> 'include' ? 'best' then ' || price.best_fields(b.quotes, b.edge_pct)' else '' end,
    case
      when p_params ? 'levels' then 'cross join lateral price.levels_of(s.pair_id, s.price_update) v '
      else ''
    end || case
      when p_params -> 'include' ? 'best' then
        'left join price.best_quotes(array(select n.pair_id from numbered n)) b on b.for_pair = s.pair_id'
      else ''
    end
  )
  into v_rows;
  if not v_rows.lives then
    v_answer.status := 422;
    v_answer.body := json_build_array(json_build_object(
      'loc', array['query', 'cursor'],
      'msg',
      'Value error, this walk has ended: a cursor works for at least two minutes after the first page. Begin again '
      'without it',
      'type', 'cursor.expired',
      'input', p_params ->> 'cursor',
      'ctx', json_build_object()
    ));
    return v_answer;
  end if;

  v_answer.status := 200;
  v_answer.version := v_rows.version;
  v_answer.step := v_rows.step;
  v_answer.body := '{"count":' || least(v_rows.found, v_limit)
    || coalesce(',"total":' || v_rows.total, '')
    || ',"category":' || coalesce(to_json(p_params ->> 'category')::text, 'null')
    || ',"sport":' || coalesce(to_json(p_params ->> 'sport')::text, 'null')
    || ',"has_more":' || case when v_rows.found > v_limit then 'true' else 'false' end
    || ',"next_cursor":' || case
      when v_rows.found > v_limit then
        to_json(
          api.encode_cursor(p_params ->> 'view', v_rows.last_key, v_rows.last_id, coalesce(v_began, v_rows.change_no))
        )::text
      else 'null'
    end
    || ',"snapshot_at":"' || base.format_time(v_rows.step)
    || '","delay_seconds":' || (select trim_scale(extract(epoch from s.rest_delay)) from price.settings s)
    || ',"markets":[' || coalesce(v_rows.markets, '') || ']}';
  return v_answer;
end
$$;
comment on function api.get_markets(jsonb) is
  'The list. p_params, from functions/api/routes/get_markets.ts: filters, status[], sort, '
  'include[], levels, page, limit, cursor {key, id, change_no}, view.';

grant usage on type api.page_order to parallax_api;
grant execute on function
  api.markets_version(),
  api.instant_literal(text),
  api.markets_where(jsonb),
  api.markets_from(bigint),
  api.markets_order(text, jsonb),
  api.encode_cursor(text, text, text, bigint),
  api.get_markets(jsonb)
to parallax_api;
