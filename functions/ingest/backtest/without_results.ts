import { fieldMatcher, withoutKeys } from '../feeds/clean.ts';
import { isObject } from '../feeds/parse.ts';
import type { Json } from '../listing.ts';

/**
 * Settled listings as they were before their result: the parsers and the match pass get no field
 * that a result changes. The payouts go to the database in columns of their own, which only the
 * comparison after the match reads.
 */

type Listing = { [key: string]: Json };

const isResultA = fieldMatcher(
  /^(?:result|settlement_value|settlement_ts|expiration_value|last_price|previous_|yes_bid|yes_ask|no_bid|no_ask)/,
);
const isResultB = fieldMatcher(
  /^(?:outcomePrices|umaResolution|closedTime|lastTradePrice|bestBid|bestAsk|oneDay|oneHour|oneWeek|oneMonth|score|period|elapsed|ended|finishedTimestamp|automaticallyResolved|resolvedBy)/,
);

export function openListingA(event: Listing): Listing {
  return withMarkets(event, isResultA, { status: 'active' });
}

export function openListingB(event: Listing): Listing {
  const open = { active: true, closed: false };
  return { ...withMarkets(event, isResultB, { ...open, acceptingOrders: true }), ...open };
}

/**
 * The time at which a parser reads the listing: a day before it closed. Years that a listing does
 * not print are those around this time.
 */
export function readAt(closes: readonly (string | null)[], fallback: string): string {
  const times = closes
    .flatMap((close) => (close === null ? [] : [Date.parse(close)]))
    .filter((ms) => !Number.isNaN(ms));
  return times.length === 0 ? fallback : new Date(Math.min(...times) - 86_400_000).toISOString();
}

function withMarkets(event: Listing, isResult: (field: string) => boolean, open: Listing): Listing {
  const markets = Array.isArray(event.markets) ? event.markets : [];
  return {
    ...withoutKeys(event, isResult),
    markets: markets.map((market) =>
      isObject(market) ? { ...withoutKeys(market as Listing, isResult), ...open } : market,
    ),
  };
}
