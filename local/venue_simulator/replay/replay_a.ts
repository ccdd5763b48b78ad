import { TopHistory } from '../books/history.ts';
import { changesBetween, EMPTY, type Ladder, type Level, sizeAt, topOf, withLevel } from '../books/ladder.ts';
import { CONTRACT, DOLLAR, units } from '../core/decimal.ts';
import { uuidOf } from '../core/ids.ts';
import type { EventA, ListenerA, MarketA, SeriesRow, SourceA } from '../venue_a/source.ts';

type Row = Record<string, unknown>;

class RecordedMarket implements MarketA {
  ladder: Ladder = EMPTY;
  readonly history = new TopHistory(3_600_000);
  readonly ticker: string;
  readonly event_ticker: string;
  id: string;
  readonly created = 0;
  readonly row: Row;

  constructor(row: Row, event: string) {
    this.row = row;
    this.ticker = String(row.ticker);
    this.event_ticker = event;
    this.id = uuidOf('market', this.ticker);
  }

  get socketLadder(): Ladder {
    return this.ladder;
  }

  status(): string {
    return typeof this.row.status === 'string' ? this.row.status : 'active';
  }

  closes(): number {
    return timeOf(this.row.close_time, Number.POSITIVE_INFINITY);
  }

  updated(): number {
    return timeOf(this.row.updated_time, 0);
  }

  json(): string {
    return JSON.stringify(this.row);
  }
}

class RecordedEvent implements EventA {
  readonly ticker: string;
  readonly series_ticker: string;
  readonly seq: number;
  readonly markets: readonly RecordedMarket[];
  readonly #head: Row;

  constructor(row: Row, seq: number) {
    const { markets, ...head } = row;
    this.ticker = String(row.event_ticker);
    this.series_ticker = typeof row.series_ticker === 'string' ? row.series_ticker : (this.ticker.split('-')[0] ?? '');
    this.seq = seq;
    this.#head = head;
    this.markets = (Array.isArray(markets) ? (markets as Row[]) : [])
      .filter((market) => typeof market.ticker === 'string')
      .map((market) => new RecordedMarket(market, this.ticker));
  }

  updated(): number {
    return timeOf(this.#head.last_updated_ts, 0);
  }

  json(nested: boolean): string {
    return JSON.stringify(nested ? { ...this.#head, markets: this.markets.map((market) => market.row) } : this.#head);
  }
}

/** A recording of venue A: its listings unchanged, and books from its socket. */
export class ReplayA implements SourceA {
  t = 0;
  readonly #list: readonly RecordedEvent[];
  readonly #byTicker = new Map<string, RecordedEvent>();
  readonly #byMarket = new Map<string, RecordedMarket>();
  readonly #listeners: ListenerA[] = [];
  readonly #rows: readonly SeriesRow[];

  constructor(listings: readonly Row[]) {
    this.#list = listings
      .filter((row) => typeof row.event_ticker === 'string')
      .map((row, i) => new RecordedEvent(row, i + 1));
    for (const event of this.#list) {
      this.#byTicker.set(event.ticker, event);
      for (const market of event.markets) this.#byMarket.set(market.ticker, market);
    }
    const named = new Map<string, Row>();
    for (const [i, event] of this.#list.entries()) {
      const from = listings[i] ?? {};
      // Only the fields of the listings: a fee that was not recorded must stay unknown.
      named.set(event.series_ticker, {
        ticker: event.series_ticker,
        title: from.title,
        category: from.category,
        ...((from.series as Row | undefined) ?? {}),
      });
    }
    this.#rows = [...named].map(([ticker, fields]) => ({ ticker, fields }));
  }

  now(): number {
    return this.t;
  }

  events(): readonly EventA[] {
    return this.#list;
  }

  event(ticker: string): EventA | undefined {
    return this.#byTicker.get(ticker);
  }

  market(ticker: string): MarketA | undefined {
    return this.#byMarket.get(ticker);
  }

  series(): readonly SeriesRow[] {
    return this.#rows;
  }

  milestones(): readonly Row[] {
    return [];
  }

  listen(listener: ListenerA): void {
    this.#listeners.push(listener);
  }

  /**
   * Applies one recorded frame. Its sid and seq belong to the recorder's connection; clients get
   * their own.
   */
  apply(frame: Row, at: number): void {
    const msg = frame.msg as Row | undefined;
    if (!msg || typeof frame.type !== 'string') return;
    const ticker = typeof msg.market_ticker === 'string' ? msg.market_ticker : null;
    if (frame.type === 'orderbook_snapshot' || frame.type === 'orderbook_delta') {
      const market = ticker ? this.#byMarket.get(ticker) : undefined;
      if (!market) return;
      if (typeof msg.market_id === 'string') market.id = msg.market_id;
      this.#move(
        market,
        frame.type === 'orderbook_snapshot' ? ladderOf(msg) : changed(market.ladder, msg),
        typeof msg.ts_ms === 'number' ? msg.ts_ms : at,
        at,
      );
    } else if (frame.type !== 'ok' && frame.type !== 'subscribed') {
      for (const listener of this.#listeners) listener.announced({ type: frame.type, ticker, msg });
    }
  }

  /**
   * Sends a snapshot in the middle of the recording (the recorder subscribed late) as the changes
   * that lead to it.
   */
  #move(market: RecordedMarket, after: Ladder, stamp: number, at: number): void {
    const changes = changesBetween(market.ladder, after);
    if (changes.length === 0) return;
    market.ladder = after;
    market.history.note(at, topOf(after));
    for (const listener of this.#listeners) listener.changed(market, changes, stamp);
  }
}

function timeOf(value: unknown, otherwise: number): number {
  const time = Date.parse(String(value ?? ''));
  return Number.isNaN(time) ? otherwise : time;
}

function levelsOf(value: unknown): Level[] {
  return (Array.isArray(value) ? (value as [string, string][]) : []).map(
    ([price, size]): Level => [units(price, DOLLAR), units(size, CONTRACT)],
  );
}

function ladderOf(msg: Row): Ladder {
  const asks = levelsOf(msg.no_dollars_fp).map(([price, size]): Level => [DOLLAR - price, size]);
  return { bids: levelsOf(msg.yes_dollars_fp).sort((x, y) => y[0] - x[0]), asks: asks.sort((x, y) => x[0] - y[0]) };
}

function changed(ladder: Ladder, msg: Row): Ladder {
  const no = msg.side === 'no';
  const price = units(String(msg.price_dollars), DOLLAR);
  const place = no ? DOLLAR - price : price;
  const side = no ? 'ask' : 'bid';
  return withLevel(
    ladder,
    side,
    place,
    Math.max(0, sizeAt(ladder, side, place) + units(String(msg.delta_fp), CONTRACT)),
  );
}
