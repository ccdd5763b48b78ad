import { DAY } from '../core/eastern.ts';
import { type HttpResponse, json, raw } from '../core/http.ts';
import type { Faults } from '../faults/faults.ts';
import type { LiveEventA, LiveMarketA } from '../world/live_a.ts';
import { findMarketOnA, findOnA } from './lookup.ts';
import { type Page, pageOf } from './page.ts';
import { type Place, placeOf, START } from './place.ts';
import type { SettledPast, Span } from './settled_past.ts';
import type { SettledQuestion } from './settled_question.ts';
import { CLOSES_WITHIN_DAYS, strandsOfSeriesA } from './strand.ts';

/**
 * The settled past on venue A's REST. A request for settled listings gets those of the live world
 * first, then the past, newest day first. Markets that settled before the cutoff are only below
 * /historical; their events are listed without `markets` (venues.md G10, G11).
 */

/** The venue's cutoff is about two weeks back. Here both ways are used within 120 days. */
const CUTOFF_DAYS = 60;

export type LiveAnswer = (path: string, query: URLSearchParams) => HttpResponse;
/** `cut`: the connection ends without a response. */
export type PastAnswer = HttpResponse | 'cut';

const badRequest = (message: string): HttpResponse => json({ error: { code: 'bad_request', message } }, 400);
const notFound = (message: string): HttpResponse => json({ error: { code: 'not_found', message } }, 404);

type SettledOnA = SettledQuestion & { a: LiveEventA };
type EventRow = { text: string; game: LiveEventA | null };

export class PastRestA {
  readonly #past: SettledPast;
  readonly #live: LiveAnswer;
  readonly #faults: Faults;

  constructor(past: SettledPast, live: LiveAnswer, faults: Faults) {
    this.#past = past;
    this.#live = live;
    this.#faults = faults;
  }

  /** `path` is the part after /trade-api/v2. */
  async answer(path: string, query: URLSearchParams): Promise<PastAnswer> {
    const [resource, name, view] = path
      .split('/')
      .filter((part) => part !== '')
      .map(decodeURIComponent);
    if (resource === 'historical') return this.#historical(name, view, query);
    const isSettled = query.get('status')?.split(',').includes('settled') ?? false;
    const isList = (resource === 'events' || resource === 'markets') && !name;
    // Without a status, a list by name contains listings in any state.
    const isNamed = isList && (query.has('tickers') || query.has('event_ticker')) && !query.has('status');
    if (isList && isSettled) {
      const failure = this.#faults.pastFailure();
      if (failure) return failure;
    }
    if (resource === 'markets' && (isNamed || (isList && isSettled))) return this.#settledMarkets(query);
    if (resource === 'events' && isList && isSettled && !query.has('tickers')) return this.#settledEvents(query);
    const live = this.#live(path, query);
    if (resource === 'events' && isList && query.has('tickers') && (isNamed || isSettled))
      return this.#withNamedEvents(live, query);
    if (resource === 'events' && name && live.status === 404) return this.#oneEvent(live, name, query);
    if (resource === 'markets' && name && !view && live.status === 404) return this.#oneMarket(live, name);
    return live;
  }

  #cutoff(): number {
    return Math.floor((this.#past.now() - CUTOFF_DAYS * DAY) / DAY) * DAY;
  }

  #isHistorical({ question }: SettledQuestion): boolean {
    return question.moments.finalized_a < this.#cutoff();
  }

  async #settledEvents(query: URLSearchParams): Promise<HttpResponse> {
    const limit = limitOf(query, 200, 200);
    if (limit === null) return badRequest('invalid limit');
    const continued = placeOf(query.get('cursor'));
    const live = continued ? null : this.#live('/events', query);
    if (live && live.status !== 200) return live;
    const first = JSON.parse(live?.body ?? '{}') as { cursor?: string; events?: unknown[]; milestones?: unknown[] };
    if (first.cursor && live) return live;
    const closes = Number(query.get('min_close_ts') ?? 0) * 1000;
    const updated = Number(query.get('min_updated_ts') ?? 0) * 1000;
    const nested = query.get('with_nested_markets') === 'true';
    const page = await pageOf(
      this.#past,
      this.#spanOf(query, closes),
      continued ?? this.#start(),
      limit - (first.events?.length ?? 0),
      onA(query, (settled): EventRow[] => {
        const { closed_a, finalized_a } = settled.question.moments;
        return closed_a >= closes && finalized_a >= updated ? [this.#rowOf(settled, nested)] : [];
      }),
    );
    const events = [...(first.events ?? []).map((event) => JSON.stringify(event)), ...page.rows.map((row) => row.text)];
    const milestones =
      query.get('with_milestones') === 'true'
        ? `,"milestones":${JSON.stringify([...(first.milestones ?? []), ...this.#milestonesOf(page.rows)])}`
        : '';
    return raw(`{"cursor":"${page.cursor}","events":[${events.join(',')}]${milestones}}`);
  }

  #rowOf(settled: SettledOnA, nested: boolean): EventRow {
    return { text: settled.a.json(nested && !this.#isHistorical(settled)), game: settled.game };
  }

  /** The milestones of these events. That of a betting line is the milestone of its game. */
  #milestonesOf(rows: readonly EventRow[]): Record<string, unknown>[] {
    const found = new Map<string, Record<string, unknown>>();
    for (const { game } of rows) {
      if (game) found.set(game.ticker, game.milestone(this.#past.now()));
    }
    return [...found.values()];
  }

  /** The selected markets of the live world, then those of the past up to the cutoff. */
  async #settledMarkets(query: URLSearchParams): Promise<HttpResponse> {
    const limit = limitOf(query, 100, 1000);
    if (limit === null) return badRequest('invalid limit');
    const continued = placeOf(query.get('cursor'));
    const live = continued ? null : this.#live('/markets', query);
    if (live && live.status !== 200) return live;
    const first = JSON.parse(live?.body ?? '{}') as { cursor?: string; markets?: unknown[] };
    if (first.cursor && live) return live;
    const closes = Number(query.get('min_close_ts') ?? 0) * 1000;
    const page = await this.#markets(query, continued ?? this.#start(), limit - (first.markets?.length ?? 0), {
      historical: false,
      closes: Math.max(closes, this.#cutoff() - CLOSES_WITHIN_DAYS * DAY),
    });
    const markets = [...(first.markets ?? []).map((market) => JSON.stringify(market)), ...page.rows];
    return raw(`{"cursor":"${page.cursor}","markets":[${markets.join(',')}]}`);
  }

  async #markets(
    query: URLSearchParams,
    after: Place,
    limit: number,
    { historical, closes }: { historical: boolean; closes: number },
  ): Promise<Page<string>> {
    const tickers = query.get('tickers')?.split(',');
    const wanted = query.get('event_ticker');
    const rowsOf = onA(query, (settled): string[] => {
      if (this.#isHistorical(settled) !== historical || settled.question.moments.closed_a < closes) return [];
      if (wanted && settled.a.ticker !== wanted) return [];
      const { markets } = settled.a;
      return (tickers ? markets.filter(({ ticker }) => tickers.includes(ticker)) : markets).map((one) => one.json());
    });
    if (wanted || tickers) {
      const found = wanted
        ? [findOnA(this.#past, wanted)]
        : (tickers ?? []).map((one) => findMarketOnA(this.#past, one));
      const rows = [...new Set(found)].flatMap((settled) => (settled ? rowsOf(settled) : []));
      return { rows: rows.slice(0, limit), cursor: '' };
    }
    return await pageOf(this.#past, this.#spanOf(query, closes), after, limit, rowsOf);
  }

  async #historical(name: string | undefined, ticker: string | undefined, query: URLSearchParams): Promise<PastAnswer> {
    if (this.#faults.isDown('a')) return json({ error: 'service unavailable' }, 503);
    const failure = this.#faults.pastFailure();
    if (failure) return failure;
    const cutoff = new Date(this.#cutoff()).toISOString();
    if (name === 'cutoff')
      return json({ market_settled_ts: cutoff, trades_created_ts: cutoff, orders_updated_ts: cutoff });
    if (name !== 'markets') return notFound('page not found');
    if (ticker) {
      const market = this.#marketOf(ticker, true);
      return market ? raw(`{"market":${market.json()}}`) : notFound('market not found');
    }
    const filters = ['series_ticker', 'event_ticker', 'tickers'].filter((filter) => query.has(filter));
    if (filters.length > 1) return badRequest(`${filters.join(' and ')} are mutually exclusive`);
    const limit = limitOf(query, 100, 1000);
    const after = query.get('cursor') ? placeOf(query.get('cursor')) : this.#start();
    const mve = query.get('mve_filter');
    if (limit === null || after === null || (mve !== null && mve !== 'exclude'))
      return badRequest('invalid parameters');
    const page = await this.#markets(query, after, limit, { historical: true, closes: 0 });
    return raw(`{"cursor":"${page.cursor}","markets":[${page.rows.join(',')}]}`);
  }

  #withNamedEvents(live: HttpResponse, query: URLSearchParams): PastAnswer {
    if (live.status !== 200) return live;
    const answer = JSON.parse(live.body) as { events: { event_ticker: string }[]; milestones?: unknown[] };
    const known = new Set(answer.events.map((event) => event.event_ticker));
    const missing = (query.get('tickers') ?? '').split(',').filter((ticker) => !known.has(ticker));
    const nested = query.get('with_nested_markets') === 'true';
    const rows = missing.flatMap((ticker): EventRow[] => {
      const settled = findOnA(this.#past, ticker);
      return settled?.a ? [this.#rowOf({ ...settled, a: settled.a }, nested)] : [];
    });
    if (rows.length === 0) return live;
    const failure = this.#faults.pastFailure();
    if (failure) return failure;
    const events = [...answer.events, ...rows.map((row): unknown => JSON.parse(row.text))];
    const milestones = answer.milestones ? { milestones: [...answer.milestones, ...this.#milestonesOf(rows)] } : {};
    return json({ ...answer, events, ...milestones });
  }

  #oneEvent(live: HttpResponse, ticker: string, query: URLSearchParams): PastAnswer {
    const settled = findOnA(this.#past, ticker);
    const event = settled?.a;
    if (!event) return live;
    const failure = this.#faults.pastFailure();
    if (failure) return failure;
    if (this.#isHistorical(settled)) return raw(`{"event":${event.json(false)}}`);
    if (query.get('with_nested_markets') === 'true') return raw(`{"event":${event.json(true)}}`);
    return raw(`{"event":${event.json(false)},"markets":[${event.markets.map((market) => market.json()).join(',')}]}`);
  }

  #oneMarket(live: HttpResponse, ticker: string): PastAnswer {
    const market = this.#marketOf(ticker, false);
    return market ? (this.#faults.pastFailure() ?? raw(`{"market":${market.json()}}`)) : live;
  }

  #marketOf(ticker: string, historical: boolean): LiveMarketA | undefined {
    const settled = findMarketOnA(this.#past, ticker);
    if (!settled || this.#isHistorical(settled) !== historical) return undefined;
    return settled.a?.markets.find((market) => market.ticker === ticker);
  }

  #start(): Place {
    return { ...START, until: this.#past.now() };
  }

  #spanOf(query: URLSearchParams, closes: number): Span {
    const strands = strandsOfSeriesA(query.get('series_ticker'));
    return { venue: 'a', strands, ...(closes > 0 ? { oldest: this.#past.dayOf(closes) - CLOSES_WITHIN_DAYS } : {}) };
  }
}

/** The rows of questions that venue A lists in the series of the request. */
function onA<Row>(query: URLSearchParams, rowsOf: (settled: SettledOnA) => Row[]) {
  const series = query.get('series_ticker');
  return (settled: SettledQuestion): Row[] => {
    const { a } = settled;
    return a && (!series || a.series_ticker === series) ? rowsOf({ ...settled, a }) : [];
  };
}

function limitOf(query: URLSearchParams, standard: number, most: number): number | null {
  const limit = Number(query.get('limit') ?? standard);
  return Number.isInteger(limit) && limit >= 1 && limit <= most ? limit : null;
}
