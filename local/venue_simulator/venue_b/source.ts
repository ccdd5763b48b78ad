import type { TopHistory } from '../books/history.ts';
import type { Ladder } from '../books/ladder.ts';

/** The data of venue B's server. The simulated world and a replayed recording both implement it. */
export type TokenBook = {
  ladder: Ladder;
  hash: string;
  /** Epoch milliseconds of the last change. */
  timestamp: number;
  tick: string;
  negRisk: boolean;
  lastTrade: string;
  condition: string;
};

export type MarketB = {
  readonly id: string;
  readonly slug: string;
  readonly condition: string;
  readonly tokens: readonly string[];
  readonly seq: number;
  closed(): boolean;
  active(): boolean;
  json(withEvent: boolean): string;
};

export type EventB = {
  readonly id: string;
  readonly slug: string;
  readonly seq: number;
  readonly tags: readonly Record<string, unknown>[];
  readonly fields: Record<string, unknown>;
  readonly markets: readonly MarketB[];
  closed(): boolean;
  active(): boolean;
  json(): string;
};

export type ListenerB = {
  /**
   * One message for the subscribers of any of the tokens; null for all clients with custom
   * features.
   */
  sent(tokens: readonly string[] | null, message: Record<string, unknown>): void;
};

export type SourceB = {
  now(): number;
  events(): readonly EventB[];
  eventBySlug(slug: string): EventB | undefined;
  market(tokenOrSlug: string): MarketB | undefined;
  /** The row of /v2/resolutions of a condition in its 32-byte form. */
  resolution(condition: string): Record<string, unknown> | undefined;
  /** The book over REST. */
  book(token: string): TokenBook | undefined;
  /** The book on the socket. */
  socketBook(token: string): TokenBook | undefined;
  history(token: string): { history: TopHistory; flipped: boolean } | undefined;
  teams(): readonly Record<string, unknown>[];
  sports(): readonly Record<string, unknown>[];
  listen(listener: ListenerB): void;
  /** Whether a token has subscribers. Messages without subscribers are not built. */
  wanted: (token: string) => boolean;
};
