import type { TopHistory } from '../books/history.ts';
import type { Change, Ladder } from '../books/ladder.ts';

/** The data of venue A's server. The simulated world and a replayed recording both implement it. */
export type MarketA = {
  readonly ticker: string;
  readonly event_ticker: string;
  /** The venue's uuid (`market_id` on the socket). */
  readonly id: string;
  /** The book over REST. */
  readonly ladder: Ladder;
  /** The book on the socket. */
  readonly socketLadder: Ladder;
  readonly history: TopHistory;
  readonly created: number;
  status(): string;
  closes(): number;
  updated(): number;
  json(): string;
};

export type EventA = {
  readonly ticker: string;
  readonly series_ticker: string;
  /** Order of listing, which pages follow. */
  readonly seq: number;
  readonly markets: readonly MarketA[];
  updated(): number;
  /** The event object, with nested markets if requested. */
  json(nested: boolean): string;
};

export type SeriesRow = { ticker: string; fields: Record<string, unknown> };

/** Objects that are sent unchanged on `market_lifecycle_v2` and `trade`. */
export type LifecycleMessage = { type: string; ticker: string | null; msg: Record<string, unknown> };

export type ListenerA = {
  changed(market: MarketA, changes: readonly Change[], at: number): void;
  announced(announcement: LifecycleMessage): void;
};

export type SourceA = {
  now(): number;
  /** In order of `seq`. */
  events(): readonly EventA[];
  event(ticker: string): EventA | undefined;
  market(ticker: string): MarketA | undefined;
  series(): readonly SeriesRow[];
  milestones(): readonly Record<string, unknown>[];
  listen(listener: ListenerA): void;
};
