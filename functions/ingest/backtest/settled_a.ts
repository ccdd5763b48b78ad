import { chunks } from '../feeds/feed.ts';
import { MAX_PAGES_IN_MEMORY } from '../feeds/limits.ts';
import { isObject, isoTime } from '../feeds/parse.ts';
import { RestError } from '../feeds/rest.ts';
import type { ListedEvent, ListingBatch } from '../listing.ts';
import { listVenueA, type QuestionParser } from '../venue_a/listing.ts';
import type { VenueARest } from '../venue_a/rest.ts';
import type { RawSeries } from '../venue_a/schemas.ts';
import { parseSeries } from '../venue_a/series.ts';
import {
  type BacktestSource,
  NO_LISTINGS,
  parseInParts,
  type SettledPage,
  type SettledReader,
  slimBatch,
} from './source.ts';
import { openListingA, readAt } from './without_results.ts';

/** A page of the history is read by markets: about as much as a page of events. */
const MARKETS_PER_EVENT = 3;
/** Tickers per request: the URL has about 2,000 characters. */
const MAX_TICKERS_PER_REQUEST = 50;

/** Reads settled events of venue_a, and those beyond the historical cutoff with their markets. */
export function settledReaderA(
  rest: VenueARest,
  { venue_a: questionsOf, addTextForms }: { venue_a: QuestionParser; addTextForms(event: ListedEvent): void },
  now: () => string,
): SettledReader {
  const series = new Map<string, RawSeries>();
  const questionsBefore: QuestionParser = (event, context) => {
    const closes = (Array.isArray(event.markets) ? event.markets : []).map((market) =>
      isObject(market) ? isoTime(market.close_time) : null,
    );
    return questionsOf(openListingA(event), { ...context, now: readAt(closes, context.now) });
  };
  const parse = (events: readonly unknown[], milestones: readonly unknown[]): Promise<ListingBatch> =>
    parseInParts(events, (part) => {
      const batch = listVenueA(part, { series, milestones, now: now(), recorded: false, questionsOf: questionsBefore });
      for (const event of batch.events) addTextForms(event);
      return slimBatch(batch);
    });
  return {
    async page(source, limit) {
      if (!series.has(source.filter))
        for (const [ticker, row] of parseSeries(await rest.oneSeries(source.filter)).byTicker) series.set(ticker, row);
      if (source.kind === 'events') {
        const page = await rest.settledEvents({
          series: source.filter,
          closedSince: source.from_at,
          cursor: source.cursor,
          limit,
        });
        return { cursor: page.cursor, parse: () => parse(page.events.filter(hasMarkets), page.milestones ?? []) };
      }
      if (source.cursor === null) {
        const cutoff = await rest.historicalCutoff();
        if (cutoff === null || cutoff <= source.from_at) return NO_LISTINGS;
      }
      return await historicalPage(rest, source, limit, parse);
    },
  };
}

/**
 * A page of markets beyond the cutoff, with their events. The markets of one event may be on two
 * pages, so those of the first and the last event are read again as a whole.
 */
async function historicalPage(
  rest: VenueARest,
  source: BacktestSource,
  limit: number,
  parse: (events: readonly unknown[], milestones: readonly unknown[]) => Promise<ListingBatch>,
): Promise<SettledPage> {
  const { markets, cursor } = await rest.historicalMarkets({
    series: source.filter,
    cursor: source.cursor,
    limit: MARKETS_PER_EVENT * limit,
  });
  const byEvent = new Map<string, unknown[]>();
  for (const market of markets) {
    if (!isObject(market) || typeof market.event_ticker !== 'string') continue;
    const settled = isoTime(market.settlement_ts) ?? isoTime(market.close_time);
    if (settled !== null && settled < source.from_at) continue;
    byEvent.set(market.event_ticker, [...(byEvent.get(market.event_ticker) ?? []), market]);
  }
  const tickers = [...byEvent.keys()];
  for (const ticker of new Set([tickers[0], tickers.at(-1)]))
    if (ticker !== undefined) byEvent.set(ticker, await marketsOfEvent(rest, ticker));
  const events: unknown[] = [];
  const milestones: unknown[] = [];
  for (const part of chunks(tickers, MAX_TICKERS_PER_REQUEST)) {
    const page = await rest.eventsByTicker(part);
    milestones.push(...(page.milestones ?? []));
    for (const event of page.events)
      events.push(isObject(event) ? { ...event, markets: byEvent.get(String(event.event_ticker)) ?? [] } : event);
  }
  return { cursor, parse: () => parse(events, milestones) };
}

async function marketsOfEvent(rest: VenueARest, event: string): Promise<unknown[]> {
  const all: unknown[] = [];
  let cursor: string | null = null;
  let pages = 0;
  do {
    if (pages++ >= MAX_PAGES_IN_MEMORY) throw new RestError('rest.endless', `The markets of ${event} do not end.`);
    const page = await rest.historicalMarkets({ event, cursor });
    all.push(...page.markets);
    cursor = page.markets.length > 0 && page.cursor !== cursor ? page.cursor : null;
  } while (cursor !== null);
  return all;
}

/** Beyond the cutoff an event is listed without markets. They come from the history. */
function hasMarkets(event: unknown): boolean {
  return isObject(event) && Array.isArray(event.markets) && event.markets.length > 0;
}
