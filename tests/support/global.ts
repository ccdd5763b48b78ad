import type { TestProject } from 'vitest/node';
import { buildFromSql } from '../../local/platform/postgres/build.ts';
import type { Cluster } from '../../local/platform/postgres/postgres.ts';
import { startTemporaryPostgres } from '../../local/platform/postgres/temporary_postgres.ts';
import { testTemplate } from './names.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The one Postgres of this run; `password` is that of every role on it. */
    postgres: { port: number; password: string; cluster: Cluster };
  }
}

/**
 * Starts one Postgres for the run and builds, from `sql/` or the copy of it in PARALLAX_SQL_DIR, the
 * database that test databases are cloned from.
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const scratch = await startTemporaryPostgres();
  try {
    await buildFromSql(await scratch.create(testTemplate), process.env.PARALLAX_SQL_DIR);
    // Our migrations make the functions' roles NOLOGIN; a deploy step gives them a password.
    const roles = await scratch.admin<{ rolname: string }[]>`
      select rolname from pg_roles where rolname like 'parallax\\_%'`;
    for (const { rolname } of roles) {
      await scratch.admin.unsafe(`alter role "${rolname}" login password '${scratch.password}'`);
    }
    await scratch.admin.unsafe(`alter database ${testTemplate} is_template true allow_connections false`);
  } catch (error) {
    await scratch.stop();
    throw error;
  }
  project.provide('postgres', { port: scratch.cluster.port, password: scratch.password, cluster: scratch.cluster });
  return scratch.stop;
}
