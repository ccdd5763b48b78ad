import type { Sql } from '../../../local/platform/postgres/template.ts';
import { enqueue } from '../../webhook/support/sender.ts';

/**
 * Inserts `count` deliveries to an endpoint and wakes the sender, as the product's triggers do.
 * Returns their ids, oldest first.
 */
export async function fire(sql: Sql, endpointId: string, count = 1): Promise<string[]> {
  const ids = await enqueue(sql, endpointId, count);
  await sql`select webhook.wake_sender()`;
  return ids;
}
