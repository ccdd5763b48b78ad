import { type ChildProcess, fork } from 'node:child_process';
import { setPriority } from 'node:os';
import { fileURLToPath } from 'node:url';
import type { Sql } from '../../../local/platform/postgres/template.ts';
import { tsxArguments } from '../../../local/platform/supervisor/venues.ts';
import { pause } from '../../support/wait_until.ts';
import type { Authority } from '../../webhook/support/certificate.ts';
import type { HangingEndpoint } from '../check/hanging.ts';
import { fire } from '../load/fire.ts';
import type { ReceiversMessage } from './receivers.ts';

const PATHS = ['/hang-1', '/drip-1', '/hang-2'];
/** Deliveries of one endpoint that come at once, and those that follow. */
const AT_ONCE = 1_200;
const MORE_EVERY_MS = 500;
const LIST_EVERY_MS = 2_000;
/** The sender fails what exceeds the backlog when it claims next. It claims some times a second. */
const FIRST_LIST_MS = 4_000;

type Endpoint = { id: string; path: string; enqueued: string[]; pending: number[] };

/** The receivers that hang, and the endpoints of their organization while an attack lasts. */
export class HangingReceivers {
  readonly #child: ChildProcess;
  readonly #port: number;
  readonly #arrivals = new Map<string, number[]>();

  private constructor(child: ChildProcess, port: number) {
    this.#child = child;
    this.#port = port;
    child.on('message', (message: ReceiversMessage) => {
      if (!('arrivals' in message)) return;
      for (const [id, at] of message.arrivals) this.#arrivals.set(id, [...(this.#arrivals.get(id) ?? []), at]);
    });
  }

  static async open(ca: Authority): Promise<HangingReceivers> {
    const child = fork(fileURLToPath(new URL('./receivers.ts', import.meta.url)), { execArgv: tsxArguments });
    if (child.pid !== undefined) setPriority(child.pid, 19);
    child.send(ca.issue(['localhost']));
    const { port } = await new Promise<{ port: number }>((resolve, reject) => {
      child.once('message', (message) => resolve(message as { port: number }));
      child.once('exit', (code) => reject(new Error(`the hanging receivers ended with ${code}`)));
    });
    return new HangingReceivers(child, port);
  }

  get allowedHost(): string {
    return `localhost:${this.#port}`;
  }

  get attempts(): number {
    return [...this.#arrivals.values()].reduce((sum, times) => sum + times.length, 0);
  }

  /**
   * Registers three endpoints for the organization of `key`, gives each a backlog and more until
   * `signal`, removes them and returns what was seen of them.
   */
  async attack(base: string, key: string, sql: Sql, signal: AbortSignal): Promise<HangingEndpoint[]> {
    const endpoints: Endpoint[] = [];
    for (const path of PATHS) endpoints.push(await this.#register(base, key, path));
    for (const one of endpoints) one.enqueued.push(...(await fire(sql, one.id, AT_ONCE)));
    const list = async () => {
      const pending = await pendingOf(base, key);
      for (const one of endpoints) one.pending.push(pending.get(one.id) ?? 0);
    };
    const startedAt = Date.now();
    let nextList = startedAt + FIRST_LIST_MS;
    while (!signal.aborted) {
      await pause(MORE_EVERY_MS);
      for (const one of endpoints) await fire(sql, one.id);
      if (Date.now() < nextList) continue;
      nextList = Date.now() + LIST_EVERY_MS;
      await list();
    }
    await list();
    const rows = await sql<{ endpoint: string; id: string; attempts: number }[]>`
      select endpoint_id as endpoint, delivery_id as id, attempts
      from webhook.deliveries
      where endpoint_id = any(${endpoints.map(({ id }) => id)}::uuid[])
        and state = 'failed' and last_error = 'backlog'`;
    const known = await sql<{ endpoint: string; id: string }[]>`
      select endpoint_id as endpoint, delivery_id as id
      from webhook.deliveries
      where endpoint_id = any(${endpoints.map(({ id }) => id)}::uuid[])`;
    for (const { id } of endpoints)
      await fetch(`${base}/v1/webhooks/${id}`, { method: 'DELETE', headers: { authorization: `Bearer ${key}` } });
    return endpoints.map(({ id, path, enqueued, pending }) => {
      const own = known.filter((row) => row.endpoint === id && this.#arrivals.has(row.id));
      return {
        path,
        enqueued,
        pending,
        backlog: rows.filter((row) => row.endpoint === id),
        arrivals: new Map(own.map((row) => [row.id, this.#arrivals.get(row.id) ?? []])),
      };
    });
  }

  async #register(base: string, key: string, path: string): Promise<Endpoint> {
    const response = await fetch(`${base}/v1/webhooks`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ url: `https://${this.allowedHost}${path}`, events: ['pair.created'] }),
    });
    const { id } = (await response.json()) as { id?: string };
    if (!id) throw new Error(`registration of ${path}: ${response.status}`);
    return { id, path, enqueued: [], pending: [] };
  }

  end(): void {
    if (this.#child.connected) this.#child.disconnect();
  }
}

async function pendingOf(base: string, key: string): Promise<Map<string, number>> {
  const response = await fetch(`${base}/v1/webhooks`, { headers: { authorization: `Bearer ${key}` } });
  const { webhooks = [] } = (await response.json()) as { webhooks?: { id: string; pending: number }[] };
  return new Map(webhooks.map(({ id, pending }) => [id, pending]));
}
