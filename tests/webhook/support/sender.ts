import type { ChildProcess } from 'node:child_process';
import type { Sql } from '../../../local/platform/postgres/template.ts';
import type { TestDatabase } from '../../support/database.ts';
import { startFunction } from '../../support/function_process.ts';

/** `deno task deliver` as a process of its own on a test's database. */
export class SenderProcess {
  readonly #child: ChildProcess;
  readonly #gone: Promise<void>;
  output = '';

  constructor(db: TestDatabase, ca: string) {
    this.#child = startFunction('deliver', { DB_URL_DELIVER: db.url('parallax_deliver'), WEBHOOK_CA: ca });
    for (const stream of [this.#child.stdout, this.#child.stderr])
      stream?.on('data', (part: Buffer) => {
        this.output += part.toString();
      });
    this.#gone = new Promise((resolve) => this.#child.once('exit', () => resolve()));
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  async end(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    this.#child.kill(signal);
    // One that is caught in a loop hears no signal, and would go on after the tests.
    const last = setTimeout(() => this.#child.kill('SIGKILL'), 15_000);
    await this.#gone;
    clearTimeout(last);
  }
}

/** Waits until `found` gives something; the deadline is for a machine that is busy with other things as well. */
export async function until<T>(
  what: string,
  found: () => Promise<T | undefined | false> | T | undefined | false,
  seconds = 60,
): Promise<T> {
  const end = Date.now() + seconds * 1_000;
  for (;;) {
    const value = await found();
    if (value !== undefined && value !== false) return value;
    if (Date.now() > end) throw new Error(`${what}: not within ${seconds} s`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

let organizations = 0;
/** An organization with a plan that has webhooks. */
export async function organizationWithPlan(sql: Sql, tier = 'pro'): Promise<string> {
  const [row] = await sql<
    { org: string }[]
  >`select account.create_organization(${`org ${++organizations}`}, ${tier}) as org`;
  return row?.org ?? '';
}

export type Endpoint = { id: string; url: string; secret: string; created_at: string };

/** An endpoint registered by its rules, without a door before them. */
export async function endpoint(
  sql: Sql,
  org: string,
  url: string,
  wants: { events?: string[]; threshold?: number } = {},
): Promise<Endpoint> {
  const events = wants.events ?? (wants.threshold === undefined ? ['pair.created'] : ['spread.threshold']);
  const [row] = await sql<{ made: Endpoint | null; faults: unknown[] }[]>`
    select webhook.register(${org}, ${url}, ${events}, ${wants.threshold ?? null}) as made,
           webhook.faults(${url}, ${events}, ${wants.threshold ?? null}) as faults`;
  if (!row?.made || row.faults.length > 0) throw new Error(`not registered: ${JSON.stringify(row)}`);
  return row.made;
}

/** Lets receivers of this machine be named, as npm start -- --webhook-allow does. */
export const allow = (sql: Sql, ...hosts: string[]) => sql`update webhook.settings set allowed = ${hosts}`;

/** Deliveries to an endpoint, as if its events had fired; `count` of them. Their ids. */
export async function enqueue(sql: Sql, endpointId: string, count = 1): Promise<string[]> {
  const rows = await sql<{ delivery_id: string }[]>`
    insert into webhook.deliveries (endpoint_id, event, body)
    select ${endpointId}::uuid, 'pair.created', '{"event":"pair.created","n":' || g || '}'
    from generate_series(1, ${count}) g
    returning delivery_id`;
  return rows.map((row) => row.delivery_id);
}

export type DeliveryRow = { state: string; attempts: number; last_status: number | null; last_error: string | null };
export async function delivery(sql: Sql, id: string): Promise<DeliveryRow> {
  const [row] = await sql<DeliveryRow[]>`
    select state, attempts, last_status, last_error from webhook.deliveries where delivery_id = ${id}`;
  if (!row) throw new Error(`no delivery ${id}`);
  return row;
}
