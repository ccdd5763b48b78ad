import { z } from 'zod';
import { count, named, time } from './fields.ts';

const COVERAGE_STATES = ['aggregated', 'pending', 'quiet', 'venue_a_only', 'dormant'] as const;

const status = z
  .enum(COVERAGE_STATES)
  .describe(
    '`aggregated`: paired now. `pending`: supported, waits for a counterpart or its confirmation. `quiet`: supported, no open event. `venue_a_only`: open on venue_a, not supported. `dormant`: not supported, no open event.',
  );

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
    })
    .describe('An hourly census of paired and unpaired series and games.'),
);
