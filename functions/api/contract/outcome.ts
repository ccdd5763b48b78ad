import { z } from 'zod';
import { named, price, venue } from './fields.ts';

const level = z.strictObject({
  price: price.describe('Price in USD.'),
  size: z.number().min(0).nullable().describe('Contracts at the price, with a precision of 0.01; null where unknown.'),
});

const topOfBook = {
  ask: price
    .nullable()
    .describe('Best ask in USD, equal to the `venue_a` or `venue_b` of the outcome. Null without one.'),
  bid: price.nullable().describe('Best bid in USD; null without one.'),
  depth: z
    .number()
    .min(0)
    .nullable()
    .describe('Contracts offered at the ask, with a precision of 0.01; null where unknown.'),
  bid_depth: z
    .number()
    .min(0)
    .nullable()
    .describe('Contracts wanted at the bid, with a precision of 0.01; null where unknown.'),
  levels: z
    .strictObject({
      asks: z.array(level).max(10).describe('Lowest price first; empty without an ask.'),
      bids: z.array(level).max(10).describe('Highest price first; empty without a bid.'),
    })
    .optional()
    .describe('With `levels`: up to that many levels of each side; the best one alone where no sample fits the price.'),
};

export const venueABook = named(
  'VenueABook',
  z
    .strictObject({
      ...topOfBook,
      ticker: z.string().describe('Contract ticker of venue_a.'),
      side: z
        .enum(['yes', 'no'])
        .describe(
          'The side of `ticker` that pays for this outcome. All values of this book are of that side. `no` where one contract prices two outcomes: the ask is 1 minus the best YES bid.',
        ),
    })
    .describe('Top of the venue_a book of an outcome.'),
);

export const venueBBook = named(
  'VenueBBook',
  z
    .strictObject({ ...topOfBook, token_id: z.string().describe('Outcome token id of venue_b.') })
    .describe('Top of the venue_b book of an outcome.'),
);

export const outcome = named(
  'Outcome',
  z
    .strictObject({
      key: z
        .string()
        .describe(
          'ASCII slug of the full name (`max-holloway`), unique in the market and stable for the life of the pair.',
        ),
      name: z.string().describe('Name for people. It comes from the venues: display it as text.'),
      venue_a: price
        .nullable()
        .describe(
          'Ask on venue_a in USD: of YES, or of NO where the NO side pays for this outcome (`venue_a_book.side`). Null without one.',
        ),
      venue_b: price.nullable().describe('Ask on venue_b for the outcome token, in USD; null without one.'),
      cheaper: venue.nullable().describe('Venue with the lower ask; null where one is missing or both are equal.'),
      relation: z
        .enum(['EXACT', 'OVERLAPS', 'DERIVED'])
        .optional()
        .describe(
          'Ladders only. `EXACT`: both venues have the same range. `OVERLAPS`: the ranges overlap, so there is no venue_a price. `DERIVED`: bounded by thresholds of venue_a, with a venue_b price only.',
        ),
      venue_a_span: z
        .array(z.string())
        .optional()
        .describe('With `OVERLAPS`: labels of the venue_a ranges that overlap this venue_b range.'),
      venue_a_book: venueABook
        .nullable()
        .optional()
        .describe('With `include=depth`. Null where venue_a has no contract for the outcome.'),
      venue_b_book: venueBBook
        .nullable()
        .optional()
        .describe('With `include=depth`. Null where venue_b has no contract for the outcome.'),
    })
    .describe('One outcome with the asks of both venues.'),
);
