-- The roles that the Edge Functions log in as. None may bypass row-level security: a missing policy
-- gives an empty result, never a row of another organization. LOGIN and the password are set at
-- deployment, never in a file.
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
  if not exists (select from pg_catalog.pg_roles where rolname = 'parallax_export') then
    create role parallax_export nologin;
  end if;
  if not exists (select from pg_catalog.pg_roles where rolname = 'parallax_carrier') then
    create role parallax_carrier nologin;
  end if;
  if not exists (select from pg_catalog.pg_roles where rolname = 'parallax_relay') then
    create role parallax_relay nologin;
  end if;
end
$$;

comment on role parallax_api is
  'The api function. Reads the published snapshot, writes what a caller of the API may write.';
comment on role parallax_ingest is
  'The ingest function. Calls functions of the schemas venue and price. Reads no table.';
comment on role parallax_stream is
  'The stream function. Calls the functions that read the publication log and keep connections. '
  'Reads no table.';
comment on role parallax_deliver is
  'The deliver function. Claims deliveries and records their results. Reads no table and no '
  'secret.';
comment on role parallax_export is
  'The export function. Calls the functions that render and record the parts of a day. Reads no '
  'table.';
comment on role parallax_carrier is
  'Centrifugo, where it carries the stream. Owns schema centrifugo and takes commands from its '
  'queue.';
comment on role parallax_relay is
  'No program logs in with it. It owns the functions that write into schema centrifugo, whose '
  'owner could attach code to its tables.';
-- stream.use_carrier makes the schema for one role and grants to the other.
grant parallax_carrier, parallax_relay to postgres;

-- The functions give up after 5 s (functions/*/database.ts). A statement that runs longer would
-- only hold a connection and its locks.
alter role parallax_api set statement_timeout = '5s';
alter role parallax_stream set statement_timeout = '5s';
alter role parallax_deliver set statement_timeout = '5s';
-- A match pass over all listings is one statement.
alter role parallax_ingest set statement_timeout = '120s';
-- A part is one statement that reads some thousand rows.
alter role parallax_export set statement_timeout = '30s';
alter role parallax_api set idle_in_transaction_session_timeout = '10s';
alter role parallax_stream set idle_in_transaction_session_timeout = '10s';
alter role parallax_ingest set idle_in_transaction_session_timeout = '10s';
alter role parallax_deliver set idle_in_transaction_session_timeout = '10s';
alter role parallax_export set idle_in_transaction_session_timeout = '10s';
-- A network that is cut reports nothing. With the defaults of Linux, the session of a lost machine
-- would stay for hours, with the locks of a statement whose end did not arrive. Postgres now ends
-- it about 10 s after the last sign of life: as long as a lease.
alter role parallax_api set tcp_keepalives_idle = 5;
alter role parallax_api set tcp_keepalives_interval = 2;
alter role parallax_api set tcp_user_timeout = '10s';
alter role parallax_ingest set tcp_keepalives_idle = 5;
alter role parallax_ingest set tcp_keepalives_interval = 2;
alter role parallax_ingest set tcp_user_timeout = '10s';
alter role parallax_stream set tcp_keepalives_idle = 5;
alter role parallax_stream set tcp_keepalives_interval = 2;
alter role parallax_stream set tcp_user_timeout = '10s';
alter role parallax_deliver set tcp_keepalives_idle = 5;
alter role parallax_deliver set tcp_keepalives_interval = 2;
alter role parallax_deliver set tcp_user_timeout = '10s';
alter role parallax_export set tcp_keepalives_idle = 5;
alter role parallax_export set tcp_keepalives_interval = 2;
alter role parallax_export set tcp_user_timeout = '10s';
alter role parallax_carrier set tcp_keepalives_idle = 5;
alter role parallax_carrier set tcp_keepalives_interval = 2;
alter role parallax_carrier set tcp_user_timeout = '10s';
-- The consumer of Centrifugo holds a lock while it publishes a batch. Of a machine that is cut off,
-- the lock is freed after this time.
alter role parallax_carrier set idle_in_transaction_session_timeout = '30s';
-- The pooler keeps no plan between transactions, and compiling a short statement takes longer than
-- running it. Hosted, jit is on.
alter role parallax_api set jit = off;
alter role parallax_ingest set jit = off;
alter role parallax_stream set jit = off;
alter role parallax_deliver set jit = off;
alter role parallax_export set jit = off;
alter role parallax_carrier set jit = off;

-- Objects that postgres creates from here on grant nothing to public.
alter default privileges for role postgres revoke execute on functions from public;
alter default privileges for role postgres revoke usage on types from public;

create extension if not exists "uuid-ossp" with schema extensions;
create extension if not exists pgcrypto with schema extensions;
create extension if not exists pg_trgm with schema extensions;
create extension if not exists unaccent with schema extensions;
