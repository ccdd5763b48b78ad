import { type HttpResponse, json } from '../core/http.ts';
import type { Faults } from '../faults/faults.ts';
import { levelsJson } from './levels.ts';
import type { SourceB, TokenBook } from './source.ts';

/** Venue B's order-book REST (venues.md B3). */

const MAX_IDS = 500;
const none = (): HttpResponse => json({ error: 'No orderbook exists for the requested token id' }, 404);

export class Clob {
  readonly #source: SourceB;
  readonly #faults: Faults;

  constructor(source: SourceB, faults: Faults) {
    this.#source = source;
    this.#faults = faults;
  }

  /** `path` is the part after /clob. */
  answer(method: string, path: string, query: URLSearchParams, body: unknown): HttpResponse {
    if (this.#faults.isDown('b')) return json({ error: 'matching engine restarting' }, 425);
    const resource = path.replace(/^\/|\/$/g, '');
    const token = query.get('token_id') ?? '';
    if (method === 'POST') {
      const asked = parseQueries(body);
      if (!asked) return json({ error: 'Invalid payload' }, 400);
      if (resource === 'books')
        return json(asked.flatMap(({ token_id }) => this.#view(token_id, (book) => summary(token_id, book))));
      if (resource === 'prices') return json(this.#prices(asked));
      if (resource === 'midpoints')
        return json(
          Object.fromEntries(
            asked.flatMap(({ token_id }) => this.#view(token_id, (book) => [token_id, midpoint(book)])),
          ),
        );
      if (resource === 'spreads')
        return json(
          Object.fromEntries(asked.flatMap(({ token_id }) => this.#view(token_id, (book) => [token_id, spread(book)]))),
        );
      if (resource === 'last-trade-prices')
        return json(
          asked.flatMap(({ token_id }) =>
            this.#view(token_id, (book) => ({ token_id, price: book.lastTrade, side: 'BUY' })),
          ),
        );
      return json({ error: 'not found' }, 404);
    }
    const one = (show: (book: TokenBook) => unknown): HttpResponse => {
      const book = this.#source.book(token);
      return book ? json(show(book)) : none();
    };
    switch (resource) {
      case 'book':
        return one((book) => summary(token, book));
      case 'price': {
        const side = query.get('side')?.toUpperCase();
        if (side !== 'BUY' && side !== 'SELL') return json({ error: 'Invalid side' }, 400);
        return one((book) => ({ price: price(book, side) }));
      }
      case 'midpoint':
        return one((book) => ({ mid: midpoint(book) }));
      case 'spread':
        return one((book) => ({ spread: spread(book) }));
      case 'last-trade-price':
        return one((book) => ({ price: book.lastTrade, side: 'BUY' }));
      case 'tick-size':
        return one((book) => ({ minimum_tick_size: Number(book.tick) }));
      case 'neg-risk':
        return one((book) => ({ neg_risk: book.negRisk }));
      case 'fee-rate':
        return one(() => ({ base_fee: 1000 }));
      case 'time':
        return json(Math.floor(this.#source.now() / 1000));
      default:
        return json({ error: 'not found' }, 404);
    }
  }

  #prices(asked: readonly PriceQuery[]): Record<string, Record<string, string>> {
    const out: Record<string, Record<string, string>> = {};
    for (const { token_id, side } of asked) {
      const book = this.#source.book(token_id);
      if (!book) continue;
      const sides = side ? [side] : (['BUY', 'SELL'] as const);
      out[token_id] = { ...out[token_id], ...Object.fromEntries(sides.map((one) => [one, price(book, one)])) };
    }
    return out;
  }

  #view<T>(token: string, show: (book: TokenBook) => T): T[] {
    const book = this.#source.book(token);
    return book ? [show(book)] : [];
  }
}

type PriceQuery = { token_id: string; side?: 'BUY' | 'SELL' };

function parseQueries(body: unknown): PriceQuery[] | null {
  if (!Array.isArray(body) || body.length > MAX_IDS) return null;
  const asked: PriceQuery[] = [];
  for (const row of body as unknown[]) {
    if (typeof row !== 'object' || row === null) return null;
    const { token_id, side } = row as { token_id?: unknown; side?: unknown };
    if (typeof token_id !== 'string') return null;
    asked.push(side === 'BUY' || side === 'SELL' ? { token_id, side } : { token_id });
  }
  return asked;
}

function summary(token: string, book: TokenBook): Record<string, unknown> {
  return {
    market: book.condition,
    asset_id: token,
    timestamp: String(book.timestamp),
    hash: book.hash,
    bids: levelsJson(book.ladder.bids),
    asks: levelsJson(book.ladder.asks),
    min_order_size: '5',
    tick_size: book.tick,
    neg_risk: book.negRisk,
    last_trade_price: book.lastTrade,
  };
}

/** `BUY` is the best bid, `SELL` the best ask. An empty side is 0 or 1. */
function price(book: TokenBook, side: 'BUY' | 'SELL'): string {
  return String((side === 'BUY' ? (book.ladder.bids[0]?.[0] ?? 0) : (book.ladder.asks[0]?.[0] ?? 10_000)) / 10_000);
}

function midpoint(book: TokenBook): string {
  return String(((book.ladder.bids[0]?.[0] ?? 0) + (book.ladder.asks[0]?.[0] ?? 10_000)) / 20_000);
}

function spread(book: TokenBook): string {
  return String(((book.ladder.asks[0]?.[0] ?? 10_000) - (book.ladder.bids[0]?.[0] ?? 0)) / 10_000);
}
