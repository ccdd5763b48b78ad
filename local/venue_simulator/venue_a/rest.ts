import { cursorAfter, firstAfter, type HttpResponse, json, parseCursor, raw } from '../core/http.ts';
import type { Faults } from '../faults/faults.ts';
import { EXCHANGE_INDEXES } from '../universe/listing/exchange_index.ts';
import { restBook } from './frames.ts';
import type { EventA, MarketA, SourceA } from './source.ts';

/**
 * Venue A's market-data REST (venues.md A2), read only. Unknown parameters are ignored, as on the
 * venue.
 */

/** Status filter → market states (venues.md A3). */
const STATES: Record<string, readonly string[]> = {
  unopened: ['initialized'],
  open: ['active'],
  paused: ['inactive'],
  closed: ['closed', 'determined', 'disputed', 'amended'],
  settled: ['finalized'],
};

/** Tokens per request (venues.md A7). */
export const READ_COST = 10;

const ERROR_CODES: Record<number, string> = { 401: 'unauthorized', 404: 'not_found' };

export const invalidQuery = (status: number, message: string): HttpResponse =>
  json({ error: { code: ERROR_CODES[status] ?? 'bad_request', message } }, status);

/** The tickers of a batch of order books. */
export const batchOf = (query: URLSearchParams): string[] =>
  query.getAll('tickers').flatMap((value) => value.split(','));

/** A Basic key (venues.md A7). */
const LIMITS = { usage_tier: 'basic', read_limit: 20, write_limit: 10 };

export class RestA {
  readonly #source: SourceA;
  readonly #faults: Faults;

  constructor(source: SourceA, faults: Faults) {
    this.#source = source;
    this.#faults = faults;
  }

  /** `path` is the part after /trade-api/v2. */
  answer(path: string, query: URLSearchParams): HttpResponse {
    const parts = path
      .split('/')
      .filter((part) => part !== '')
      .map(decodeURIComponent);
    const [resource, name, view] = parts;
    if (resource === 'exchange' && name === 'status') return json(this.#exchangeStatus());
    if (this.#faults.isDown('a')) return json({ error: 'service unavailable' }, 503);
    if (this.#faults.venueA.isActive('throttled')) return json({ error: 'too many requests' }, 429);
    if (resource === 'exchange' && name === 'schedule') return json(SCHEDULE);
    if (resource === 'account' && name === 'limits') return json(LIMITS);
    if (resource === 'account' && name === 'endpoint_costs') return json(this.#endpointCosts());
    if (resource === 'series' && name === 'fee_changes') return json({ series_fee_change_arr: [] });
    if (resource === 'events' && name === 'fee_changes') return json({ event_fee_changes: [], cursor: '' });
    if (resource === 'series') return name ? this.#oneSeries(name) : this.#allSeries(query);
    if (resource === 'events') return name ? this.#oneEvent(name, query) : this.#events(query);
    if (resource === 'markets' && name === 'orderbooks') return this.#books(query);
    if (resource === 'markets' && name && view === 'orderbook') return this.#book(name, query);
    if (resource === 'markets') return name ? this.#oneMarket(name) : this.#markets(query);
    if (resource === 'milestones') return this.#milestones(query);
    return invalidQuery(404, 'page not found');
  }

  #exchangeStatus(): Record<string, unknown> {
    const up = !this.#faults.isDown('a');
    const { venueA } = this.#faults;
    const flags = (index: number) => ({
      exchange_active: up,
      intra_exchange_transfers_active: up,
      trading_active: up && !venueA.isPaused(index),
    });
    const rows = EXCHANGE_INDEXES.filter(({ index }) => venueA.hasStatusRow(index)).map(({ index, description }) => ({
      description,
      exchange_index: index,
      ...flags(index),
    }));
    return {
      ...flags(0),
      exchange_estimated_resume_time: up ? null : new Date(this.#source.now() + 60_000).toISOString(),
      ...(rows.length > 0 ? { exchange_index_statuses: rows } : {}),
    };
  }

  /** Endpoints whose cost differs from the usual one (venues.md G5). */
  #endpointCosts(): Record<string, unknown> {
    const { venueA } = this.#faults;
    const orders = { method: 'DELETE', path: '/trade-api/v2/portfolio/events/orders/batched', cost: 2 };
    const books = { method: 'GET', path: '/trade-api/v2/markets/orderbooks', cost: venueA.tokensPerBook() };
    return { default_cost: READ_COST, endpoint_costs: venueA.listsBookCost() ? [orders, books] : [orders] };
  }

  #allSeries(query: URLSearchParams): HttpResponse {
    const category = query.get('category');
    const tags = query.get('tags')?.split(',');
    const rows = this.#source
      .series()
      .map((row) => row.fields)
      .filter((fields) => !category || fields.category === category)
      .filter(
        (fields) => !tags || (Array.isArray(fields.tags) && fields.tags.some((tag) => tags.includes(String(tag)))),
      );
    return json({ series: rows });
  }

  #oneSeries(ticker: string): HttpResponse {
    const row = this.#source.series().find((one) => one.ticker === ticker);
    return row ? json({ series: row.fields }) : invalidQuery(404, 'series not found');
  }

  #events(query: URLSearchParams): HttpResponse {
    const limit = limitOf(query, 200, 200);
    const after = parseCursor(query.get('cursor'));
    const states = statesOf(query);
    if (limit === null || after === null || states === null) return invalidQuery(400, 'invalid parameters');
    const series = query.get('series_ticker');
    const tickers = query.get('tickers')?.split(',');
    const closes = Number(query.get('min_close_ts') ?? 0) * 1000;
    const updated = Number(query.get('min_updated_ts') ?? 0) * 1000;
    const nested = query.get('with_nested_markets') === 'true';
    const rows = this.#source.events();
    const page: EventA[] = [];
    let at = firstAfter(rows, after);
    for (; at < rows.length && page.length < limit; at++) {
      const event = rows[at];
      if (!event || (series && event.series_ticker !== series) || (tickers && !tickers.includes(event.ticker)))
        continue;
      if (states && !event.markets.some((market) => states.includes(market.status()))) continue;
      if (closes && !event.markets.some((market) => market.closes() >= closes)) continue;
      if (updated && event.updated() < updated) continue;
      page.push(event);
    }
    const cursor = at < rows.length ? cursorAfter(page.at(-1)?.seq ?? 0) : '';
    const visible = this.#shifted(page);
    const body = visible.map((event) => event.json(nested)).join(',');
    const milestones =
      query.get('with_milestones') === 'true' ? `,"milestones":${JSON.stringify(this.#milestonesOf(visible))}` : '';
    return raw(`{"cursor":"${cursor}","events":[${body}]${milestones}}`);
  }

  #milestonesOf(events: readonly EventA[]): Record<string, unknown>[] {
    const wanted = new Set(events.map((event) => event.ticker));
    return this.#source
      .milestones()
      .filter((row) => (row.related_event_tickers as string[]).some((ticker) => wanted.has(ticker)));
  }

  #oneEvent(ticker: string, query: URLSearchParams): HttpResponse {
    const event = this.#source.event(ticker);
    if (!event || event.markets.every((market) => this.#isNotYetVisible(market)))
      return invalidQuery(404, 'event not found');
    if (query.get('with_nested_markets') === 'true') return raw(`{"event":${event.json(true)}}`);
    return raw(`{"event":${event.json(false)},"markets":[${event.markets.map((market) => market.json()).join(',')}]}`);
  }

  #markets(query: URLSearchParams): HttpResponse {
    const limit = limitOf(query, 100, 1000);
    const states = statesOf(query);
    const after = marketPlace(query.get('cursor'));
    if (limit === null || states === null || after === null) return invalidQuery(400, 'invalid parameters');
    const wanted = query.get('event_ticker');
    const series = query.get('series_ticker');
    const tickers = query.get('tickers')?.split(',');
    const updated = Number(query.get('min_updated_ts') ?? 0) * 1000;
    const closes = [
      Number(query.get('min_close_ts') ?? 0) * 1000,
      Number(query.get('max_close_ts') ?? 0) * 1000 || Number.POSITIVE_INFINITY,
    ] as const;
    const created = Number(query.get('min_created_ts') ?? 0) * 1000;
    if (query.get('mve_filter') === 'only') return raw('{"cursor":"","markets":[]}');
    const rows = this.#source.events();
    const out: string[] = [];
    let cursor = '';
    // The page continues inside the event where the previous one ended.
    for (let at = Math.max(0, firstAfter(rows, after.seq - 1)); at < rows.length && !cursor; at++) {
      const event = rows[at];
      if (!event || (wanted && event.ticker !== wanted) || (series && event.series_ticker !== series)) continue;
      for (const [i, market] of event.markets.entries()) {
        if (event.seq === after.seq && i <= after.index) continue;
        if (tickers && !tickers.includes(market.ticker)) continue;
        if (states && !states.includes(market.status())) continue;
        if (market.updated() < updated || market.created < created) continue;
        if (market.closes() < closes[0] || market.closes() > closes[1]) continue;
        out.push(market.json());
        if (out.length === limit) {
          cursor = Buffer.from(`market:${event.seq}:${i}`).toString('base64url');
          break;
        }
      }
    }
    return raw(`{"cursor":"${cursor}","markets":[${out.join(',')}]}`);
  }

  #oneMarket(ticker: string): HttpResponse {
    const market = this.#source.market(ticker);
    return market && !this.#isNotYetVisible(market)
      ? raw(`{"market":${market.json()}}`)
      : invalidQuery(404, 'market not found');
  }

  #book(ticker: string, query: URLSearchParams): HttpResponse {
    const market = this.#source.market(ticker);
    if (!market || this.#isNotYetVisible(market)) return invalidQuery(404, 'market not found');
    const depth = Number(query.get('depth') ?? 0);
    if (!Number.isInteger(depth) || depth < 0 || depth > 100) return invalidQuery(400, 'invalid depth');
    return json({ orderbook_fp: restBook(market, depth) });
  }

  #books(query: URLSearchParams): HttpResponse {
    if (this.#faults.venueA.isActive('batch_refused')) return invalidQuery(401, 'authentication required');
    const tickers = batchOf(query);
    if (tickers.length < 1 || tickers.length > 100) return invalidQuery(400, 'tickers must name 1 to 100 markets');
    const orderbooks = tickers.flatMap((ticker) => {
      const market = this.#source.market(ticker);
      return market && !this.#isNotYetVisible(market) ? [{ ticker, orderbook_fp: restBook(market, 0) }] : [];
    });
    return json({ orderbooks });
  }

  #milestones(query: URLSearchParams): HttpResponse {
    const limit = limitOf(query, 100, 500);
    const after = parseCursor(query.get('cursor'));
    if (limit === null || after === null) return invalidQuery(400, 'invalid parameters');
    const type = query.get('type');
    const category = query.get('category');
    const related = query.get('related_event_ticker');
    const rows = this.#source
      .milestones()
      .filter((row) => !type || row.type === type)
      .filter((row) => !category || row.category === category)
      .filter((row) => !related || (row.related_event_tickers as string[]).includes(related));
    const page = rows.slice(after, after + limit);
    return json({ cursor: after + limit < rows.length ? cursorAfter(after + limit) : '', milestones: page });
  }

  /**
   * Read models are eventually consistent: a market may be unknown right after its `created`
   * message.
   */
  #isNotYetVisible(market: MarketA): boolean {
    const age = this.#source.now() - market.created;
    return age >= 0 && age < this.#faults.newListingDelayMs;
  }

  /** The fault of rows that move between pages: repeats the first row of the previous page. */
  #shifted(page: readonly EventA[]): readonly EventA[] {
    const first = page[0];
    if (!this.#faults.isShifting() || !first) return page;
    const rows = this.#source.events();
    const before = rows[firstAfter(rows, first.seq) - 2];
    return before ? [before, ...page] : page;
  }
}

function limitOf(query: URLSearchParams, standard: number, most: number): number | null {
  const text = query.get('limit');
  if (text === null) return standard;
  const limit = Number(text);
  return Number.isInteger(limit) && limit >= 1 && limit <= most ? limit : null;
}

/**
 * undefined without a filter; null for an unknown filter, which the venue rejects (`finalized` is a
 * state, but not a filter).
 */
function statesOf(query: URLSearchParams): readonly string[] | undefined | null {
  const status = query.get('status');
  if (!status) return undefined;
  const states: string[] = [];
  for (const word of status.split(',')) {
    const known = STATES[word];
    if (!known) return null;
    states.push(...known);
  }
  return states;
}

function marketPlace(cursor: string | null): { seq: number; index: number } | null {
  if (!cursor) return { seq: 0, index: -1 };
  const match = /^market:(\d+):(\d+)$/.exec(Buffer.from(cursor, 'base64url').toString('utf8'));
  return match ? { seq: Number(match[1]), index: Number(match[2]) } : null;
}

const open = [{ open_time: '00:00', close_time: '00:00' }];
const SCHEDULE = {
  schedule: {
    maintenance_windows: [],
    standard_hours: [
      {
        start_time: '2026-01-01T00:00:00Z',
        end_time: '2036-01-01T00:00:00Z',
        monday: open,
        tuesday: open,
        wednesday: open,
        thursday: [
          { open_time: '00:00', close_time: '03:00' },
          { open_time: '05:00', close_time: '00:00' },
        ],
        friday: open,
        saturday: open,
        sunday: open,
      },
    ],
  },
};
