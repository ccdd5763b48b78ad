import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { buildFromSql } from '../../local/platform/build.ts';
import {
  type Cluster,
  databaseUrl,
  freePort,
  makeCluster,
  spawnPostgres,
  stopPostgres,
  untilReady,
} from '../../local/platform/postgres.ts';
import { buildTemplate, cloneDatabase, connectAdmin, templateName } from '../../local/platform/template.ts';
import { Reaper } from '../../local/supervisor/reaper.ts';
import { testTemplate } from './names.ts';

/** One Postgres for the whole run. Every password on it is `password`: it lives for a minute on loopback. */
export type TestPostgres = { port: number; password: string; cluster: Cluster };

declare module 'vitest' {
  interface ProvidedContext {
    postgres: TestPostgres;
  }
}

export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = mkdtempSync(join(tmpdir(), 'parallax-test-'));
  const password = randomBytes(12).toString('hex');
  const cluster: Cluster = {
    folder: join(folder, 'postgres'),
    port: await freePort(),
    password,
    volatile: true,
    maxConnections: 200,
  };
  await makeCluster(cluster);
  const server = spawnPostgres(cluster);
  // A run that is killed (Ctrl-C twice, kill -9) must not leave a Postgres behind.
  const reaper = new Reaper();
  reaper.watch({ postgres: server.pid, remove: folder });

  const stop = async () => {
    await stopPostgres(server);
    await reaper.finish();
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await untilReady(cluster, server);
    await buildTemplate(cluster, password);
    const admin = connectAdmin(cluster, 'postgres');
    try {
      await cloneDatabase(admin, testTemplate, templateName);
      await buildFromSql(databaseUrl(cluster.port, 'postgres', password, testTemplate));
      await giveLogins(admin, password);
      await admin.unsafe(`alter database ${testTemplate} is_template true allow_connections false`);
    } finally {
      await admin.end();
    }
  } catch (error) {
    await stop();
    throw error;
  }
  project.provide('postgres', { port: cluster.port, password, cluster });
  return stop;
}

/** Our migrations make the functions' roles NOLOGIN; a deploy step gives them a password. */
async function giveLogins(admin: ReturnType<typeof connectAdmin>, password: string): Promise<void> {
  const roles = await admin<{ rolname: string }[]>`select rolname from pg_roles where rolname like 'parallax\\_%'`;
  for (const { rolname } of roles) await admin.unsafe(`alter role "${rolname}" login password '${password}'`);
}
