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
          aggregated: count,
          pending: count,
          quiet: count,
          venue_a_only: count,
          dormant: count,
        })
        .describe('Series by status.'),
      series: z.array(
        z.strictObject({
          series_ticker: z.string().describe('The series, as venue_a names it.'),
          league: z.string().nullable(),
          sport: z.string().nullable(),
          wired: z.boolean().describe('Whether a pairing exists for it.'),
          status,
          venue_a_open_events: count.describe('Open events of venue_a.'),
          paired: count.describe('Of them, paired.'),
          sport_venue_b_fixtures: count.describe('Fixtures of venue_b in the same sport.'),
          last_pass_at: time.nullable().describe('When the matcher last passed over it.'),
        }),
      ),
      venue_b_unpaired: z
        .array(
          z.strictObject({
            sport: z.string(),
            fixtures: count.describe('Fixtures of venue_b that were read.'),
            paired: count.describe('Of them, with a pair on venue_a.'),
            unpaired: count.describe('Of them, without.'),
          }),
        )
        .describe('What venue_b has beyond venue_a, by sport.'),
    })
    .describe('A census of what is paired and what is not, taken about hourly.'),
);
