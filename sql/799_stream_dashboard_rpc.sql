-- What the live pages of the dashboard ask. The functions of this room run as their owner, because what they read has no policies for
-- people, and each asks first who is there (account.admit_session); those of schema api are their names for PostgREST.

create function stream.dashboard_channel_state(p_channel text) returns json
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_state json;
begin
  perform account.admit_session(1);
  -- One answer for a channel of a higher tier, of another organization and one that never was.
  if stream.is_caller_entitled(p_channel) then
    v_state := stream.channel_state_of(p_channel);
  end if;
  if v_state is null then
    perform account.raise_error(404, 'channel.not_found', 'Your organization hears no such channel.');
  end if;
  return v_state;
end
$$;
comment on function stream.dashboard_channel_state(text) is
  'Where a channel that I may hear stands: {channel, epoch, offset, markets, opportunities, feeds}. Frames with greater offsets follow over Realtime.';

create function stream.dashboard_report(p_opp_id text, p_reason text, p_detail text) returns void
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_org uuid := account.admit_session(1);
begin
  if coalesce(btrim(p_reason), '') = '' or length(p_reason) > 200 or length(p_detail) > 10000 or length(p_opp_id) > 200 then
    perform account.raise_error(400, 'report.empty', 'Say in 1 to 200 characters what is wrong; details may have 10,000.');
  end if;
  if arb.file_report(
    v_org, null,
    jsonb_strip_nulls(jsonb_build_object(
      'opp_id', nullif(btrim(p_opp_id), ''), 'reason', btrim(p_reason), 'detail', nullif(btrim(p_detail), '')
    ))
  ) is null then
    perform account.raise_error(409, 'report.limit', 'As many reports of your organization as may be are waiting to be looked at: file the next when some are.');
  end if;
end
$$;
comment on function stream.dashboard_report(text, text, text) is 'POST /v2/report-bad-arb for a signed-in person: kept with the evidence of the window.';

revoke all on function
  stream.dashboard_channel_state(text),
  stream.dashboard_report(text, text, text)
from public;
grant execute on function
  stream.dashboard_channel_state(text),
  stream.dashboard_report(text, text, text)
to authenticated;
