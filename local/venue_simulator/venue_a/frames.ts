import type { Change, Ladder } from '../books/ladder.ts';
import { count, dollars } from '../core/decimal.ts';
import { keyOf } from '../core/random.ts';
import type { MarketA } from './source.ts';

/** Venue A's book in its own format: YES bids and NO bids. A YES ask at p is a NO bid at 1 - p. */

type LevelJson = [price: string, size: string];

const yesLevels = (ladder: Ladder): LevelJson[] =>
  [...ladder.bids].reverse().map(([price, size]): LevelJson => [dollars(price), count(size)]);

/**
 * Ascending, best bid last. With `yesPrice`, prices are YES prices, so the best NO order has the
 * lowest number.
 */
const noLevels = (ladder: Ladder, yesPrice: boolean): LevelJson[] =>
  yesPrice
    ? ladder.asks.map(([price, size]): LevelJson => [dollars(price), count(size)])
    : [...ladder.asks].reverse().map(([price, size]): LevelJson => [dollars(10_000 - price), count(size)]);

/**
 * An empty side is an empty list, null, or a missing key: the venue uses all three (venues.md A5).
 * Fixed per market and side.
 */
function setSide(target: Record<string, unknown>, name: string, levels: LevelJson[], form: number): void {
  if (levels.length > 0) target[name] = levels;
  else if (form === 0) target[name] = [];
  else if (form === 1) target[name] = null;
}

export function restBook(market: MarketA, depth: number): Record<string, unknown> {
  const book: Record<string, unknown> = {};
  const form = keyOf(market.ticker, 'empty');
  const cut = (levels: LevelJson[]) => (depth > 0 ? levels.slice(-depth) : levels);
  setSide(book, 'yes_dollars', cut(yesLevels(market.ladder)), form % 3);
  setSide(book, 'no_dollars', cut(noLevels(market.ladder, false)), (form >>> 4) % 3);
  return book;
}

export function snapshotText(market: MarketA, sid: number, seq: number, yesPrice: boolean): string {
  const msg: Record<string, unknown> = { market_ticker: market.ticker, market_id: market.id };
  const form = keyOf(market.ticker, 'empty');
  setSide(msg, 'yes_dollars_fp', yesLevels(market.socketLadder), form % 3);
  setSide(msg, 'no_dollars_fp', noLevels(market.socketLadder, yesPrice), (form >>> 4) % 3);
  return JSON.stringify({ type: 'orderbook_snapshot', sid, seq, msg });
}

/** A signed change of one level. */
export function deltaText(
  market: MarketA,
  change: Change,
  sid: number,
  seq: number,
  yesPrice: boolean,
  at: number,
): string {
  const no = change.side === 'ask';
  const price = no && !yesPrice ? 10_000 - change.price : change.price;
  return `{"type":"orderbook_delta","sid":${sid},"seq":${seq},"msg":{"market_ticker":"${market.ticker}","market_id":"${market.id}","price_dollars":"${dollars(price)}","delta_fp":"${count(change.to - change.from)}","side":"${no ? 'no' : 'yes'}","ts":"${new Date(at).toISOString()}","ts_ms":${at}}}`;
}

export function tickerMessage(market: MarketA, at: number): Record<string, unknown> {
  const fields = JSON.parse(market.json()) as Record<string, unknown>;
  const bid = market.ladder.bids[0];
  const ask = market.ladder.asks[0];
  return {
    market_ticker: market.ticker,
    market_id: market.id,
    price_dollars: fields.last_price_dollars,
    yes_bid_dollars: dollars(bid?.[0] ?? 0),
    yes_ask_dollars: dollars(ask?.[0] ?? 10_000),
    yes_bid_size_fp: count(bid?.[1] ?? 0),
    yes_ask_size_fp: count(ask?.[1] ?? 0),
    last_trade_size_fp: '1.00',
    volume_fp: fields.volume_fp,
    open_interest_fp: fields.open_interest_fp,
    dollar_volume: Math.floor(Number(fields.volume_fp) / 2),
    dollar_open_interest: Math.floor(Number(fields.open_interest_fp) / 2),
    ts_ms: at,
  };
}
