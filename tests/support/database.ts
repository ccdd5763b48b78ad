import { randomBytes } from 'node:crypto';
import postgres from 'postgres';
import { inject } from 'vitest';
import { databaseUrl } from '../../local/platform/postgres/postgres.ts';
import { cloneDatabase, connectAdmin, dropDatabase, type Sql } from '../../local/platform/postgres/template.ts';
import { testTemplate } from './names.ts';

export type Login = 'postgres' | 'parallax_api' | 'parallax_ingest' | 'parallax_deliver' | 'parallax_stream';

export type TestDatabase = {
  name: string;
  /** Where `role` logs in (default: postgres, the owner of everything, which bypasses row security as hosted). */
  url(role?: Login): string;
  /** A pool that is logged in as postgres. */
  sql: Sql;
  /** Ends the pool and drops the database. */
  close(): Promise<void>;
};

/**
 * A database of one's own: a clone of what `sql/` builds (or of `from`), without network beyond loopback. Call it in `beforeAll`
 * (35 to 130 ms) and `close` in `afterAll`. `superuser` is only for tests of the platform itself.
 */
export async function createDatabase(options: { from?: string; superuser?: boolean } = {}): Promise<TestDatabase> {
  const { port, password, cluster } = inject('postgres');
  const name = `test_${randomBytes(6).toString('hex')}`;
  const admin = connectAdmin(cluster, 'postgres');
  try {
    await cloneDatabase(admin, name, options.from ?? testTemplate);
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
      const last = connectAdmin(cluster, 'postgres');
      try {
        await dropDatabase(last, name);
      } finally {
        await last.end();
      }
    },
  };
}
