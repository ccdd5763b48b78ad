import { existsSync, readdirSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { TEMPLATE_NAME } from '../../local/platform/postgres/template.ts';
import {
  type OtherPostgres,
  startTemporaryPostgres,
  type TemporaryPostgres,
} from '../../local/platform/postgres/temporary_postgres.ts';

/**
 * The folder of Debian's PostgreSQL 17 with pg_cron and plpgsql_check, which `.ci/postgres17`
 * makes. Without it, prints that `file` is skipped.
 */
export function debianPostgres(file: string): string | undefined {
  const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'parallax');
  const folders = (existsSync(cache) ? readdirSync(cache) : [])
    .filter((name) => name.startsWith('postgres17-'))
    .map((name) => join(cache, name))
    .filter((folder) => existsSync(join(folder, 'bin', 'postgres')))
    .sort((one, other) => statSync(other).mtimeMs - statSync(one).mtimeMs);
  if (!folders[0])
    console.warn(`${file} is skipped: PostgreSQL 17 with pg_cron is missing (.ci/postgres17 fetches it from Debian)`);
  return folders[0];
}

/**
 * What supautils does at `create extension pg_cron` on the platform: a superuser owns the
 * extension, and postgres may use the schema, schedule jobs and read them, but not write to
 * cron.job.
 */
const cronPrivileges = `
create function extensions.grant_pg_cron_access() returns event_trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  if exists (
    select from pg_catalog.pg_event_trigger_ddl_commands() c
    join pg_catalog.pg_extension e on e.oid = c.objid
    where c.classid = 'pg_catalog.pg_extension'::regclass and e.extname = 'pg_cron'
  ) then
    update pg_catalog.pg_extension set extowner = 'supabase_admin'::regrole where extname = 'pg_cron';
    grant usage on schema cron to postgres with grant option;
    grant all on all functions in schema cron to postgres with grant option;
    grant all on all tables in schema cron to postgres with grant option;
    revoke all on table cron.job from postgres;
    grant select on table cron.job to postgres with grant option;
  end if;
end
$$;
create event trigger issue_pg_cron_access on ddl_command_end when tag in ('CREATE EXTENSION')
  execute function extensions.grant_pg_cron_access();`;

const preloaded = (database: string) => ({
  // plpgsql_check stays out: its hooks raise "cannot find parent statement on pldbgapi2 call stack"
  // in correct functions (its issue 197). A call of its check loads it for one session.
  shared_preload_libraries: 'pg_cron,pg_stat_statements',
  'cron.database_name': database,
  // Without workers each job logs in over the network and needs a password file.
  'cron.use_background_workers': 'on',
  max_worker_processes: 32,
});

/**
 * Starts that PostgreSQL with the platform's roles and schemas. The first migration of the
 * database `cronDatabase` creates the extension, and the jobs run in that database.
 */
export const startDebianPostgres = (native: string, cronDatabase: string): Promise<TemporaryPostgres> =>
  startTemporaryPostgres({
    native,
    settings: preloaded(cronDatabase),
    replaced: { '30_cron.sql': cronPrivileges },
  });

/**
 * That PostgreSQL for a whole run of tests: each of their databases has the extension and runs no
 * job. pg_cron can be created in one database only, so the template is that one while it is built.
 */
export const debianPostgresForTests = (native: string): OtherPostgres => ({
  native,
  settings: preloaded('postgres'),
  settingsForTemplate: preloaded(TEMPLATE_NAME),
  replaced: { '30_cron.sql': `${cronPrivileges}\ncreate extension pg_cron with schema pg_catalog;` },
});
