import { chunks } from './feeds/feed.ts';
import { isObject, rejectedRow } from './feeds/parse.ts';
import type { UnknownCounter } from './feeds/unknown.ts';
import type { ListingBatch, VenueCode } from './listing.ts';
import { countEvents as countEventsA, countMilestones, countSeries } from './venue_a/known_fields.ts';
import { listVenueA, type QuestionParser as QuestionParserA } from './venue_a/listing.ts';
import type { EventPage, VenueARest } from './venue_a/rest.ts';
import { type ListedSeries, parseSeries, type SeriesList } from './venue_a/series.ts';
import { countEvents as countEventsB, countResolutions } from './venue_b/known_fields.ts';
import { listVenueB, type QuestionParser as QuestionParserB } from './venue_b/listing.ts';
import { ResolutionReader } from './venue_b/resolutions.ts';
import type { VenueBRest } from './venue_b/rest.ts';

export type ListingPage = { batch: ListingBatch; cursor: string | null };

/** Reads the listings of one venue for a sweep. */
export type ListingReader = {
  readonly venue: VenueCode;
  /**
   * Reads data that events inherit and do not contain. Returns the rows to store, none when nothing
   * changed.
   */
  begin(now: number): Promise<{ series: ListedSeries[]; rejected: ListingBatch['rejected'] }>;
  page(cursor: string | null, limit: number): Promise<ListingPage>;
  /** Events by id, in any state, and the ids that the venue no longer has. */
  eventsById(ids: readonly string[]): Promise<{ batch: ListingBatch; missing: string[] }>;
};

const SERIES_REFRESH_MS = 600_000;
/** Tickers per request: the URL has about 2,000 characters. */
const MAX_TICKERS_PER_REQUEST = 50;
const MAX_CONCURRENT_SLUGS = 4;

export type ReaderContext = {
  /** Market time, ISO 8601. */
  now(): string;
  /** A recording may have fields of its recorder, so nothing of it is counted as unknown. */
  recorded: boolean;
  unknown: UnknownCounter;
};

export function venueAReader(rest: VenueARest, questionsOf: QuestionParserA, context: ReaderContext): ListingReader {
  let list: SeriesList | null = null;
  let listedAt = 0;
  const fingerprints = new Map<string, string>();
  let milestones: unknown[] | null = null;
  const parse = async (page: EventPage): Promise<ListingBatch> => {
    if (page.milestones === null) milestones ??= await rest.milestones();
    if (!context.recorded) {
      countEventsA(context.unknown, page.events);
      countMilestones(context.unknown, page.milestones ?? []);
    }
    return listVenueA(page.events, {
      series: list?.byTicker ?? new Map(),
      milestones: page.milestones ?? milestones ?? [],
      now: context.now(),
      recorded: context.recorded,
      questionsOf,
    });
  };
  return {
    venue: 'venue_a',
    async begin(now) {
      milestones = null;
      if (list && now - listedAt < SERIES_REFRESH_MS) return { series: [], rejected: [] };
      const rows = await rest.series();
      if (!context.recorded) countSeries(context.unknown, rows);
      list = parseSeries(rows);
      listedAt = now;
      const series = list.rows.filter((row) => {
        const fingerprint = JSON.stringify(row);
        if (fingerprints.get(row.series_id) === fingerprint) return false;
        fingerprints.set(row.series_id, fingerprint);
        return true;
      });
      return { series, rejected: list.rejected };
    },
    async page(cursor, limit) {
      const page = await rest.events(cursor, limit);
      return { batch: await parse(page), cursor: page.cursor };
    },
    async eventsById(ids) {
      const batch: ListingBatch = { events: [], rejected: [] };
      for (const part of chunks(ids, MAX_TICKERS_PER_REQUEST)) {
        const page = await rest.eventsByTicker(part);
        append(batch, await parse({ ...page, events: await withHistoricalMarkets(rest, page.events) }));
      }
      return { batch, missing: missingOf(ids, batch) };
    },
  };
}

/**
 * An event whose markets are all older than the historical cutoff comes without them, so its
 * results would never be known. Its markets are read from the historical endpoint. If that fails,
 * the event is left out and read again later: without markets it would count as no longer listed.
 */
async function withHistoricalMarkets(rest: VenueARest, events: readonly unknown[]): Promise<unknown[]> {
  const complete: unknown[] = [];
  for (const event of events) {
    const isWithout = isObject(event) && (!Array.isArray(event.markets) || event.markets.length === 0);
    if (!isWithout || typeof event.event_ticker !== 'string') complete.push(event);
    else {
      const markets = await rest.marketsOfPastEvent(event.event_ticker);
      if (markets !== null) complete.push({ ...event, markets });
    }
  }
  return complete;
}

export function venueBReader(rest: VenueBRest, questionsOf: QuestionParserB, context: ReaderContext): ListingReader {
  const counted = async (conditions: readonly string[]): Promise<unknown[]> => {
    const rows = await rest.resolutions(conditions);
    countResolutions(context.unknown, rows);
    return rows;
  };
  const resolutions = new ResolutionReader({ resolutions: counted }, Date.now);
  const parse = async (events: readonly unknown[]): Promise<ListingBatch> => {
    if (!context.recorded) countEventsB(context.unknown, events);
    const found = await resolutions.read(events);
    const batch = listVenueB(events, {
      now: context.now(),
      recorded: context.recorded,
      questionsOf,
      resolutions: found.resolutions,
    });
    batch.rejected.push(...found.rejected);
    return batch;
  };
  return {
    venue: 'venue_b',
    async begin() {
      return { series: [], rejected: [] };
    },
    async page(cursor, limit) {
      const page = await rest.events(cursor, limit);
      return { batch: await parse(page.events), cursor: page.cursor };
    },
    async eventsById(ids) {
      const batch: ListingBatch = { events: [], rejected: [] };
      for (const part of chunks(ids, MAX_CONCURRENT_SLUGS)) {
        const events = await Promise.all(part.map((slug) => rest.eventBySlug(slug)));
        append(batch, await parse(events.filter((event) => event !== null)));
      }
      return { batch, missing: missingOf(ids, batch) };
    },
  };
}

function append(into: ListingBatch, batch: ListingBatch): void {
  into.events.push(...batch.events);
  into.rejected.push(...batch.rejected);
}

function missingOf(ids: readonly string[], batch: ListingBatch): string[] {
  const found = new Set(batch.events.map((event) => event.event_id));
  const missing = ids.filter((id) => !found.has(id));
  for (const id of missing) {
    if (batch.rejected.some((row) => row.native_id === id)) continue;
    batch.rejected.push(
      rejectedRow(
        'event',
        id,
        'event.not_found',
        'The venue no longer returns an event whose result is awaited.',
        null,
      ),
    );
  }
  return missing;
}
