-- GET /v2/arbitrage/history

create function api.history_groups_of(p_params jsonb) returns integer[]
language plpgsql stable
set search_path = ''
as $$
begin
  return array(
    select g.group_id
    from arb.history_groups g
    where (not p_params ? 'category' or lower(g.category) = lower(p_params ->> 'category'))
      and (not p_params ? 'sport' or lower(g.sport) = lower(p_params ->> 'sport'))
      and (not p_params ? 'competition' or lower(g.competition) = lower(p_params ->> 'competition'))
      and (not p_params ? 'market_type' or p_params -> 'market_type' ? g.market_type)
      and (not p_params ? 'reason' or g.close_reason = lower(p_params ->> 'reason'))
    order by g.group_id
  );
end
$$;
comment on function api.history_groups_of(jsonb) is
  'The groups of the history that match category, sport, competition, market_type[] and reason.';

create function api.history_where(p_params jsonb, p_step timestamptz) returns text
language plpgsql stable
set search_path = ''
as $$
declare
  v_where text := format('h.closed_at <= %L::timestamptz', p_step);
begin
  if p_params ?| array['category', 'sport', 'competition', 'market_type', 'reason'] then
    v_where := v_where || format(' and h.group_id = any (%L::integer[])', api.history_groups_of(p_params));
  end if;
  if p_params ? 'market_id' then
    v_where := v_where || format(' and h.pair_id = %L::uuid', p_params ->> 'market_id');
  end if;
  if p_params ->> 'min_edge' is not null then
    v_where := v_where || format(
      ' and h.peak_cost <= %s', floor(1000000 - (p_params ->> 'min_edge')::numeric * 10000)::integer
    );
  end if;
  if p_params ? 'since' then
    v_where := v_where || format(
      ' and h.closed_at >= %L::timestamptz', to_timestamp((p_params ->> 'since')::numeric / 1000)
    );
  end if;
  if p_params ? 'until' then
    v_where := v_where || format(
      ' and h.closed_at <= %L::timestamptz', to_timestamp((p_params ->> 'until')::numeric / 1000)
    );
  end if;
  if p_params ? 'after' then
    v_where := v_where || format(
      ' and (h.closed_at, h.opportunity_id) < (timestamptz ''epoch'' + %L::bigint * interval ''1 microsecond'', '
      '%L::uuid)',
      p_params #>> '{after,key}', p_params #>> '{after,id}'
    );
  end if;
  return v_where;
end
$$;
comment on function api.history_where(jsonb, timestamptz) is
  'SQL condition on a row h of arb.history, from the parameters of api.get_arbitrage_history. '
  'Rows that closed after the step are open in its snapshot.';

create function api.get_arbitrage_history(p_params jsonb) returns api.route_result
-- Stable, so that version and body come from one snapshot of the database.
language plpgsql stable
set search_path = ''
as $$
declare
  v_limit integer := (p_params ->> 'limit')::integer;
  v_step timestamptz := (select t.step from price.snapshot_state t);
  v_rows record;
  v_answer api.route_result;
begin
  execute format(
    $q$
      with page as materialized (
        select h.opportunity_id, h.closed_at
        from arb.history h
        where %1$s
        order by h.closed_at desc, h.opportunity_id desc
        limit %2$s
      ), numbered as (
        select p.*, row_number() over (order by p.closed_at desc, p.opportunity_id desc) as n
        from page p
      )
      select count(*) as found,
             string_agg(
               '{' || h.fields || ',"market_withdrawn":' || (m.pair_id is null)::text || '}', ',' order by p.n
             ) filter (where p.n <= %3$s) as rows,
             max((extract(epoch from p.closed_at) * 1000000)::bigint) filter (where p.n = %3$s) as last_key,
             max(p.opportunity_id::text) filter (where p.n = %3$s) as last_id
      from numbered p
      join arb.history h on h.opportunity_id = p.opportunity_id
      left join catalog.pairs m on m.pair_id = h.pair_id and m.withdrawn_at is null
    $q$,
    api.history_where(p_params, v_step), v_limit + 1, v_limit
  )
  into v_rows;
  v_answer.status := 200;
  v_answer.version := api.markets_version();
  v_answer.step := v_step;
  v_answer.body := '{"count":' || least(v_rows.found, v_limit)
    || ',"has_more":' || (v_rows.found > v_limit)::text
    || ',"next_cursor":' || case
      when v_rows.found > v_limit then
        to_json(api.encode_cursor(p_params ->> 'view', v_rows.last_key::text, v_rows.last_id, 0))::text
      else 'null'
    end
    || ',"snapshot_at":"' || base.format_time(v_step)
    || '","delay_seconds":' || (select trim_scale(extract(epoch from s.rest_delay)) from price.settings s)
    || ',"opportunities":[' || coalesce(v_rows.rows, '') || ']}';
  return v_answer;
end
$$;
comment on function api.get_arbitrage_history(jsonb) is
  'Closed opportunities, newest first. p_params, from functions/api/routes/'
  'get_arbitrage_history.ts: present filters, since, until, limit, view, after {key, id}.';

grant execute on function
  api.history_groups_of(jsonb),
  api.history_where(jsonb, timestamptz),
  api.get_arbitrage_history(jsonb)
to parallax_api;
