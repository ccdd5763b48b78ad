-- Schema api: the JSON on the wire. One call for each request: admission, the step of the snapshot,
-- the endpoint. These functions run with the rights of the caller (parallax_api) under row-level
-- security; only account.admit and functions of schema price behind them have more. Parameters
-- arrive validated (functions/api/routes). Free text of a caller reaches SQL only as a quoted
-- literal or inside jsonb.

create schema api;
revoke all on schema api from public;
grant usage on schema api to parallax_api;

create type api.route_result as (
  status smallint,
  code text,
  version text,
  body text,
  step timestamptz
);
comment on type api.route_result is
  'The result of a route. version names the state that the body was made from: equal version and '
  'parameters give equal bytes. step: the step in the body, if it has one.';
grant usage on type api.route_result to parallax_api;

create type api.call_response as (
  status smallint,
  code text,
  version text,
  body text,
  as_of text,
  max_age_ms integer,
  tier text,
  window_quota integer,
  window_used integer,
  window_left_s integer,
  month_quota integer,
  month_used integer,
  month_ends_at text,
  month_left_s integer,
  lease_limit integer
);
comment on type api.call_response is
  'The response: the result of a route or the error of admission, and the rate state of the '
  'organization. lease_limit: of account.admission.';
grant usage on type api.call_response to parallax_api;

create function api.build_response(
  p_in account.admission, p_answer api.route_result, p_step timestamptz, p_left_ms integer
) returns api.call_response
language plpgsql volatile
set search_path = ''
as $$
begin
  return (
    coalesce(p_in.status, p_answer.status),
    coalesce(p_in.code, p_answer.code),
    case when p_in.code is null then p_answer.version end,
    case when p_in.code is null then p_answer.body end,
    base.format_time(coalesce(p_answer.step, p_step)),
    p_left_ms,
    p_in.tier,
    p_in.window_quota,
    p_in.window_used,
    p_in.window_left_s,
    p_in.month_quota,
    p_in.month_used,
    base.format_time(p_in.month_ends_at),
    ceil(extract(epoch from p_in.month_ends_at - clock_timestamp()))::integer,
    p_in.lease_limit
  )::api.call_response;
end
$$;
comment on function api.build_response(account.admission, api.route_result, timestamptz, integer) is
  'A route result with its admission. p_step: used when the result has no step of its own; '
  'p_left_ms: until the next step.';
grant execute on function api.build_response(account.admission, api.route_result, timestamptz, integer) to parallax_api;

create function api.call_data_route(
  p_key_hash bytea,
  p_route text,
  p_params jsonb,
  p_invalid boolean,
  p_held text,
  p_seen text[],
  p_head boolean default false
) returns api.call_response
language plpgsql volatile
set search_path = ''
as $$
declare
  v_in account.admission;
  v_answer api.route_result;
  v_at price.snapshot_position;
begin
  if p_invalid then
    v_answer.status := 422;
  else
    v_at := pipeline.ensure_snapshot();
    case p_route
      when 'get_pair' then v_answer.version := api.pair_version(p_params);
      when 'get_history' then v_answer.version := api.history_version(p_params);
      when 'get_coverage' then v_answer.version := api.coverage_version();
      when 'get_rules' then v_answer.version := api.rules_version();
      else v_answer.version := v_at.version;
    end case;
    if v_answer.version = any (p_seen) or (v_answer.version is not null and '*' = any (p_seen)) then
      v_answer.status := 304;
    elsif v_answer.version = p_held then
      v_answer.status := 200;
    elsif v_answer.version is null then
      v_answer.status := 404;
      v_answer.code := 'pair.not_found';
    else
      -- Only here can a request cause expensive work, so only here admission comes first.
      v_in := account.admit(p_key_hash, true, 0, 0);
      if v_in.code is null then
        -- One statement for each route instead of one expression: plpgsql plans only the statement
        -- that runs.
        case p_route
          when 'get_markets' then v_answer := api.get_markets(p_params);
          when 'get_pair' then v_answer := api.get_pair(p_params);
          when 'get_arbitrage' then v_answer := api.get_arbitrage(p_params);
          when 'get_spreads' then v_answer := api.get_spreads(p_params);
          when 'get_history' then v_answer := api.get_history(p_params);
          when 'get_search' then v_answer := api.get_search(p_params);
          when 'get_categories' then v_answer := api.get_categories(p_params);
          when 'get_leagues' then v_answer := api.get_leagues(p_params);
          when 'get_coverage' then v_answer := api.get_coverage(p_params);
          when 'get_rules' then v_answer := api.get_rules(p_params);
        end case;
      end if;
    end if;
  end if;
  if v_in.code is null then
    -- Quota counts responses that carry data. A 304, 404 or 422 and a HEAD count in the rate-limit
    -- window only. An exhausted quota rejects all of them.
    v_in := account.admit(p_key_hash, true, 1, (v_answer.status = 200 and not p_head)::integer);
  end if;
  return api.build_response(v_in, v_answer, v_at.step, v_at.left_ms);
end
$$;
comment on function api.call_data_route(bytea, text, jsonb, boolean, text, text[], boolean) is
  'One data request. p_invalid: only admission runs; p_held: the version that the isolate caches; '
  'p_seen: If-None-Match; p_head: HEAD. 200 without a body: send the cached bytes.';
grant execute on function api.call_data_route(bytea, text, jsonb, boolean, text, text[], boolean) to parallax_api;

create function api.is_write_route(p_route text) returns boolean
language sql immutable parallel safe
set search_path = ''
as $$
  select p_route <> all (array['get_account', 'post_stream_token', 'get_stream_replay', 'get_endpoints', 'mcp'])
$$;
comment on function api.is_write_route(text) is
  'Whether an action route needs a key of scope full. The list names the routes that only read, '
  'so a new route is refused to a read-only key until it is added here.';
grant execute on function api.is_write_route(text) to parallax_api;

create function api.call_action_route(p_key_hash bytea, p_route text, p_params jsonb, p_invalid boolean)
returns api.call_response
language plpgsql volatile
set search_path = ''
as $$
declare
  v_in account.admission;
  v_answer api.route_result;
begin
  -- These requests carry no market data, so they count in the rate-limit window only, and an
  -- exhausted quota does not stop them. get_allowed_receivers is read before a registration and
  -- does not count; the registration does.
  v_in := account.admit(
    p_key_hash, false, (p_route <> 'get_allowed_receivers')::integer, 0,
    case
      when p_route in ('get_allowed_receivers', 'post_endpoint', 'get_endpoints', 'delete_endpoint') then 'webhook'
    end,
    api.is_write_route(p_route)
  );
  if v_in.code is null then
    if p_invalid then
      v_answer.status := 422;
    else
      case p_route
        when 'post_report' then v_answer := api.post_report(v_in.org_id, p_key_hash, p_params);
        when 'get_account' then v_answer := api.get_account(v_in);
        when 'post_stream_token' then v_answer := api.post_stream_token(p_key_hash);
        when 'get_stream_replay' then v_answer := api.get_stream_replay(p_params);
        when 'get_allowed_receivers' then v_answer := api.get_allowed_receivers();
        when 'post_endpoint' then
          v_answer := api.post_endpoint(v_in.org_id, webhook.key_actor_of(p_key_hash), p_params);
        when 'get_endpoints' then v_answer := api.get_endpoints();
        when 'delete_endpoint' then v_answer := api.delete_endpoint(v_in.org_id, p_key_hash, p_params);
      end case;
    end if;
  end if;
  return api.build_response(v_in, v_answer, null, null);
end
$$;
comment on function api.call_action_route(bytea, text, jsonb, boolean) is
  'One request that changes something or concerns the caller only, admitted before anything else. '
  'Never cached. p_invalid: validation failed, so only admission runs.';
grant execute on function api.call_action_route(bytea, text, jsonb, boolean) to parallax_api;

create function api.act_as_owner(
  p_user uuid,
  p_org_id uuid,
  p_route text,
  p_params jsonb,
  p_invalid boolean,
  p_session jsonb default null
) returns api.call_response
language plpgsql volatile
set search_path = ''
as $$
declare
  v_in account.admission := account.admit_owner(
    p_user, p_org_id, (p_route <> 'get_allowed_receivers')::integer, 'webhook', p_session
  );
  v_answer api.route_result;
begin
  if v_in.code is null then
    if p_invalid then
      v_answer.status := 422;
    else
      case p_route
        when 'get_allowed_receivers' then v_answer := api.get_allowed_receivers();
        when 'post_endpoint' then v_answer := api.post_endpoint(p_org_id, null, p_params);
      end case;
    end if;
  end if;
  return api.build_response(v_in, v_answer, null, null);
end
$$;
comment on function api.act_as_owner(uuid, uuid, text, jsonb, boolean, jsonb) is
  'POST /v1/webhooks with the session of an owner, like api.call_action_route with a key. No '
  'other route takes a session.';
grant execute on function api.act_as_owner(uuid, uuid, text, jsonb, boolean, jsonb) to parallax_api;

create function api.get_health() returns table (now text, venues jsonb)
language sql volatile
set search_path = ''
as $$
  select base.format_time(clock.now()),
         (
           select jsonb_object_agg(
             f.venue,
             jsonb_build_object(
               'state', f.state, 'source', f.source, 'last_message_at', base.format_time(f.last_message_at),
               'detail', f.detail
             )
           )
           from venue.feed_states() f
         )
$$;
comment on function api.get_health() is
  'Market time and {venue: {state, source, last_message_at, detail}} of each venue with a sign of '
  'life.';
grant execute on function api.get_health() to parallax_api;
