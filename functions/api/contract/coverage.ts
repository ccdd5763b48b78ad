import { z } from 'zod';
import { count, named, time, venue } from './fields.ts';

const COVERAGE_STATES = ['aggregated', 'pending', 'quiet', 'venue_a_only', 'dormant'] as const;

const status = z
  .enum(COVERAGE_STATES)
  .describe(
    '`aggregated`: paired now. `pending`: supported, waits for a counterpart or its confirmation. `quiet`: supported, no open event. `venue_a_only`: open on venue_a, not supported. `dormant`: not supported, no open event.',
  );

const volume = z
  .strictObject({
    amount: z.number().min(0).describe('All that was traded in their markets, rounded to 0.01.'),
    unit: z
      .enum(['contracts', 'usd'])
      .describe('`contracts` on venue_a, each of which pays $1 to one side; `usd` on venue_b.'),
    events: count.describe('Events whose volume the venue states. The amount is theirs.'),
  })
  .nullable()
  .describe('Traded volume since the listing. Null when the venue states it for no event.');

const codes = z.record(z.string(), count);

export const coverage = named(
  'Coverage',
  z
    .strictObject({
      as_of: time.nullable().describe('Time of the census; null before the first one.'),
      counts: z
        .strictObject({
          aggregated: count.describe('Series that are paired now.'),
          pending: count.describe('Supported series that wait for a counterpart.'),
          quiet: count.describe('Supported series without an open event.'),
          venue_a_only: count.describe('Open series that are not supported.'),
          dormant: count.describe('Series that are not supported and have no open event.'),
        })
        .describe('Series by status.'),
      series: z
        .array(
          z.strictObject({
            series_ticker: z.string().describe('The series, as venue_a names it.'),
            league: z.string().nullable().describe('Its league; null without one.'),
            sport: z.string().nullable().describe('Its sport; null without one.'),
            wired: z.boolean().describe('Whether the matcher supports the series.'),
            status,
            venue_a_open_events: count.describe('Open events of venue_a.'),
            paired: count.describe('Those that are paired.'),
            sport_venue_b_fixtures: count.describe('Games of venue_b in the same sport.'),
            last_pass_at: time.nullable().describe('Time of the last match pass over the series.'),
          }),
        )
        .describe('Every series of venue_a, sorted by ticker.'),
      venue_b_unpaired: z
        .array(
          z.strictObject({
            sport: z.string().describe('The sport.'),
            fixtures: count.describe('Games of venue_b in the catalog.'),
            paired: count.describe('Those with a pair on venue_a.'),
            unpaired: count.describe('Those without.'),
          }),
        )
        .describe('Games of venue_b with and without a pair, by sport.'),
      events_by_series_count: count.describe(
        'Series and tags with an event. More than `events_by_series` has when that list is cut.',
      ),
      events_by_series: z
        .array(
          z.strictObject({
            venue: venue.describe('The venue that lists the events.'),
            series: z.string().nullable().describe('The series, as the venue names it; null without one.'),
            tag: z.string().nullable().describe('The first tag of events of venue_b that have no series, else null.'),
            category: z
              .string()
              .nullable()
              .describe(
                'Its category; null when events differ or none is known. The name of the venue where none was read.',
              ),
            sport: z.string().nullable().describe('Its sport; null without one, or with several.'),
            events: count.describe(
              'Events listed. Each is in exactly one of `paired`, `candidate`, `unpaired` and `unread`.',
            ),
            paired: count.describe('Events with a published pair.'),
            candidate: count.describe('Events with a candidate and no published pair.'),
            waiting: count.describe('Those of the candidates that wait for a review. `candidate` includes them.'),
            unpaired: codes.describe('Events that were read and have no pair, by the most frequent code.'),
            unread: codes.describe('Events of which no parser made a question, by code.'),
            volume,
          }),
        )
        .describe('The events of both venues by series: the 4,000 largest, sorted by venue and name.'),
      reasons: z
        .record(z.string(), z.string())
        .describe('A sentence for each code of `unpaired` and `unread`. The codes are stable, the sentences are not.'),
      events_by_week: z
        .array(
          z.strictObject({
            category: z.string().nullable().describe('The category; null for unread events of an unknown one.'),
            week: z
              .string()
              .nullable()
              .describe(
                'The ISO week of the start in UTC, such as `2026-W47`; `earlier`, `later`; null without a start.',
              ),
            paired: count.describe('Events with a published pair.'),
            candidate: count.describe('Events with a candidate and no published pair.'),
            other: count.describe('All other events.'),
          }),
        )
        .describe('The events of both venues by category and week.'),
    })
    .describe('An hourly census of paired and unpaired series and games.'),
);
