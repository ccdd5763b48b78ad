import { fingerprintOf, fingerprintText } from '../books/fingerprint.ts';
import { TopHistory } from '../books/history.ts';
import { EMPTY, type Ladder, type Level, topOf, withLevel } from '../books/ladder.ts';
import { CONTRACT, DOLLAR, units } from '../core/decimal.ts';
import { rowIdOf } from '../core/ids.ts';
import type { EventB, ListenerB, MarketB, SourceB, TokenBook } from '../venue_b/source.ts';

type Row = Record<string, unknown>;
type Book = {
  ladder: Ladder;
  hash: string | null;
  timestamp: number;
  tick: string;
  lastTrade: string;
  history: TopHistory;
};

class RecordedMarket implements MarketB {
  readonly id: string;
  readonly slug: string;
  readonly condition: string;
  readonly tokens: readonly string[];
  readonly seq: number;
  readonly row: Row;
  event: RecordedEvent | null = null;

  constructor(row: Row, seq: number) {
    this.row = row;
    this.seq = seq;
    this.slug = String(row.slug ?? '');
    this.id = String(row.id ?? rowIdOf('market', this.slug));
    this.condition = String(row.conditionId ?? '');
    this.tokens = tokensOf(row.version === 'v2' ? row.positionIds : row.clobTokenIds);
  }

  closed(): boolean {
    return this.row.closed === true;
  }

  active(): boolean {
    return this.row.active !== false;
  }

  json(withEvent: boolean): string {
    return JSON.stringify(withEvent && this.event ? { ...this.row, events: [this.event.fields] } : this.row);
  }
}

class RecordedEvent implements EventB {
  readonly id: string;
  readonly slug: string;
  readonly seq: number;
  readonly tags: readonly Row[];
  readonly fields: Row;
  readonly markets: readonly RecordedMarket[];
  readonly #row: Row;

  constructor(row: Row, markets: readonly RecordedMarket[], seq: number) {
    const { markets: _nested, ...fields } = row;
    this.#row = row;
    this.fields = fields;
    this.seq = seq;
    this.slug = String(row.slug ?? '');
    this.id = String(row.id ?? rowIdOf('event', this.slug));
    this.tags = Array.isArray(row.tags) ? (row.tags as Row[]) : [];
    this.markets = markets;
    for (const market of markets) market.event = this;
  }

  closed(): boolean {
    return this.#row.closed === true;
  }

  active(): boolean {
    return this.#row.active !== false;
  }

  json(): string {
    return JSON.stringify(this.#row);
  }
}

/** A recording of venue B: messages are sent unchanged to the subscribers of their tokens. */
export class ReplayB implements SourceB {
  t = 0;
  wanted: (token: string) => boolean = () => true;
  readonly #list: RecordedEvent[] = [];
  readonly #bySlug = new Map<string, RecordedEvent>();
  readonly #byName = new Map<string, RecordedMarket>();
  readonly #books = new Map<string, Book>();
  readonly #listeners: ListenerB[] = [];

  constructor(listings: readonly Row[]) {
    let seq = 0;
    for (const row of listings) {
      if (typeof row.slug !== 'string') continue;
      const nested = (Array.isArray(row.markets) ? (row.markets as Row[]) : []).filter(
        (one) => typeof one.slug === 'string',
      );
      const markets = nested.map((one) => new RecordedMarket(one, ++seq));
      const event = new RecordedEvent(row, markets, ++seq);
      this.#list.push(event);
      this.#bySlug.set(event.slug, event);
      for (const market of markets) for (const name of [market.slug, ...market.tokens]) this.#byName.set(name, market);
    }
  }

  now(): number {
    return this.t;
  }

  events(): readonly EventB[] {
    return this.#list;
  }

  eventBySlug(slug: string): EventB | undefined {
    return this.#bySlug.get(slug);
  }

  market(name: string): MarketB | undefined {
    return this.#byName.get(name);
  }

  /** A recording has no resolutions. */
  resolution(): undefined {
    return undefined;
  }

  book(token: string): TokenBook | undefined {
    const book = this.#books.get(token);
    if (!book) return undefined;
    const market = this.#byName.get(token);
    return {
      ladder: book.ladder,
      hash: book.hash ?? fingerprintText(token, fingerprintOf(book.ladder)),
      timestamp: book.timestamp,
      tick: book.tick || String(market?.row.orderPriceMinTickSize ?? '0.01'),
      negRisk: market?.row.negRisk === true,
      lastTrade: book.lastTrade,
      condition: market?.condition ?? '',
    };
  }

  socketBook(token: string): TokenBook | undefined {
    return this.book(token);
  }

  history(token: string): { history: TopHistory; flipped: boolean } | undefined {
    const book = this.#books.get(token);
    return book ? { history: book.history, flipped: false } : undefined;
  }

  teams(): readonly Row[] {
    return [];
  }

  sports(): readonly Row[] {
    return [];
  }

  listen(listener: ListenerB): void {
    this.#listeners.push(listener);
  }

  /** Applies one recorded message of the market channel. */
  apply(message: Row, at: number): void {
    const tokens: string[] = [];
    const stamp = Number(message.timestamp) || at;
    if (message.event_type === 'price_change' && Array.isArray(message.price_changes)) {
      for (const change of message.price_changes as Row[]) {
        const token = String(change.asset_id);
        tokens.push(token);
        const book = this.#bookOf(token);
        const side = change.side === 'BUY' ? 'bid' : 'ask';
        this.#put(
          book,
          withLevel(book.ladder, side, units(String(change.price), DOLLAR), units(String(change.size), CONTRACT)),
          stamp,
          at,
        );
        book.hash = typeof change.hash === 'string' ? change.hash : null;
      }
    } else if (typeof message.asset_id === 'string') {
      const token = message.asset_id;
      tokens.push(token);
      const book = this.#bookOf(token);
      if (message.event_type === 'book') {
        this.#put(book, { bids: levelsOf(message.bids, -1), asks: levelsOf(message.asks, 1) }, stamp, at);
        book.hash = typeof message.hash === 'string' ? message.hash : null;
        if (typeof message.tick_size === 'string') book.tick = message.tick_size;
        if (typeof message.last_trade_price === 'string') book.lastTrade = message.last_trade_price;
      } else if (message.event_type === 'last_trade_price') book.lastTrade = String(message.price);
      else if (message.event_type === 'tick_size_change') {
        book.tick = String(message.new_tick_size);
        book.ladder = EMPTY;
      }
    }
    for (const listener of this.#listeners)
      listener.sent(tokens.length > 0 ? tokens : tokensOf(message.assets_ids), message);
  }

  #bookOf(token: string): Book {
    const known = this.#books.get(token);
    if (known) return known;
    const book: Book = {
      ladder: EMPTY,
      hash: null,
      timestamp: this.t,
      tick: '',
      lastTrade: '0.5',
      history: new TopHistory(3_600_000),
    };
    this.#books.set(token, book);
    return book;
  }

  #put(book: Book, ladder: Ladder, stamp: number, at: number): void {
    book.ladder = ladder;
    book.timestamp = stamp;
    book.history.note(at, topOf(ladder));
  }
}

function tokensOf(value: unknown): string[] {
  if (Array.isArray(value)) return value.map(String);
  if (typeof value !== 'string') return [];
  try {
    const list: unknown = JSON.parse(value);
    return Array.isArray(list) ? list.map(String) : [];
  } catch {
    return [];
  }
}

function levelsOf(value: unknown, order: 1 | -1): Level[] {
  const levels = (Array.isArray(value) ? (value as { price: string; size: string }[]) : []).map(
    ({ price, size }): Level => [units(price, DOLLAR), units(size, CONTRACT)],
  );
  return levels.sort((x, y) => order * (x[0] - y[0]));
}
