import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { repository } from '../../local/platform/postgres/binaries.ts';
import { DataFolder } from '../../local/platform/supervisor/data_folder.ts';
import { tsxArguments } from '../../local/platform/supervisor/venues.ts';
import type { TestDatabase } from './database.ts';
import { temporaryFolder } from './temporary_folder.ts';

/** `npm run NAME` as it is, to its end. */
export function runCommand(name: string, args: readonly string[]): { status: number | null; out: string; err: string } {
  const ran = spawnSync(process.execPath, [...tsxArguments, join(repository, 'local/cli.ts'), name, ...args], {
    cwd: repository,
    encoding: 'utf8',
  });
  return { status: ran.status, out: ran.stdout, err: ran.stderr };
}

/** A data folder that says, as `npm start` would, that a stack runs on `db`: a command finds the database there. */
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
