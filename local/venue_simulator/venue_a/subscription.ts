import type { Change } from '../books/ladder.ts';
import type { FaultTarget } from '../faults/faults.ts';
import type { MarketA } from './source.ts';

/**
 * One subscription: a channel with its markets and its own sequence, in which `ok` frames count
 * too.
 */
export type Subscription = {
  session: Session;
  sid: number;
  channel: string;
  /** Null for every market. */
  tickers: Set<string> | null;
  seq: number;
  yesPrice: boolean;
};

/** A client of the hub. */
export type Session = FaultTarget & {
  heartbeat(): void;
  deltas(subscription: Subscription, market: MarketA, changes: readonly Change[], at: number): void;
  ticker(subscription: Subscription, market: MarketA, at: number): void;
  plain(subscription: Subscription, type: string, msg: Record<string, unknown>): void;
};
