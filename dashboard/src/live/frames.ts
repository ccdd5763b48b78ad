import type { z } from 'zod';
import type { Batch, ChannelState, Frame, Opportunity, Venue } from '../../../client/src/frames.ts';
import type { history } from '../../../functions/api/contract/history.ts';
import type { market } from '../../../functions/api/contract/market.ts';
import type { pastOpportunityList } from '../../../functions/api/contract/past_opportunity.ts';
import type { risk } from '../../../functions/api/contract/settlement.ts';

// Stream frames come from the client package. The types of RPC results are those of the REST
// contract, so a Market is described once.

export type {
  Batch,
  BooksReadAt,
  ChannelState,
  CloseInfo,
  Market,
  Opportunity,
  Outcome,
  Signal,
  Status,
  Venue,
} from '../../../client/src/frames.ts';

export const venues: readonly Venue[] = ['venue_a', 'venue_b'];

export type Leg = Opportunity['legs'][number];
export type Risk = z.infer<typeof risk>;
export type History = z.infer<typeof history>;
export type Point = History['series'][number]['points'][number];

/** Opportunities that have closed, the last closed first. */
export type ClosedOpportunities = z.infer<typeof pastOpportunityList>;

/** One market with its order books and rule texts. */
export type MarketDetail = z.infer<typeof market> & {
  books_read_at?: ChannelState['markets'][number]['books_read_at'];
};

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

/**
 * Parses a broadcast; null when it is not a batch of this channel. Frames are trusted: only the
 * database publishes on these topics.
 */
export function parseBatch(channel: string, message: unknown): Batch | null {
  if (typeof message !== 'object' || message === null) return null;
  const { channel: named, epoch, offset, frames } = message as Record<string, unknown>;
  if (named !== channel || typeof epoch !== 'string' || !Number.isSafeInteger(offset)) return null;
  return { channel, epoch, offset: offset as number, frames: (Array.isArray(frames) ? frames : []) as Frame[] };
}
