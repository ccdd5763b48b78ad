import { z } from 'zod';
import { MARKET_TYPES, STATUSES } from '../vocabulary.ts';
import { context, count, delaySeconds, marketId, named, price, priced, signal, time, venue } from './fields.ts';
import { outcome } from './outcome.ts';
import { result, settlement } from './settlement.ts';

export const category = z.string().describe('`sports`, `weather`, `crypto`, `economics` …');
export const marketType = z.enum(MARKET_TYPES).describe('The family of question.');
export const status = z.enum(STATUSES).describe('State of the market; `settled` when both venues are final.');
export const tags = z.array(z.string()).describe('Normalized words for discovery only.');
export const title = z.string().describe('Title for people. It comes from the venues: display it as text.');

export const spreadPts = z
  .number()
  .min(0)
  .max(100)
  .nullable()
  .describe(
    'The largest gap between the asks of both venues over the outcomes, in points (cents of the $1 payout), exact. Null without prices.',
  );

const omittedOutcomes = z.array(
  z.strictObject({
    name: z.string().describe('Name of the outcome on the venue.'),
    why: z.string().describe('Code: why it has no counterpart.'),
  }),
);

const factors = z
  .strictObject({
    left_out_a: omittedOutcomes.optional().describe('Outcomes of venue_a in this event that the market omits.'),
    left_out_b: omittedOutcomes.optional().describe('Outcomes of venue_b in this event that the market omits.'),
    poly_leg_coverage: z.number().min(0).max(1).optional().describe('Share of the venue_b range that venue_a covers.'),
    uncovered_legs: z
      .array(z.string())
      .optional()
      .describe('Names of the venue_b outcomes that venue_a does not cover.'),
  })
  .describe('Outcomes that the market does not cover.');

const strike = z.strictObject({
  label: z.string().describe('Range or threshold, as venue_a labels it.'),
  venue_a: price.nullable().describe('Ask in USD; null without one.'),
});

const bestQuote = named(
  'BestQuote',
  z
    .strictObject({
      venue: venue.describe('The venue with the better net price.'),
      contract: z.string().nullable().describe('Ticker of venue_a, or token id of venue_b.'),
      side: z
        .enum(['yes', 'no'])
        .nullable()
        .describe('The side of the ticker that pays for the outcome; null on venue_b.'),
      price: price.describe('The ask to buy at, or the bid to sell at, in USD.'),
      fee: z
        .number()
        .min(0)
        .describe('Taker fee of one contract at this price in USD. A waiver of fees does not count.'),
      net: z.number().describe('USD for one contract: `price` plus `fee` to buy, `price` minus `fee` to sell.'),
      size: z
        .number()
        .min(0)
        .nullable()
        .describe('Contracts at the price, with a precision of 0.01; null where unknown.'),
    })
    .describe('The best price for an outcome over both venues, after fees.'),
);

export const bestQuotes = z.array(
  z.strictObject({
    outcome: z.string().describe('The `key` of the outcome.'),
    buy: bestQuote.nullable().describe('The lowest `net` to buy; null without an ask whose fee is known.'),
    sell: bestQuote.nullable().describe('The highest `net` to sell; null without a bid whose fee is known.'),
  }),
);
export const bestEdge = z.number().nullable();

export const market = named(
  'Market',
  z
    .strictObject({
      id: marketId.describe('Stable. As an input, the UUID without the prefix is accepted as well.'),
      slug: z.string().nullable().describe('For URLs that people read.'),
      category,
      market_type: marketType,
      ...context,
      tags,
      title,
      home: z.string().nullable().describe('Home side, or the first named side; null outside of games.'),
      away: z.string().nullable().describe('Away side, or the second named side; null outside of games.'),
      start_time: time.describe(
        'Start of the event; without a scheduled event, the earlier close time of the two venues.',
      ),
      status,
      match: z.enum(['high_confidence', 'review']).describe('`review` for candidates, which are not in the catalog.'),
      signal,
      spread_pts: spreadPts,
      potential_arb_pct: z
        .number()
        .nullable()
        .describe(
          'Gross return from the asks in percent, before fees, two decimals; may be zero or negative. Null unless `signal` is `arb`.',
        ),
      coverage: priced,
      outcomes: z.array(outcome).describe('Empty without prices.'),
      result: result.nullable().describe('Null until settled.'),
      updated_at: time.describe('Last change of the pair’s identity.'),
      priced_at: time.describe('Last change of these prices; `updated_at` without prices.'),
      links: z
        .strictObject({
          venue_a: z.url().nullable().describe('Page of the event on venue_a.'),
          venue_b: z.url().nullable().describe('Page of the event on venue_b.'),
        })
        .describe('Pages of the event on the venues; null where no public URL is known.'),
      line: z
        .number()
        .nullable()
        .optional()
        .describe(
          'Games only: the betting line of the total or spread, from the view of `outcomes[0]`, with its sign.',
        ),
      game_id: marketId.nullable().optional().describe('Games only: the `id` of the game that the market belongs to.'),
      closes: z
        .strictObject({
          venue_a: time.nullable().describe('Close time on venue_a.'),
          venue_b: time
            .nullable()
            .describe('Close time on venue_b; for the temperatures of a day, not before the day ends in its city.'),
        })
        .optional()
        .describe('Ladders only: the close times of both venues, unchanged.'),
      venue_a_ladder: z.array(strike).optional().describe('Ladders only: all strikes of venue_a in its order.'),
      factors: factors.optional(),
      venues: z
        .strictObject({
          venue_a: z
            .strictObject({ event_ticker: z.string().describe('Event ticker of venue_a.') })
            .describe('Ids of venue_a.'),
          venue_b: z
            .strictObject({
              condition_id: z.string().nullable().describe('Condition id of venue_b.'),
              slug: z.string().nullable().describe('Slug of the event on venue_b.'),
            })
            .describe('Ids of venue_b.'),
        })
        .optional()
        .describe('With `include=ids`: ids of the venues.'),
      confidence: z
        .strictObject({
          entity: z.number().min(0).max(1).describe('That both listings concern the same event or figure.'),
          resolution: z.number().min(0).max(1).describe('That both listings resolve by the same question.'),
        })
        .optional()
        .describe('With `include=ids`: confidence of the match.'),
      settlement: settlement.optional().describe('With `include=settlement`.'),
      best: bestQuotes
        .optional()
        .describe('With `include=best`: one for each outcome, in their order; empty without prices.'),
      best_edge_pct: bestEdge
        .optional()
        .describe(
          'With `include=best`: what one contract of every `buy` leaves of the $1 that they pay together, in points. Mostly negative; only `/v2/arbitrage` has confirmed arbitrage. Null where an outcome has no `buy`, and where one of each may not return $1.',
        ),
      levels_read_at: z
        .strictObject({
          venue_a: time.nullable().describe('When the books of venue_a were read; null without prices.'),
          venue_b: time.nullable().describe('When the books of venue_b were read; null without prices.'),
        })
        .optional()
        .describe('With `levels`: when this service read the books, to the millisecond and not rounded.'),
    })
    .describe('One question that both venues list. Blocks that were not requested are absent, not null.'),
);

export const marketList = named(
  'MarketList',
  z
    .strictObject({
      count: count.describe('Number of `markets` in this response.'),
      total: count
        .optional()
        .describe(
          'With `include=total`: markets that match all filters, on all pages. Constant over a paging by `cursor`, but for rows that leave the catalog.',
        ),
      category: z.string().nullable().describe('The filter of the request.'),
      sport: z.string().nullable().describe('The filter of the request.'),
      has_more: z.boolean().describe('Whether another page follows.'),
      next_cursor: z
        .string()
        .nullable()
        .describe(
          'Opaque. Send it as `cursor` for the next page, within two minutes of the first page; null at the end.',
        ),
      snapshot_at: time.describe('Time of the prices.'),
      delay_seconds: delaySeconds,
      markets: z.array(market).describe('In the requested order.'),
    })
    .describe('A page of the matched catalog.'),
);

export const sample = named(
  'Sample',
  z
    .strictObject({
      count: count.describe('Number of `markets`.'),
      snapshot_at: time.describe('Time of the prices.'),
      delay_seconds: delaySeconds,
      markets: z.array(market).describe('By start, the earliest first.'),
    })
    .describe('At most 20 markets of the catalog, for everyone.'),
);
