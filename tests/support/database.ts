import { randomBytes } from 'node:crypto';
import postgres from 'postgres';
import { inject } from 'vitest';
import { type Cluster, databaseUrl } from '../../local/platform/postgres/postgres.ts';
import { cloneDatabase, connectAdmin, dropDatabase, type Sql } from '../../local/platform/postgres/template.ts';
import { noteSql } from './coverage.ts';

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
      if (process.env.PARALLAX_COVERAGE) await noteFunctions(cluster, name);
      const cleaner = connectAdmin(cluster, 'postgres');
      try {
        await dropDatabase(cleaner, name);
      } finally {
        await cleaner.end();
      }
    },
  };
}

/** For tests/mutants: writes which SQL functions ran in the database of a test file. */
async function noteFunctions(cluster: Cluster, name: string): Promise<void> {
  const admin = connectAdmin(cluster, name);
  try {
    const rows = await admin<{ called: string }[]>`
      select distinct f.schemaname || '.' || f.funcname as called
      from pg_stat_user_functions f
      where f.schemaname not in ('pg_catalog', 'auth', 'extensions', 'storage', 'vault', 'cron', 'net', '_realtime')`;
    noteSql(rows.map(({ called }) => called));
  } finally {
    await admin.end();
  }
}
