-- POST /v1/stream/token, GET /v1/stream/replay, GET /v1/stream/state, and the calls of the MCP tool
-- watch_markets.

create function api.start_market_watch(p_key_hash bytea, p_pairs uuid[], p_invalid boolean) returns api.call_response
language plpgsql volatile
set search_path = ''
as $$
declare
  v_in account.admission;
  v_answer api.route_result;
  v_state json;
begin
  if p_invalid then
    v_answer.status := 422;
  else
    v_in := account.admit(p_key_hash, true, 0, 0);
    if v_in.code is null then
      v_state := stream.start_watch(v_in.org_id, p_pairs);
      if json_array_length(v_state -> 'watched') > 0 then
        v_answer.status := 200;
        v_answer.body := v_state::text;
      elsif jsonb_path_exists(v_state::jsonb, '$.unheard[*] ? (@.code == "stream.tier")') then
        v_answer.status := 403;
        v_answer.code := 'stream.tier';
      else
        v_answer.status := 404;
        v_answer.code := 'pair.not_found';
      end if;
    end if;
  end if;
  if v_in.code is null then
    v_in := account.admit(p_key_hash, true, 1, (v_answer.status = 200)::integer);
  end if;
  return api.build_response(v_in, v_answer, null, null);
end
$$;
comment on function api.start_market_watch(bytea, uuid[], boolean) is
  'Starts watch_markets: one request, admitted and counted like one that carries data. Body as in '
  'stream.start_watch. 403 stream.tier without a channel, 404 without a market.';

create function api.continue_market_watch(p_key_hash bytea, p_pairs uuid[], p_places jsonb) returns json
language plpgsql volatile
set search_path = ''
as $$
declare
  v_in account.admission := account.admit(p_key_hash, false, 0, 0);
begin
  -- A full rate-limit window stops new requests, not a running watch. A revoked key and an inactive
  -- plan stop both.
  if v_in.status <> 429 then
    return json_build_object('ended', v_in.code);
  end if;
  return stream.read_watch(v_in.org_id, p_pairs, p_places);
end
$$;
comment on function api.continue_market_watch(bytea, uuid[], jsonb) is
  'Updates since the last call, for a running watch_markets; not counted. As stream.read_watch.';

create function api.post_stream_token(p_key_hash bytea) returns api.route_result
language plpgsql volatile
set search_path = ''
as $$
declare
  v_answer api.route_result;
begin
  v_answer.status := 200;
  v_answer.body := stream.mint_ticket(p_key_hash);
  return v_answer;
end
$$;
comment on function api.post_stream_token(bytea) is
  'POST /v1/stream/token: the ticket of stream.mint_ticket; functions/api adds addresses and '
  'signature. Part of api.call_action_route.';

create function api.get_stream_replay(p_params jsonb) returns api.route_result
language plpgsql volatile
set search_path = ''
as $$
declare
  v_answer api.route_result;
begin
  v_answer.body := stream.replay_for_caller(
    p_params ->> 'channel', p_params ->> 'epoch', (p_params ->> 'after')::bigint
  );
  v_answer.status := case when v_answer.body is null then 404 else 200 end;
  v_answer.code := case when v_answer.body is null then 'channel.not_found' end;
  return v_answer;
end
$$;
comment on function api.get_stream_replay(jsonb) is
  'GET /v1/stream/replay of {channel, epoch, after}. Part of api.call_action_route.';

create function api.get_stream_state(p_params jsonb) returns api.route_result
language plpgsql volatile
set search_path = ''
as $$
declare
  v_answer api.route_result;
begin
  v_answer.body := stream.state_for_caller(p_params ->> 'channel');
  v_answer.status := case when v_answer.body is null then 404 else 200 end;
  v_answer.code := case when v_answer.body is null then 'channel.not_found' end;
  return v_answer;
end
$$;
comment on function api.get_stream_state(jsonb) is
  'GET /v1/stream/state of {channel}. Part of api.call_action_route.';

revoke all on function
  api.start_market_watch(bytea, uuid[], boolean),
  api.continue_market_watch(bytea, uuid[], jsonb),
  api.post_stream_token(bytea),
  api.get_stream_replay(jsonb),
  api.get_stream_state(jsonb)
from public;
grant execute on function
  api.start_market_watch(bytea, uuid[], boolean),
  api.continue_market_watch(bytea, uuid[], jsonb),
  api.post_stream_token(bytea),
  api.get_stream_replay(jsonb),
  api.get_stream_state(jsonb)
to parallax_api;
