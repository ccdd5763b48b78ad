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

export type SettledPage = { batch: ListingBatch; cursor: string | null };

/** Reads the settled listings of one venue, page by page. */
export type SettledReader = { page(source: BacktestSource): Promise<SettledPage> };

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
