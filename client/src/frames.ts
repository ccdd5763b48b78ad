import type { Opportunity as ApiOpportunity, Best, LiveMarket, Quote, StreamState } from './api_types.ts';

// What the stream sends: docs/stream_frames.md of the service.

export type Venue = 'venue_a' | 'venue_b';

/** A market of the live channels: of the REST market, without the rule texts. */
export type Market = LiveMarket;
export type Opportunity = ApiOpportunity;
export type Outcome = Market['outcomes'][number];
export type BooksReadAt = Market['books_read_at'];
export type Signal = Market['signal'];
export type Status = Market['status'];

export type PriceFrame = {
  type: 'price';
  id: string;
  priced_at: string;
  books_read_at: BooksReadAt;
  spread_pts: number | null;
  potential_arb_pct: number | null;
  signal: Signal;
  outcomes: readonly { key: string; venue_a: number | null; venue_b: number | null }[];
  /** Why there is no usable price. */
  void?: string;
};
export type MarketFrame = { type: 'market' } & Market;
/** The channel no longer includes this market and its opportunities. */
export type RemovedFrame = { type: 'market_removed'; id: string; reason: string };
/** Why an opportunity closed. `retracted`: it had opened on an invalid book. */
export type CloseInfo = { closed_at: string; reason: string | null; retracted: boolean };
export type OpportunityFrame = {
  type: 'opportunity';
  state: 'opened' | 'updated' | 'closed';
  opportunity: Opportunity;
} & Partial<CloseInfo>;
export type FeedFrame = {
  type: 'feed';
  venue: Venue;
  state: 'up' | 'stale' | 'down';
  last_message_at: string | null;
};
export type StatusFrame = { type: 'market_status'; id: string; from: Status; to: Status };
export type QuoteFrame = Quote & { void?: string; repeated?: true };

export type BestFrame = Best & { void?: string };

export type Frame =
  | PriceFrame
  | MarketFrame
  | RemovedFrame
  | OpportunityFrame
  | FeedFrame
  | StatusFrame
  | QuoteFrame
  | BestFrame;

/**
 * One broadcast of a channel. Each frame has its own offset; `offset` is the offset of the last
 * one. A broadcast without frames is a position beacon.
 */
export type Batch = { channel: string; epoch: string; offset: number; frames: readonly Frame[] };

/** All that a channel holds at `offset`. */
export type ChannelState = Pick<StreamState, 'channel' | 'epoch' | 'offset' | 'markets' | 'opportunities'> &
  Partial<Pick<StreamState, 'feeds' | 'quotes' | 'best'>>;
