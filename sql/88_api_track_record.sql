-- GET /v2/track-record: the tallies, one row by its key. Everyone may send this request, so there
-- is no admission. Each isolate calls this function at most once in some seconds
-- (functions/api/track_record.ts).

create function api.get_track_record(
  p_held text, out version text, out source text, out updated_at text, out since text, out rows text
)
language plpgsql stable
set search_path = ''
as $$
declare
  v_state arb.track_record_state;
begin
  select t.* into v_state from arb.track_record_state t;
  -- One simulated venue makes the whole record a simulated one.
  select case
    when bool_or(f.source = 'simulated') then 'simulated'
    when bool_or(f.source = 'replay') then 'replay'
    when bool_or(f.source = 'live') then 'live'
  end
  into source
  from venue.feeds f;
  -- The source is in every response, so a change of it is another version.
  version := coalesce(v_state.report_no, 0) * 4
    + coalesce(array_position(array['live', 'replay', 'simulated'], source), 0)
    || '.'
    || coalesce((extract(epoch from v_state.updated_at) * 1000)::bigint, 0);
  updated_at := base.format_time(v_state.updated_at);
  since := base.format_time(v_state.since);
  rows := case when version is distinct from p_held then coalesce(v_state.rows, '[]')::text end;
end
$$;
comment on function api.get_track_record(text) is
  'The tallies of the track record as JSON text (null when p_held is their version), and the '
  'source of the feeds: null before their first message.';
grant execute on function api.get_track_record(text) to parallax_api;
