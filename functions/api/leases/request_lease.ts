import type { RateState } from '../http/rate.ts';
import type { LeaseClock, LeaseRow, ReturnedLease } from './lease_row.ts';

/** A row that grants a lease. */
type GrantedRow = { [Field in Exclude<keyof LeaseRow, 'code'>]: NonNullable<LeaseRow[Field]> };

/**
 * Requests that the database has counted and this isolate may serve. All times run from the moment
 * before the call was sent, so a lease ends here before it ends in the database.
 */
export class RequestLease {
  readonly #row: GrantedRow;
  readonly #clock: LeaseClock;
  readonly #sentAt: number;
  readonly #endsAt: number;
  /**
   * The same moment by the clock of the host. `elapsed` does not advance while a virtual machine is
   * suspended. A host whose clock is set back ends the lease by `elapsed`.
   */
  readonly #wallEndsAt: number;
  #usedWindow = 0;
  #usedMonth = 0;
  #isClosed = false;

  constructor(row: GrantedRow, clock: LeaseClock, sentAt: { elapsed: number; wall: number }) {
    this.#row = row;
    this.#clock = clock;
    this.#sentAt = sentAt.elapsed;
    this.#endsAt = sentAt.elapsed + row.valid_ms;
    this.#wallEndsAt = sentAt.wall + row.valid_ms;
  }

  get granted(): number {
    return this.#row.granted;
  }

  /** Whether all its requests are used. */
  get isUsedUp(): boolean {
    return this.#usedWindow >= this.#row.granted;
  }

  /** Whether it may serve a request. Once false it stays false. */
  get isAlive(): boolean {
    return this.#isAliveAt(this.#clock.elapsed());
  }

  /** Serves no further request. */
  close(): void {
    this.#isClosed = true;
  }

  /** What to give back after the end. */
  get returned(): ReturnedLease {
    const { lease_id, granted } = this.#row;
    return { leaseId: lease_id, unusedWindow: granted - this.#usedWindow, unusedMonth: granted - this.#usedMonth };
  }

  /**
   * Counts one request. Returns the rate state after it, as the database would state it if no other
   * isolate had counted since the lease; undefined where the lease is over.
   */
  take(hasData: boolean, now: number): RateState | undefined {
    if (!this.#isAliveAt(now)) return undefined;
    this.#usedWindow += 1;
    if (hasData) this.#usedMonth += 1;
    const row = this.#row;
    const elapsedMs = now - this.#sentAt;
    return {
      tier: row.tier,
      window_quota: row.window_quota,
      window_used: row.window_used - row.granted + this.#usedWindow,
      window_left_s: secondsOf(row.window_left_ms - elapsedMs),
      month_quota: row.month_quota,
      month_used: row.month_used - row.granted + this.#usedMonth,
      month_left_s: secondsOf(row.month_left_s * 1000 - elapsedMs),
      month_ends_at: row.month_ends_at,
    };
  }

  #isAliveAt(now: number): boolean {
    if (this.#isClosed) return false;
    if (!this.isUsedUp && now < this.#endsAt && this.#clock.wall() < this.#wallEndsAt) return true;
    this.#isClosed = true;
    return false;
  }
}

const secondsOf = (ms: number): number => Math.max(Math.ceil(ms / 1000), 0);

/** `row` where it grants a lease. */
export function grantedRowOf(row: LeaseRow): GrantedRow | undefined {
  return row.lease_id === null ? undefined : (row as GrantedRow);
}
