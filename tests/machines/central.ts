import { chmodSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import postgres from 'postgres';
import { postgresNative } from '../../local/platform/postgres/binaries.ts';
import { buildFromSql } from '../../local/platform/postgres/build.ts';
import { databaseUrl } from '../../local/platform/postgres/postgres.ts';
import type { Sql } from '../../local/platform/postgres/template.ts';
import { startTemporaryPostgres } from '../../local/platform/postgres/temporary_postgres.ts';
import type { Login } from '../support/database.ts';
import { temporaryFolder } from '../support/temporary_folder.ts';

const DATABASE = 'machines';
/** As pg_cron runs them (sql/95_jobs.sql). */
const JOBS = ['select pipeline.refresh_snapshot()', 'select stream.broadcast_pending()'];
const JOBS_EVERY_MS = 5_000;

/** The machine of the database: Postgres with our schema, at the address of the switch too. */
export type Central = {
  sql: Sql;
  /** URL of a role, as the other machines reach it. */
  url(role: Login): string;
  close(): Promise<void>;
};

export async function startCentral(address: string): Promise<Central> {
  const folder = temporaryFolder('machines');
  chmodSync(folder, 0o755);
  const rules = join(folder, 'pg_hba.conf');
  writeFileSync(rules, 'host all all 127.0.0.1/32 scram-sha-256\nhost all all 10.0.0.0/8 scram-sha-256\n', {
    mode: 0o644,
  });
  const server = await startTemporaryPostgres({
    native: postgresNative(),
    settings: { listen_addresses: `127.0.0.1,${address}`, hba_file: rules },
    replaced: {},
  });
  const { cluster, password, admin } = server;
  const local = await server.create(DATABASE);
  await buildFromSql(local);
  for (const { rolname } of await admin<{ rolname: string }[]>`
    select rolname from pg_roles where rolname like 'parallax\\_%'`)
    await admin.unsafe(`alter role "${rolname}" login password '${password}'`);
  const sql = postgres(local, { max: 4, onnotice: () => {} });
  const jobs = setInterval(() => {
    for (const job of JOBS) sql.unsafe(job).catch((error) => console.warn(`${job}: ${error}`));
  }, JOBS_EVERY_MS);
  return {
    sql,
    url: (role) => databaseUrl(cluster.port, role, password, DATABASE).replace('127.0.0.1', address),
    async close() {
      clearInterval(jobs);
      await sql.end({ timeout: 2 });
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
