-- From here on, the template database: the content of a hosted project before its first migration.

create schema extensions;
grant usage on schema extensions to postgres, anon, authenticated, service_role, authenticator;
grant create on schema extensions to postgres;
create extension "uuid-ossp" with schema extensions;
create extension pgcrypto with schema extensions;

grant usage on schema public to postgres, anon, authenticated, service_role;

-- As on the platform, for people with a console. Our code uses qualified names.
do $$
begin
  execute format('alter database %I set search_path = "$user", public, extensions', current_database());
end
$$;
