-- GET /v2/pairs/{market_id}

create function api.get_pair(p_params jsonb, p_held text, p_seen text[]) returns api.answer
language plpgsql volatile
set search_path = ''
as $$
declare
  v_id uuid := (p_params ->> 'id')::uuid;
  v_row price.snapshot;
  v_version text;
  v_answer api.answer;
begin
  select s.* into v_row from price.snapshot s where s.pair_id = v_id;
  if not found then
    -- Matched since the last step: it exists, its price does not yet.
    select u.* into v_row from price.unpriced(v_id) u;
    if not found then
      v_answer.status := 404;
      v_answer.code := 'pair.not_found';
      return v_answer;
    end if;
  end if;
  v_version := v_row.change_no || '.' || coalesce(v_row.frame_no, 0);
  v_answer := api.state(v_version, p_held, p_seen);
  if v_answer.status is not null then
    return v_answer;
  end if;
  v_answer.status := 200;
  v_answer.version := v_version;
  v_answer.body := '{' || v_row.head
    || case when p_params -> 'include' ? 'depth' then v_row.outcomes_depth else v_row.outcomes end
    || v_row.tail
    || case when p_params -> 'include' ? 'ids' then v_row.ids else '' end
    || case when p_params -> 'include' ? 'settlement' then v_row.settlement else '' end
    || '}';
  return v_answer;
end
$$;
comment on function api.get_pair(jsonb, text, text[]) is 'One Market. p_params: {id: uuid, include[]}. 404 pair.not_found for an id that is unknown or withdrawn.';
grant execute on function api.get_pair(jsonb, text, text[]) to parallax_api;
