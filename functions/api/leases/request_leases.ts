import { LRUCache } from 'lru-cache';
import { KeyLeases } from './key_leases.ts';
import type { LeaseCalls, LeaseClock, LeaseRow } from './lease_row.ts';
import { SnapshotPositions } from './snapshot_positions.ts';

const MAX_KEYS = 2_000;
const MAX_ADDRESSES = 5_000;
/** Of the addresses and their cache keys together, in characters. */
const MAX_ADDRESS_CHARACTERS = 4_000_000;

/** What the address of a request asks for. */
export type Address = { route: string; cacheKey: string };

const systemClock: LeaseClock = {
  elapsed: () => performance.now(),
  wall: () => Date.now(),
  after(ms, work) {
    const timer = setTimeout(work, ms);
    return () => clearTimeout(timer);
  },
};

/**
 * The request leases of this isolate, by key. Only a key whose organization may take leases is here
 * (account.subscriptions.lease_percent). For every other key the database admits each request.
 */
export class RequestLeases {
  readonly positions = new SnapshotPositions();
  readonly clock: LeaseClock;
  readonly #calls: LeaseCalls;
  readonly #keys: LRUCache<string, KeyLeases>;
  /**
   * Addresses of requests that the database has answered with data, so that an equal request is not
   * parsed again.
   */
  readonly #addresses = new LRUCache<string, Address>({
    max: MAX_ADDRESSES,
    maxSize: MAX_ADDRESS_CHARACTERS,
    sizeCalculation: ({ cacheKey }, url) => cacheKey.length + url.length,
  });
  /** By the header `Authorization`, so that a key is not checked and hashed with each request. */
  readonly #byAuthorization = new LRUCache<string, KeyLeases>({ max: MAX_KEYS });

  constructor(calls: LeaseCalls, clock: LeaseClock = systemClock) {
    this.#calls = calls;
    this.clock = clock;
    this.#keys = new LRUCache({
      max: MAX_KEYS,
      dispose: (leases, _keyHash, reason) => {
        if (reason !== 'set') void leases.close().catch(() => {});
      },
    });
  }

  /** The leases of a key; undefined where its requests are counted by the database. */
  ofKey(keyHash: string): KeyLeases | undefined {
    return this.#keys.get(keyHash);
  }

  /** Whether no organization of this isolate's callers takes leases. */
  get isEmpty(): boolean {
    return this.#keys.size === 0;
  }

  ofAuthorization(header: string | null): KeyLeases | undefined {
    return header === null ? undefined : this.#byAuthorization.get(header);
  }

  /** A request with this header has been answered by these leases. */
  setAuthorization(header: string | null, leases: KeyLeases): void {
    if (header !== null) this.#byAuthorization.set(header, leases);
  }

  addressOf(url: string): Address | undefined {
    return this.#addresses.get(url);
  }

  setAddress(url: string, address: Address): void {
    this.#addresses.set(url, address);
  }

  /**
   * The database has counted a request of this key and returned its `lease_limit`. Null where
   * admission did not come that far: the leases stay, and end within their second.
   */
  setLimit(keyHash: string, limit: number | null): void {
    if (limit === 0) this.#keys.delete(keyHash);
    else if (limit !== null && !this.#keys.has(keyHash)) this.#keys.set(keyHash, this.#create(keyHash));
  }

  /** Returns what no request has used. The database counts every later request. */
  async returnAll(): Promise<void> {
    const all = [...this.#keys.values()];
    await Promise.allSettled(all.map((leases) => leases.close()));
  }

  #create(keyHash: string): KeyLeases {
    return new KeyLeases({
      keyHash,
      calls: this.#calls,
      clock: this.clock,
      onRow: (row, sentAt) => this.#onRow(keyHash, row, sentAt),
    });
  }

  #onRow(keyHash: string, { version, as_of, step_left_ms, lease_limit }: LeaseRow, sentAt: number): void {
    this.positions.setSnapshot({ version, asOf: as_of ?? '', stepLeftMs: step_left_ms, sentAt });
    this.setLimit(keyHash, lease_limit);
  }
}
