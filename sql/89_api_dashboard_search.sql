-- RPC of the command palette: GET /v2/search for a member.

create function dashboard.search_markets(p_q text) returns json
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  perform account.admit_session(1);
  if coalesce(btrim(p_q), '') = '' then
    return json_build_array();
  end if;
  perform pipeline.refresh_snapshot();
  return (
    api.get_search(
      jsonb_build_object(
        'q', left(btrim(p_q), 100), 'status', jsonb_build_array('open', 'live', 'resolving'), 'page', 1, 'page_size', 8
      )
    )
  ).body::json -> 'markets';
end
$$;
comment on function dashboard.search_markets(text) is
  'The first eight rows of GET /v2/search over open, live and resolving markets, by the first 100 '
  'characters of p_q. None for a blank text.';

create function api.search_markets(p_q text) returns json
language sql volatile
set search_path = ''
as $$ select dashboard.search_markets(p_q) $$;
comment on function api.search_markets(text) is
  'The first eight markets of GET /v2/search, for a member: [{id, title, status, …}].';

revoke all on function
  dashboard.search_markets(text),
  api.search_markets(text)
from public;
grant execute on function
  dashboard.search_markets(text),
  api.search_markets(text)
to authenticated;
