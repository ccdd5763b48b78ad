import { dirname, join } from 'node:path';
import type { TestProject } from 'vitest/node';
import type { Cluster } from '../../local/platform/postgres/postgres.ts';
import {
  copyCluster,
  type StartedPostgres,
  startTemporaryPostgres,
} from '../../local/platform/postgres/temporary_postgres.ts';
import { debianPostgresForTests } from './debian_postgres.ts';
import { TEST_TEMPLATE } from './names.ts';
import { buildTestTemplate } from './own_postgres.ts';
import { SharedParts } from './shared_parts.ts';

/**
 * The one Postgres server of this run. All its roles have this `password`. Test databases are
 * clones of `template`. `original` is a copy of it without a server, for `startOwnPostgres`.
 */
export type TestServer = { port: number; password: string; cluster: Cluster; template: string; original: Cluster };

declare module 'vitest' {
  // biome-ignore lint/style/useConsistentTypeDefinitions: only an interface merges with Vitest's own.
  interface ProvidedContext {
    postgres: TestServer;
    /** The socket of the parts that files share (see shared_parts.ts). */
    sharedParts: string;
  }
}

type Run = { server: TestServer; parts: SharedParts; stop(): Promise<void> };
/** Each project has its own modules, and all are in one process. */
const shared = globalThis as { parallaxTestRun?: Promise<Run> | undefined };

/**
 * Starts one Postgres for the run and builds, from `sql/` or the copy of it in PARALLAX_SQL_DIR,
 * the database that test databases are cloned from. It is npm's PostgreSQL, or with
 * PARALLAX_TEST_POSTGRES the one in that folder (see .ci/postgres17), with the real pg_cron.
 * PARALLAX_TEST_SERVER names a server that runs already, with its template (tests/mutants).
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  shared.parallaxTestRun ??= prepareRun();
  const { server, parts, stop } = await shared.parallaxTestRun;
  project.provide('postgres', server);
  project.provide('sharedParts', parts.path);
  return async () => {
    // The first teardown ends everything: all files of all projects are over.
    if (!shared.parallaxTestRun) return;
    shared.parallaxTestRun = undefined;
    await parts.stop();
    await stop();
  };
}

async function prepareRun(): Promise<Run> {
  const running = process.env.PARALLAX_TEST_SERVER;
  if (running) return { server: JSON.parse(running), parts: await SharedParts.listen(), stop: async () => {} };
  const { server, postgres } = await startTestPostgres(process.env.PARALLAX_SQL_DIR);
  return { server, parts: await SharedParts.listen(), stop: postgres.stop };
}

/** Starts the server, with the template that a folder of SQL builds: by default `sql/`. */
export async function startTestPostgres(
  sqlFolder?: string,
): Promise<{ server: TestServer; postgres: StartedPostgres }> {
  const native = process.env.PARALLAX_TEST_POSTGRES;
  const postgres = await startTemporaryPostgres(native ? debianPostgresForTests(native) : undefined);
  const { cluster, admin, password } = postgres;
  const { port } = cluster;
  const original = { ...cluster, folder: join(dirname(cluster.folder), 'original') };
  try {
    await buildTestTemplate(postgres, sqlFolder);
    await admin.unsafe(`alter database ${TEST_TEMPLATE} is_template true allow_connections false`);
    await postgres.whileStopped(() => copyCluster(cluster.folder, original.folder));
    return { server: { port, password, cluster, template: TEST_TEMPLATE, original }, postgres };
  } catch (error) {
    await postgres.stop();
    throw error;
  }
}
