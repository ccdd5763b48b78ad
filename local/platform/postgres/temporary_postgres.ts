import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
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

/** One that this process has started. */
export type StartedPostgres = TemporaryPostgres & {
  /** Stops the server, runs `work`, and starts it again. */
  whileStopped(work: () => void): Promise<void>;
};

/** Another PostgreSQL than npm's, and what it has instead of stand-ins. */
export type OtherPostgres = {
  native: string;
  settings: Record<string, string | number>;
  /** Files of the platform that it replaces, by name. */
  replaced: Record<string, string>;
  /** Settings of the server while it builds the template. It restarts with `settings`. */
  settingsForTemplate?: Record<string, string | number>;
};

export async function startTemporaryPostgres(other?: OtherPostgres): Promise<StartedPostgres> {
  const cluster: Cluster = {
    folder: newFolder(),
    port: await freePort(),
    password: randomBytes(12).toString('hex'),
    volatile: true,
    maxConnections: 200,
    ...(other ? { native: other.native, settings: other.settings } : {}),
  };
  return await serve(cluster, {
    make: () => createCluster(cluster),
    firstSettings: other?.settingsForTemplate,
    prepare: () => buildTemplate(cluster, cluster.password, { replaced: other?.replaced }),
  });
}

/** Starts a copy of a cluster whose server is stopped, with its databases, roles and passwords. */
export async function startCopyOf(original: Cluster): Promise<StartedPostgres> {
  const cluster = { ...original, folder: newFolder(), port: await freePort() };
  return await serve(cluster, { make: async () => copyCluster(original.folder, cluster.folder) });
}

/** Copies the folder of a stopped server to `to`, which must not exist. */
export function copyCluster(from: string, to: string): void {
  // -a keeps the owner and the modes, which PostgreSQL checks.
  const { status, stderr } = spawnSync('cp', ['-a', from, to], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${from} could not be copied: ${stderr}`);
}

const MEMORY = '/dev/shm';
/** Clones of 20 MB each, and the log of their changes. */
const MEMORY_BYTES = 4 * 2 ** 30;

/**
 * The folder for a temporary cluster: memory, where it has room. A clone of a database there takes
 * a tenth of the time on a busy disk (2026-11-28: 80 and 950 ms).
 */
export function scratchParent(): string {
  try {
    const { bavail, bsize } = statfsSync(MEMORY);
    if (bavail * bsize >= MEMORY_BYTES) return MEMORY;
  } catch {
    // This system has no such folder.
  }
  return tmpdir();
}

const newFolder = (): string => join(mkdtempSync(join(scratchParent(), 'parallax-scratch-')), 'postgres');

type Preparation = {
  /** Creates the folder of the cluster. */
  make(): Promise<void>;
  /** Fills it while its server runs with these settings, if any, and then restarts it. */
  firstSettings?: Cluster['settings'] | undefined;
  prepare?(): Promise<void>;
};

async function serve(cluster: Cluster, { make, firstSettings, prepare }: Preparation): Promise<StartedPostgres> {
  const { password } = cluster;
  const folder = dirname(cluster.folder);
  const reaper = new Reaper();
  reaper.watch({ remove: folder });
  await make();
  const start = (settings = cluster.settings) => {
    const started = spawnPostgres(settings ? { ...cluster, settings } : cluster);
    reaper.watch({ postgres: started.pid, remove: folder });
    return started;
  };
  let server = start(firstSettings);
  const admin = connectAdmin(cluster, 'postgres');
  const whileStopped = async (work: () => void) => {
    await stopPostgres(server);
    work();
    server = start();
    await untilReady(cluster, server);
  };
  const stop = async () => {
    await admin.end({ timeout: 2 }).catch(() => {});
    await stopPostgres(server);
    await reaper.finish();
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await untilReady(cluster, server);
    await prepare?.();
    if (firstSettings) await whileStopped(() => {});
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    cluster,
    password,
    admin,
    whileStopped,
    stop,
    async create(name, from = TEMPLATE_NAME) {
      await cloneDatabase(admin, name, from);
      return databaseUrl(cluster.port, 'postgres', password, name);
    },
  };
}
