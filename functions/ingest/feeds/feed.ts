import type { Runtime } from '../../_shared/runtime.ts';
import type { ClockSegment } from '../clock.ts';
import type { RejectedRow } from '../listing.ts';

/** Whoever reads the books of one venue onto its shelf. */
export type BookFeed = {
  start(): void;
  stop(): Promise<void>;
  /** The shelf holds other contracts than before: subscribe to what is new, leave what is gone. */
  updateSubscriptions(): void;
  /** When a book was last read, and when the venue last gave any sign of life: market time in epoch ms. */
  readonly lastMessageAt: number | null;
  readonly lastAliveAt: number | null;
  /** How it reads (`websocket`, `polling`), and what is wrong if anything is. */
  readonly detail: string;
};

export type FeedRuntime = Runtime & {
  /** Market time now, whole epoch ms: the stamp of what was just read. */
  marketNow(): number;
  /** The stretch of market time that is current, null where market time is real time: lateness is measured within one. */
  segment(): ClockSegment | null;
  /** Something that could not be read. */
  reject(row: RejectedRow): void;
  log(connection: string): void;
};

/** What the lines of a feed have in common: the contracts that a line reads, and how it takes on and leaves some. */
export type FeedConnection = {
  readonly contracts: ReadonlySet<string>;
  subscribe(contracts: readonly string[], now: number): void;
  unsubscribe(contracts: readonly string[], now: number): void;
};

/** Leaves what nobody wants any more and fills the lines up to `most` contracts each. Returns what found no room. */
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

/** The latest of some times, or null where there is none. */
export function latestOf(times: readonly (number | null)[]): number | null {
  return times.reduce((a, b) => (a === null || (b !== null && b > a) ? b : a), null);
}

/** Parts of at most `size`. */
export function chunks<T>(all: readonly T[], size: number): T[][] {
  const parts: T[][] = [];
  for (let at = 0; at < all.length; at += size) parts.push(all.slice(at, at + size));
  return parts;
}
