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
/** The stored response helps to find out why a call failed. It is not a download. */
const MAX_CONTENT_BYTES = 1_000_000;

/**
 * Sends the requests of `net.http_request_queue` and stores the responses. The statement that
 * stores a response also removes the request from the queue, so a crash in between repeats the
 * request and never loses it.
 */
export class NetRunner {
  readonly #admin: postgres.Sql;
  readonly #inFlight = new Set<string>();
  #timers: NodeJS.Timeout[] = [];
  #isDraining = false;
  #drainAgain = false;
  #isStopping = false;

  constructor(admin: postgres.Sql) {
    this.#admin = admin;
  }

  start(): void {
    // Notifications start a drain at once. The slow timer covers a notification that was lost with
    // its connection.
    const poll = setInterval(() => this.wake(), 2_000);
    const prune = setInterval(() => void this.#prune(), 60_000);
    this.#timers = [poll, prune];
    this.wake();
  }

  wake(): void {
    this.#drainAgain = true;
    if (!this.#isDraining) void this.#drain();
  }

  async #drain(): Promise<void> {
    this.#isDraining = true;
    try {
      while (this.#drainAgain && !this.#isStopping) {
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
      console.error(`The request queue could not be read: ${errorText(error)}`);
    } finally {
      this.#isDraining = false;
    }
  }

  async #handle(row: Queued): Promise<void> {
    const outcome = await send(row);
    if (this.#isStopping && outcome.status === null) return;
    try {
      await this.#admin`
        with taken as (delete from net.http_request_queue where id = ${row.id} returning id)
        insert into net._http_response (id, status_code, content_type, headers, content, timed_out, error_msg)
        select id, ${outcome.status}, ${outcome.contentType}, ${outcome.headers ? this.#admin.json(outcome.headers) : null}, ${outcome.content},
          ${outcome.timedOut}, ${outcome.error}
        from taken`;
    } catch (error) {
      console.error(`The response to request ${row.id} could not be stored: ${errorText(error)}`);
      // It is sent again, but not in a tight loop while the database is unavailable.
      await new Promise((resolve) => setTimeout(resolve, 1_000));
    }
  }

  /** Keeps responses for six hours, the default of pg_net. */
  async #prune(): Promise<void> {
    try {
      await this.#admin`delete from net._http_response where created < now() - interval '6 hours'`;
    } catch (error) {
      console.error(`Old responses could not be removed: ${errorText(error)}`);
    }
  }

  stop(): void {
    this.#isStopping = true;
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
      // Text in Postgres cannot contain NUL.
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
