-- RPCs of the live pages of the dashboard. They run as their owner, because people have no policies
-- on what they read, and each one admits its caller first (account.admit_session). Functions in
-- schema api give them their names for PostgREST.

create function stream.dashboard_channel_state(p_channel text) returns json
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_state json;
begin
  perform account.admit_session(1);
  -- The same error for a channel that the plan does not include, of another organization, or that
  -- does not exist.
  if stream.is_caller_entitled(p_channel) then
    v_state := stream.channel_state_of(p_channel);
  end if;
  if v_state is null then
    perform account.raise_error(
      404, 'channel.not_found',
      'Your plan does not include this channel, or it does not exist. See /usage for your channels.'
    );
  end if;
  return v_state;
end
$$;
comment on function stream.dashboard_channel_state(text) is
  'State of a channel that the caller may read: {channel, epoch, offset, markets, opportunities, '
  'feeds}. Frames with higher offsets follow over Realtime.';

create function stream.dashboard_report(p_opp_id text, p_reason text, p_detail text) returns void
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_org uuid := account.admit_session(1);
begin
  if coalesce(btrim(p_reason), '') = ''
    or length(p_reason) > 200
    or length(p_detail) > 10000
    or length(p_opp_id) > 200 then
    perform account.raise_error(
      400, 'report.empty', 'The reason must have 1 to 200 characters, and the detail at most 10,000.'
    );
  end if;
  if arb.file_report(
    v_org, null,
    jsonb_strip_nulls(jsonb_build_object(
      'opp_id', nullif(btrim(p_opp_id), ''), 'reason', btrim(p_reason), 'detail', nullif(btrim(p_detail), '')
    ))
  ) is null then
    perform account.raise_error(
      409, 'report.limit',
      'Too many reports of your organization wait for review. Send the next one when some are reviewed.'
    );
  end if;
end
$$;
comment on function stream.dashboard_report(text, text, text) is
  'POST /v2/report-bad-arb for a signed-in person. The report is stored with the evidence of the '
  'opportunity.';

revoke all on function
  stream.dashboard_channel_state(text),
  stream.dashboard_report(text, text, text)
from public;
grant execute on function
  stream.dashboard_channel_state(text),
  stream.dashboard_report(text, text, text)
to authenticated;
