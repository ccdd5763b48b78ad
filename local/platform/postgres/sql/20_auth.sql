-- Runs after @supabase/lite has created its tables in schema `auth`.

alter schema auth owner to supabase_admin;
grant all on schema auth to supabase_auth_admin;
grant usage on schema auth to postgres, anon, authenticated, service_role;

do $$
declare
  found record;
begin
  for found in
    select c.relname, c.relkind
    from pg_class c
    where c.relnamespace = 'auth'::regnamespace and c.relkind in ('r', 'S', 'p')
  loop
    if found.relkind = 'S' then
      execute format('grant all on sequence auth.%I to postgres', found.relname);
      continue;
    end if;
    execute format('alter table auth.%I owner to supabase_auth_admin', found.relname);
    execute format('revoke all on auth.%I from public, anon, authenticated, service_role', found.relname);
    execute format('grant all on auth.%I to postgres', found.relname);
  end loop;
end
$$;

-- lite writes its migration history with other columns than the CLI, which creates its own.
drop schema if exists supabase_migrations cascade;

-- The claims of the caller are one JSON text (request.jwt.claims) or, from older gateways, one
-- setting each.
create or replace function auth.jwt() returns jsonb
language sql stable
as $$
  select coalesce(
    nullif(current_setting('request.jwt.claims', true), ''),
    nullif(current_setting('request.jwt.claim', true), '')
  )::jsonb
$$;

create or replace function auth.uid() returns uuid
language sql stable
as $$
  select coalesce(
    nullif(current_setting('request.jwt.claim.sub', true), ''),
    nullif(current_setting('request.jwt.claims', true), '')::jsonb ->> 'sub'
  )::uuid
$$;

create or replace function auth.role() returns text
language sql stable
as $$
  select coalesce(
    nullif(current_setting('request.jwt.claim.role', true), ''),
    nullif(current_setting('request.jwt.claims', true), '')::jsonb ->> 'role'
  )
$$;

create or replace function auth.email() returns text
language sql stable
as $$
  select coalesce(
    nullif(current_setting('request.jwt.claim.email', true), ''),
    nullif(current_setting('request.jwt.claims', true), '')::jsonb ->> 'email'
  )
$$;

grant execute on function auth.jwt(), auth.uid(), auth.role(), auth.email() to public;

do $$
declare
  found record;
begin
  for found in select p.oid::regprocedure as signature from pg_proc p where p.pronamespace = 'auth'::regnamespace loop
    execute format('alter function %s owner to supabase_auth_admin', found.signature);
  end loop;
end
$$;
