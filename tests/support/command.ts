import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { repository } from '../../local/platform/postgres/binaries.ts';
import { DataFolder } from '../../local/platform/supervisor/data_folder.ts';
import { tsxArguments } from '../../local/platform/supervisor/venues.ts';
import type { TestDatabase } from './database.ts';
import { temporaryFolder } from './temporary_folder.ts';

/** Runs the real `npm run NAME` and waits for its end. */
export function runCommand(name: string, args: readonly string[]): { status: number | null; out: string; err: string } {
  const result = spawnSync(process.execPath, [...tsxArguments, join(repository, 'local/cli.ts'), name, ...args], {
    cwd: repository,
    encoding: 'utf8',
  });
  return { status: result.status, out: result.stdout, err: result.stderr };
}

/**
 * A data folder with the stack.json of a stack that runs on `db`, so that a command finds the
 * database.
 */
export function publishDataFolder(db: TestDatabase): { path: string; remove(): void } {
  const folder = DataFolder.open(temporaryFolder('command'));
  folder.publish({
    pid: process.pid,
    port: 1,
    base_url: 'http://127.0.0.1:1/functions/v1/api',
    database_url: db.url(),
    source: 'simulated',
    started_at: new Date().toISOString(),
  });
  return {
    path: folder.path,
    remove() {
      folder.release();
      rmSync(folder.path, { recursive: true, force: true });
    },
  };
}
