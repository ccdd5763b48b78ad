import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Reaper } from '../supervisor/reaper.ts';
import {
  type Cluster,
  createCluster,
  databaseUrl,
  freePort,
  spawnPostgres,
  stopPostgres,
  untilReady,
} from './postgres.ts';
import { buildTemplate, cloneDatabase, connectAdmin, type Sql, TEMPLATE_NAME } from './template.ts';

/** A Postgres in a temporary folder. `stop`, or the end of this process, removes it. */
export type TemporaryPostgres = {
  cluster: Cluster;
  /** The password of every login role. It exists for about a minute on loopback. */
  password: string;
  admin: Sql;
  /** Clones the template (or `from`) and returns the URL of the clone for role postgres. */
  create(name: string, from?: string): Promise<string>;
  stop(): Promise<void>;
};

export async function startTemporaryPostgres(): Promise<TemporaryPostgres> {
  const folder = mkdtempSync(join(tmpdir(), 'parallax-scratch-'));
  const password = randomBytes(12).toString('hex');
  const cluster: Cluster = {
    folder: join(folder, 'postgres'),
    port: await freePort(),
    password,
    volatile: true,
    maxConnections: 200,
  };
  const reaper = new Reaper();
  reaper.watch({ remove: folder });
  await createCluster(cluster);
  const server = spawnPostgres(cluster);
  reaper.watch({ postgres: server.pid, remove: folder });
  const admin = connectAdmin(cluster, 'postgres');
  const stop = async () => {
    await admin.end({ timeout: 2 }).catch(() => {});
    await stopPostgres(server);
    await reaper.finish();
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await untilReady(cluster, server);
    await buildTemplate(cluster, password);
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    cluster,
    password,
    admin,
    stop,
    async create(name, from = TEMPLATE_NAME) {
      await cloneDatabase(admin, name, from);
      return databaseUrl(cluster.port, 'postgres', password, name);
    },
  };
}
