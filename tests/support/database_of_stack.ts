import { rmSync } from 'node:fs';
import { afterAll, beforeAll } from 'vitest';
import { DataFolder } from '../../local/platform/supervisor/data_folder.ts';
import { createDatabase, type TestDatabase } from './database.ts';
import { temporaryFolder } from './temporary_folder.ts';

/**
 * A test database for the tests of a file, and the path of a data folder with the stack.json of a
 * stack that runs on it, so that a command finds it. `prepare` fills the database. Call it where
 * hooks are registered.
 */
export function databaseOfStack(prepare: (db: TestDatabase) => Promise<void> = async () => {}): {
  readonly db: TestDatabase;
  readonly folder: string;
} {
  const folder = DataFolder.open(temporaryFolder('command'));
  let db: TestDatabase | undefined;
  beforeAll(async () => {
    db = await createDatabase();
    await prepare(db);
    folder.publish({
      pid: process.pid,
      port: 1,
      base_url: 'http://127.0.0.1:1/functions/v1/api',
      database_url: db.url(),
      source: 'simulated',
      started_at: new Date().toISOString(),
    });
  });
  afterAll(async () => {
    folder.release();
    rmSync(folder.path, { recursive: true, force: true });
    await db?.close();
  });
  return {
    folder: folder.path,
    get db() {
      if (!db) throw new Error('The database is there from beforeAll on.');
      return db;
    },
  };
}
