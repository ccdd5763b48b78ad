-- Room ops, its first part: which request a statement belongs to. Early, because rows of other rooms name it.

create schema ops;
revoke all on schema ops from public;
grant usage on schema ops to parallax_api;
comment on schema ops is 'What operators look at: statements, figures, alerts. For postgres alone, but for the one text that GET /metrics gives.';

create function ops.request_id() returns text
language sql stable parallel restricted
set search_path = ''
as $$ select substring(current_query() from '^/\* request_id=([A-Za-z0-9._:-]{1,128}) \*/') $$;
comment on function ops.request_id() is
  'The id of the request that sent this statement, out of the comment that the functions put before it (functions/_shared/http/request_id.ts); null where there is none. It is the caller''s word where the caller sent one.';
revoke all on function ops.request_id() from public;
