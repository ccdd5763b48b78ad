import type { TestProject } from 'vitest/node';
import { buildFromSql } from '../../local/platform/postgres/build.ts';
import type { Cluster } from '../../local/platform/postgres/postgres.ts';
import { startTemporaryPostgres, type TemporaryPostgres } from '../../local/platform/postgres/temporary_postgres.ts';
import { debianPostgresForTests } from './debian_postgres.ts';
import { TEST_TEMPLATE } from './names.ts';

declare module 'vitest' {
  // biome-ignore lint/style/useConsistentTypeDefinitions: only an interface merges with Vitest's own.
  interface ProvidedContext {
    /**
     * The one Postgres server of this run. All its roles have this `password`. Test databases are
     * clones of `template`.
     */
    postgres: { port: number; password: string; cluster: Cluster; template: string };
  }
}

/**
 * Starts one Postgres for the run and builds, from `sql/` or the copy of it in PARALLAX_SQL_DIR,
 * the database that test databases are cloned from. It is npm's PostgreSQL, or with
 * PARALLAX_TEST_POSTGRES the one in that folder (see .ci/postgres17), with the real pg_cron.
 * PARALLAX_TEST_SERVER names a server that runs already, with its template (tests/mutants).
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const running = process.env.PARALLAX_TEST_SERVER;
  if (running) {
    project.provide('postgres', JSON.parse(running));
    return async () => {};
  }
  const scratch = await startTestPostgres(process.env.PARALLAX_SQL_DIR);
  const { cluster, password } = scratch;
  project.provide('postgres', { port: cluster.port, password, cluster, template: TEST_TEMPLATE });
  return scratch.stop;
}

/** Starts the server, with the template that a folder of SQL builds: by default `sql/`. */
export async function startTestPostgres(sqlFolder?: string): Promise<TemporaryPostgres> {
  const native = process.env.PARALLAX_TEST_POSTGRES;
  const scratch = await startTemporaryPostgres(native ? debianPostgresForTests(native) : undefined);
  try {
    if (process.env.PARALLAX_COVERAGE) {
      await scratch.admin.unsafe("alter system set track_functions = 'all'");
      await scratch.admin.unsafe('select pg_reload_conf()');
    }
    await buildFromSql(await scratch.create(TEST_TEMPLATE), sqlFolder);
    // The migrations create the roles of the functions as NOLOGIN. Hosted, a deploy step sets
    // passwords.
    const roles = await scratch.admin<{ rolname: string }[]>`
      select rolname from pg_roles where rolname like 'parallax\\_%'`;
    for (const { rolname } of roles) {
      await scratch.admin.unsafe(`alter role "${rolname}" login password '${scratch.password}'`);
    }
    await scratch.admin.unsafe(`alter database ${TEST_TEMPLATE} is_template true allow_connections false`);
  } catch (error) {
    await scratch.stop();
    throw error;
  }
  return scratch;
}
