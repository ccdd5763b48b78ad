import { z } from 'zod';
import { MARKET_TYPES, STATUSES } from '../vocabulary.ts';
import { context, count, delaySeconds, marketId, named, price, priced, signal, time } from './fields.ts';
import { outcome } from './outcome.ts';
import { result, settlement } from './settlement.ts';

export const category = z.string().describe('`sports`, `weather`, `crypto`, `economics` …');
export const marketType = z.enum(MARKET_TYPES).describe('The family of question.');
export const status = z.enum(STATUSES).describe('Where the market stands; `settled` once both venues are final.');
export const tags = z.array(z.string()).describe('Normalized hints for discovery, nothing more.');
export const title = z.string().describe('As a person reads it. It comes from the venues: show it as text.');

export const spreadPts = z
  .number()
  .min(0)
  .max(100)
  .nullable()
  .describe(
    'The widest gap between the venues’ asks over the outcomes, in points (cents of the $1 payout), exact. Null when unpriced.',
  );

const leftOut = z.array(
  z.strictObject({
    name: z.string().describe('What the venue lists.'),
    why: z.string().describe('A code: why it has no twin.'),
  }),
);

const factors = z
  .strictObject({
    left_out_a: leftOut.optional().describe('What venue_a lists in this event and the row leaves out.'),
    left_out_b: leftOut.optional().describe('What venue_b lists in this event and the row leaves out.'),
    poly_leg_coverage: z
      .number()
      .min(0)
      .max(1)
      .optional()
      .describe('The share of venue_b’s axis that venue_a supports.'),
    uncovered_legs: z.array(z.string()).optional().describe('The names of venue_b’s legs without such support.'),
  })
  .describe('What the row does not cover.');

const rung = z.strictObject({
  label: z.string().describe('The band or threshold, in venue_a’s words.'),
  venue_a: price.nullable().describe('Its ask in USD; null without one.'),
});

export const market = named(
  'Market',
  z
    .strictObject({
      id: marketId.describe('Stable. Wherever it is an input, the bare UUID is taken too.'),
      slug: z.string().nullable().describe('For addresses that people read.'),
      category,
      market_type: marketType,
      ...context,
      tags,
      title,
      home: z.string().nullable().describe('The home side, or the first named; null outside of matches.'),
      away: z.string().nullable().describe('The away side, or the second named; null outside of matches.'),
      start_time: time.describe(
        'When the event starts; without a scheduled event, the earlier of both venues’ close times.',
      ),
      status,
      match: z
        .enum(['high_confidence', 'review'])
        .describe('`review` for candidates, which the catalog does not list.'),
      signal,
      spread_pts: spreadPts,
      potential_arb_pct: z
        .number()
        .nullable()
        .describe(
          'Gross ask-to-ask return in percent, before fees, two decimals; may be zero or negative. Null unless `signal` is `arb`.',
        ),
      coverage: priced,
      outcomes: z.array(outcome).describe('Empty when the row is unpriced.'),
      result: result.nullable().describe('Null until settled.'),
      updated_at: time.describe('The last change of the pair’s identity.'),
      priced_at: time.describe('When the shown prices were last read to change; `updated_at` when unpriced.'),
      links: z
        .strictObject({
          venue_a: z.url().nullable().describe('venue_a’s page of the event.'),
          venue_b: z.url().nullable().describe('venue_b’s page of the event.'),
        })
        .describe('Where to see it at the venues; null where no public address is known.'),
      line: z
        .number()
        .nullable()
        .optional()
        .describe(
          'Match families only: the line of the total or spread, from the point of view of `outcomes[0]`, sign included.',
        ),
      game_id: marketId
        .nullable()
        .optional()
        .describe('Match families only: the `id` of the match that the row belongs to.'),
      closes: z
        .strictObject({
          venue_a: time.nullable().describe('venue_a’s close.'),
          venue_b: time
            .nullable()
            .describe('venue_b’s close; of a day of temperatures, not before that day is over in its city.'),
        })
        .optional()
        .describe('Ladder families only: both close times as they are, not reconciled.'),
      venue_a_ladder: z.array(rung).optional().describe('Ladder families only: venue_a’s whole axis in its order.'),
      factors: factors.optional(),
      venues: z
        .strictObject({
          venue_a: z
            .strictObject({ event_ticker: z.string().describe('The event, as venue_a names it.') })
            .describe('At venue_a.'),
          venue_b: z
            .strictObject({
              condition_id: z.string().nullable().describe('The condition, as venue_b names it.'),
              slug: z.string().nullable().describe('The event’s slug at venue_b.'),
            })
            .describe('At venue_b.'),
        })
        .optional()
        .describe('With `include=ids`: the venues’ own ids.'),
      confidence: z
        .strictObject({
          entity: z.number().min(0).max(1).describe('That both are about the same thing.'),
          resolution: z.number().min(0).max(1).describe('That both resolve by the same question.'),
        })
        .optional()
        .describe('With `include=ids`: how sure the match is.'),
      settlement: settlement.optional().describe('With `include=settlement`.'),
    })
    .describe('One question that both venues list. Blocks that were not asked for are missing keys, not nulls.'),
);

export const marketList = named(
  'MarketList',
  z
    .strictObject({
      count: count.describe('How many `markets` are in this answer.'),
      category: z.string().nullable().describe('The filter, echoed.'),
      sport: z.string().nullable().describe('The filter, echoed.'),
      has_more: z.boolean().describe('Whether another page follows.'),
      next_cursor: z
        .string()
        .nullable()
        .describe(
          'Opaque. Send it back as `cursor` for the next page, within two minutes of the first; null at the end.',
        ),
      snapshot_at: time.describe('The moment whose prices these are.'),
      delay_seconds: delaySeconds,
      markets: z.array(market).describe('In the order asked for.'),
    })
    .describe('A page of the matched catalog.'),
);
