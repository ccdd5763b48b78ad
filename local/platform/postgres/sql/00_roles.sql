-- The roles of a hosted project, once per cluster. `supabase_admin` (superuser) runs this file; our
-- migrations never do.

create role anon nologin noinherit;
create role authenticated nologin noinherit;
create role service_role nologin noinherit bypassrls;
create role authenticator login noinherit;
create role supabase_auth_admin login noinherit createrole;
create role supabase_storage_admin login noinherit createrole;
create role supabase_functions_admin login noinherit createrole;
create role supabase_realtime_admin nologin noinherit;
create role supabase_replication_admin login replication;
create role supabase_read_only_user login bypassrls;
create role dashboard_user nologin createdb createrole replication;

-- Not a superuser, as on the platform: a statement that needs one must fail here as well. It has
-- BYPASSRLS, so the functions log in as other roles.
create role postgres login createdb createrole replication bypassrls;

grant anon, authenticated, service_role to authenticator;
grant anon, authenticated, service_role to postgres with admin option;
grant pg_monitor, pg_signal_backend, pg_read_all_data, pg_create_subscription to postgres;
grant pg_read_all_data to supabase_read_only_user;

alter role anon set statement_timeout = '3s';
alter role authenticated set statement_timeout = '8s';
alter role authenticator set statement_timeout = '8s';
