-- GET /v2/lookup

create function api.get_lookup(p_params jsonb) returns api.route_result
language plpgsql volatile
set search_path = ''
as $$
declare
  v_rows record;
  v_answer api.route_result;
begin
  select count(*) as asked,
         string_agg(row_to_json(x)::text, ',' order by a.n) as ids,
         -- Read in the statement of the rows: another session may make the next step meanwhile.
         api.markets_version() as version,
         (select t.step from price.snapshot_state t) as step
  into v_rows
  from rows from (
    jsonb_to_recordset(p_params -> 'ids') as (id text, uuid uuid)
  ) with ordinality as a (id, uuid, n)
  cross join lateral (
    -- An id of several kinds counts as the most specific one.
    select f.kind,
           json_agg(
             json_build_object('market_id', 'mkt_' || f.pair_id, 'outcome', f.outcome, 'side', f.side)
             order by f.start_time, f.pair_id, f.outcome, f.side
           ) filter (where f.pair_id is not null) as matches
    from (
      select c.*, rank() over (order by array_position(
        array['market_id', 'ticker', 'token_id', 'condition_id', 'event_ticker', 'slug'], c.kind
      )) as preference
      from (
        select 'market_id' as kind, s.pair_id, s.start_time, null as outcome, null as side
        from (select a.uuid) given
        left join price.snapshot s on s.pair_id = given.uuid
        where given.uuid is not null
        union all
        select v.kind, v.pair_id, s.start_time, v.outcome, v.side
        from price.venue_ids v
        join price.snapshot s on s.pair_id = v.pair_id
        where v.folded_id = lower(a.id)
      ) c
    ) f
    where f.preference = 1
    group by f.kind
    union all
    select null, null
    order by kind nulls last
    limit 1
  ) found
  cross join lateral (
    select a.id, found.kind,
           case
             when found.kind in ('ticker', 'event_ticker') then 'venue_a'
             when found.kind in ('token_id', 'condition_id', 'slug') then 'venue_b'
           end as venue,
           coalesce(found.matches, '[]') as matches
  ) x;

  v_answer.status := 200;
  v_answer.version := v_rows.version;
  v_answer.step := v_rows.step;
  v_answer.body := '{"count":' || v_rows.asked || ',"ids":[' || v_rows.ids || ']}';
  return v_answer;
end
$$;
comment on function api.get_lookup(jsonb) is
  'Markets of both stages by ids of the venues and of markets. p_params, from '
  'functions/api/routes/get_lookup.ts: ids [{id, uuid: of a market id, or absent}].';

grant execute on function api.get_lookup(jsonb) to parallax_api;
