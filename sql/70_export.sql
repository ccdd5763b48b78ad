-- Schema export: the data of each UTC day as files. The function export renders a day part by part,
-- writes the parts into the bucket `exports` of Storage, and records them here. A day is published
-- when every part of it is recorded. Days are days of market time.
--
-- A day has slices: one for each hour of price updates, because updates are kept for hours only,
-- and one for each other data set. A slice is read by keyset pages of settings.part_rows rows, and
-- each page is one part: two files with the same rows. The path of a part follows from its slice
-- and its number, so a part that is made again after a crash replaces its own files.

create schema export;
revoke all on schema export from public;
grant usage on schema export to parallax_export, parallax_api;

create table export.settings (
  singleton boolean primary key default true check (singleton),
  keep_days integer not null default 30 check (keep_days > 0),
  part_rows integer not null default 20000 check (part_rows between 1 and 1000000),
  hour_lag interval not null default interval '10 minutes' check (hour_lag >= interval '0'),
  day_lag interval not null default interval '1 hour' check (day_lag >= interval '0')
);
comment on table export.settings is
  'The one settings row: how long days are kept, the rows of a part, and how long after its end '
  'an hour or a day is read.';
comment on column export.settings.part_rows is
  '20,000 rows take 0.5 s of CPU in Deno 2.1.4 (2026-11-28); a call of the function has 2 s.';
comment on column export.settings.hour_lag is
  'Ingest may write an update some seconds late, after an outage some minutes.';
comment on column export.settings.day_lag is
  'A result is known when the next sweep has read it, some minutes after the settlement.';
insert into export.settings (singleton) values (true) on conflict do nothing;

create table export.days (
  day date primary key,
  published_at timestamptz
);
comment on table export.days is 'One row for each day that is exported, from its first minute on.';
comment on column export.days.published_at is
  'When its last part was recorded, real time. Null before; the day is then served to no one.';

create table export.slices (
  day date not null references export.days (day) on delete cascade,
  dataset text not null check (dataset in ('updates', 'opportunities', 'pairs', 'refusals', 'verdicts')),
  hour smallint not null check (hour between 0 and 23),
  from_at timestamptz not null,
  until_at timestamptz not null,
  due_at timestamptz not null,
  parts integer not null default 0,
  last_key jsonb,
  done boolean not null default false,
  purged boolean not null default false,
  claim uuid,
  claimed_until timestamptz,
  primary key (day, dataset, hour),
  check (hour = 0 or dataset = 'updates')
);
comment on table export.slices is
  'What is read at one time: an hour of updates, or a day of another data set (hour 0).';
comment on column export.slices.due_at is 'Market time from which it is read.';
comment on column export.slices.last_key is 'The key of the last row of its last part.';
comment on column export.slices.purged is
  'Its updates passed price.settings.keep_updates before they were all exported.';
comment on column export.slices.claimed_until is
  'Real time at which another worker may take it over.';
create index slices_due on export.slices (due_at) where not done;

create table export.parts (
  day date not null,
  dataset text not null,
  hour smallint not null,
  part integer not null check (part > 0),
  row_count integer not null check (row_count >= 0),
  files jsonb not null,
  primary key (day, dataset, hour, part),
  foreign key (day, dataset, hour) references export.slices (day, dataset, hour) on delete cascade
);
comment on table export.parts is 'The parts in Storage. Each has a file of every format.';
comment on column export.parts.files is '[{format, path, bytes, sha256}]; path: in the bucket.';

create table export.verdicts (
  pair_id uuid primary key,
  day date not null references export.days (day) on delete cascade
);
comment on table export.verdicts is
  'In which day the verdict of a pair is. A result that a venue publishes late is in the next day.';
create index verdicts_by_day on export.verdicts (day, pair_id);

alter table export.settings enable row level security;
alter table export.settings force row level security;
alter table export.days enable row level security;
alter table export.days force row level security;
alter table export.slices enable row level security;
alter table export.slices force row level security;
alter table export.parts enable row level security;
alter table export.parts force row level security;
alter table export.verdicts enable row level security;
alter table export.verdicts force row level security;

create policy "the api reads the settings of exports" on export.settings for select to parallax_api using (true);
create policy "the api reads days" on export.days for select to parallax_api using (true);
create policy "the api reads slices" on export.slices for select to parallax_api using (true);
create policy "the api reads parts" on export.parts for select to parallax_api using (true);
grant select on export.settings, export.days, export.slices, export.parts to parallax_api;

create function export.create_bucket() returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  -- Storage is missing where the database is not a Supabase project.
  if to_regclass('storage.buckets') is null then
    return;
  end if;
  insert into storage.buckets (id, name, public)
  values ('exports', 'exports', false)
  on conflict (id) do nothing;
exception
  when insufficient_privilege then
    raise warning 'The bucket exports was not created: %. Create it in the dashboard, private.', sqlerrm;
end
$$;
comment on function export.create_bucket() is
  'Creates the private bucket exports in Storage where it is missing. Idempotent.';
revoke all on function export.create_bucket() from public;
