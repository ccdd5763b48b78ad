import type { DnsAnswer } from '../_shared/dns.ts';
import type { Attempt, AttemptOutcome } from './database.ts';
import { MalformedResponse, type ReceiverStream, sendRequest } from './http_request.ts';
import { requestOf } from './request.ts';

/** DNS and TLS of the runtime. */
export type Network = {
  resolve(name: string): Promise<DnsAnswer>;
  /** Opens a TLS connection to `address`. The certificate must be valid for `host`. */
  open(address: string, port: number, host: string): Promise<ReceiverStream>;
  /** Opens a connection without TLS, which only the local inbox gets. */
  openPlain(address: string, port: number): Promise<ReceiverStream>;
};

export type SenderOptions = {
  network: Network;
  /** Returns the addresses that belong to the public Internet. */
  filterPublicAddresses(addresses: readonly string[]): Promise<string[]>;
  timeoutMs: number;
};

/** An attempt ended before a response. The message is the error code. */
class AttemptFailed extends Error {}

const isLiteral = (host: string): boolean => host.includes(':') || /^[\d.]+$/.test(host);

/**
 * Makes attempts. Each attempt resolves its host again and connects only to an address that was
 * checked to be public.
 */
export class Sender {
  readonly #options: SenderOptions;
  // Whether an address is public never changes, so it is cached. Resolved names are not cached.
  readonly #isPublic = new Map<string, boolean>();

  constructor(options: SenderOptions) {
    this.#options = options;
  }

  async attempt(attempt: Attempt): Promise<AttemptOutcome> {
    if (attempt.refused !== null) return { error: attempt.refused };
    let stream: ReceiverStream | undefined;
    let isOver = false;
    let isConnecting = false;
    const work = async (): Promise<AttemptOutcome> => {
      const addresses = attempt.listed ? [attempt.host] : await this.#addresses(attempt.host);
      isConnecting = true;
      const opened = await this.#open(addresses, attempt, () => isOver);
      isConnecting = false;
      if (isOver) {
        opened.close();
        throw new AttemptFailed('timeout');
      }
      stream = opened;
      return await sendRequest(opened, requestOf(attempt));
    };
    let timer: ReturnType<typeof setTimeout> | undefined;
    const timeout = new Promise<AttemptOutcome>((resolve) => {
      timer = setTimeout(() => resolve({ error: 'timeout' }), this.#options.timeoutMs);
    });
    const done = work().catch((error: unknown) => ({ error: errorCodeOf(error) }));
    const outcome = await Promise.race([done, timeout]);
    clearTimeout(timer);
    isOver = true;
    stream?.close();
    // One code for a port that is closed, filtered or silent. Otherwise an endpoint would report
    // which ports of a host are open. A failed certificate remains visible to its owner.
    const isHidden = isConnecting && 'error' in outcome && outcome.error !== 'tls.failed';
    return isHidden ? { error: 'connection.failed' } : outcome;
  }

  async #addresses(host: string): Promise<string[]> {
    const addresses = isLiteral(host) ? [host] : await this.#resolve(host);
    if (addresses.length === 0) throw new AttemptFailed('dns.nothing');
    const unknown = addresses.filter((address) => !this.#isPublic.has(address));
    if (unknown.length > 0) {
      const allowed = await this.#options.filterPublicAddresses(unknown);
      if (this.#isPublic.size > 20_000) this.#isPublic.clear();
      for (const address of unknown) this.#isPublic.set(address, allowed.includes(address));
      if (unknown.some((address) => !allowed.includes(address))) throw new AttemptFailed('address.private');
    }
    // A name with one private address among public ones is not trusted.
    if (addresses.some((address) => this.#isPublic.get(address) === false)) throw new AttemptFailed('address.private');
    return addresses;
  }

  async #resolve(host: string): Promise<string[]> {
    const answer = await this.#options.network.resolve(host);
    if ('timedOut' in answer) throw new AttemptFailed('dns.failed');
    return answer.addresses;
  }

  async #open(
    addresses: readonly string[],
    { host, port, plain }: Attempt,
    isOver: () => boolean,
  ): Promise<ReceiverStream> {
    const { network } = this.#options;
    let lastError: unknown = new AttemptFailed('connection.failed');
    for (const address of addresses.slice(0, 4)) {
      if (isOver()) break;
      try {
        return plain ? await network.openPlain(address, port) : await network.open(address, port, host);
      } catch (error) {
        lastError = error;
      }
    }
    throw lastError;
  }
}

/** A stable code for the delivery history. The text of the runtime's error is not passed on. */
function errorCodeOf(error: unknown): string {
  if (error instanceof AttemptFailed) return error.message;
  if (error instanceof MalformedResponse) return 'answer.malformed';
  const text = String(error);
  if (/certificate|handshake|alert|tls|InvalidData/i.test(text)) return 'tls.failed';
  return 'connection.lost';
}
