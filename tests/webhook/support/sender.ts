import type { Sql } from '../../../local/platform/postgres/template.ts';

let organizations = 0;
/** Creates an organization with a plan that includes webhooks. */
export async function organizationWithPlan(sql: Sql, tier = 'pro'): Promise<string> {
  const [row] = await sql<
    { org: string }[]
  >`select account.create_organization(${`org ${++organizations}`}, ${tier}) as org`;
  return row?.org ?? '';
}

export type Endpoint = { id: string; url: string; secret: string; created_at: string };

/** Registers an endpoint with webhook.register_endpoint directly, without admission. */
export async function createEndpoint(
  sql: Sql,
  org: string,
  url: string,
  options: { events?: string[]; threshold?: number } = {},
): Promise<Endpoint> {
  const events = options.events ?? (options.threshold === undefined ? ['pair.created'] : ['spread.threshold']);
  const [row] = await sql<{ made: Endpoint | { refused: string } }[]>`
    select webhook.register_endpoint(${org}, ${url}, ${events}, ${options.threshold ?? null}) as made`;
  if (!row || 'refused' in row.made) throw new Error(`not registered: ${JSON.stringify(row)}`);
  return row.made;
}

/** Lists receivers that may have private addresses, as `npm start -- --webhook-allow` does. */
export const allowHosts = (sql: Sql, ...hosts: string[]) => sql`update webhook.settings set allowed_hosts = ${hosts}`;

/** Inserts `count` deliveries to an endpoint, as if its events had fired, and returns their ids. */
export async function enqueue(sql: Sql, endpointId: string, count = 1): Promise<string[]> {
  const rows = await sql<{ delivery_id: string }[]>`
    insert into webhook.deliveries (endpoint_id, event, body)
    select ${endpointId}::uuid, 'pair.created', '{"event":"pair.created","n":' || g || '}'
    from generate_series(1, ${count}) g
    returning delivery_id`;
  return rows.map((row) => row.delivery_id);
}

export type DeliveryRow = { state: string; attempts: number; last_status: number | null; last_error: string | null };
export async function deliveryRow(sql: Sql, id: string): Promise<DeliveryRow> {
  const [row] = await sql<DeliveryRow[]>`
    select state, attempts, last_status, last_error from webhook.deliveries where delivery_id = ${id}`;
  if (!row) throw new Error(`no delivery ${id}`);
  return row;
}
