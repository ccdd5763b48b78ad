import type { CachedBody, Confirmation } from '../cache.ts';

/**
 * A cached body is sent for at most this long after the database has confirmed it, and never beyond
 * its step of the snapshot.
 */
const CONFIRMED_MS = 1_000;

/** Routes whose version is the one of the snapshot (api.call_data_route). */
const LISTS: ReadonlySet<string> = new Set([
  'get_markets',
  'get_arbitrage',
  'get_arbitrage_history',
  'get_spreads',
  'get_search',
  'get_lookup',
  'get_categories',
  'get_leagues',
]);

/** What the database returned about a version: the position of the snapshot at that moment. */
export type Position = {
  version: string;
  asOf: string;
  stepLeftMs: number;
  /** The moment before the call, so that no time here is later than in the database. */
  sentAt: number;
};

/**
 * Whether a cached body is current without a call. One answer about the snapshot confirms every
 * list of its version. The body of another route is confirmed by a call of that route only.
 */
export class SnapshotPositions {
  #snapshot: { version: string; confirmation: Confirmation } | undefined;

  /** The database has returned the position of the snapshot. */
  setSnapshot(position: Position): void {
    this.#snapshot = { version: position.version, confirmation: confirmationOf(position) };
  }

  /** The database has confirmed `cached`, or sent it. */
  confirm(route: string, cached: CachedBody, position: Position): void {
    if (LISTS.has(route)) this.setSnapshot(position);
    else if (cached.version === position.version) cached.confirmation = confirmationOf(position);
  }

  /** The confirmation of `cached` that still holds. */
  currentOf(route: string, cached: CachedBody, now: number): Confirmation | undefined {
    const confirmation = LISTS.has(route)
      ? this.#snapshot?.version === cached.version
        ? this.#snapshot.confirmation
        : undefined
      : cached.confirmation;
    return confirmation !== undefined && now < confirmation.until ? confirmation : undefined;
  }
}

function confirmationOf({ asOf, stepLeftMs, sentAt }: Position): Confirmation {
  const stepEndsAt = sentAt + stepLeftMs;
  return { asOf, until: Math.min(sentAt + CONFIRMED_MS, stepEndsAt), stepEndsAt };
}
