import type { Runtime } from '../../_shared/runtime.ts';
import type { ClockSegment } from '../clock.ts';
import type { RejectedRow } from '../listing.ts';
import type { UnknownCounter } from './unknown.ts';

/** Reads the order books of one venue into its book store. */
export type BookFeed = {
  start(): void;
  stop(): Promise<void>;
  /** Subscribes to new contracts of the book store and unsubscribes from removed ones. */
  updateSubscriptions(): void;
  /**
   * Times of the last message about a book and of the last sign of life of the venue: market time
   * in epoch ms.
   */
  readonly lastMessageAt: number | null;
  readonly lastAliveAt: number | null;
  /** How it reads (`websocket`, `polling`), and its present problem if it has one. */
  readonly detail: string;
};

export type FeedRuntime = Runtime & {
  /** Market time in whole epoch ms, used as the time of receipt. */
  marketNow(): number;
  /**
   * The current segment of market time. Null when market time is real time. Lag is measured within
   * one segment.
   */
  segment(): ClockSegment | null;
  /** Records venue data that could not be parsed. */
  reject(row: RejectedRow): void;
  /** Counts fields and values that the adapters do not know. */
  readonly unknown: UnknownCounter;
  log(connection: string): void;
};

/** What the connections of a feed have in common: their contracts and how they change them. */
export type FeedConnection = {
  readonly contracts: ReadonlySet<string>;
  subscribe(contracts: readonly string[], now: number): void;
  unsubscribe(contracts: readonly string[], now: number): void;
};

/**
 * Unsubscribes from contracts that are no longer wanted and fills the connections up to `limit`
 * contracts each. Returns the contracts that need new connections.
 */
export function assignContracts(
  connections: readonly FeedConnection[],
  wanted: ReadonlySet<string>,
  limit: number,
  now: number,
): string[] {
  const assigned = new Set<string>();
  for (const connection of connections) {
    connection.unsubscribe(
      [...connection.contracts].filter((contract) => !wanted.has(contract)),
      now,
    );
    for (const contract of connection.contracts) assigned.add(contract);
  }
  let unassigned = [...wanted].filter((contract) => !assigned.has(contract));
  for (const connection of connections) {
    const free = Math.max(0, limit - connection.contracts.size);
    connection.subscribe(unassigned.slice(0, free), now);
    unassigned = unassigned.slice(free);
  }
  return unassigned;
}

/** The latest of these times. Null when there is none. */
export function latestOf(times: readonly (number | null)[]): number | null {
  return times.reduce((a, b) => (a === null || (b !== null && b > a) ? b : a), null);
}

/** Splits a list into parts of at most `size` elements. */
export function chunks<T>(all: readonly T[], size: number): T[][] {
  const parts: T[][] = [];
  for (let at = 0; at < all.length; at += size) parts.push(all.slice(at, at + size));
  return parts;
}
