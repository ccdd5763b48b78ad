import { inject } from 'vitest';
import { buildFromSql } from '../../local/platform/postgres/build.ts';
import type { Cluster } from '../../local/platform/postgres/postgres.ts';
import {
  startCopyOf,
  startTemporaryPostgres,
  type TemporaryPostgres,
} from '../../local/platform/postgres/temporary_postgres.ts';
import { TEST_TEMPLATE } from './names.ts';

/**
 * A Postgres server for one file, which may break it. It is a copy of the server of the run, which
 * starts within a second: `create(name, TEST_TEMPLATE)` has the schemas of `sql/`, `create(name)`
 * the platform alone, and all roles have its `password`. `settings` are added to those of the run.
 */
export async function startOwnPostgres(settings: Cluster['settings'] = {}): Promise<TemporaryPostgres> {
  // npm run bench has no set-up of Vitest.
  if (!process.env.VITEST) return await buildOwnPostgres();
  const { original } = inject('postgres');
  return await startCopyOf({ ...original, settings: { ...original.settings, ...settings } });
}

async function buildOwnPostgres(): Promise<TemporaryPostgres> {
  const server = await startTemporaryPostgres();
  await buildTestTemplate(server);
  return server;
}

/**
 * Builds TEST_TEMPLATE from a folder of SQL, by default `sql/`, and gives the roles of the
 * functions a login. Hosted, a step of the deployment does that.
 */
export async function buildTestTemplate(server: TemporaryPostgres, sqlFolder?: string): Promise<void> {
  const { admin, password } = server;
  await buildFromSql(await server.create(TEST_TEMPLATE), sqlFolder);
  const roles = await admin<{ rolname: string }[]>`
    select rolname from pg_roles where rolname like 'parallax\\_%'`;
  for (const { rolname } of roles) await admin.unsafe(`alter role "${rolname}" login password '${password}'`);
}
