import { changedFingerprint, type Fingerprint, fingerprintOf, fingerprintText } from '../books/fingerprint.ts';
import { type Change, type Ladder, mirrored, withLevel } from '../books/ladder.ts';
import { keyOf } from '../core/random.ts';
import { levelsJson } from '../venue_b/levels.ts';
import type { LiveMarketB } from './live_b.ts';

/**
 * Venue B's messages about books in the format since 2025-09-15: absolute sizes, both tokens, best
 * prices after the change.
 */

const price = (value: number): string => String(value / 10_000);
const size = (value: number): string => String(value / 100);

/**
 * An empty side is "", a price at the edge ("0", "1"), or a missing key: the venue uses all three.
 * Fixed per market.
 */
const EMPTY_SIDES: readonly ((side: 'best_bid' | 'best_ask') => Record<string, string>)[] = [
  (side) => ({ [side]: '' }),
  (side) => ({ [side]: side === 'best_bid' ? '0' : '1' }),
  () => ({}),
];

type Best = { bid: number | undefined; ask: number | undefined };

function bests({ bid, ask }: Best, market: LiveMarketB): Record<string, string> {
  const empty = EMPTY_SIDES[keyOf(market.slug, 'empty') % EMPTY_SIDES.length];
  return {
    ...(bid === undefined ? empty?.('best_bid') : { best_bid: price(bid) }),
    ...(ask === undefined ? empty?.('best_ask') : { best_ask: price(ask) }),
  };
}

const complement = (value: number | undefined): number | undefined =>
  value === undefined ? undefined : 10_000 - value;

/**
 * Each entry has the best prices and the hash after that entry, so a client can check at any point.
 */
export function priceChangeMessage(
  market: LiveMarketB,
  before: Ladder,
  changes: readonly Change[],
  at: number,
): Record<string, unknown> {
  const [zero, one] = market.socketTokens;
  let ladder = before;
  let fingerprint: Fingerprint = fingerprintOf(before);
  let fingerprintOne: Fingerprint = fingerprintOf(mirrored(before));
  const entries: Record<string, string>[] = [];
  for (const { side, price: at0, from, to } of changes) {
    ladder = withLevel(ladder, side, at0, to);
    fingerprint = changedFingerprint(fingerprint, side, at0, from, to);
    const best: Best = { bid: ladder.bids[0]?.[0], ask: ladder.asks[0]?.[0] };
    const other = side === 'bid' ? 'ask' : 'bid';
    fingerprintOne = changedFingerprint(fingerprintOne, other, 10_000 - at0, from, to);
    entries.push(
      {
        asset_id: zero,
        price: price(at0),
        size: size(to),
        side: side === 'bid' ? 'BUY' : 'SELL',
        hash: fingerprintText(zero, fingerprint),
        ...bests(best, market),
      },
      {
        asset_id: one,
        price: price(10_000 - at0),
        size: size(to),
        side: side === 'bid' ? 'SELL' : 'BUY',
        hash: fingerprintText(one, fingerprintOne),
        ...bests({ bid: complement(best.ask), ask: complement(best.bid) }, market),
      },
    );
  }
  return { market: market.condition, price_changes: entries, event_type: 'price_change', timestamp: String(at) };
}

export function bookMessage(market: LiveMarketB, token: string, at: number): Record<string, unknown> {
  const { ladder, hash, tick, lastTrade } = market.socketBook(token);
  return {
    event_type: 'book',
    asset_id: token,
    market: market.condition,
    bids: levelsJson(ladder.bids),
    asks: levelsJson(ladder.asks),
    timestamp: String(at),
    hash,
    tick_size: tick,
    last_trade_price: lastTrade,
  };
}

export function bestBidAskMessages(market: LiveMarketB, at: number): Record<string, unknown>[] {
  return market.tokens.map((token) => {
    const { ladder } = market.socketBook(token);
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
