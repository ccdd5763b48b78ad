-- What the live pages of the dashboard ask. The functions of this room run as their owner, because what they read has no policies for
-- people, and each asks first who is there (account.admit_session); those of schema api are their names for PostgREST.

create function stream.page_snapshot(p_channel text) returns json
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_state json;
begin
  perform account.admit_session(1);
  -- One answer for a channel of a higher tier, of another organization and one that never was.
  if stream.caller_hears(p_channel) then
    v_state := stream.state_of(p_channel);
  end if;
  if v_state is null then
    perform account.refuse(404, 'channel.not_found', 'Your organization hears no such channel.');
  end if;
  return v_state;
end
$$;
comment on function stream.page_snapshot(text) is
  'Where a channel that I may hear stands: {channel, epoch, offset, markets, opportunities, feeds}. Frames with greater offsets follow over Realtime.';

create function stream.page_id(p_id text) returns uuid
language plpgsql volatile
set search_path = ''
as $$
begin
  if p_id ~* '^(mkt_)?[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then
    return regexp_replace(lower(p_id), '^mkt_', '')::uuid;
  end if;
  perform stream.no_such_market();
end
$$;
comment on function stream.page_id(text) is 'Part of the doors below: a market id as its uuid, with or without mkt_.';

create function stream.no_such_market() returns void
language sql volatile
set search_path = ''
as $$ select account.refuse(404, 'pair.not_found', 'There is no such market: it was withdrawn or never was.') $$;
comment on function stream.no_such_market() is 'Part of the doors below: 404 for an id that names nothing.';

create function stream.page_market(p_id text) returns json
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_pair uuid;
  v_answer api.answer;
begin
  perform account.admit_session(1);
  v_pair := stream.page_id(p_id);
  perform pipeline.refresh_snapshot();
  v_answer := api.get_pair(jsonb_build_object('id', v_pair, 'include', jsonb_build_array('ids', 'settlement', 'depth')));
  if v_answer.status <> 200 then
    perform stream.no_such_market();
  end if;
  return v_answer.body::json;
end
$$;
comment on function stream.page_market(text) is 'GET /v2/pairs/{id} with everything included, as late as REST is. Why it is (not) an arb: api.explain_market.';

create function stream.page_history(p_id text) returns json
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_params jsonb;
  v_answer api.answer;
begin
  perform account.admit_session(1);
  v_params := jsonb_build_object('id', stream.page_id(p_id));
  perform pipeline.refresh_snapshot();
  perform api.history_version(v_params);
  v_answer := api.get_history(v_params);
  if v_answer.status <> 200 then
    perform stream.no_such_market();
  end if;
  return v_answer.body::json;
end
$$;
comment on function stream.page_history(text) is 'GET /v2/pairs/{id}/history of the last seven days.';

create function stream.page_report(p_opp_id text, p_reason text, p_detail text) returns void
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_org uuid := account.admit_session(1);
begin
  if coalesce(btrim(p_reason), '') = '' or length(p_reason) > 200 or length(p_detail) > 10000 or length(p_opp_id) > 200 then
    perform account.refuse(400, 'report.empty', 'Say in 1 to 200 characters what is wrong; details may have 10,000.');
  end if;
  if arb.file_report(
    v_org, null,
    jsonb_strip_nulls(jsonb_build_object(
      'opp_id', nullif(btrim(p_opp_id), ''), 'reason', btrim(p_reason), 'detail', nullif(btrim(p_detail), '')
    ))
  ) is null then
    perform account.refuse(409, 'report.limit', 'As many reports of your organization as may be are waiting to be looked at: file the next when some are.');
  end if;
end
$$;
comment on function stream.page_report(text, text, text) is 'POST /v2/report-bad-arb for a signed-in person: kept with the evidence of the window.';

create function api.live_snapshot(p_channel text) returns json
language sql volatile
set search_path = ''
as $$ select stream.page_snapshot(p_channel) $$;
comment on function api.live_snapshot(text) is 'Where a channel of mine stands, to begin with before its frames come: {channel, epoch, offset, markets, opportunities, feeds}.';

create function api.market_detail(p_id text) returns json
language sql volatile
set search_path = ''
as $$ select stream.page_market(p_id) $$;
comment on function api.market_detail(text) is 'GET /v2/pairs/{id} with everything included.';

create function api.market_history(p_id text) returns json
language sql volatile
set search_path = ''
as $$ select stream.page_history(p_id) $$;
comment on function api.market_history(text) is 'GET /v2/pairs/{id}/history of the last seven days.';

create function api.report_bad_arb(p_opp_id text, p_reason text default null, p_detail text default null) returns void
language sql volatile
set search_path = ''
as $$ select stream.page_report(p_opp_id, p_reason, p_detail) $$;
comment on function api.report_bad_arb(text, text, text) is 'POST /v2/report-bad-arb.';

revoke all on function
  stream.page_snapshot(text),
  stream.page_id(text),
  stream.no_such_market(),
  stream.page_market(text),
  stream.page_history(text),
  stream.page_report(text, text, text)
from public;
grant execute on function
  stream.page_snapshot(text),
  stream.page_market(text),
  stream.page_history(text),
  stream.page_report(text, text, text)
to authenticated;
grant execute on function
  api.live_snapshot(text),
  api.market_detail(text),
  api.market_history(text),
  api.report_bad_arb(text, text, text)
to authenticated;
