import { describe, expect, it } from 'vitest';
import type { SocketFactory } from '../../functions/_shared/reconnecting_socket.ts';
import { Engine } from '../../functions/ingest/engine/engine.ts';
import type { Quote } from '../../functions/ingest/engine/quotes.ts';
import type { WatchedPair } from '../../functions/ingest/engine/watch_list.ts';
import type { FeedRuntime } from '../../functions/ingest/feeds/feed.ts';
import { AccessKey } from '../../functions/ingest/venue_a/access_key.ts';
import { VenueAFeed } from '../../functions/ingest/venue_a/feed.ts';
import { VenueARest } from '../../functions/ingest/venue_a/rest.ts';
import { VenueBFeed } from '../../functions/ingest/venue_b/feed.ts';
import { VenueBStream } from '../../functions/ingest/venue_b/stream.ts';
import { restB, restClient } from './feed_fixture.ts';
import { recordingRuntime } from './runtime.ts';
import { VirtualVenues } from './virtual_venues.ts';

/**
 * Guarantee: the times of a quote are those of the message that made its price. Clients compute the
 * age of a price from them.
 */

const terms = { fee_a: null, fee_b: null, min_a: 1, min_b: 500, delay_b: null };
const pairOf = (id: string, legs: { contract_a: string; side_a: 'yes' | 'no'; contract_b: string }[]): WatchedPair => ({
  shard: 'books:0',
  pair_id: id,
  outcomes: legs.map((leg, at) => ({ key: `${id}-${at}`, ...leg, ...terms })),
  ladder: null,
  arb: false,
});
const opened = (pairs: readonly WatchedPair[]): Engine => {
  const engine = new Engine();
  engine.setWatchList(pairs, 0, 0);
  engine.acquireShard('books:0', 0);
  return engine;
};
const taken = (engine: Engine): Quote[] => {
  const quotes = engine.quotes.take(10_000, 0);
  engine.quotes.done(0);
  return quotes;
};

describe('message of venue_b that changes both tokens of a pair', () => {
  const start = () => {
    const engine = opened([
      pairOf('p', [
        { contract_a: 'A', side_a: 'yes', contract_b: '1' },
        { contract_a: 'A', side_a: 'no', contract_b: '2' },
      ]),
    ]);
    engine.a.invalidate('A', 'book.missing', 1);
    const stream = new VenueBStream(engine.b, { send() {}, reject() {} });
    stream.subscribe(['1', '2'], 0);
    stream.onOpen(0);
    const send = (message: unknown, at: number): Quote[] => {
      stream.receive(JSON.stringify(message), at, at);
      return taken(engine);
    };
    const book = (asset_id: string, bid: string, ask: string) => ({
      event_type: 'book',
      asset_id,
      timestamp: '1000',
      bids: [{ price: bid, size: '5' }],
      asks: [{ price: ask, size: '5' }],
    });
    send([book('1', '0.40', '0.44'), book('2', '0.56', '0.60')], 1_010);
    const row = (asset_id: string, price: string, side: string, best_bid: string, best_ask: string, size = '9') => ({
      asset_id,
      price,
      side,
      size,
      best_bid,
      best_ask,
    });
    const change = (...price_changes: unknown[]) => ({ event_type: 'price_change', timestamp: '2000', price_changes });
    return { engine, stream, send, row, change };
  };

  it('gives every changed quote the read_at and venue_time of this message', () => {
    const { send, row, change } = start();
    const quotes = send(
      change(row('1', '0.41', 'BUY', '0.41', '0.44'), row('2', '0.59', 'SELL', '0.56', '0.59')),
      2_030,
    );
    expect(
      quotes.map(({ contract, bid, ask, read_at, venue_time }) => [contract, bid, ask, read_at, venue_time]),
    ).toEqual([
      ['1', 410_000, 440_000, 2_030, 2_000],
      ['2', 560_000, 590_000, 2_030, 2_000],
    ]);
  });

  it('emits no price of a token whose best prices differ from the message, in any update or quote', () => {
    const { engine, send, row, change } = start();
    engine.queue.take(100);
    engine.queue.done();
    const quotes = send(
      change(row('1', '0.41', 'BUY', '0.41', '0.44'), row('2', '0.59', 'SELL', '0.56', '0.58')),
      2_030,
    );
    expect(quotes.map(({ contract, ask, void: why }) => [contract, ask, why])).toEqual([
      ['1', 440_000, null],
      ['2', null, 'book.gap'],
    ]);
    expect(engine.queue.take(100).map((message) => message.ask_b)).toEqual([[440_000, null]]);
  });

  it('emits no price of a token whose change cannot be parsed, and dates the other token’s quote', () => {
    const { send, row, change } = start();
    const quotes = send(
      change(row('2', '0.59', 'SELL', '0.56', '0.59'), row('1', '0.41', 'BUY', '0.41', '0.44', 'nine')),
      2_030,
    );
    expect(quotes.map(({ contract, ask, read_at }) => [contract, ask, read_at])).toEqual([
      ['1', null, 1_010],
      ['2', 590_000, 2_030],
    ]);
  });
});

/**
 * Books rebuilt from the messages of a socket without the product's code: price in 1e-6 USD to size
 * in 1e-6 contract.
 */
type RebuiltBook = { bids: Map<number, number>; asks: Map<number, number> };
type Stamped = { contract: string; stamp: number | null };
type Message = Stamped & { at: number; top: (number | null)[] };

const micro = (text: unknown): number => Math.round(Number(text) * 1e6);
const topOf = ({ bids, asks }: RebuiltBook): (number | null)[] => {
  const bid = bids.size > 0 ? Math.max(...bids.keys()) : null;
  const ask = asks.size > 0 ? Math.min(...asks.keys()) : null;
  const size = (of: Map<number, number>, price: number | null) =>
    price === null ? null : Math.floor((of.get(price) ?? 0) / 10_000);
  return [bid, ask, size(bids, bid), size(asks, ask)];
};
const levels = (rows: unknown): Map<number, number> =>
  new Map(
    ((rows ?? []) as (Record<string, unknown> | [unknown, unknown])[]).map((row) =>
      Array.isArray(row) ? [micro(row[0]), micro(row[1])] : [micro(row.price), micro(row.size)],
    ),
  );
const put = (side: Map<number, number>, price: number, size: number): void => {
  if (size > 0) side.set(price, size);
  else side.delete(price);
};

/**
 * Applies one message of either venue to the rebuilt books. Returns the contracts that it changed,
 * with the venue's timestamp.
 */
function applyMessage(books: Map<string, RebuiltBook>, text: string): Stamped[] {
  if (!/^[[{]/.test(text)) return [];
  const message: unknown = JSON.parse(text);
  const messages = (Array.isArray(message) ? message : [message]) as Record<string, unknown>[];
  return messages.flatMap((message): Stamped[] => {
    const msg = (message.msg ?? {}) as Record<string, string>;
    if (message.event_type === 'book') {
      const contract = String(message.asset_id);
      books.set(contract, { bids: levels(message.bids), asks: levels(message.asks) });
      return [{ contract, stamp: Number(message.timestamp) }];
    }
    if (message.event_type === 'price_change') {
      return (message.price_changes as Record<string, string>[]).flatMap((row) => {
        const rebuilt = books.get(String(row.asset_id));
        if (!rebuilt) return [];
        put(row.side === 'BUY' ? rebuilt.bids : rebuilt.asks, micro(row.price), micro(row.size));
        return [{ contract: String(row.asset_id), stamp: Number(message.timestamp) }];
      });
    }
    if (message.type === 'orderbook_snapshot') {
      const contract = String(msg.market_ticker);
      books.set(contract, { bids: levels(msg.yes_dollars_fp), asks: levels(msg.no_dollars_fp) });
      return [{ contract, stamp: null }];
    }
    const rebuilt = message.type === 'orderbook_delta' ? books.get(String(msg.market_ticker)) : undefined;
    if (!rebuilt) return [];
    const side = msg.side === 'yes' ? rebuilt.bids : rebuilt.asks;
    const price = micro(msg.price_dollars);
    put(side, price, (side.get(price) ?? 0) + micro(msg.delta_fp));
    return [{ contract: String(msg.market_ticker), stamp: Number(msg.ts_ms) }];
  });
}

describe('quotes of the simulated venues', () => {
  /**
   * Runs the feed of one venue and records every message with the time of receipt. All these times
   * are different.
   */
  async function quoted(which: 'venue_a' | 'venue_b', minQuotes: number) {
    const venues = new VirtualVenues({ rate: 12 });
    const { now, pairs: listed } = venues.truth;
    // Games that begin next have the most changes.
    const pairs = listed
      .filter(({ outcomes, start }) => outcomes.length === 2 && start !== null && start > now)
      .sort((x, y) => (x.start ?? 0) - (y.start ?? 0))
      .slice(0, 150)
      .map((pair, at) =>
        pairOf(
          `p${at}`,
          pair.outcomes.map(({ ticker, side, token_id }) => ({
            contract_a: ticker,
            side_a: side === 'no' ? 'no' : 'yes',
            contract_b: token_id,
          })),
        ),
      );
    const engine = opened(pairs);
    const books = new Map<string, RebuiltBook>();
    const messages: Message[] = [];
    const quotes: Quote[] = [];
    let last = 0;
    let reading: number | null = null;
    const marketNow = (): number => {
      last = reading ?? Math.max(venues.time.now(), last + 1);
      reading = null;
      return last;
    };
    const make: SocketFactory = (url, headers, on) =>
      venues.openSocket(url, headers, {
        ...on,
        message: (text) => {
          // The feed reads the clock first, so this is the time of receipt that it uses.
          const at = Math.max(venues.time.now(), last + 1);
          reading = at;
          for (const { contract, stamp } of applyMessage(books, text)) {
            const rebuilt = books.get(contract);
            if (rebuilt) messages.push({ at, contract, stamp, top: topOf(rebuilt) });
          }
          on.message(text);
          quotes.push(...taken(engine));
        },
      });
    const { addresses, runtime, sign } = venues;
    const feedRuntime: FeedRuntime = { ...recordingRuntime(which, runtime), marketNow };
    const feed =
      which === 'venue_a'
        ? new VenueAFeed({
            store: engine.a,
            rest: new VenueARest(restClient(runtime, addresses.venue_a.rest)),
            runtime: feedRuntime,
            socket: { url: addresses.venue_a.ws, make, key: new AccessKey({ sign, now: runtime.now }) },
          })
        : new VenueBFeed({
            store: engine.b,
            rest: restB(venues),
            runtime: feedRuntime,
            socket: { url: addresses.venue_b.ws, make },
          });
    feed.start();
    await venues.time.until(() => quotes.length >= minQuotes, { what: 'quotes', limitMs: 60_000 });
    await venues.time.run(feed.stop());
    return { quotes, messages };
  }

  it.each(['venue_a', 'venue_b'] as const)(
    '%s: every quote equals its book right after the message that read_at and venue_time identify',
    async (which) => {
      const { quotes, messages } = await quoted(which, 600);
      const byTime = new Map(messages.map((one) => [`${one.contract} ${one.at}`, one]));
      const complement = (price: number | null | undefined) => (price == null ? null : 1_000_000 - price);
      const wrong = quotes.flatMap((quote) => {
        const { contract, side, bid, ask, bid_size, ask_size, read_at, venue_time } = quote;
        if (quote.void !== null) return [];
        const message = byTime.get(`${contract} ${read_at}`);
        const [b, a, bs, as] = message?.top ?? [];
        const top = side === 'no' ? [complement(a), complement(b), as, bs] : [b, a, bs, as];
        const same = JSON.stringify(top) === JSON.stringify([bid, ask, bid_size, ask_size]);
        return message && same && message.stamp === venue_time ? [] : [{ quote, message }];
      });
      expect(wrong.slice(0, 3)).toEqual([]);
      expect(wrong).toHaveLength(0);
    },
  );
});
