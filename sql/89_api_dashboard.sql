-- RPCs of the live pages of the dashboard. Functions of schema dashboard run as their owner,
-- because people have no policies on what they read; each admits the session first
-- (account.admit_session). Functions of schema api run as the caller and give them a name in
-- PostgREST.

create schema dashboard;
revoke all on schema dashboard from public;
grant usage on schema dashboard to authenticated;
comment on schema dashboard is
  'Functions behind the RPCs of the dashboard that run as their owner.';

create function dashboard.parse_market_id(p_id text) returns uuid
language plpgsql volatile
set search_path = ''
as $$
begin
  if p_id ~* '^(mkt_)?[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then
    return regexp_replace(lower(p_id), '^mkt_', '')::uuid;
  end if;
  perform dashboard.raise_market_not_found();
end
$$;
comment on function dashboard.parse_market_id(text) is
  'Parses a market id, with or without mkt_, to its uuid. Null for anything else.';

create function dashboard.raise_market_not_found() returns void
language sql volatile
set search_path = ''
as $$ select account.raise_error(404, 'pair.not_found', 'This market does not exist or was withdrawn.') $$;
comment on function dashboard.raise_market_not_found() is 'Raises 404 for an id of no market.';

create function dashboard.market_detail(p_id text) returns json
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_pair uuid;
  v_answer api.route_result;
begin
  perform account.admit_session(1);
  v_pair := dashboard.parse_market_id(p_id);
  perform pipeline.refresh_snapshot();
  v_answer := api.get_pair(
    jsonb_build_object(
      'id', v_pair, 'include', jsonb_build_array('ids', 'settlement', 'depth', 'best'), 'levels', 10
    )
  );
  if v_answer.status <> 200 then
    perform dashboard.raise_market_not_found();
  end if;
  return v_answer.body::json;
end
$$;
comment on function dashboard.market_detail(text) is
  'GET /v2/pairs/{id} with everything included, with the delay of REST. Its gates: '
  'api.explain_market.';

create function dashboard.market_history(p_id text) returns json
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_params jsonb;
  v_answer api.route_result;
begin
  perform account.admit_session(1);
  v_params := jsonb_build_object('id', dashboard.parse_market_id(p_id));
  perform pipeline.refresh_snapshot();
  perform price.sample_history(5);
  v_answer := api.get_history(v_params);
  if v_answer.status <> 200 then
    perform dashboard.raise_market_not_found();
  end if;
  return v_answer.body::json;
end
$$;
comment on function dashboard.market_history(text) is
  'GET /v2/pairs/{id}/history of the last seven days.';

create function dashboard.explain_market(p_id text) returns json
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_pair uuid;
  v_step timestamptz;
  v_priced_at timestamptz;
  v_priced boolean;
begin
  perform account.admit_session(1);
  v_pair := dashboard.parse_market_id(p_id);
  perform pipeline.refresh_snapshot();
  select t.step, (s.price_update).priced_at, g.priced_ok
  into v_step, v_priced_at, v_priced
  from price.snapshot s
  join price.signal_gates g on g.pair_id = s.pair_id
  cross join price.snapshot_state t
  join catalog.pairs p on p.pair_id = s.pair_id and p.withdrawn_at is null
  where s.pair_id = v_pair;
  if not found then
    perform dashboard.raise_market_not_found();
  end if;
  return json_build_object(
    'id', 'mkt_' || v_pair, 'as_of', base.format_time(v_step),
    'gates', arb.gates_of(v_pair, true), 'after', arb.after_gates(v_pair, v_step, v_priced_at, v_priced)
  );
end
$$;
comment on function dashboard.explain_market(text) is
  'ops.explain for members: {id, as_of, gates: [{gate, open, reason}], after}, with the delay of '
  'REST.';

create function dashboard.open_opportunities() returns json
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  perform account.admit_session(1);
  perform pipeline.refresh_snapshot();
  return (
    select json_build_object('count', (a.body::json ->> 'count')::integer, 'as_of', base.format_time(a.step))
    from api.get_arbitrage('{"limit": 500}') a
  );
end
$$;
comment on function dashboard.open_opportunities() is
  'Number of opportunities that GET /v2/arbitrage lists now: {count, as_of}.';

create function api.get_channel_state(p_channel text) returns json
language sql volatile
set search_path = ''
as $$ select stream.dashboard_channel_state(p_channel) $$;
comment on function api.get_channel_state(text) is
  'Channel state of an entitled channel, to start from: {channel, epoch, offset, markets, '
  'opportunities, feeds}.';

create function api.get_market_detail(p_id text) returns json
language sql volatile
set search_path = ''
as $$ select dashboard.market_detail(p_id) $$;
comment on function api.get_market_detail(text) is 'GET /v2/pairs/{id} with everything included.';

create function api.get_market_history(p_id text) returns json
language sql volatile
set search_path = ''
as $$ select dashboard.market_history(p_id) $$;
comment on function api.get_market_history(text) is
  'GET /v2/pairs/{id}/history of the last seven days.';

create function api.report_bad_arb(p_opp_id text, p_reason text default null, p_detail text default null) returns void
language sql volatile
set search_path = ''
as $$ select stream.dashboard_report(p_opp_id, p_reason, p_detail) $$;
comment on function api.report_bad_arb(text, text, text) is 'POST /v2/report-bad-arb.';

create function api.explain_market(p_id text) returns json
language sql volatile
set search_path = ''
as $$ select dashboard.explain_market(p_id) $$;
comment on function api.explain_market(text) is
  'Why a market is (not) an opportunity: all four gates and later rejections.';

create function api.open_opportunities() returns json
language sql volatile
set search_path = ''
as $$ select dashboard.open_opportunities() $$;
comment on function api.open_opportunities() is
  'Number of opportunities that GET /v2/arbitrage lists now, for a member on any plan: {count, '
  'as_of}.';

revoke all on function
  dashboard.parse_market_id(text),
  dashboard.raise_market_not_found(),
  dashboard.market_detail(text),
  dashboard.market_history(text),
  dashboard.explain_market(text),
  dashboard.open_opportunities(),
  api.get_channel_state(text),
  api.get_market_detail(text),
  api.get_market_history(text),
  api.report_bad_arb(text, text, text),
  api.explain_market(text),
  api.open_opportunities()
from public;
grant execute on function
  dashboard.market_detail(text),
  dashboard.market_history(text),
  dashboard.explain_market(text),
  dashboard.open_opportunities(),
  api.get_channel_state(text),
  api.get_market_detail(text),
  api.get_market_history(text),
  api.report_bad_arb(text, text, text),
  api.explain_market(text),
  api.open_opportunities()
to authenticated;
