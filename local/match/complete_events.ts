/**
 * Listing files may contain less than a venue sends. Fields that a recording omitted are filled in
 * where they change nothing (a state, a series that the ticker names), so that the product's
 * adapters can parse the file. Nothing that decides a match is invented.
 */

type JsonObject = { [key: string]: unknown };

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const objects = (value: unknown): JsonObject[] => (Array.isArray(value) ? value.filter(isObject) : []);

/** A venue_a event with the fields that the adapter requires. */
export function completeEventA(event: unknown): unknown {
  if (!isObject(event) || typeof event.event_ticker !== 'string') return event;
  const ticker = event.event_ticker;
  return {
    ...event,
    series_ticker: event.series_ticker ?? ticker.split('-')[0],
    markets: objects(event.markets).map((market) => ({ event_ticker: ticker, status: 'active', ...market })),
  };
}

/**
 * A venue_b event with the fields that the adapter requires. A market without a condition id gets
 * its slug as id.
 */
export function completeEventB(event: unknown): unknown {
  if (!isObject(event)) return event;
  return {
    active: true,
    closed: false,
    ...event,
    markets: objects(event.markets).map((market) => ({
      active: true,
      closed: false,
      acceptingOrders: true,
      enableOrderBook: true,
      ...market,
      conditionId: market.conditionId ?? market.slug ?? market.id,
    })),
  };
}
