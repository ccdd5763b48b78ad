import type { SocketFactory } from '../../_shared/reconnecting_socket.ts';
import type { Runtime } from '../../_shared/runtime.ts';
import type { AccessKey } from './access_key.ts';
import type { VenueARest } from './rest.ts';

/** Statuses of a handshake that mean the key. */
const KEY_STATUSES = [401, 403];
/** After so many refused handshakes of unknown status in a row a signed request is sent. */
const MAX_UNKNOWN = 3;
const TRIAL_MS = 10_000;

export type HandshakeCheckOptions = {
  url: string;
  make: SocketFactory;
  key: AccessKey;
  rest: Pick<VenueARest, 'isKeyRefused'>;
  runtime: Runtime;
  /** The venue refuses the key. */
  refuse(reason: string): void;
};

/**
 * Finds out whether the venue refuses the key. It refuses a bad or expired key at the handshake,
 * with 401, and never on an open socket (venues.md G3). A runtime may hide the status of a refused
 * handshake. Then several in a row lead to one signed REST request that shows the 401.
 */
export class HandshakeCheck {
  readonly #options: HandshakeCheckOptions;
  #unknown = 0;
  #isAsking = false;

  constructor(options: HandshakeCheckOptions) {
    this.#options = options;
  }

  onOpen(): void {
    this.#unknown = 0;
    this.#options.key.accept('socket');
  }

  /** A handshake was refused. A status that does not mean the key leads to another attempt only. */
  onRefused(status: number | null): void {
    if (status !== null) {
      this.#unknown = 0;
      if (KEY_STATUSES.includes(status)) this.#options.refuse(String(status));
      return;
    }
    this.#unknown += 1;
    if (this.#unknown >= MAX_UNKNOWN) void this.#ask();
  }

  /** Opens a socket only to see whether the venue accepts the handshake. Never rejects. */
  async isAccepted(signal: AbortSignal): Promise<boolean> {
    const { key } = this.#options;
    const isAccepted = await this.#tryHandshake(signal).catch(() => false);
    if (isAccepted) this.onOpen();
    else key.refuse(key.refusal ?? 'handshake', 'socket');
    return isAccepted;
  }

  async #tryHandshake(signal: AbortSignal): Promise<boolean> {
    const { url, make, key, runtime } = this.#options;
    const headers = await key.sign('GET', new URL(url).pathname);
    const over = new AbortController();
    let isAccepted = false;
    const socket = make(url, headers, {
      open: () => {
        isAccepted = true;
        over.abort();
      },
      message() {},
      close: () => over.abort(),
    });
    await runtime.sleep(TRIAL_MS, AbortSignal.any([signal, over.signal]));
    socket.close();
    return isAccepted;
  }

  async #ask(): Promise<void> {
    if (this.#isAsking) return;
    this.#isAsking = true;
    const isRefused = await this.#options.rest.isKeyRefused();
    this.#isAsking = false;
    this.#unknown = 0;
    if (isRefused) this.#options.refuse('401');
  }
}
