import type { TestProject } from 'vitest/node';
import { buildFromSql } from '../../local/platform/postgres/build.ts';
import type { Cluster } from '../../local/platform/postgres/postgres.ts';
import { startTemporaryPostgres } from '../../local/platform/postgres/temporary_postgres.ts';
import { debianPostgresForTests } from './debian_postgres.ts';
import { TEST_TEMPLATE } from './names.ts';

declare module 'vitest' {
  // biome-ignore lint/style/useConsistentTypeDefinitions: only an interface merges with Vitest's own.
  interface ProvidedContext {
    /** The one Postgres server of this run. All its roles have this `password`. */
    postgres: { port: number; password: string; cluster: Cluster };
  }
}

/**
 * Starts one Postgres for the run and builds, from `sql/` or the copy of it in PARALLAX_SQL_DIR,
 * the database that test databases are cloned from. It is npm's PostgreSQL, or with
 * PARALLAX_TEST_POSTGRES the one in that folder (see .ci/postgres17), with the real pg_cron.
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const native = process.env.PARALLAX_TEST_POSTGRES;
  const scratch = await startTemporaryPostgres(native ? debianPostgresForTests(native) : undefined);
  try {
    await buildFromSql(await scratch.create(TEST_TEMPLATE), process.env.PARALLAX_SQL_DIR);
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
  project.provide('postgres', { port: scratch.cluster.port, password: scratch.password, cluster: scratch.cluster });
  return scratch.stop;
}
