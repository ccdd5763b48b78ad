import type { Told } from '../_shared/dns.ts';
import type { Attempt, Outcome } from './database.ts';
import { exchange, Malformed, type Wire } from './http_request.ts';
import { requestOf } from './request.ts';

/** The network, as the runtime has it. */
export type Network = {
  /** What the DNS says of a name. */
  resolve(name: string): Promise<Told>;
  /** Opens a TLS connection to `address`, whose certificate must be one of `host`. */
  open(address: string, port: number, host: string): Promise<Wire>;
};

export type SenderParts = {
  network: Network;
  /** Those of the addresses that belong to the public Internet. */
  publicAmong(addresses: readonly string[]): Promise<string[]>;
  timeoutMs: number;
};

/** Why an attempt did not get so far as an answer. */
class Failed extends Error {}

const isLiteral = (host: string): boolean => host.includes(':') || /^[\d.]+$/.test(host);

/** Makes attempts. Each resolves its host anew, and connects to an address that was found public, and to no other. */
export class Sender {
  readonly #parts: SenderParts;
  // What an address is never changes; what a name resolves to is never kept.
  readonly #public = new Map<string, boolean>();

  constructor(parts: SenderParts) {
    this.#parts = parts;
  }

  async attempt(attempt: Attempt): Promise<Outcome> {
    if (attempt.refused !== null) return { error: attempt.refused };
    let wire: Wire | undefined;
    let over = false;
    const work = async (): Promise<Outcome> => {
      const addresses = attempt.listed ? [attempt.host] : await this.#addresses(attempt.host);
      const opened = await this.#open(addresses, attempt, () => over);
      if (over) opened.close();
      else wire = opened;
      return await exchange(opened, requestOf(attempt));
    };
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<Outcome>((resolve) => {
      timer = setTimeout(() => resolve({ error: 'timeout' }), this.#parts.timeoutMs);
    });
    const done = work().catch((error: unknown) => ({ error: reasonOf(error) }));
    const outcome = await Promise.race([done, late]);
    clearTimeout(timer);
    over = true;
    wire?.close();
    return outcome;
  }

  async #addresses(host: string): Promise<string[]> {
    const found = isLiteral(host) ? [host] : await this.#resolved(host);
    if (found.length === 0) throw new Failed('dns.nothing');
    const unknown = found.filter((address) => !this.#public.has(address));
    if (unknown.length > 0) {
      const allowed = await this.#parts.publicAmong(unknown);
      if (this.#public.size > 20_000) this.#public.clear();
      for (const address of unknown) this.#public.set(address, allowed.includes(address));
      if (unknown.some((address) => !allowed.includes(address))) throw new Failed('address.private');
    }
    // One private address among public ones is a name that is not to be trusted.
    if (found.some((address) => this.#public.get(address) === false)) throw new Failed('address.private');
    return found;
  }

  async #resolved(host: string): Promise<string[]> {
    const told = await this.#parts.network.resolve(host);
    if ('silent' in told) throw new Failed('dns.failed');
    return told.addresses;
  }

  async #open(addresses: readonly string[], { host, port }: Attempt, over: () => boolean): Promise<Wire> {
    let last: unknown = new Failed('connection.failed');
    for (const address of addresses.slice(0, 4)) {
      if (over()) break;
      try {
        return await this.#parts.network.open(address, port, host);
      } catch (error) {
        last = error;
      }
    }
    throw last;
  }
}

/** A stable word for the log of deliveries; what the runtime says in its own words goes no further. */
function reasonOf(error: unknown): string {
  if (error instanceof Failed) return error.message;
  if (error instanceof Malformed) return 'answer.malformed';
  const text = String(error);
  if (/certificate|handshake|alert|tls|InvalidData/i.test(text)) return 'tls.failed';
  if (/refused|unreachable|no route/i.test(text)) return 'connection.refused';
  return 'connection.lost';
}
