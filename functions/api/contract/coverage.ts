import { z } from 'zod';
import { count, named, time } from './fields.ts';

const states = ['aggregated', 'pending', 'quiet', 'venue_a_only', 'dormant'] as const;

const status = z
  .enum(states)
  .describe(
    '`aggregated`: paired live. `pending`: wired, awaits a counterpart or its confirmation. `quiet`: wired, nothing open. `venue_a_only`: listed there, no pairing wired. `dormant`: exists, nothing open.',
  );

export const coverage = named(
  'Coverage',
  z
    .strictObject({
      as_of: time.nullable().describe('When the census was taken; null before the first.'),
      counts: z
        .strictObject({
          aggregated: count.describe('Series paired live.'),
          pending: count.describe('Series wired, awaiting a counterpart.'),
          quiet: count.describe('Series wired, with nothing open.'),
          venue_a_only: count.describe('Series that no pairing is wired for.'),
          dormant: count.describe('Series with nothing open and no pairing.'),
        })
        .describe('Series by status.'),
      series: z
        .array(
          z.strictObject({
            series_ticker: z.string().describe('The series, as venue_a names it.'),
            league: z.string().nullable().describe('Its league, where it has one.'),
            sport: z.string().nullable().describe('Its sport, where it has one.'),
            wired: z.boolean().describe('Whether a pairing exists for it.'),
            status,
            venue_a_open_events: count.describe('Open events of venue_a.'),
            paired: count.describe('Of them, paired.'),
            sport_venue_b_fixtures: count.describe('Fixtures of venue_b in the same sport.'),
            last_pass_at: time.nullable().describe('When the matcher last passed over it.'),
          }),
        )
        .describe('Every series of venue_a, by its ticker.'),
      venue_b_unpaired: z
        .array(
          z.strictObject({
            sport: z.string().describe('The sport.'),
            fixtures: count.describe('Fixtures of venue_b that were read.'),
            paired: count.describe('Of them, with a pair on venue_a.'),
            unpaired: count.describe('Of them, without.'),
          }),
        )
        .describe('What venue_b has beyond venue_a, by sport.'),
    })
    .describe('A census of what is paired and what is not, taken about hourly.'),
);
