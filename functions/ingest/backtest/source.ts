import { chunks } from '../feeds/feed.ts';
import type { ListedEvent, ListingBatch, VenueCode } from '../listing.ts';

/**
 * A list of settled listings that the backtest reads, and the cursor of its next page
 * (catalog.next_backtest_step). `filter` is a series ticker of venue_a, or the id of a series or
 * the slug of a tag of venue_b. `from_at` and `until_at` are market time, ISO 8601.
 */
export type BacktestSource = {
  scope: string;
  venue: VenueCode;
  kind: 'events' | 'historical' | 'series' | 'tag';
  filter: string;
  cursor: string | null;
  from_at: string;
  until_at: string;
};

/**
 * A page as the venue answered it. It is parsed apart, so that the next one can be requested first.
 */
export type SettledPage = { cursor: string | null; parse(): Promise<ListingBatch> };

/** Requests the settled listings of one venue, in pages of about `limit` events. */
export type SettledReader = { page(source: BacktestSource, limit: number): Promise<SettledPage> };

export const NO_LISTINGS: SettledPage = { cursor: null, parse: async () => ({ events: [], rejected: [] }) };

/** Events that are parsed at once: 50 ms of work at most, in which no price update is handled. */
const EVENTS_AT_ONCE = 20;

/** Parses a page in parts. Between two of them the worker handles its books. */
export async function parseInParts(
  events: readonly unknown[],
  parse: (part: readonly unknown[]) => ListingBatch,
): Promise<ListingBatch> {
  const batch: ListingBatch = { events: [], rejected: [] };
  for (const part of chunks(events, EVENTS_AT_ONCE)) {
    const parsed = parse(part);
    batch.events.push(...parsed.events);
    batch.rejected.push(...parsed.rejected);
    await new Promise((resolve) => setTimeout(resolve, 0));
  }
  return batch;
}

/**
 * The fields of a page that the match pass and the comparison of payouts read. Prices, fees and raw
 * payloads are left out: a backtest reads tens of thousands of listings.
 */
export function slimBatch({ events, rejected }: ListingBatch): ListingBatch {
  return { events: events.map(slimEvent), rejected };
}

function slimEvent(event: ListedEvent): ListedEvent {
  const payload = event.payload;
  const tags = payload !== null && typeof payload === 'object' && !Array.isArray(payload) ? payload.tags : null;
  const used = new Set(event.questions.flatMap((question) => question.legs.map((leg) => leg.market_id)));
  return {
    ...event,
    payload: { tags: tags ?? null },
    markets: event.markets
      .filter((market) => used.has(market.market_id))
      .map((market) => ({ ...market, payload: null, fee: null, ticks: null })),
  };
}
