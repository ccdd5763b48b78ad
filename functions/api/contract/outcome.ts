import { z } from 'zod';
import { named, price, venue } from './fields.ts';

const touch = {
  ask: price.nullable().describe('Best ask in USD; the same as the scalar beside it. Null without one.'),
  bid: price.nullable().describe('Best bid in USD; null where none is known.'),
  depth: z.number().min(0).nullable().describe('Contracts offered at the ask, to 0.01 contract; null where unknown.'),
  bid_depth: z
    .number()
    .min(0)
    .nullable()
    .describe('Contracts wanted at the bid, to 0.01 contract; null where unknown.'),
};

export const venueABook = named(
  'VenueABook',
  z
    .strictObject({
      ...touch,
      ticker: z.string().describe('The contract, as venue_a names it.'),
      side: z
        .enum(['yes', 'no'])
        .describe(
          'The side of `ticker` that pays for this outcome; every figure of this book is of that side. `no` where one contract prices two outcomes: the ask is 1 minus the best YES bid.',
        ),
    })
    .describe('The top of venue_a’s book for an outcome.'),
);

export const venueBBook = named(
  'VenueBBook',
  z
    .strictObject({ ...touch, token_id: z.string().describe('The outcome token, as venue_b names it.') })
    .describe('The top of venue_b’s book for an outcome.'),
);

export const outcome = named(
  'Outcome',
  z
    .strictObject({
      key: z
        .string()
        .describe(
          'A slug of the outcome’s full name (`max-holloway`), ASCII, unique in the market; it stays for the life of the pair.',
        ),
      name: z.string().describe('As a person reads it. It comes from the venues: show it as text.'),
      venue_a: price
        .nullable()
        .describe(
          'Ask on venue_a for this outcome, in USD: of YES, or of NO where the contract that pays for it is the NO side (`venue_a_book.side`). Null without one.',
        ),
      venue_b: price.nullable().describe('Ask on venue_b of the outcome’s token, in USD; null without one.'),
      cheaper: venue
        .nullable()
        .describe('The venue with the lower ask; null where either is missing or both are equal.'),
      relation: z
        .enum(['EXACT', 'OVERLAPS', 'DERIVED'])
        .optional()
        .describe(
          'Ladder families only. `EXACT`: a one-to-one twin. `OVERLAPS`: the venues’ band edges are offset, so there is no venue_a price. `DERIVED`: venue_a supports it by its cumulative ladder alone; venue_b’s price only.',
        ),
      venue_a_span: z
        .array(z.string())
        .optional()
        .describe('On `OVERLAPS` legs: the labels of the venue_a bands that this venue_b band touches.'),
      venue_a_book: venueABook
        .nullable()
        .optional()
        .describe('With `include=depth`. Null where venue_a has no such contract.'),
      venue_b_book: venueBBook
        .nullable()
        .optional()
        .describe('With `include=depth`. Null where venue_b has no such contract.'),
    })
    .describe('One thing that may come true, with both venues’ asks.'),
);
