import type { z } from 'zod';
import type { history } from '../../../functions/api/contract/history.ts';
import type { market } from '../../../functions/api/contract/market.ts';
import type { opportunity } from '../../../functions/api/contract/opportunity.ts';
import type { outcome } from '../../../functions/api/contract/outcome.ts';
import type { risk } from '../../../functions/api/contract/settlement.ts';

// What the database says to this page. Answers have the types of the REST contract: there is one description of a Market.

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

/** When each book was read off its venue's wire: never rounded, never delayed. */
export type BooksReadAt = Readonly<Record<Venue, string | null>>;

/** A Market as the live feed has it. Rule texts come with the page of one market alone: a thousand of them are megabytes. */
export type Market = Omit<z.infer<typeof market>, 'settlement'> & {
  settlement?: { parity: boolean; risks: Risk[] };
  books_read_at?: BooksReadAt;
};

/** One market with all that is known of it. */
export type MarketDetail = z.infer<typeof market> & { books_read_at?: BooksReadAt };

/** Why a market is (not) an opportunity, two minutes late as REST is (`api.explain_market`). Times are market times. */
export type Explained = {
  as_of: string;
  gates: { gate: 'band' | 'parity' | 'risk' | 'priced'; open: boolean; reason: string | null }[];
  after: {
    /** What came of the open gates; null while one is closed. */
    code: string | null;
    opportunity: { id: string; opened_at: string; closed_at: string | null; reason: string | null } | null;
    refused: { stage: string; reason: string; about: string | null; last_at: string; times: number; stands: boolean }[];
  };
};

/** How many opportunities `GET /v2/arbitrage` lists, whatever the plan (`api.open_opportunities`). */
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
/** A market that this channel says no more of; its windows with it. */
export type RemovedFrame = { type: 'market_removed'; id: string; reason: string };
export type OpportunityFrame = {
  type: 'opportunity';
  state: 'opened' | 'updated' | 'closed';
  opportunity: Opportunity;
} & Partial<Closing>;
/** Why a window closed. Retracted: it had opened on a book that was already wrong. */
export type Closing = { closed_at: string; reason: string | null; retracted: boolean };
export type FeedFrame = { type: 'feed'; venue: Venue; state: FeedState; last_message_at: string | null };
export type StatusFrame = { type: 'market_status'; id: string; from: Status; to: Status };

export type Frame = PriceFrame | MarketFrame | RemovedFrame | OpportunityFrame | FeedFrame | StatusFrame;

/** Frames of a channel. Each has an offset of its own and `offset` is that of the last; without frames it is where the channel stands. */
export type Batch = { channel: string; epoch: string; offset: number; frames: readonly Frame[] };

/** All that a channel's frames up to `offset` have come to. */
export type Snapshot = {
  channel: string;
  epoch: string;
  offset: number;
  markets: readonly Market[];
  opportunities: readonly Opportunity[];
  feeds?: readonly Omit<FeedFrame, 'type'>[] | null;
};

/** A broadcast as a Batch; null where it is none. What frames hold is believed: only the database can publish on these topics. */
export function readBatch(channel: string, message: unknown): Batch | null {
  if (typeof message !== 'object' || message === null) return null;
  const { channel: named, epoch, offset, frames } = message as Record<string, unknown>;
  if (named !== channel || typeof epoch !== 'string' || !Number.isSafeInteger(offset)) return null;
  return { channel, epoch, offset: offset as number, frames: Array.isArray(frames) ? frames : [] };
}
