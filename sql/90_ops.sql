-- Schema ops: statements, metrics and alerts for operators. Nothing here changes a decision.
-- Everything is read from the other schemas at the time of the query, except the samples of the
-- gates, which need a history.

create schema ops;
revoke all on schema ops from public;
grant usage on schema ops to parallax_api;
comment on schema ops is
  'Statements, metrics and alerts for operators. Only postgres may use it, except the text of GET '
  '/metrics.';

create function ops.read_statements() returns table (
  role text,
  query text,
  calls bigint,
  total_ms double precision,
  mean_ms double precision,
  max_ms double precision,
  "rows" bigint,
  read_blocks bigint,
  temp_blocks bigint
)
language plpgsql stable
set search_path = ''
as $$
declare
  v_schema name := (
    select n.nspname
    from pg_catalog.pg_extension e
    join pg_catalog.pg_namespace n on n.oid = e.extnamespace
    where e.extname = 'pg_stat_statements'
  );
begin
  if v_schema is null then
    raise notice 'pg_stat_statements is missing: create extension pg_stat_statements with schema extensions.';
    return;
  end if;
  -- The schema of the extension: extensions on a hosted project, any other on another Postgres.
  return query execute format(
    'select r.rolname::text, s.query, s.calls, s.total_exec_time, s.mean_exec_time, s.max_exec_time, s.rows,
            s.shared_blks_read, s.temp_blks_written
     from %I.pg_stat_statements s
     join pg_catalog.pg_roles r on r.oid = s.userid
     where s.dbid = (select d.oid from pg_catalog.pg_database d where d.datname = current_database())',
    v_schema
  );
exception
  when object_not_in_prerequisite_state then
    raise notice 'pg_stat_statements is not loaded: add it to shared_preload_libraries.';
end
$$;
comment on function ops.read_statements() is
  'Part of ops.statements. Returns no row, and raises a notice with the reason, where '
  'pg_stat_statements is missing or not loaded.';

create view ops.statements with (security_invoker = true) as
select s.role, regexp_replace(s.query, '^/\* request_id=[^*]* \*/ ', '') as query, s.calls, s.total_ms, s.mean_ms,
       s.max_ms, s."rows", s.read_blocks, s.temp_blocks,
       round((100 * s.total_ms / nullif(sum(s.total_ms) over (), 0))::numeric, 1) as share_pct
from ops.read_statements() s
where s.role like 'parallax\_%' or s.role = 'postgres';
comment on view ops.statements is
  'Statements of our roles since the last reset of the statistics: calls, milliseconds, rows and '
  'share of the total time (order by total_ms desc). Without constants.';

create table ops.gate_samples (
  at timestamptz not null,
  gate text not null check (gate in ('band', 'parity', 'risk', 'priced')),
  closed_pairs integer not null,
  pairs integer not null,
  primary key (gate, at)
);
comment on table ops.gate_samples is
  'Once a minute: how many of the trading pairs each signal gate closes. Real time, kept for a '
  'day.';
alter table ops.gate_samples enable row level security;
alter table ops.gate_samples force row level security;

create view ops.gate_counts with (security_invoker = true) as
select g.gate, count(*) filter (where not g.open)::integer as closed_pairs, count(*)::integer as pairs
from price.snapshot s
join catalog.match_gates c on c.pair_id = s.pair_id
cross join lateral (
  values ('band', c.band_ok), ('parity', c.parity_ok), ('risk', c.risk_ok),
         ('priced', (s.price_update).void_reason is null and s.priced)
) g(gate, open)
where s.stage = 'catalog'
  and s.status in ('open', 'live')
group by g.gate;
comment on view ops.gate_counts is
  'How many of the trading pairs each gate closes at the current step. priced counts guards that '
  'void a price; a side without an ask is not counted.';

create function ops.sample_gates() returns void
language sql volatile
set search_path = ''
as $$
  insert into ops.gate_samples (at, gate, closed_pairs, pairs)
  select date_trunc('minute', clock_timestamp()), g.gate, g.closed_pairs, g.pairs
  from ops.gate_counts g
  on conflict (gate, at) do nothing
$$;
comment on function ops.sample_gates() is 'Samples the gates of this minute. Called by pg_cron.';

create function ops.purge_expired() returns void
language sql volatile
set search_path = ''
as $$ delete from ops.gate_samples n where n.at < clock_timestamp() - interval '25 hours' $$;
comment on function ops.purge_expired() is 'Deletes samples older than the day that alerts read.';

create function ops.job_status()
returns table (
  job text, active boolean, last_status text, last_message text, last_end timestamptz, failing_since timestamptz
)
language plpgsql stable
set search_path = ''
as $$
begin
  -- Dynamic SQL, because this file also loads where pg_cron is missing.
  if to_regclass('cron.job_run_details') is null then
    return;
  end if;
  -- The extension has no index by job. One hour of runs is read once, and again only for a failing
  -- job.
  return query
  with ends as materialized (
    select d.jobid, max(d.runid) as last_run, max(d.runid) filter (where d.status = 'succeeded') as last_good
    from cron.job_run_details d
    where d.status in ('succeeded', 'failed')
    group by d.jobid
  )
  select j.jobname::text, j.active, l.status::text, left(l.return_message, 200), l.end_time,
         case
           when l.status = 'failed' then (
             select min(d.start_time)
             from cron.job_run_details d
             where d.jobid = j.jobid
               and d.status = 'failed'
               and d.runid > coalesce(e.last_good, 0)
           )
         end
  from cron.job j
  left join ends e on e.jobid = j.jobid
  left join cron.job_run_details l on l.runid = e.last_run
  where j.jobname like 'parallax\_%';
end
$$;
comment on function ops.job_status() is
  'Our scheduled jobs: the result of the last run of each, and since when none has succeeded '
  '(null after a success). No row without pg_cron.';

revoke all on function ops.read_statements(), ops.sample_gates(), ops.purge_expired(), ops.job_status() from public;
