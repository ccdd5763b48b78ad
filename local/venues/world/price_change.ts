import { changedFingerprint, type Fingerprint, fingerprintOf, fingerprintText } from '../books/fingerprint.ts';
import { type Change, type Ladder, mirrored, withLevel } from '../books/ladder.ts';
import { wireLevels } from '../venue_b/levels.ts';
import type { LiveMarketB } from './live_b.ts';

/** Venue B's messages about books, in the present shape (after 2025-09-15): absolute sizes, both tokens, best prices after the change. */

const price = (value: number): string => String(value / 10_000);
const size = (value: number): string => String(value / 100);
const bestBid = (ladder: Ladder): string => price(ladder.bids[0]?.[0] ?? 0);
const bestAsk = (ladder: Ladder): string => price(ladder.asks[0]?.[0] ?? 10_000);

/** Each entry carries the best prices and the hash as they stand after that entry, so a reader may check at any point. */
export function priceChangeMessage(
  market: LiveMarketB,
  before: Ladder,
  changes: readonly Change[],
  at: number,
): Record<string, unknown> {
  const [zero, one] = market.tokens;
  let ladder = before;
  let print: Fingerprint = fingerprintOf(before);
  let printOne: Fingerprint = fingerprintOf(mirrored(before));
  const entries: Record<string, string>[] = [];
  for (const { side, price: at0, from, to } of changes) {
    ladder = withLevel(ladder, side, at0, to);
    print = changedFingerprint(print, side, at0, from, to);
    const other = side === 'bid' ? 'ask' : 'bid';
    printOne = changedFingerprint(printOne, other, 10_000 - at0, from, to);
    entries.push(
      {
        asset_id: zero,
        price: price(at0),
        size: size(to),
        side: side === 'bid' ? 'BUY' : 'SELL',
        hash: fingerprintText(zero, print),
        best_bid: bestBid(ladder),
        best_ask: bestAsk(ladder),
      },
      {
        asset_id: one,
        price: price(10_000 - at0),
        size: size(to),
        side: side === 'bid' ? 'SELL' : 'BUY',
        hash: fingerprintText(one, printOne),
        best_bid: price(10_000 - (ladder.asks[0]?.[0] ?? 10_000)),
        best_ask: price(10_000 - (ladder.bids[0]?.[0] ?? 0)),
      },
    );
  }
  return { market: market.condition, price_changes: entries, event_type: 'price_change', timestamp: String(at) };
}

export function bookMessage(market: LiveMarketB, token: string, at: number): Record<string, unknown> {
  const { ladder, hash, tick, lastTrade } = market.book(token);
  return {
    event_type: 'book',
    asset_id: token,
    market: market.condition,
    bids: wireLevels(ladder.bids),
    asks: wireLevels(ladder.asks),
    timestamp: String(at),
    hash,
    tick_size: tick,
    last_trade_price: lastTrade,
  };
}

export function bestBidAskMessages(market: LiveMarketB, at: number): Record<string, unknown>[] {
  return market.tokens.map((token) => {
    const { ladder } = market.book(token);
    const bid = ladder.bids[0]?.[0] ?? 0;
    const ask = ladder.asks[0]?.[0] ?? 10_000;
    return {
      event_type: 'best_bid_ask',
      market: market.condition,
      asset_id: token,
      best_bid: price(bid),
      best_ask: price(ask),
      spread: price(ask - bid),
      timestamp: String(at),
    };
  });
}
