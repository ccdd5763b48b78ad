-- Roles. Functions log in as one of these; none may bypass row-level security, so a forgotten policy shows as
-- an empty answer and never as somebody else's row. LOGIN and the password are given at deploy, never in a file.
do $$
begin
  if not exists (select from pg_catalog.pg_roles where rolname = 'parallax_api') then
    create role parallax_api nologin;
  end if;
  if not exists (select from pg_catalog.pg_roles where rolname = 'parallax_ingest') then
    create role parallax_ingest nologin;
  end if;
  if not exists (select from pg_catalog.pg_roles where rolname = 'parallax_stream') then
    create role parallax_stream nologin;
  end if;
  if not exists (select from pg_catalog.pg_roles where rolname = 'parallax_deliver') then
    create role parallax_deliver nologin;
  end if;
end
$$;

comment on role parallax_api is 'The api function. Reads the published snapshot, writes what a caller of the API may write.';
comment on role parallax_ingest is 'The ingest function. Calls the doors of rooms venue and price; sees no table.';
comment on role parallax_stream is 'The stream function. Calls the doors of room stream that read its log and keep its connections; sees no table.';
comment on role parallax_deliver is 'The deliver function. Takes deliveries and reports on them by the doors of room webhook; sees no table and no secret.';

-- What takes longer holds one of the few connections, and its locks, for nothing: whoever asked has given up by then (functions/*/database.ts).
alter role parallax_api set statement_timeout = '5s';
alter role parallax_stream set statement_timeout = '5s';
alter role parallax_deliver set statement_timeout = '5s';
-- A match pass over everything is one statement.
alter role parallax_ingest set statement_timeout = '120s';
alter role parallax_api set idle_in_transaction_session_timeout = '10s';
alter role parallax_stream set idle_in_transaction_session_timeout = '10s';

-- Nothing that postgres makes here is for everybody.
alter default privileges for role postgres revoke execute on functions from public;
alter default privileges for role postgres revoke usage on types from public;

create extension if not exists "uuid-ossp" with schema extensions;
create extension if not exists pgcrypto with schema extensions;
create extension if not exists pg_trgm with schema extensions;
create extension if not exists unaccent with schema extensions;
