import type { z } from 'zod';
import type { history } from '../../../functions/api/contract/history.ts';
import type { market } from '../../../functions/api/contract/market.ts';
import type { opportunity } from '../../../functions/api/contract/opportunity.ts';
import type { outcome } from '../../../functions/api/contract/outcome.ts';
import type { risk } from '../../../functions/api/contract/settlement.ts';

// Stream frames and RPC results. Their types are those of the REST contract, so a Market is
// described once.

export type Venue = 'venue_a' | 'venue_b';
export const venues: readonly Venue[] = ['venue_a', 'venue_b'];

export type Outcome = z.infer<typeof outcome>;
export type Opportunity = z.infer<typeof opportunity>;
export type Leg = Opportunity['legs'][number];
export type Risk = z.infer<typeof risk>;
export type History = z.infer<typeof history>;
export type Point = History['series'][number]['points'][number];
export type Signal = 'spread' | 'arb';
export type Status = z.infer<typeof market>['status'];

/** When the order book of each venue was received: not rounded and not delayed. */
export type BooksReadAt = Readonly<Record<Venue, string | null>>;

/**
 * A Market of the live channel. Rule texts are only in MarketDetail: for a thousand markets they
 * are megabytes.
 */
export type Market = Omit<z.infer<typeof market>, 'settlement'> & {
  settlement?: { parity: boolean; risks: Risk[] };
  books_read_at?: BooksReadAt;
};

/** One market with its order books and rule texts. */
export type MarketDetail = z.infer<typeof market> & { books_read_at?: BooksReadAt };

/**
 * Result of `api.explain_market`: why a market is or is not an opportunity, delayed by two minutes.
 * Times are market times.
 */
export type MarketExplanation = {
  as_of: string;
  gates: { gate: 'band' | 'parity' | 'risk' | 'priced'; open: boolean; reason: string | null }[];
  after: {
    /** The result after the four gates; null while a gate is closed. */
    code: string | null;
    opportunity: { id: string; opened_at: string; closed_at: string | null; reason: string | null } | null;
    refused: {
      stage: string;
      reason: string;
      about: string | null;
      last_at: string;
      times: number;
      is_current: boolean;
    }[];
  };
};

/**
 * Result of `api.open_opportunities`: how many opportunities `GET /v2/arbitrage` lists, for every
 * plan.
 */
export type OpenCount = { count: number; as_of: string };

export type FeedState = 'up' | 'stale' | 'down';

export type PriceFrame = {
  type: 'price';
  id: string;
  priced_at: string;
  books_read_at: BooksReadAt;
  spread_pts: number | null;
  potential_arb_pct: number | null;
  signal: Signal;
  outcomes: readonly { key: string; venue_a: number | null; venue_b: number | null }[];
};
export type MarketFrame = { type: 'market' } & Market;
/** The channel no longer includes this market and its opportunities. */
export type RemovedFrame = { type: 'market_removed'; id: string; reason: string };
export type OpportunityFrame = {
  type: 'opportunity';
  state: 'opened' | 'updated' | 'closed';
  opportunity: Opportunity;
} & Partial<CloseInfo>;
/** Why an opportunity closed. `retracted`: it had opened on an invalid book. */
export type CloseInfo = { closed_at: string; reason: string | null; retracted: boolean };
export type FeedFrame = { type: 'feed'; venue: Venue; state: FeedState; last_message_at: string | null };
export type StatusFrame = { type: 'market_status'; id: string; from: Status; to: Status };

export type Frame = PriceFrame | MarketFrame | RemovedFrame | OpportunityFrame | FeedFrame | StatusFrame;

/**
 * One broadcast of a channel. Each frame has its own offset; `offset` is the offset of the last
 * one. A broadcast without frames is a position beacon.
 */
export type Batch = { channel: string; epoch: string; offset: number; frames: readonly Frame[] };

/** All markets and opportunities of a channel at `offset`. */
export type ChannelState = {
  channel: string;
  epoch: string;
  offset: number;
  markets: readonly Market[];
  opportunities: readonly Opportunity[];
  feeds?: readonly Omit<FeedFrame, 'type'>[] | null;
};

/**
 * Parses a broadcast; null when it is not a batch of this channel. Frames are trusted: only the
 * database publishes on these topics.
 */
export function parseBatch(channel: string, message: unknown): Batch | null {
  if (typeof message !== 'object' || message === null) return null;
  const { channel: named, epoch, offset, frames } = message as Record<string, unknown>;
  if (named !== channel || typeof epoch !== 'string' || !Number.isSafeInteger(offset)) return null;
  return { channel, epoch, offset: offset as number, frames: Array.isArray(frames) ? frames : [] };
}
