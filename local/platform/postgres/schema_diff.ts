import { renderPlanFiles } from '@supabase/pg-delta';
import { extract } from '@supabase/pg-delta/extract';
import { plan } from '@supabase/pg-delta/plan';
import pg from 'pg';
import postgres from 'postgres';

/** What takes one database to another: scripts to run in order (empty when they are alike), each one transaction. */
export type SchemaDiff = { scripts: string[]; broken: string[] };

/**
 * Compares two databases of one cluster. `broken` names indexes of `to` that exist and yet are not valid: a partitioned table's
 * index made with ON ONLY looks like no difference and serves no query. Throws on objects that the comparison cannot see
 * (statistics objects, casts …), which would otherwise be lost in silence.
 */
export async function schemaDiff(from: string, to: string): Promise<SchemaDiff> {
  const pools = [
    new pg.Pool({ connectionString: from, max: 2 }),
    new pg.Pool({ connectionString: to, max: 2 }),
  ] as const;
  try {
    // One after the other: they share two cores with what is being compared.
    const source = await extract(pools[0]);
    const desired = await extract(pools[1]);
    const unseen = [...source.diagnostics, ...desired.diagnostics].filter(
      (found) => found.code === 'unmodeled_kind' || found.severity === 'error',
    );
    if (unseen.length > 0)
      throw new Error(`The comparison cannot see: ${unseen.map((found) => found.message).join('; ')}`);
    const rendered = renderPlanFiles(plan(source.factBase, desired.factBase), { allowDrops: true });
    return {
      scripts: rendered.changes ? rendered.files.map((file) => withChildren(file.contents)) : [],
      broken: [...(await invalidIndexes(from)), ...(await invalidIndexes(to))],
    };
  } finally {
    await Promise.all(pools.map((pool) => pool.end()));
  }
}

/** ON ONLY makes an index of the partitioned table alone, invalid until every partition is attached by hand. */
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

/** Removes what is no part of the schema: the CLI's own history of applied migrations. */
export async function dropMigrationHistory(url: string): Promise<void> {
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  try {
    await sql`drop schema if exists supabase_migrations cascade`;
  } finally {
    await sql.end();
  }
}
