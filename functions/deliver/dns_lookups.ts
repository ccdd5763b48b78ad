import type { Told } from '../_shared/dns.ts';
import { errorWords } from '../_shared/pool/error_fields.ts';

export type LookupParts = {
  doors: {
    hostsToLookUp(): Promise<string[]>;
    tellHost(host: string, told: Told): Promise<void>;
  };
  resolve(host: string): Promise<Told>;
  log(line: string): void;
};

/** How often it looks when nothing calls it. */
const LOOK_MS = 1_000;

/**
 * Asks the DNS for the hosts that owners want to register on the page, which the database cannot (sql/65_webhook_lookups.sql), beside a
 * shift and as long as that runs. What is lost with it is asked again: who registers is let pass after four seconds without an answer.
 */
export class Lookups {
  readonly #parts: LookupParts;
  readonly #asking = new Set<string>();
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor(parts: LookupParts) {
    this.#parts = parts;
  }

  start(): void {
    this.#timer = setInterval(() => void this.look(), LOOK_MS);
    void this.look();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** Looks now: there may be something. Never rejects. */
  async look(): Promise<void> {
    try {
      const hosts = (await this.#parts.doors.hostsToLookUp()).filter((host) => !this.#asking.has(host));
      await Promise.all(hosts.map((host) => this.#lookUp(host)));
    } catch (error) {
      this.#parts.log(`could not look up hosts: ${errorWords(error)}`);
    }
  }

  async #lookUp(host: string): Promise<void> {
    this.#asking.add(host);
    try {
      await this.#parts.doors.tellHost(host, await this.#parts.resolve(host));
    } finally {
      this.#asking.delete(host);
    }
  }
}
