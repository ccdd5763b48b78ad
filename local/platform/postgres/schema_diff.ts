import { renderPlanFiles } from '@supabase/pg-delta';
import { extract } from '@supabase/pg-delta/extract';
import { plan } from '@supabase/pg-delta/plan';
import pg from 'pg';
import postgres from 'postgres';

/**
 * The scripts that change one database into another, in order, each one transaction. Empty when
 * they are equal.
 */
export type SchemaDiff = { scripts: string[]; broken: string[] };

/**
 * Compares two databases of one cluster. `broken` names indexes of `to` that exist but are not
 * valid: a partitioned index created with ON ONLY shows no difference, but serves no query. Throws
 * on objects that the comparison does not support (statistics objects, casts …), which it would
 * otherwise drop silently.
 */
export async function schemaDiff(from: string, to: string): Promise<SchemaDiff> {
  const pools = [
    new pg.Pool({ connectionString: from, max: 2 }),
    new pg.Pool({ connectionString: to, max: 2 }),
  ] as const;
  // A connection that is still closing when the server stops gets an error that nothing waits for.
  for (const pool of pools) pool.on('error', () => {});
  try {
    // One after the other: they share two cores with the compared databases.
    const source = await extract(pools[0]);
    const desired = await extract(pools[1]);
    const unseen = [...source.diagnostics, ...desired.diagnostics].filter(
      (found) => found.code === 'unmodeled_kind' || found.severity === 'error',
    );
    if (unseen.length > 0)
      throw new Error(`The comparison does not support: ${unseen.map((found) => found.message).join('; ')}`);
    const rendered = renderPlanFiles(plan(source.factBase, desired.factBase), { allowDrops: true });
    return {
      scripts: rendered.changes ? rendered.files.map((file) => withChildren(file.contents)) : [],
      broken: [...(await invalidIndexes(from)), ...(await invalidIndexes(to))],
    };
  } finally {
    await Promise.all(pools.map((pool) => pool.end()));
  }
}

/**
 * ON ONLY creates an index of the partitioned table only, invalid until every partition is
 * attached.
 */
function withChildren(script: string): string {
  return script.replace(/(\bcreate\s+(?:unique\s+)?index\b[^;]*?\bon\s+)only\s+/gi, '$1');
}

async function invalidIndexes(url: string): Promise<string[]> {
  const sql = postgres(url, { max: 1 });
  try {
    const rows = await sql<{ name: string }[]>`
      select i.indexrelid::regclass::text as name from pg_index i where not i.indisvalid order by 1`;
    return rows.map((row) => row.name);
  } finally {
    await sql.end();
  }
}

/** Removes the CLI's history of applied migrations, which is not part of the schema. */
export async function dropMigrationHistory(url: string): Promise<void> {
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  try {
    await sql`drop schema if exists supabase_migrations cascade`;
  } finally {
    await sql.end();
  }
}
