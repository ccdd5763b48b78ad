import { backOff, type Surroundings } from './surroundings.ts';

export type SocketEvents = { open(): void; message(text: string): void; close(reason: string): void };
export type OpenSocket = { send(text: string): void; close(): void };
/** Opens a WebSocket with headers on its handshake; each runtime has its own way (functions/ingest/sockets.ts). */
export type SocketMaker = (url: string, headers: Record<string, string>, on: SocketEvents) => OpenSocket;

export type LiveSocketOptions = {
  url: string;
  make: SocketMaker;
  /** `shown`: market time now, whole epoch ms. */
  around: Surroundings & { shown(): number; log(line: string): void };
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

const FIRST_WAIT = 200;
const MOST_WAIT = 15_000;
/** A ping goes out every 10 s as both venues want it, and has 5 s to be answered. */
const SILENT_MS = 15_000;
/** A socket that lived this long was good, so the next back-off begins anew. */
const GOOD_LIFE = 30_000;

/** One socket that is always coming back: connect, ping, watch for silence, back off, connect again. */
export class LiveSocket {
  private readonly options: LiveSocketOptions;
  private readonly ending = new AbortController();
  private socket: OpenSocket | null = null;
  private running: Promise<void> = Promise.resolve();
  private drop: (() => void) | null = null;
  /** Real time of the last message. */
  private heardAt = 0;
  lastAliveAt: number | null = null;
  open = false;
  /** How often it was opened. */
  opened = 0;

  constructor(options: LiveSocketOptions) {
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
    if (this.open) this.socket?.send(typeof message === 'string' ? message : JSON.stringify(message));
  }

  /** Hangs up; the run connects again after its back-off. */
  restart(): void {
    this.drop?.();
  }

  private async run(): Promise<void> {
    const { around, on } = this.options;
    for (let attempt = 0; !this.ending.signal.aborted; attempt += 1) {
      const began = around.now();
      const silent = await this.session();
      const lastAlive = this.lastAliveAt;
      if (this.ending.signal.aborted) return;
      on.down(silent ? 'feed.silent' : 'feed.disconnected', lastAlive);
      if (around.now() - began > GOOD_LIFE) attempt = 0;
      await around.sleep(backOff(attempt, FIRST_WAIT, MOST_WAIT, around.random), this.ending.signal);
    }
  }

  /** One connection from its handshake to its end. Returns whether it ended because nothing was heard. */
  private async session(): Promise<boolean> {
    const { around, on, make, url } = this.options;
    const pingMs = this.options.pingMs ?? 10_000;
    const silentMs = this.options.silentMs ?? SILENT_MS;
    const connectMs = this.options.connectMs ?? 10_000;
    let headers: Record<string, string> = {};
    try {
      headers = (await this.options.headers?.()) ?? {};
    } catch (error) {
      around.log(`signing the handshake failed: ${String(error)}`);
      return false;
    }
    if (this.ending.signal.aborted) return false;
    const over = new AbortController();
    let silent = false;
    const ended = new Promise<void>((resolve) => {
      const end = (): void => {
        if (over.signal.aborted) return;
        this.open = false;
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
            this.open = true;
            this.opened += 1;
            this.heardAt = around.now();
            this.lastAliveAt = around.shown();
            on.open();
          },
          message: (text) => {
            const at = around.shown();
            if (over.signal.aborted) return;
            this.heardAt = around.now();
            this.lastAliveAt = at;
            on.message(text, at);
          },
          close: (reason) => {
            if (!over.signal.aborted && reason !== '') around.log(`socket closed: ${reason}`);
            end();
          },
        });
      } catch (error) {
        around.log(`socket not opened: ${String(error)}`);
        end();
      }
    });
    const watch = async (): Promise<void> => {
      const began = around.now();
      let pinged = began;
      while (!over.signal.aborted) {
        await around.sleep(Math.min(1_000, pingMs), over.signal);
        if (over.signal.aborted) return;
        const now = around.now();
        if (!this.open) {
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
