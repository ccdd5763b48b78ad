-- The template database from here on: what a hosted project holds before its first migration.

create schema extensions;
grant usage on schema extensions to postgres, anon, authenticated, service_role, authenticator;
grant create on schema extensions to postgres;
create extension "uuid-ossp" with schema extensions;
create extension pgcrypto with schema extensions;

grant usage on schema public to postgres, anon, authenticated, service_role;

-- As hosted. Names of ours stay qualified; this is for a person with a console.
do $$
begin
  execute format('alter database %I set search_path = "$user", public, extensions', current_database());
end
$$;
