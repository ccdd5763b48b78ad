-- Stand-in for the database part of Storage: buckets and objects, as @supabase/lite reads them.
-- The bytes are files of the data folder (local/platform/storage).

create schema storage;
alter schema storage owner to supabase_admin;
grant usage on schema storage to postgres, anon, authenticated, service_role;

create table storage.buckets (
  id text primary key,
  name text not null unique,
  owner uuid,
  owner_id text,
  public boolean default false,
  file_size_limit bigint,
  allowed_mime_types text[],
  created_at timestamptz default now(),
  updated_at timestamptz default now()
);
comment on table storage.buckets is 'Stand-in for Storage: the buckets.';

create table storage.objects (
  id uuid not null default gen_random_uuid() primary key,
  bucket_id text references storage.buckets (id),
  name text,
  owner uuid,
  owner_id text,
  metadata jsonb,
  user_metadata jsonb,
  path_tokens text[] generated always as (string_to_array(name, '/')) stored,
  version text,
  created_at timestamptz default now(),
  updated_at timestamptz default now(),
  last_accessed_at timestamptz default now(),
  unique (bucket_id, name)
);
comment on table storage.objects is 'Stand-in for Storage: a row for each file.';
create index storage_objects_name_pattern_search on storage.objects (name text_pattern_ops);
alter table storage.buckets enable row level security;
alter table storage.objects enable row level security;
grant all on storage.buckets, storage.objects to postgres, anon, authenticated, service_role;

-- The operation for which a policy is asked. lite sets it for each request.
create function storage.operation() returns text
language sql stable
as $$ select current_setting('storage.operation', true) $$;
comment on function storage.operation() is 'Stand-in for Storage: the operation of the request.';
