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

-- A read replica runs the next two functions as well, so they must write nothing. get_arbitrage
-- writes (arb.list_servable records what it serves): only the primary renders it.
create function api.data_version(p_route text, p_params jsonb, p_snapshot text) returns text
language plpgsql stable
set search_path = ''
as $$
begin
  case p_route
    when 'get_pair' then return api.pair_version(p_params);
    when 'get_explanation' then return api.explanation_version(p_params, p_snapshot);
    when 'get_history' then return api.history_state(p_params);
    when 'get_coverage' then return api.coverage_version();
    when 'get_rules' then return api.rules_version();
    else return p_snapshot;
  end case;
end
$$;
comment on function api.data_version(text, jsonb, text) is
  'The version of a data route; null for an unknown market. p_snapshot: the version of the '
  'snapshot, which every list has.';

create function api.render_data_route(p_route text, p_params jsonb) returns api.route_result
language plpgsql volatile
set search_path = ''
as $$
begin
  -- One statement for each route instead of one expression: plpgsql plans only the statement that
  -- runs.
  case p_route
    when 'get_markets' then return api.get_markets(p_params);
    when 'get_pair' then return api.get_pair(p_params);
    when 'get_explanation' then return api.get_explanation(p_params);
    when 'get_arbitrage' then return api.get_arbitrage(p_params);
    when 'get_arbitrage_history' then return api.get_arbitrage_history(p_params);
    when 'get_spreads' then return api.get_spreads(p_params);
    when 'get_history' then return api.get_history(p_params);
    when 'get_search' then return api.get_search(p_params);
    when 'get_lookup' then return api.get_lookup(p_params);
    when 'get_categories' then return api.get_categories(p_params);
    when 'get_leagues' then return api.get_leagues(p_params);
    when 'get_coverage' then return api.get_coverage(p_params);
    when 'get_rules' then return api.get_rules(p_params);
  end case;
end
$$;
comment on function api.render_data_route(text, jsonb) is
  'The result of a data route, without admission.';

create function api.render_at_version(p_route text, p_params jsonb, p_version text) returns api.route_result
language plpgsql volatile
set search_path = ''
as $$
declare
  v_none api.route_result;
begin
  if api.data_version(p_route, p_params, api.markets_version()) is distinct from p_version then
    return v_none;
  end if;
  return api.render_data_route(p_route, p_params);
end
$$;
comment on function api.render_at_version(text, jsonb, text) is
  'For a read replica: the result of a data route where this database has the version that the '
  'primary has; all null where it has another.';

create function api.call_data_route(
  p_key_hash bytea,
  p_route text,
  p_params jsonb,
  p_invalid boolean,
  p_held text,
  p_seen text[],
  p_head boolean default false,
  p_defer boolean default false
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
    if p_route = 'get_history' then
      -- The first request after a step samples the buckets that the step has passed, so that no
      -- response lags its snapshot by more than a bucket. Longer gaps are left to pg_cron: a
      -- request has no time for them.
      perform price.sample_history(5);
    end if;
    v_answer.version := api.data_version(p_route, p_params, v_at.version);
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
      if v_in.code is null and p_defer and p_route <> 'get_arbitrage' then
        -- Counts nothing: the caller calls again with the version that it got from a replica.
        v_answer.status := 100;
        return api.build_response(v_in, v_answer, v_at.step, v_at.left_ms);
      end if;
      if v_in.code is null then
        v_answer := api.render_data_route(p_route, p_params);
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
comment on function
  api.call_data_route(bytea, text, jsonb, boolean, text, text[], boolean, boolean)
  is
  'One data request. p_held: the version that the isolate has (200 without a body: send it); '
  'p_seen: If-None-Match; p_defer: 100 instead of a body that a replica can render.';
grant execute on function
  api.data_version(text, jsonb, text),
  api.render_data_route(text, jsonb),
  api.render_at_version(text, jsonb, text),
  api.call_data_route(bytea, text, jsonb, boolean, text, text[], boolean, boolean)
to parallax_api;

create function api.is_write_route(p_route text) returns boolean
language sql immutable parallel safe
set search_path = ''
as $$
  select p_route <> all (array[
    'get_account', 'get_export', 'post_stream_token', 'get_stream_replay', 'get_stream_state', 'get_endpoints',
    'get_deliveries', 'mcp'
  ])
$$;
comment on function api.is_write_route(text) is
  'Whether an action route needs a key of scope full. The list names the routes that only read, '
  'so a new route is refused to a read-only key until it is added here.';
grant execute on function api.is_write_route(text) to parallax_api;

create function api.is_webhook_route(p_route text) returns boolean
language sql immutable parallel safe
set search_path = ''
as $$
  select p_route = any (array[
    'get_allowed_receivers', 'post_endpoint', 'get_endpoints', 'delete_endpoint', 'roll_secret',
    'get_endpoint_to_change', 'patch_endpoint', 'test_endpoint', 'get_deliveries', 'retry_delivery'
  ])
$$;
comment on function api.is_webhook_route(text) is
  'Whether an action route needs a plan with webhooks.';
grant execute on function api.is_webhook_route(text) to parallax_api;

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
  -- exhausted quota does not stop them. get_allowed_receivers and get_endpoint_to_change are
  -- read before a change and do not count; the change does.
  v_in := account.admit(
    p_key_hash, false, (p_route not in ('get_allowed_receivers', 'get_endpoint_to_change'))::integer, 0,
    case when api.is_webhook_route(p_route) then 'webhook' when p_route = 'get_export' then 'export' end,
    api.is_write_route(p_route)
  );
  if v_in.code is null then
    if p_invalid then
      v_answer.status := 422;
    else
      case p_route
        when 'post_report' then v_answer := api.post_report(v_in.org_id, p_key_hash, p_params);
        when 'get_account' then v_answer := api.get_account(v_in);
        when 'get_export' then v_answer := api.get_export(p_params);
        when 'post_stream_token' then v_answer := api.post_stream_token(p_key_hash);
        when 'get_stream_replay' then v_answer := api.get_stream_replay(p_params);
        when 'get_stream_state' then v_answer := api.get_stream_state(p_params);
        when 'get_allowed_receivers' then v_answer := api.get_allowed_receivers();
        when 'post_endpoint' then
          v_answer := api.post_endpoint(v_in.org_id, webhook.key_actor_of(p_key_hash), p_params);
        when 'get_endpoints' then v_answer := api.get_endpoints();
        when 'delete_endpoint' then v_answer := api.delete_endpoint(v_in.org_id, p_key_hash, p_params);
        when 'roll_secret' then v_answer := api.roll_secret(v_in.org_id, p_key_hash, p_params);
        when 'get_endpoint_to_change' then v_answer := api.get_endpoint_to_change(v_in.org_id, p_params);
        when 'patch_endpoint' then v_answer := api.patch_endpoint(v_in.org_id, p_key_hash, p_params);
        when 'test_endpoint' then v_answer := api.test_endpoint(v_in.org_id, p_params);
        when 'get_deliveries' then v_answer := api.get_deliveries(v_in.org_id, p_params);
        when 'retry_delivery' then v_answer := api.retry_delivery(v_in.org_id, p_params);
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
    p_user, p_org_id, (p_route not in ('get_allowed_receivers', 'get_endpoint_to_change'))::integer, 'webhook',
    p_session
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
        when 'get_endpoint_to_change' then v_answer := api.get_endpoint_to_change(p_org_id, p_params);
        when 'patch_endpoint' then v_answer := api.patch_endpoint(p_org_id, null, p_params);
      end case;
    end if;
  end if;
  return api.build_response(v_in, v_answer, null, null);
end
$$;
comment on function api.act_as_owner(uuid, uuid, text, jsonb, boolean, jsonb) is
  'POST and PATCH of /v1/webhooks with the session of an owner, like api.call_action_route with a '
  'key. No other route takes a session.';
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
