import type { TopHistory } from '../books/history.ts';
import type { Change, Ladder } from '../books/ladder.ts';

/** What venue A's server serves: the simulated world and a replayed recording are both such a source. */
export interface MarketA {
  readonly ticker: string;
  readonly event_ticker: string;
  /** The venue's uuid (`market_id` on the socket). */
  readonly id: string;
  /** As REST gives it. */
  readonly ladder: Ladder;
  /** As the socket gives it. */
  readonly socketLadder: Ladder;
  readonly history: TopHistory;
  readonly created: number;
  status(): string;
  closes(): number;
  updated(): number;
  json(): string;
}

export interface EventA {
  readonly ticker: string;
  readonly series_ticker: string;
  /** Order of listing; pages follow it. */
  readonly seq: number;
  readonly markets: readonly MarketA[];
  updated(): number;
  /** The event object; with markets, they are nested. */
  json(nested: boolean): string;
}

export type SeriesRow = { ticker: string; fields: Record<string, unknown> };

/** Plain objects that go out as they are on `market_lifecycle_v2` and `trade`. */
export type LifecycleMessage = { type: string; ticker: string | null; msg: Record<string, unknown> };

export interface ListenerA {
  changed(market: MarketA, changes: readonly Change[], at: number): void;
  announced(announcement: LifecycleMessage): void;
}

export interface SourceA {
  now(): number;
  /** In order of `seq`. */
  events(): readonly EventA[];
  event(ticker: string): EventA | undefined;
  market(ticker: string): MarketA | undefined;
  series(): readonly SeriesRow[];
  milestones(): readonly Record<string, unknown>[];
  listen(listener: ListenerA): void;
}
