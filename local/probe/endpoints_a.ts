import { isObject } from '../../functions/ingest/feeds/parse.ts';
import { RestError } from '../../functions/ingest/feeds/rest.ts';
import { questionsOfVenueA } from '../../functions/ingest/identity/venue_a.ts';
import { AccessKey } from '../../functions/ingest/venue_a/access_key.ts';
import { BATCH_PATH, EndpointCosts, SINGLE_PATH } from '../../functions/ingest/venue_a/endpoint_costs.ts';
import {
  countBooks,
  countEvents,
  countExchangeStatus,
  countMarkets,
  countMilestones,
  countSeries,
} from '../../functions/ingest/venue_a/known_fields.ts';
import { listVenueA } from '../../functions/ingest/venue_a/listing.ts';
import {
  type EventPage,
  RATE_WITH_KEY_PER_SECOND,
  RATE_WITHOUT_KEY_PER_SECOND,
  VenueARest,
} from '../../functions/ingest/venue_a/rest.ts';
import { parseRestBook } from '../../functions/ingest/venue_a/rest_book.ts';
import {
  endpointCosts,
  exchangeStatus,
  type RawSeries,
  rawMilestone,
  rawSeries,
  restBook,
  servedEvent,
  servedMarket,
} from '../../functions/ingest/venue_a/schemas.ts';
import { parseSeries } from '../../functions/ingest/venue_a/series.ts';
import type { Signer } from '../../functions/ingest/venue_a/sign.ts';
import { counting, type Findings, readEndpoint, type Table } from './row.ts';
import type { Wire } from './wire.ts';

/** What was read of venue_a, for the checks of its documents. Null: the request failed. */
export type ReadA = {
  series: readonly unknown[] | null;
  page: EventPage | null;
  /** The response of /exchange/status. */
  status: unknown;
  /**
   * Whether a batch of books was answered, refused with 401, answered only when it was small
   * (`halved`), or failed; the same for one book.
   */
  batch: 'answered' | 'refused' | 'halved' | 'failed' | 'not tried';
  single: 'answered' | 'failed' | 'not tried';
  /** Null without a key, or when they cannot be read. */
  costs: EndpointCosts | null;
  cutoff: string | null;
  /** The status of a request that needs a key. Null when it was not sent. */
  signedStatus: number | null;
};

/** Tickers of one batch of books, and of one request of events. */
const BOOKS = 100;
/** After 429 the adapter halves its batches. The probe tries a small one. */
const SMALL_BATCH = 10;
const EVENTS_BY_TICKER = 10;
const HISTORY_PAGE = 100;
/** Series that are tried until one has settled events. */
const SERIES_TRIED = 4;

/** Reads one page of each endpoint of venue_a that the adapter uses, and adds a row for each. */
export async function readVenueA(
  table: Table,
  wire: Wire,
  base: string,
  sign: Signer | null,
  now: number,
): Promise<ReadA> {
  const perSecond = sign ? RATE_WITH_KEY_PER_SECOND : RATE_WITHOUT_KEY_PER_SECOND;
  const key = sign && new AccessKey({ sign, now: Date.now });
  // As ingest does: after a 401 to a signed request, requests are unsigned.
  const signed = key ? { sign: (method: string, path: string) => key.headers(method, path) } : {};
  const client = wire.client(base, perSecond, Math.ceil(perSecond / 2), signed);
  const rest = new VenueARest(client, { key });
  const add = <T>(endpoint: string, read: (findings: Findings) => Promise<T>): Promise<T | null> =>
    readEndpoint(table, 'venue_a', endpoint, wire, read);

  const series = await add('GET /series', async (findings) => {
    const rows = await rest.series();
    findings.check('series', rawSeries, rows);
    countSeries(findings.unknown, rows);
    findings.rows = counting(rows.length, 'series').replace('seriess', 'series');
    return rows;
  });
  const byTicker = parseSeries(series ?? []).byTicker;
  const checkPage = (findings: Findings, page: EventPage): EventPage => checkEvents(findings, page, byTicker, now);
  const page = await add('GET /events (open)', async (findings) => checkPage(findings, await rest.events(null)));
  const tickers = (page?.events ?? []).flatMap((event) => nameOf(event, 'event_ticker')).slice(0, EVENTS_BY_TICKER);
  await add('GET /events (tickers)', async (findings) => checkPage(findings, await rest.eventsByTicker(tickers)));
  await add('GET /milestones', async (findings) => {
    const rows = listIn(await client.get('/milestones', { limit: 500 }), 'milestones');
    findings.check('milestone', rawMilestone, rows);
    countMilestones(findings.unknown, rows);
    findings.rows = counting(rows.length, 'milestone');
  });
  const status = await add('GET /exchange/status', async (findings) => {
    const response = await rest.exchangeStatus();
    findings.check('exchange_status', exchangeStatus, [response]);
    countExchangeStatus(findings.unknown, response);
    findings.rows = counting(listIn(response, 'exchange_index_statuses', false).length, 'index').replace(
      'indexs',
      'indexes',
    );
    return response;
  });

  const books = await readBooks(add, client, activeTickers(page));
  const cutoff = await add('GET /historical/cutoff', async (findings) => {
    const at = await rest.historicalCutoff();
    if (at === null) throw new Error('The response has no market_settled_ts.');
    findings.rows = `cutoff ${at}`;
    return at;
  });
  await readSettled(add, rest, checkPage, seriesOf(page), cutoff ?? new Date(now - 90 * 86_400_000).toISOString());
  const account = sign
    ? await readAccount(add, wire.client(base, perSecond, 1, { sign }), wire)
    : { costs: null, signedStatus: null };
  return { series, page, status, ...books, cutoff, ...account };
}

type Add = <T>(endpoint: string, read: (findings: Findings) => Promise<T>) => Promise<T | null>;
type Client = ReturnType<Wire['client']>;

/** Compares a page of events, its markets and its milestones with what the adapter reads. */
function checkEvents(
  findings: Findings,
  page: EventPage,
  series: ReadonlyMap<string, RawSeries>,
  now: number,
): EventPage {
  const markets = page.events.flatMap(marketsOf);
  findings.check('event', servedEvent, page.events);
  findings.check('market', servedMarket, markets);
  findings.check('milestone', rawMilestone, page.milestones ?? []);
  countEvents(findings.unknown, page.events);
  countMilestones(findings.unknown, page.milestones ?? []);
  const context = { series, milestones: page.milestones ?? [], now: new Date(now).toISOString(), recorded: false };
  findings.reject(listVenueA(page.events, { ...context, questionsOf: questionsOfVenueA }).rejected);
  findings.rows = [
    counting(page.events.length, 'event'),
    counting(markets.length, 'market'),
    page.milestones === null ? 'no list of milestones' : counting(page.milestones.length, 'milestone'),
  ].join(', ');
  return page;
}

/** A batch of books, and one book alone. The product uses the second where the first is refused. */
async function readBooks(
  add: Add,
  client: Client,
  tickers: readonly string[],
): Promise<Pick<ReadA, 'batch' | 'single'>> {
  const [ticker] = tickers;
  if (ticker === undefined) return { batch: 'not tried', single: 'not tried' };
  let batch: ReadA['batch'] = 'failed';
  await add(`GET ${BATCH_PATH}`, async (findings) => {
    const read = async (count: number): Promise<void> =>
      checkBooks(findings, listIn(await client.get(BATCH_PATH, { tickers: tickers.slice(0, count) }), 'orderbooks'));
    try {
      await read(BOOKS);
      batch = 'answered';
    } catch (error) {
      const status = error instanceof RestError ? error.status : null;
      if (status === 401) {
        batch = 'refused';
        findings.rows = 'refused; books are read one by one';
        return;
      }
      if (status !== 429) throw error;
      await read(SMALL_BATCH);
      batch = 'halved';
      findings.rows += `; 429 for ${BOOKS}`;
    }
  });
  const single = await add(`GET ${SINGLE_PATH}`, async (findings) => {
    const response = await client.get(SINGLE_PATH.replace('{ticker}', encodeURIComponent(ticker)));
    // A single book has no ticker.
    checkBooks(findings, [{ ticker, ...(isObject(response) ? { orderbook_fp: response.orderbook_fp } : {}) }]);
    return true;
  });
  return { batch, single: single ? 'answered' : 'failed' };
}

function checkBooks(findings: Findings, books: readonly unknown[]): void {
  findings.check('book', restBook, books);
  countBooks(findings.unknown, books);
  for (const raw of books) {
    const result = parseRestBook(raw);
    if (!result.ok) findings.rejectMessage({ kind: 'book', native_id: '', payload: null, ...result });
  }
  findings.rows = counting(books.length, 'book');
}

/** Settled events of the first series that has any, and its markets before the cutoff. */
async function readSettled(
  add: Add,
  rest: VenueARest,
  checkPage: (findings: Findings, page: EventPage) => EventPage,
  series: readonly string[],
  cutoff: string,
): Promise<void> {
  let chosen = series[0];
  await add('GET /events (settled)', async (findings) => {
    for (const ticker of series.slice(0, SERIES_TRIED)) {
      chosen = ticker;
      const page = await rest.settledEvents({ series: ticker, closedSince: cutoff, cursor: null });
      checkPage(findings, { ...page, events: page.events.filter((event) => marketsOf(event).length > 0) });
      const without = page.events.filter((event) => marketsOf(event).length === 0).length;
      findings.rows += `${without > 0 ? `, ${without} without markets` : ''} of ${ticker}`;
      if (page.events.length > 0) return;
    }
  });
  await add('GET /historical/markets', async (findings) => {
    if (chosen === undefined) throw new Error('No series is known.');
    const { markets } = await rest.historicalMarkets({ series: chosen, cursor: null, limit: HISTORY_PAGE });
    findings.check('market', servedMarket, markets);
    countMarkets(findings.unknown, markets);
    findings.rows = `${counting(markets.length, 'market')} of ${chosen}`;
  });
}

/** Reads what needs a key, which also shows whether the venue accepts the key over REST. */
async function readAccount(add: Add, client: Client, wire: Wire): Promise<Pick<ReadA, 'costs' | 'signedStatus'>> {
  let signedStatus: number | null = null;
  const costs = await add('GET /account/endpoint_costs', async (findings) => {
    try {
      const response = await client.get('/account/endpoint_costs');
      findings.check('endpoint_costs', endpointCosts, [response]);
      findings.rows = counting(listIn(response, 'endpoint_costs').length, 'cost');
      return EndpointCosts.parse(response);
    } finally {
      signedStatus = wire.lastStatus;
    }
  });
  return { costs, signedStatus };
}

export const marketsOf = (event: unknown): unknown[] =>
  isObject(event) && Array.isArray(event.markets) ? event.markets : [];

/** Active markets, the most traded first: their books change while a socket is open. */
export function activeTickers(page: EventPage | null): string[] {
  const active = (page?.events ?? [])
    .flatMap(marketsOf)
    .filter(isObject)
    .filter(({ status }) => status === 'active');
  const volume = (market: { [key: string]: unknown }): number => Number(market.volume_24h_fp ?? 0) || 0;
  return active.sort((x, y) => volume(y) - volume(x)).flatMap((market) => nameOf(market, 'ticker'));
}

/** The series of a page, those with most events first. */
function seriesOf(page: EventPage | null): string[] {
  const counts = new Map<string, number>();
  for (const event of page?.events ?? [])
    for (const name of nameOf(event, 'series_ticker')) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts].sort(([, x], [, y]) => y - x).map(([name]) => name);
}

const nameOf = (row: unknown, field: string): string[] => {
  const name = isObject(row) ? row[field] : undefined;
  return typeof name === 'string' && name !== '' ? [name] : [];
};

function listIn(response: unknown, field: string, isRequired = true): unknown[] {
  const list = isObject(response) ? response[field] : undefined;
  if (Array.isArray(list)) return list;
  if (isRequired) throw new Error(`The response contains no list ${field}.`);
  return [];
}
