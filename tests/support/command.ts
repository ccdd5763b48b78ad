import { Console } from 'node:console';
import { rmSync } from 'node:fs';
import { Writable } from 'node:stream';
import { type Command, runCommand } from '../../local/command.ts';
import { DataFolder } from '../../local/platform/supervisor/data_folder.ts';
import type { TestDatabase } from './database.ts';
import { temporaryFolder } from './temporary_folder.ts';

export type CommandRun = { status: number; out: string; err: string };

/** Runs a command in this process. */
export async function callCommand(command: Command, args: readonly string[]): Promise<CommandRun> {
  const texts = { out: '', err: '' };
  const collect = (into: keyof typeof texts) =>
    new Writable({
      write(chunk, _encoding, done) {
        texts[into] += String(chunk);
        done();
      },
    });
  const status = await runCommand(command, args, new Console(collect('out'), collect('err')));
  return { status, ...texts };
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
