import type { Sql } from '../../local/platform/postgres/template.ts';
import { waitUntil } from './wait_until.ts';

/** Waits until this many statements of the database that contain `text` wait for a lock. */
export async function untilWaitingForLock(sql: Sql, text: string, statements = 1): Promise<void> {
  await waitUntil(
    async () => {
      const rows = await sql`
        select from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock' and strpos(query, ${text}) > 0`;
      return rows.length === statements;
    },
    { what: `${statements} of ${text} wait for a lock`, timeoutMs: 60_000 },
  );
}
