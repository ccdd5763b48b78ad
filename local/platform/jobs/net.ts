import type postgres from 'postgres';
import { errorText } from '../user_error.ts';

type Queued = {
  id: string;
  method: string;
  url: string;
  headers: Record<string, string> | null;
  body: Uint8Array | null;
  timeout_milliseconds: number;
};

type Outcome = {
  status: number | null;
  contentType: string | null;
  headers: Record<string, string> | null;
  content: string | null;
  timedOut: boolean;
  error: string | null;
};

const MAX_CONCURRENT = 64;
/** An answer is for a person who looks why a call failed, not a download. */
const MAX_CONTENT_BYTES = 1_000_000;

/**
 * Sends what is queued in `net.http_request_queue` and stores the answers. A request leaves the queue in the statement that
 * stores its answer, so a crash in between sends it a second time and never loses it.
 */
export class NetRunner {
  readonly #admin: postgres.Sql;
  readonly #inFlight = new Set<string>();
  #timers: NodeJS.Timeout[] = [];
  #draining = false;
  #drainAgain = false;
  #stopping = false;

  constructor(admin: postgres.Sql) {
    this.#admin = admin;
  }

  start(): void {
    // Notifications wake us at once; the slow look is for one that was lost with its connection.
    const look = setInterval(() => this.wake(), 2_000);
    const prune = setInterval(() => void this.#prune(), 60_000);
    this.#timers = [look, prune];
    this.wake();
  }

  wake(): void {
    this.#drainAgain = true;
    if (!this.#draining) void this.#drain();
  }

  async #drain(): Promise<void> {
    this.#draining = true;
    try {
      while (this.#drainAgain && !this.#stopping) {
        this.#drainAgain = false;
        const room = MAX_CONCURRENT - this.#inFlight.size;
        if (room <= 0) break;
        const rows = await this.#admin<Queued[]>`
          select id::text, method, url, headers, body, timeout_milliseconds
          from net.http_request_queue
          where id <> all (${`{${[...this.#inFlight].join(',')}}`}::text::bigint[])
          order by net.http_request_queue.id
          limit ${room}`;
        for (const row of rows) {
          this.#inFlight.add(row.id);
          void this.#handle(row).finally(() => {
            this.#inFlight.delete(row.id);
            this.wake();
          });
        }
      }
    } catch (error) {
      console.error(`the queue cannot be read: ${errorText(error)}`);
    } finally {
      this.#draining = false;
    }
  }

  async #handle(row: Queued): Promise<void> {
    const outcome = await send(row);
    if (this.#stopping && outcome.status === null) return;
    try {
      await this.#admin`
        with taken as (delete from net.http_request_queue where id = ${row.id} returning id)
        insert into net._http_response (id, status_code, content_type, headers, content, timed_out, error_msg)
        select id, ${outcome.status}, ${outcome.contentType}, ${outcome.headers ? this.#admin.json(outcome.headers) : null}, ${outcome.content},
          ${outcome.timedOut}, ${outcome.error}
        from taken`;
    } catch (error) {
      console.error(`the answer to request ${row.id} cannot be stored: ${errorText(error)}`);
      // It will be sent again; not in a tight loop while the database is away.
      await new Promise((resolve) => setTimeout(resolve, 1_000));
    }
  }

  /** As pg_net's default: answers are kept for six hours. */
  async #prune(): Promise<void> {
    try {
      await this.#admin`delete from net._http_response where created < now() - interval '6 hours'`;
    } catch (error) {
      console.error(`old answers cannot be removed: ${errorText(error)}`);
    }
  }

  stop(): void {
    this.#stopping = true;
    for (const timer of this.#timers) clearInterval(timer);
  }
}

async function send(row: Queued): Promise<Outcome> {
  const nothing = { status: null, contentType: null, headers: null, content: null };
  try {
    const answer = await fetch(row.url, {
      method: row.method.toUpperCase(),
      headers: row.headers ?? {},
      ...(row.body && row.method.toUpperCase() !== 'GET' ? { body: Buffer.from(row.body) } : {}),
      redirect: 'manual',
      signal: AbortSignal.timeout(row.timeout_milliseconds),
    });
    const text = await answer.text();
    return {
      status: answer.status,
      contentType: answer.headers.get('content-type'),
      headers: Object.fromEntries(answer.headers),
      // NUL is the one character that text in Postgres cannot hold.
      content: text.slice(0, MAX_CONTENT_BYTES).replaceAll('\0', ''),
      timedOut: false,
      error: null,
    };
  } catch (error) {
    if (error instanceof DOMException && error.name === 'TimeoutError') {
      return { ...nothing, timedOut: true, error: `Timeout of ${row.timeout_milliseconds} ms reached` };
    }
    const cause = error instanceof Error && error.cause !== undefined ? errorText(error.cause) : errorText(error);
    return { ...nothing, timedOut: false, error: cause };
  }
}
