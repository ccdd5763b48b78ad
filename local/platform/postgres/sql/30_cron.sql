-- Stand-in for pg_cron 1.6: the same names, arguments, results and row security.
-- local/platform/jobs runs the commands.

create schema cron;
grant usage on schema cron to postgres;

create sequence cron.jobid_seq;
create sequence cron.runid_seq;

create table cron.job (
  jobid bigint primary key default nextval('cron.jobid_seq'),
  schedule text not null,
  command text not null,
  nodename text not null default 'localhost',
  nodeport integer not null default coalesce(inet_server_port(), 0),
  database text not null default current_database(),
  username text not null default current_user,
  active boolean not null default true,
  jobname text,
  constraint jobname_username_uniq unique (jobname, username)
);
comment on table cron.job is 'Stand-in for pg_cron: each job with its schedule, command and role.';
alter table cron.job enable row level security;
create policy cron_job_policy on cron.job using (username = current_user);

create table cron.job_run_details (
  jobid bigint,
  runid bigint primary key default nextval('cron.runid_seq'),
  job_pid integer,
  database text,
  username text,
  command text,
  status text,
  return_message text,
  start_time timestamptz,
  end_time timestamptz
);
comment on table cron.job_run_details is
  'Stand-in for pg_cron: each run of a job. status: starting, running, succeeded, failed.';
create index job_run_details_jobid_idx on cron.job_run_details (jobid, start_time desc);
alter table cron.job_run_details enable row level security;
create policy cron_job_run_details_policy on cron.job_run_details using (username = current_user);

grant select on cron.job to postgres;
grant select, delete on cron.job_run_details to postgres;

-- Five fields of cron syntax, or `1 second` to `59 seconds`. The runner decides whether a date such
-- as 31 February exists.
create function cron._check_schedule(schedule text) returns void
language plpgsql immutable
as $$
begin
  if schedule !~* '^\s*([1-9]|[1-5][0-9])\s+seconds?\s*$'
    and schedule !~* '^\s*@(yearly|annually|monthly|weekly|daily|midnight|hourly|reboot)\s*$'
    and schedule !~* '^\s*[0-9*,/a-z-]+(\s+([0-9*,/a-z-]+|\$)){4}\s*$'
  then
    raise exception 'invalid schedule: %', schedule
      using hint = 'Use cron format (e.g. 5 4 * * *), or interval format ''[1-59] seconds''', errcode = '22023';
  end if;
end
$$;

create function cron.schedule_in_database(
  job_name text,
  schedule text,
  command text,
  database text,
  username text default null,
  active boolean default true
) returns bigint
language plpgsql security definer
set search_path = ''
as $$
declare
  -- After `set role`, session_user is wrong, and security definer hides current_user, so the
  -- wrappers pass the user.
  owner text := coalesce(username, session_user);
  id bigint;
begin
  perform cron._check_schedule(schedule);
  insert into cron.job as j (schedule, command, database, username, active, jobname)
  values (schedule_in_database.schedule, schedule_in_database.command, schedule_in_database.database, owner,
    schedule_in_database.active, schedule_in_database.job_name)
  on conflict on constraint jobname_username_uniq do update
    set schedule = excluded.schedule, command = excluded.command, database = excluded.database, active = excluded.active
  returning j.jobid into id;
  perform pg_catalog.pg_notify('cron_wake', '');
  return id;
end
$$;

create function cron.schedule(job_name text, schedule text, command text) returns bigint
language sql
set search_path = ''
as $$
  select cron.schedule_in_database(job_name, schedule, command, pg_catalog.current_database()::text, current_user::text, true)
$$;

create function cron.schedule(schedule text, command text) returns bigint
language sql
set search_path = ''
as $$
  select cron.schedule_in_database(null, schedule, command, pg_catalog.current_database()::text, current_user::text, true)
$$;

create function cron._remove(id bigint, name text, owner text) returns boolean
language plpgsql security definer
set search_path = ''
as $$
begin
  delete from cron.job j
  where j.username = owner and (j.jobid = id or j.jobname = name);
  if not found then
    raise exception 'could not find valid entry for job ''%''', coalesce(name, id::text) using errcode = 'XX000';
  end if;
  perform pg_catalog.pg_notify('cron_wake', '');
  return true;
end
$$;

create function cron.unschedule(job_id bigint) returns boolean
language sql
set search_path = ''
as $$
  select cron._remove(job_id, null, current_user::text)
$$;

create function cron.unschedule(job_name text) returns boolean
language sql
set search_path = ''
as $$
  select cron._remove(null, job_name, current_user::text)
$$;

create function cron._alter(
  id bigint,
  schedule text,
  command text,
  database text,
  username text,
  active boolean,
  owner text
) returns void
language plpgsql security definer
set search_path = ''
as $$
begin
  if schedule is not null then
    perform cron._check_schedule(schedule);
  end if;
  update cron.job j
  set schedule = coalesce(_alter.schedule, j.schedule),
    command = coalesce(_alter.command, j.command),
    database = coalesce(_alter.database, j.database),
    username = coalesce(_alter.username, j.username),
    active = coalesce(_alter.active, j.active)
  where j.jobid = id and j.username = owner;
  if not found then
    raise exception 'Job % does not exist or you don''t own it', id using errcode = 'XX000';
  end if;
  perform pg_catalog.pg_notify('cron_wake', '');
end
$$;

create function cron.alter_job(
  job_id bigint,
  schedule text default null,
  command text default null,
  database text default null,
  username text default null,
  active boolean default null
) returns void
language sql
set search_path = ''
as $$
  select cron._alter(job_id, schedule, command, database, username, active, current_user::text)
$$;

revoke all on all functions in schema cron from public;
grant execute on all functions in schema cron to postgres;
