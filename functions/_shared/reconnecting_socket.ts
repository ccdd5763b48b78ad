import { backoffDelay, type Runtime } from './runtime.ts';

export type SocketEvents = {
  open(): void;
  message(text: string): void;
  /** A message was not read because of a limit (`too_large`, `too_deep`, `too_many`). */
  overLimit?(fault: string): void;
  /** `refusedStatus`: the HTTP status of a handshake that the server refused; null if not known. */
  close(reason: string, refusedStatus?: number | null): void;
};
export type OpenSocket = { send(text: string): void; close(): void };
/** Opens a WebSocket that sends `headers` in its handshake (functions/ingest/sockets.ts). */
export type SocketFactory = (url: string, headers: Record<string, string>, on: SocketEvents) => OpenSocket;

export type ReconnectingSocketOptions = {
  url: string;
  make: SocketFactory;
  /** `marketNow`: market time, whole epoch milliseconds. */
  runtime: Runtime & { marketNow(): number; log(line: string): void };
  headers?(): Promise<Record<string, string>>;
  on: {
    open(): void;
    /** `at`: market time of receipt, read before any other work. */
    message(text: string, at: number): void;
    /**
     * The connection ended. `lastAlive`: market time of the last sign of life of any connection so
     * far; null before the first one opened.
     */
    down(why: 'feed.disconnected' | 'feed.silent', lastAlive: number | null): void;
    /**
     * The other side ended the connection before it opened. `status`: the HTTP status of the
     * handshake, null if the runtime does not show it. `down` follows.
     */
    refused?(status: number | null): void;
    /**
     * A message was not read because of a limit (`too_large`, `too_deep`, `too_many`), so the
     * connection ends. `down` follows.
     */
    overLimit?(fault: string): void;
    /** Builds the ping that goes out every `pingMs`. */
    ping(): string;
  };
  pingMs?: number;
  silentMs?: number;
  connectMs?: number;
};

const FIRST_BACKOFF_MS = 200;
const MAX_BACKOFF_MS = 15_000;
/** Both venues want a ping every 10 s. Its answer may take 5 s. */
const SILENT_MS = 15_000;
/** After a connection of this length, the backoff starts again at its first step. */
const STABLE_AFTER_MS = 30_000;

/** Connects, sends pings, closes a silent connection, waits for the backoff and connects again. */
export class ReconnectingSocket {
  readonly #options: ReconnectingSocketOptions;
  readonly #ending = new AbortController();
  #socket: OpenSocket | null = null;
  #running: Promise<void> = Promise.resolve();
  #closeSession: (() => void) | null = null;
  /** Real time of the last message. */
  #lastMessageAt = 0;
  lastAliveAt: number | null = null;
  isOpen = false;

  constructor(options: ReconnectingSocketOptions) {
    this.#options = options;
  }

  start(): void {
    this.#running = this.#run();
  }

  async stop(): Promise<void> {
    this.#ending.abort();
    this.#closeSession?.();
    await this.#running;
  }

  send(message: unknown): void {
    if (this.isOpen) this.#socket?.send(typeof message === 'string' ? message : JSON.stringify(message));
  }

  /** Closes the connection; the loop connects again after the backoff. */
  reconnect(): void {
    this.#closeSession?.();
  }

  async #run(): Promise<void> {
    const { runtime, on } = this.#options;
    for (let attempt = 0; !this.#ending.signal.aborted; attempt += 1) {
      const startedAt = runtime.now();
      const silent = await this.#session();
      const lastAlive = this.lastAliveAt;
      if (this.#ending.signal.aborted) return;
      on.down(silent ? 'feed.silent' : 'feed.disconnected', lastAlive);
      if (runtime.now() - startedAt > STABLE_AFTER_MS) attempt = 0;
      await runtime.sleep(backoffDelay(attempt, FIRST_BACKOFF_MS, MAX_BACKOFF_MS, runtime.random), this.#ending.signal);
    }
  }

  /** Runs one connection to its end. Returns whether it ended because no message came. */
  async #session(): Promise<boolean> {
    const { runtime, on, make, url } = this.#options;
    const pingMs = this.#options.pingMs ?? 10_000;
    const silentMs = this.#options.silentMs ?? SILENT_MS;
    const connectMs = this.#options.connectMs ?? 10_000;
    let headers: Record<string, string> = {};
    try {
      headers = (await this.#options.headers?.()) ?? {};
    } catch (error) {
      runtime.log(`the handshake could not be signed: ${String(error)}`);
      return false;
    }
    if (this.#ending.signal.aborted) return false;
    const over = new AbortController();
    let silent = false;
    const ended = new Promise<void>((resolve) => {
      const end = (): void => {
        if (over.signal.aborted) return;
        this.isOpen = false;
        over.abort();
        resolve();
      };
      this.#closeSession = () => {
        end();
        this.#socket?.close();
      };
      try {
        this.#socket = make(url, headers, {
          open: () => {
            if (over.signal.aborted) return;
            this.isOpen = true;
            this.#lastMessageAt = runtime.now();
            this.lastAliveAt = runtime.marketNow();
            on.open();
          },
          message: (text) => {
            const at = runtime.marketNow();
            if (over.signal.aborted) return;
            this.#lastMessageAt = runtime.now();
            this.lastAliveAt = at;
            on.message(text, at);
          },
          overLimit: (fault) => on.overLimit?.(fault),
          close: (reason, refusedStatus = null) => {
            if (!over.signal.aborted && reason !== '') runtime.log(`the socket was closed: ${reason}`);
            const isRefused = !over.signal.aborted && !this.isOpen;
            end();
            if (isRefused) on.refused?.(refusedStatus);
          },
        });
      } catch (error) {
        runtime.log(`the socket could not be opened: ${String(error)}`);
        end();
      }
    });
    const monitor = async (): Promise<void> => {
      const startedAt = runtime.now();
      let pingedAt = startedAt;
      while (!over.signal.aborted) {
        await runtime.sleep(Math.min(1_000, pingMs), over.signal);
        if (over.signal.aborted) return;
        const now = runtime.now();
        if (!this.isOpen) {
          if (now - startedAt > connectMs) this.#closeSession?.();
        } else if (now - this.#lastMessageAt > silentMs) {
          silent = true;
          this.#closeSession?.();
        } else if (now - pingedAt >= pingMs) {
          pingedAt = now;
          this.send(on.ping());
        }
      }
    };
    const monitoring = monitor();
    await ended;
    await monitoring;
    this.#socket = null;
    return silent;
  }
}
