-- GET /v2/pairs/{market_id}

create function api.pair_version(p_params jsonb) returns text
language plpgsql stable
set search_path = ''
as $$
declare
  v_id uuid := (p_params ->> 'id')::uuid;
  v_levels text := case when p_params ? 'levels' then '.' || price.levels_version(v_id) else '' end;
begin
  -- A pair that was matched after the last step exists, but has no price yet.
  return coalesce(
    (select s.change_no || '.' || coalesce((s.price_update).update_no, 0) from price.snapshot s where s.pair_id = v_id),
    (select p.change_no || '.0' from catalog.pairs p where p.pair_id = v_id and p.withdrawn_at is null)
  ) || v_levels;
end
$$;
comment on function api.pair_version(jsonb) is
  'The identity, price update and levels of the market; null for an unknown or withdrawn id.';

create function api.get_pair(p_params jsonb) returns api.route_result
language plpgsql volatile
set search_path = ''
as $$
declare
  v_id uuid := (p_params ->> 'id')::uuid;
  v_row price.snapshot;
  v_sample price.level_sample;
  v_answer api.route_result;
begin
  select s.* into v_row from price.snapshot s where s.pair_id = v_id;
  if not found then
    select u.* into v_row from price.unpriced_row_of(v_id) u;
  end if;
  if not found then
    v_answer.status := 404;
    v_answer.code := 'pair.not_found';
    return v_answer;
  end if;
  if p_params ? 'levels' then
    v_sample := price.levels_of(v_id, v_row.price_update);
  end if;
  v_answer.status := 200;
  v_answer.version := v_row.change_no || '.' || coalesce((v_row.price_update).update_no, 0)
    || case when p_params ? 'levels' then '.' || price.levels_version(v_id) else '' end;
  v_answer.body := price.market_json(
    v_row.head,
    case
      when p_params ? 'levels'
        then price.add_levels(v_row.outcomes, v_row.outcomes_depth, v_sample, (p_params ->> 'levels')::integer)
      when p_params -> 'include' ? 'depth' then v_row.outcomes_depth
      else v_row.outcomes
    end,
    v_row.tail
      || case
        when p_params ? 'levels' then ',' || price.levels_read_at(v_row.priced, v_row.price_update, v_sample)
        else ''
      end
      || case
        when p_params -> 'include' ? 'best'
          then (
            select price.best_fields(b.quotes, b.edge_pct)
            from (select v_id as pair_id) i
            left join price.best_quotes(array[v_id]) b on b.for_pair = i.pair_id
          )
        else ''
      end,
    case when p_params -> 'include' ? 'ids' then v_row.ids end,
    case when p_params -> 'include' ? 'settlement' then v_row.settlement end
  );
  return v_answer;
end
$$;
comment on function api.get_pair(jsonb) is
  'One market. p_params: {id: uuid, include[], levels}; 404 pair.not_found for an unknown or '
  'withdrawn id.';

grant execute on function api.pair_version(jsonb), api.get_pair(jsonb) to parallax_api;
