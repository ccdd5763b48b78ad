import type { SocketFactory } from '../../functions/_shared/reconnecting_socket.ts';
import { openSocketOf } from '../../functions/ingest/socket_events.ts';
import type { RequestHeaders, Venue, VenueClient, VenueSocket } from '../../local/venue_simulator/core/venue.ts';

/** What a server does: answer requests, and take WebSockets if it has them. */
export type VirtualServer = Pick<Venue, 'respond'> & Partial<Pick<Venue, 'refusal' | 'connect'>>;

/**
 * HTTP and WebSockets without TCP, for servers in this process. Nothing takes time here, but
 * nothing happens within the call that causes it either. `tests/ingest/transports.system.test.ts`
 * compares it with real sockets.
 */
export class VirtualNetwork {
  readonly #servers = new Map<string, VirtualServer>();

  /** Serves `host`, a name of your choice. */
  listen(host: string, server: VirtualServer): void {
    this.#servers.set(host, server);
  }

  readonly fetch: typeof fetch = async (input, init) => {
    const signal = init?.signal ?? null;
    signal?.throwIfAborted();
    const url = new URL(String(input));
    const sent = init?.body === undefined || init.body === null ? undefined : String(init.body);
    const request = {
      method: init?.method ?? 'GET',
      url,
      headers: headersOf(new Headers(init?.headers)),
      body: async () => parsed(sent),
    };
    const answer = await orAborted(this.#respond(url.host, request), signal);
    if (answer === 'cut') throw new TypeError('fetch failed');
    if ('hostile' in answer) throw new Error('A hostile answer needs a real connection.');
    const { status, body, headers } = answer;
    return new Response(body, { status, headers: { 'content-type': 'application/json', ...headers } });
  };

  readonly openSocket: SocketFactory = (url, headers, on) => {
    const address = new URL(url);
    return openSocketOf(new VirtualSocket(this.#servers.get(address.host), address, headers), on);
  };

  async #respond(host: string, request: Parameters<VirtualServer['respond']>[0]) {
    await null;
    return (await this.#servers.get(host)?.respond(request)) ?? 'cut';
  }
}

/** The client's end of a WebSocket, as npm's `ws` implements it. */
class VirtualSocket {
  onopen: WebSocket['onopen'] = null;
  onmessage: WebSocket['onmessage'] = null;
  onerror: WebSocket['onerror'] = null;
  onclose: WebSocket['onclose'] = null;
  readyState: 0 | 1 | 2 | 3 = 0;
  #client: VenueClient | null = null;
  /** What is on its way, in each direction. */
  #toClient: Promise<void> = Promise.resolve();
  #toVenue: Promise<void> = Promise.resolve();

  constructor(server: VirtualServer | undefined, url: URL, headers: Record<string, string>) {
    this.#later(() => this.#shakeHands(server, url, headersOf(new Headers(headers))));
  }

  send(text: string): void {
    if (this.readyState === 1) this.#send(() => this.#client?.command(text));
  }

  close(): void {
    if (this.readyState > 1) return;
    const wasOpen = this.readyState === 1;
    this.readyState = 2;
    // The venue answers the close frame, so its messages until then still arrive.
    if (wasOpen) {
      this.#send(() => {
        this.#leave();
        this.#later(() => this.#end(1005));
      });
    } else this.#later(() => this.#fail('WebSocket was closed before the connection was established'));
  }

  terminate(): void {
    if (this.readyState === 3) return;
    this.readyState = 2;
    this.#send(() => this.#leave());
    this.#later(() => this.#end(1006));
  }

  #shakeHands(server: VirtualServer | undefined, url: URL, headers: RequestHeaders): void {
    if (this.readyState !== 0) return;
    const refusal = server?.refusal?.({ url, headers }) ?? null;
    if (!server?.connect) this.#fail(`connect ECONNREFUSED ${url.host}`);
    else if (refusal === 'cut') this.#fail('socket hang up');
    else if (refusal !== null) this.#fail(`Unexpected server response: ${Number.parseInt(refusal, 10)}`);
    else {
      this.readyState = 1;
      this.#client = server.connect(this.#venueEnd());
      emit(this, this.onopen, {});
    }
  }

  #venueEnd(): VenueSocket {
    let isOpen = true;
    return {
      get isOpen() {
        return isOpen;
      },
      bufferedAmount: 0,
      send: (text) =>
        this.#later(() => {
          if (this.readyState < 3) emit(this, this.onmessage, { data: text });
        }),
      ping() {},
      terminate: () => {
        isOpen = false;
        this.#send(() => this.#leave());
        this.#later(() => this.#end(1006));
      },
    };
  }

  #leave(): void {
    this.#client?.close();
    this.#client = null;
  }

  #fail(message: string): void {
    if (this.readyState === 3) return;
    emit(this, this.onerror, { message });
    this.#end(1006);
  }

  #end(code: number): void {
    if (this.readyState === 3) return;
    this.readyState = 3;
    emit(this, this.onclose, { code, reason: '' });
  }

  #later(action: () => void): void {
    this.#toClient = this.#toClient.then(action);
  }

  #send(action: () => void): void {
    this.#toVenue = this.#toVenue.then(action);
  }
}

/** Calls a listener with an event of these fields: no more is used. */
function emit(socket: VirtualSocket, listener: ((event: never) => unknown) | null, fields: object): void {
  (listener as ((this: VirtualSocket, event: object) => unknown) | null)?.call(socket, fields);
}

const headersOf = (headers: Headers): Record<string, string> => Object.fromEntries(headers);

function parsed(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? '');
  } catch {
    return undefined;
  }
}

/** Rejects as `fetch` does when the signal is aborted before the answer. */
function orAborted<T>(answer: Promise<T>, signal: AbortSignal | null): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal?.reason);
    signal?.addEventListener('abort', abort, { once: true });
    answer.then(resolve, reject).finally(() => signal?.removeEventListener('abort', abort));
  });
}
