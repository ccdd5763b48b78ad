import { isObject, isoTime } from '../feeds/parse.ts';
import type { ListedEvent, ListingBatch } from '../listing.ts';
import { listVenueB, type QuestionParser } from '../venue_b/listing.ts';
import { ResolutionReader } from '../venue_b/resolutions.ts';
import type { VenueBRest } from '../venue_b/rest.ts';
import { parseInParts, type SettledReader, slimBatch } from './source.ts';
import { openListingB, readAt } from './without_results.ts';

/** A game with its lines has thirty markets. */
const MAX_EVENTS_PER_PAGE = 80;
const DAY_MS = 86_400_000;
/**
 * How far `endDate` may be from the close on venue_a. Some sports list the start plus seven days
 * (venues.md B2), and a match may be played two weeks late.
 */
const DAYS_BEFORE = 3;
const DAYS_AFTER = 16;

/** Reads closed events of venue_b, with the results of v2 markets from their resolutions. */
export function settledReaderB(
  rest: VenueBRest,
  { venue_b: questionsOf, addTextForms }: { venue_b: QuestionParser; addTextForms(event: ListedEvent): void },
  now: () => string,
): SettledReader {
  const resolutions = new ResolutionReader(rest, Date.now);
  const questionsBefore: QuestionParser = (event, context) => {
    const ends = [isObject(event) ? isoTime(event.endDate) : null];
    return questionsOf(openListingB(event), { ...context, now: readAt(ends, context.now) });
  };
  return {
    async page(source, limit) {
      const page = await rest.settledEvents({
        ...(source.kind === 'tag' ? { tagSlug: source.filter } : { seriesId: source.filter }),
        endFrom: shifted(source.from_at, -DAYS_BEFORE),
        endUntil: shifted(source.until_at, DAYS_AFTER),
        cursor: source.cursor,
        limit: Math.min(limit, MAX_EVENTS_PER_PAGE),
      });
      const read = await resolutions.read(page.events);
      // A page without results would count as read. It is read again instead.
      if ([...read.resolutions.values()].some((one) => one.state === 'unread'))
        throw new Error('The resolutions of a page of settled events could not be read.');
      const context = { now: now(), recorded: false, questionsOf: questionsBefore, resolutions: read.resolutions };
      const parse = async (): Promise<ListingBatch> => {
        const batch = await parseInParts(page.events, (part) => {
          const parsed = listVenueB(part, context);
          for (const event of parsed.events) addTextForms(event);
          return slimBatch(parsed);
        });
        batch.rejected.push(...read.rejected);
        return batch;
      };
      return { cursor: page.cursor, parse };
    },
  };
}

const shifted = (time: string, days: number): string => new Date(Date.parse(time) + days * DAY_MS).toISOString();
