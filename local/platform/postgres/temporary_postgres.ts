import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, statfsSync } from 'node:fs';
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

const MEMORY = '/dev/shm';
/** Clones of 20 MB each, and the log of their changes. */
const MEMORY_BYTES = 4 * 2 ** 30;

/**
 * The folder for a temporary cluster: memory, where it has room. A clone of a database there takes
 * a tenth of the time on a busy disk (2026-11-28: 80 and 950 ms).
 */
function scratchParent(): string {
  try {
    const { bavail, bsize } = statfsSync(MEMORY);
    if (bavail * bsize >= MEMORY_BYTES) return MEMORY;
  } catch {
    // This system has no such folder.
  }
  return tmpdir();
}

/** Another PostgreSQL than npm's, and what it has instead of stand-ins. */
export type OtherPostgres = {
  native: string;
  settings: Record<string, string | number>;
  /** Files of the platform that it replaces, by name. */
  replaced: Record<string, string>;
  /** Settings of the server while it builds the template. It restarts with `settings`. */
  settingsForTemplate?: Record<string, string | number>;
};

export async function startTemporaryPostgres(other?: OtherPostgres): Promise<TemporaryPostgres> {
  const folder = mkdtempSync(join(scratchParent(), 'parallax-scratch-'));
  const password = randomBytes(12).toString('hex');
  const cluster: Cluster = {
    folder: join(folder, 'postgres'),
    port: await freePort(),
    password,
    volatile: true,
    maxConnections: 200,
    ...(other ? { native: other.native, settings: other.settings } : {}),
  };
  const reaper = new Reaper();
  reaper.watch({ remove: folder });
  await createCluster(cluster);
  const start = (settings = cluster.settings) => {
    const started = spawnPostgres(settings ? { ...cluster, settings } : cluster);
    reaper.watch({ postgres: started.pid, remove: folder });
    return started;
  };
  let server = start(other?.settingsForTemplate);
  const admin = connectAdmin(cluster, 'postgres');
  const stop = async () => {
    await admin.end({ timeout: 2 }).catch(() => {});
    await stopPostgres(server);
    await reaper.finish();
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await untilReady(cluster, server);
    await buildTemplate(cluster, password, { replaced: other?.replaced });
    if (other?.settingsForTemplate) {
      await stopPostgres(server);
      server = start();
      await untilReady(cluster, server);
    }
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
