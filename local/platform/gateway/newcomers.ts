import type { Duplex } from 'node:stream';
import type { ErrorResponse } from './responses.ts';

const addressFull: ErrorResponse = {
  status: 429,
  code: 'stream.address_full',
  error: 'Your address has too many connections without an accepted ticket. Retry after 5 seconds.',
  retryAfter: 5,
};

/** The answer to a connect command is the first thing in the first frame, after its id. */
const MAX_REPLY_START = 64;
const MAX_HEAD = 8_192;

/**
 * Sockets of each client address whose connect command Centrifugo has not accepted yet. Centrifugo
 * itself limits neither those of an address nor their sum; it ends each after `stale_close_delay`.
 */
export class Newcomers {
  readonly #maxPerAddress: number;
  readonly #counts = new Map<string, number>();

  constructor(maxPerAddress: number) {
    this.#maxPerAddress = maxPerAddress;
  }

  /**
   * Counts a socket until it is gone, or until the upstream that is given to `joined` has accepted
   * the connect command. Returns an error when the address has too many.
   */
  admit(address: string, socket: Duplex): ErrorResponse | { joined(upstream: Duplex): void } {
    const count = this.#counts.get(address) ?? 0;
    if (count >= this.#maxPerAddress) return addressFull;
    this.#counts.set(address, count + 1);
    let counts = true;
    const leave = () => {
      if (!counts) return;
      counts = false;
      const left = (this.#counts.get(address) ?? 1) - 1;
      if (left > 0) this.#counts.set(address, left);
      else this.#counts.delete(address);
    };
    socket.once('close', leave);
    return { joined: (upstream) => whenAccepted(upstream, leave) };
  }
}

/** Calls `accepted` when the first frame of a WebSocket is the answer to a connect command. */
function whenAccepted(upstream: Duplex, accepted: () => void): void {
  let seen = Buffer.alloc(0);
  const look = (bytes: Buffer) => {
    seen = Buffer.concat([seen, bytes]);
    const state = stateOf(seen);
    if (state === 'unknown') return;
    upstream.off('data', look);
    if (state === 'accepted') accepted();
  };
  upstream.on('data', look);
}

/** What the first bytes of an upstream mean: the head of its answer, and the first frame. */
function stateOf(bytes: Buffer): 'accepted' | 'other' | 'unknown' {
  const head = bytes.indexOf('\r\n\r\n');
  if (head < 0) return bytes.length > MAX_HEAD ? 'other' : 'unknown';
  const [kind, length] = bytes.subarray(head + 4);
  if (kind === undefined || length === undefined) return 'unknown';
  // A whole text message.
  if (kind !== 0x81) return 'other';
  const payload = bytes.subarray(head + 4 + (length < 126 ? 2 : length === 126 ? 4 : 10));
  const start = payload.subarray(0, MAX_REPLY_START).toString('latin1');
  if (/^\{"id":\d+,"connect":/.test(start)) return 'accepted';
  return start.length < Math.min(MAX_REPLY_START, length) ? 'unknown' : 'other';
}
