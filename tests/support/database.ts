import { randomBytes } from 'node:crypto';
import postgres from 'postgres';
import { inject } from 'vitest';
import { databaseUrl } from '../../local/platform/postgres/postgres.ts';
import { cloneDatabase, connectAdmin, dropDatabase, type Sql } from '../../local/platform/postgres/template.ts';

export type Login =
  | 'postgres'
  | 'parallax_api'
  | 'parallax_ingest'
  | 'parallax_deliver'
  | 'parallax_export'
  | 'parallax_stream'
  | 'parallax_carrier';

export type TestDatabase = {
  name: string;
  /**
   * The URL for `role`. Default: postgres, which owns everything and bypasses row security, as
   * hosted.
   */
  url(role?: Login): string;
  /** A pool that is logged in as postgres. */
  sql: Sql;
  /** Ends the pool and drops the database. */
  close(): Promise<void>;
};

/**
 * Clones a database for one test file: from the template that `sql/` builds, or from `from`. Call
 * it in `beforeAll` (35 to 130 ms) and `close` in `afterAll`. `superuser` is for tests of the
 * platform.
 */
export async function createDatabase(options: { from?: string; superuser?: boolean } = {}): Promise<TestDatabase> {
  const { port, password, cluster, template } = inject('postgres');
  const name = `test_${randomBytes(6).toString('hex')}`;
  const admin = connectAdmin(cluster, 'postgres');
  try {
    await cloneDatabase(admin, name, options.from ?? template);
  } finally {
    await admin.end();
  }
  const url = (role: Login = 'postgres') => databaseUrl(port, role, password, name);
  const login = options.superuser ? databaseUrl(port, 'supabase_admin', password, name) : url();
  const sql = postgres(login, { max: 4, onnotice: () => {} });
  return {
    name,
    url,
    sql,
    async close() {
      await sql.end({ timeout: 2 });
      const cleaner = connectAdmin(cluster, 'postgres');
      try {
        await dropDatabase(cleaner, name);
      } finally {
        await cleaner.end();
      }
    },
  };
}
