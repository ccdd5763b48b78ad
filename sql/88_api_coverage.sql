-- GET /v2/coverage: the rendered census, one row by its key.

create function api.coverage_version() returns text
language plpgsql stable
set search_path = ''
as $$
begin
  return coalesce(
    (select r.report_no || '.' || (extract(epoch from r.as_of) * 1000)::bigint from census.reports r), '0.0'
  );
end
$$;
comment on function api.coverage_version() is
  'The number and the time of the census; 0.0 before the first one.';

create function api.get_coverage(p_params jsonb) returns api.route_result
-- Stable, so that version and body come from one snapshot of the database.
language plpgsql stable
set search_path = ''
as $$
declare
  v_answer api.route_result;
begin
  v_answer.status := 200;
  v_answer.version := api.coverage_version();
  v_answer.body := coalesce(
    (select r.body from census.reports r),
    '{"as_of":null,"counts":{"aggregated":0,"pending":0,"quiet":0,"venue_a_only":0,"dormant":0},'
    '"series":[],"venue_b_unpaired":[],"events_by_series_count":0,"events_by_series":[],"reasons":{},'
    '"events_by_week":[]}'
  );
  return v_answer;
end
$$;
comment on function api.get_coverage(jsonb) is
  'The census. Before the first one as_of is null and all lists are empty.';

grant execute on function api.coverage_version(), api.get_coverage(jsonb) to parallax_api;
