-- Stand-in for supabase_vault 0.3. The encryption key is a file in the folder of the cluster
-- (vault.key), so a dump or a clone of the database cannot decrypt the secrets without it.

create schema vault;
grant usage on schema vault to postgres, service_role;

create table vault.secrets (
  id uuid primary key default gen_random_uuid(),
  name text,
  description text not null default '',
  secret text not null,
  key_id uuid,
  nonce bytea,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create unique index secrets_name_idx on vault.secrets (name) where name is not null;

create function vault._key() returns text
language sql stable security definer
set search_path = ''
as $$
  select pg_catalog.btrim(pg_catalog.pg_read_file('vault.key'))
$$;

create function vault._decrypt(secret text) returns text
language sql stable security definer
set search_path = ''
as $$
  select extensions.pgp_sym_decrypt(pg_catalog.decode(secret, 'base64'), vault._key())
$$;

create function vault._encrypt(secret text) returns text
language sql volatile security definer
set search_path = ''
as $$
  select pg_catalog.encode(extensions.pgp_sym_encrypt(secret, vault._key(), 'cipher-algo=aes256, s2k-mode=1'), 'base64')
$$;

create view vault.decrypted_secrets as
select
  s.id,
  s.name,
  s.description,
  s.secret,
  vault._decrypt(s.secret) as decrypted_secret,
  s.key_id,
  s.nonce,
  s.created_at,
  s.updated_at
from vault.secrets s;

create function vault.create_secret(
  new_secret text,
  new_name text default null,
  new_description text default '',
  new_key_id uuid default null
) returns uuid
language sql security definer
set search_path = ''
as $$
  insert into vault.secrets (secret, name, description, key_id)
  values (vault._encrypt(new_secret), new_name, coalesce(new_description, ''), new_key_id)
  returning id
$$;

create function vault.update_secret(
  secret_id uuid,
  new_secret text default null,
  new_name text default null,
  new_description text default null,
  new_key_id uuid default null
) returns void
language sql security definer
set search_path = ''
as $$
  update vault.secrets s
  set secret = case when new_secret is null then s.secret else vault._encrypt(new_secret) end,
    name = coalesce(new_name, s.name),
    description = coalesce(new_description, s.description),
    key_id = coalesce(new_key_id, s.key_id),
    updated_at = pg_catalog.now()
  where s.id = secret_id
$$;

revoke all on all functions in schema vault from public;
-- The view calls its functions with the rights of the user who reads it, so readers of the view
-- need execute on them. The two functions below those stay private.
grant execute on all functions in schema vault to postgres, service_role;
revoke execute on function vault._key(), vault._encrypt(text) from postgres, service_role;
grant select, delete on vault.secrets, vault.decrypted_secrets to postgres, service_role;
