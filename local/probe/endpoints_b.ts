import { isObject } from '../../functions/ingest/feeds/parse.ts';
import { outcomeTokens } from '../../functions/ingest/identity/text/outcome_ids.ts';
import { questionsOfVenueB } from '../../functions/ingest/identity/venue_b.ts';
import { countBooks, countEvents, countResolutions } from '../../functions/ingest/venue_b/known_fields.ts';
import { listVenueB } from '../../functions/ingest/venue_b/listing.ts';
import { parseResolution } from '../../functions/ingest/venue_b/resolutions.ts';
import {
  CLOB_RATE_PER_SECOND,
  DATA_RATE_PER_SECOND,
  type EventPage,
  GAMMA_RATE_PER_SECOND,
  MAX_CONDITIONS,
  MAX_TOKENS,
  VenueBRest,
} from '../../functions/ingest/venue_b/rest.ts';
import { resolutionRow, restBook, servedEvent, servedMarket } from '../../functions/ingest/venue_b/schemas.ts';
import { marketsOf } from './endpoints_a.ts';
import { counting, type Findings, readEndpoint, type Table } from './row.ts';
import type { Wire } from './wire.ts';

type Raw = { [key: string]: unknown };

/** What was read of venue_b, for the checks of its documents. Null: the request failed. */
export type ReadB = {
  open: EventPage | null;
  closed: EventPage | null;
  /** The conditions of closed v2 markets that were asked for, and the rows that came. */
  conditions: readonly string[];
  resolutions: readonly unknown[] | null;
};

const DAY_MS = 86_400_000;
/** Closed events of this many days are read. */
const CLOSED_DAYS = 3;

/** Reads one page of each endpoint of venue_b that the adapter uses, and adds a row for each. */
export async function readVenueB(
  table: Table,
  wire: Wire,
  addresses: { gamma: string; clob: string; data: string },
  now: number,
): Promise<ReadB> {
  const rest = new VenueBRest(
    wire.client(addresses.gamma, GAMMA_RATE_PER_SECOND, GAMMA_RATE_PER_SECOND),
    wire.client(addresses.clob, CLOB_RATE_PER_SECOND, CLOB_RATE_PER_SECOND),
    wire.client(addresses.data, DATA_RATE_PER_SECOND, DATA_RATE_PER_SECOND),
  );
  const add = <T>(endpoint: string, read: (findings: Findings) => Promise<T>): Promise<T | null> =>
    readEndpoint(table, 'venue_b', endpoint, wire, read);
  const at = new Date(now).toISOString();

  const open = await add('GET /events/keyset (open)', async (findings) => {
    const page = await rest.events(null);
    checkEvents(findings, page.events, at);
    return page;
  });
  const closed = await add('GET /events/keyset (closed)', async (findings) => {
    const endFrom = new Date(now - CLOSED_DAYS * DAY_MS).toISOString();
    const page = await rest.settledEvents({ endFrom, endUntil: at, cursor: null });
    checkEvents(findings, page.events, at);
    return page;
  });
  await add('GET /events/slug/{slug}', async (findings) => {
    const [slug] = (open?.events ?? []).flatMap((event) => (isObject(event) ? [event.slug] : []));
    if (typeof slug !== 'string') throw new Error('No slug is known.');
    const event = await rest.eventBySlug(slug);
    if (event === null) throw new Error('The venue does not find an event that it lists.');
    checkEvents(findings, [event], at);
  });
  await add('POST /books', async (findings) => {
    const tokens = tradedTokens(open).slice(0, MAX_TOKENS);
    if (tokens.length === 0) throw new Error('No token is known.');
    const books = await rest.books(tokens);
    findings.check('book', restBook, books);
    countBooks(findings.unknown, books);
    findings.rows = `${counting(books.length, 'book')} of ${counting(tokens.length, 'token')}`;
  });
  const conditions = closedConditions(closed).slice(0, MAX_CONDITIONS);
  const resolutions = await add('GET /v2/resolutions', async (findings) => {
    // Without a closed v2 market, any condition shows whether the endpoint answers.
    const rows = await rest.resolutions(conditions.length > 0 ? conditions : anyCondition(closed ?? open));
    findings.check('resolution', resolutionRow, rows);
    countResolutions(findings.unknown, rows);
    findings.reject(rows.flatMap((row) => rejectionOf(row)));
    findings.rows = `${counting(rows.length, 'row')} of ${counting(conditions.length, 'closed v2 market')}`;
    return rows;
  });
  return { open, closed, conditions, resolutions };
}

function checkEvents(findings: Findings, events: readonly unknown[], now: string): void {
  const markets = events.flatMap(marketsOf);
  findings.check('event', servedEvent, events);
  findings.check('market', servedMarket, markets);
  countEvents(findings.unknown, events);
  findings.reject(listVenueB(events, { now, recorded: false, questionsOf: questionsOfVenueB }).rejected);
  findings.rows = `${counting(events.length, 'event')}, ${counting(markets.length, 'market')}`;
}

function rejectionOf(row: unknown): Parameters<Findings['reject']>[0] {
  const parsed = parseResolution(row);
  return 'rejected' in parsed ? [parsed.rejected] : [];
}

export const marketsIn = (page: EventPage | null): Raw[] => (page?.events ?? []).flatMap(marketsOf).filter(isObject);

export const isTraded = (market: Raw): boolean =>
  market.active === true &&
  market.closed === false &&
  market.acceptingOrders === true &&
  market.enableOrderBook === true;

/** Tokens of traded markets, the most traded first: their books change during a probe. */
export function tradedTokens(page: EventPage | null): string[] {
  const volume = (market: Raw): number => Number(market.volume24hr ?? 0) || 0;
  return marketsIn(page)
    .filter(isTraded)
    .sort((x, y) => volume(y) - volume(x))
    .flatMap((market) => outcomeTokens(market));
}

const conditionOf = (market: Raw): string[] =>
  typeof market.conditionId === 'string' && market.conditionId !== '' ? [market.conditionId] : [];

/** The closed v2 markets of a page. */
const closedConditions = (page: EventPage | null): string[] =>
  marketsIn(page)
    .filter(({ version, closed }) => version === 'v2' && closed === true)
    .flatMap(conditionOf);

const anyCondition = (page: EventPage | null): string[] => marketsIn(page).flatMap(conditionOf).slice(0, 1);
