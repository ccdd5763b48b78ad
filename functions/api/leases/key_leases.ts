import type { RateState } from '../http/rate.ts';
import type { LeaseCalls, LeaseClock, LeaseRow } from './lease_row.ts';
import { grantedRowOf, RequestLease } from './request_lease.ts';

/** Below this many requests a second, a lease costs the database as much as it saves. */
const MIN_DEMAND = 16;
const DEMAND_MS = 1_000;
/** After a lease of 100 used requests, the next one asks for 150. */
const GROWTH = 1.5;
/** How long each request is counted by the database after a lease was refused or failed. */
const RETRY_MS = 1_000;
/** The database accepts a return until a minute after the end (account.is_lease_open). */
const MAX_RETURNS = 60;

export type KeyLeasesOptions = {
  keyHash: string;
  calls: LeaseCalls;
  clock: LeaseClock;
  /** Receives the row of each answered call, with the moment before it was sent. */
  onRow(row: LeaseRow, sentAt: number): void;
};

/**
 * The leases of one key, one after the other. A lease begins with a request that finds none, where
 * the key had at least 16 requests in this or the last second. Its unused rest is returned with the
 * next lease, or by a timer when no request follows.
 */
export class KeyLeases {
  readonly #options: KeyLeasesOptions;
  #lease: RequestLease | undefined;
  #renewal: Promise<void> | undefined;
  #retryAt = Number.NEGATIVE_INFINITY;
  #demand = { since: Number.NEGATIVE_INFINITY, count: 0, last: 0 };
  readonly #refreshes = new Map<string, Promise<unknown>>();
  #cancelReturn = (): void => {};
  #isClosed = false;

  constructor(options: KeyLeasesOptions) {
    this.#options = options;
  }

  /** Counts a request of this key, so that the next lease has the right size. */
  countDemand(): void {
    const now = this.#options.clock.elapsed();
    const demand = this.#demand;
    const passedMs = now - demand.since;
    if (passedMs >= DEMAND_MS)
      this.#demand = { since: now, count: 1, last: passedMs < 2 * DEMAND_MS ? demand.count : 0 };
    else demand.count += 1;
  }

  /** Whether there is a lease with a request left. Calls the database where it is time. */
  async hasLease(): Promise<boolean> {
    if (this.#lease?.isAlive) return true;
    if (this.#isClosed) return false;
    this.#renewal ??= this.#startRenewal();
    await this.#renewal;
    return this.#lease?.isAlive ?? false;
  }

  /** Whether a request may be counted here without a call. */
  get isAlive(): boolean {
    return this.#lease?.isAlive ?? false;
  }

  /** Counts one request in the lease. Undefined where there is none. */
  take(hasData: boolean, now = this.#options.clock.elapsed()): RateState | undefined {
    return this.#lease?.take(hasData, now);
  }

  /** The call in flight of this key that refreshes a cached body. */
  refreshOf(cacheKey: string): Promise<unknown> | undefined {
    return this.#refreshes.get(cacheKey);
  }

  /** Runs `work`. Meanwhile `refreshOf` returns it for the other requests of this key. */
  async refresh<T>(cacheKey: string, work: () => Promise<T>): Promise<T> {
    if (this.#refreshes.has(cacheKey)) return await work();
    const running = work();
    this.#refreshes.set(
      cacheKey,
      running.catch(() => {}),
    );
    try {
      return await running;
    } finally {
      this.#refreshes.delete(cacheKey);
    }
  }

  /** Takes no further lease, and returns the rest of the last one. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancelReturn();
    await this.#renewal;
    this.#cancelReturn();
    const last = this.#lease;
    this.#lease = undefined;
    last?.close();
    if (last) await this.#options.calls.giveBack(last.returned);
  }

  #startRenewal(): Promise<void> | undefined {
    const now = this.#options.clock.elapsed();
    const { count, last } = this.#demand;
    const demand = Math.max(count, last);
    if (now < this.#retryAt || demand < MIN_DEMAND) return undefined;
    return this.#renew(Math.ceil(demand * GROWTH)).finally(() => {
      this.#renewal = undefined;
    });
  }

  async #renew(wanted: number): Promise<void> {
    const { keyHash, calls, clock, onRow } = this.#options;
    this.#cancelReturn();
    const ended = this.#lease;
    ended?.close();
    const sentAt = { elapsed: clock.elapsed(), wall: clock.wall() };
    let row: LeaseRow;
    try {
      row = await calls.lease(keyHash, wanted, ended?.returned);
    } catch {
      // The next call returns it again, which does nothing where this one did arrive.
      this.#retryAt = clock.elapsed() + RETRY_MS;
      if (ended) this.#returnLater(ended, 1);
      return;
    }
    const granted = grantedRowOf(row);
    this.#lease = granted && new RequestLease(granted, clock, sentAt);
    if (this.#lease) this.#returnLater(this.#lease, 1, granted?.valid_ms);
    else this.#retryAt = clock.elapsed() + RETRY_MS;
    onRow(row, sentAt.elapsed);
  }

  /** Returns `lease` when it has ended and no request has begun the next one. */
  #returnLater(lease: RequestLease, attempt: number, afterMs = RETRY_MS): void {
    if (this.#isClosed) return;
    this.#cancelReturn = this.#options.clock.after(afterMs, () => void this.#returnNow(lease, attempt));
  }

  async #returnNow(lease: RequestLease, attempt: number): Promise<void> {
    if (this.#lease !== lease || this.#renewal) return;
    // A timer may be early by a millisecond. Its requests are over all the same.
    lease.close();
    try {
      await this.#options.calls.giveBack(lease.returned);
      if (this.#lease === lease) this.#lease = undefined;
    } catch {
      if (this.#lease === lease && !this.#renewal && attempt < MAX_RETURNS) this.#returnLater(lease, attempt + 1);
    }
  }
}
