import { backoffDelay, type Runtime } from './runtime.ts';

export type SocketEvents = { open(): void; message(text: string): void; close(reason: string): void };
export type OpenSocket = { send(text: string): void; close(): void };
/** Opens a WebSocket with headers on its handshake; each runtime has its own way (functions/ingest/sockets.ts). */
export type SocketFactory = (url: string, headers: Record<string, string>, on: SocketEvents) => OpenSocket;

export type ReconnectingSocketOptions = {
  url: string;
  make: SocketFactory;
  /** `shown`: market time now, whole epoch ms. */
  runtime: Runtime & { marketNow(): number; log(line: string): void };
  headers?(): Promise<Record<string, string>>;
  on: {
    open(): void;
    /** `at`: market time of receipt, stamped before anything else was done. */
    message(text: string, at: number): void;
    /** The socket is gone; `lastAlive` is the market time of its last sign of life, null when it never opened. */
    down(why: 'feed.disconnected' | 'feed.silent', lastAlive: number | null): void;
    /** What to send when the line has been ours to keep alive for `pingMs`. */
    ping(): string;
  };
  pingMs?: number;
  silentMs?: number;
  connectMs?: number;
};

const FIRST_BACKOFF_MS = 200;
const MAX_BACKOFF_MS = 15_000;
/** A ping goes out every 10 s as both venues want it, and has 5 s to be answered. */
const SILENT_MS = 15_000;
/** A socket that lived this long was good, so the next back-off begins anew. */
const STABLE_AFTER_MS = 30_000;

/** One socket that is always coming back: connect, ping, watch for silence, back off, connect again. */
export class ReconnectingSocket {
  private readonly options: ReconnectingSocketOptions;
  private readonly ending = new AbortController();
  private socket: OpenSocket | null = null;
  private running: Promise<void> = Promise.resolve();
  private drop: (() => void) | null = null;
  /** Real time of the last message. */
  private heardAt = 0;
  lastAliveAt: number | null = null;
  isOpen = false;
  /** How often it was opened. */
  openCount = 0;

  constructor(options: ReconnectingSocketOptions) {
    this.options = options;
  }

  start(): void {
    this.running = this.run();
  }

  async stop(): Promise<void> {
    this.ending.abort();
    this.drop?.();
    await this.running;
  }

  send(message: unknown): void {
    if (this.isOpen) this.socket?.send(typeof message === 'string' ? message : JSON.stringify(message));
  }

  /** Hangs up; the run connects again after its back-off. */
  restart(): void {
    this.drop?.();
  }

  private async run(): Promise<void> {
    const { runtime, on } = this.options;
    for (let attempt = 0; !this.ending.signal.aborted; attempt += 1) {
      const began = runtime.now();
      const silent = await this.session();
      const lastAlive = this.lastAliveAt;
      if (this.ending.signal.aborted) return;
      on.down(silent ? 'feed.silent' : 'feed.disconnected', lastAlive);
      if (runtime.now() - began > STABLE_AFTER_MS) attempt = 0;
      await runtime.sleep(backoffDelay(attempt, FIRST_BACKOFF_MS, MAX_BACKOFF_MS, runtime.random), this.ending.signal);
    }
  }

  /** One connection from its handshake to its end. Returns whether it ended because nothing was heard. */
  private async session(): Promise<boolean> {
    const { runtime, on, make, url } = this.options;
    const pingMs = this.options.pingMs ?? 10_000;
    const silentMs = this.options.silentMs ?? SILENT_MS;
    const connectMs = this.options.connectMs ?? 10_000;
    let headers: Record<string, string> = {};
    try {
      headers = (await this.options.headers?.()) ?? {};
    } catch (error) {
      runtime.log(`signing the handshake failed: ${String(error)}`);
      return false;
    }
    if (this.ending.signal.aborted) return false;
    const over = new AbortController();
    let silent = false;
    const ended = new Promise<void>((resolve) => {
      const end = (): void => {
        if (over.signal.aborted) return;
        this.isOpen = false;
        over.abort();
        resolve();
      };
      this.drop = () => {
        end();
        this.socket?.close();
      };
      try {
        this.socket = make(url, headers, {
          open: () => {
            if (over.signal.aborted) return;
            this.isOpen = true;
            this.openCount += 1;
            this.heardAt = runtime.now();
            this.lastAliveAt = runtime.marketNow();
            on.open();
          },
          message: (text) => {
            const at = runtime.marketNow();
            if (over.signal.aborted) return;
            this.heardAt = runtime.now();
            this.lastAliveAt = at;
            on.message(text, at);
          },
          close: (reason) => {
            if (!over.signal.aborted && reason !== '') runtime.log(`socket closed: ${reason}`);
            end();
          },
        });
      } catch (error) {
        runtime.log(`socket not opened: ${String(error)}`);
        end();
      }
    });
    const watch = async (): Promise<void> => {
      const began = runtime.now();
      let pinged = began;
      while (!over.signal.aborted) {
        await runtime.sleep(Math.min(1_000, pingMs), over.signal);
        if (over.signal.aborted) return;
        const now = runtime.now();
        if (!this.isOpen) {
          if (now - began > connectMs) this.drop?.();
        } else if (now - this.heardAt > silentMs) {
          silent = true;
          this.drop?.();
        } else if (now - pinged >= pingMs) {
          pinged = now;
          this.send(on.ping());
        }
      }
    };
    const watching = watch();
    await ended;
    await watching;
    this.socket = null;
    return silent;
  }
}
