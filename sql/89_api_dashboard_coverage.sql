-- RPC of the page Coverage: the census of GET /v2/coverage for a member.

create function dashboard.read_coverage() returns jsonb
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  perform account.admit_session(1);
  -- The page counts events. The list of all series without their events takes most of the body.
  return (api.get_coverage('{}')).body::jsonb - '{counts,series,venue_b_unpaired}'::text[];
end
$$;
comment on function dashboard.read_coverage() is
  'GET /v2/coverage without the fields counts, series and venue_b_unpaired.';

create function api.read_coverage() returns jsonb
language sql volatile
set search_path = ''
as $$ select dashboard.read_coverage() $$;
comment on function api.read_coverage() is
  'The events of both venues by series and by week, with the reason why each is not paired, for a '
  'member.';

revoke all on function
  dashboard.read_coverage(),
  api.read_coverage()
from public;
grant execute on function
  dashboard.read_coverage(),
  api.read_coverage()
to authenticated;
