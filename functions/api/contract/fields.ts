import { z } from 'zod';

// Fields that several responses share, each with its unit. Each response describes its own fields.

/** Schemas with a name in the document, under components/schemas. */
export const resources = z.registry<{ id: string }>();

/** Names a schema. The document then refers to it by this name. */
export function named<Schema extends z.ZodType>(id: string, schema: Schema): Schema {
  resources.add(schema, { id });
  return schema;
}

const UUID_PATTERN = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}';

/** A market id in a response: lower case, with its prefix. */
export const marketId = z.string().regex(new RegExp(`^mkt_${UUID_PATTERN}$`));

/** UTC, ISO 8601, to the millisecond, as base.format_time writes it. */
export const time = z.iso.datetime({ precision: 3 });

/**
 * An ask or bid in USD for a contract that pays $1. Every tick size of the venues is exact in it.
 */
export const price = z.number().min(0).max(1);

export const count = z.int().min(0);

export const venue = z.enum(['venue_a', 'venue_b']);

export const signal = z
  .enum(['spread', 'arb'])
  .describe(
    '`arb`: all four gates are open (band, parity, risk, priced). `spread`: a price gap with its settlement risks.',
  );

export const priced = z
  .strictObject({
    venue_a: z.boolean().describe('Whether venue_a is priced.'),
    venue_b: z.boolean().describe('Whether venue_b is priced.'),
  })
  .describe('Venues with prices in this row.');

export const delaySeconds = z.number().min(0).describe('Age of the REST snapshot against market time, in seconds.');

/** The context of a market within its category. Null where it does not apply. */
export const context = {
  sport: z.string().nullable().describe('Sports only: the broad sport, such as `football`.'),
  competition: z.string().nullable().describe('Sports only: the league or cup, such as `NFL`.'),
  location: z.string().nullable().describe('Weather only: the place.'),
  asset: z.string().nullable().describe('Crypto and commodities: the asset.'),
  indicator: z.string().nullable().describe('Economic releases: the indicator.'),
  basis: z
    .string()
    .nullable()
    .describe(
      'The measured quantity, or the station or source by which each venue settles, where that matters. `touch`: each outcome is a price level that pays if the price reaches it at any time, so several can pay, or none.',
    ),
  institution: z.string().nullable().describe('Central-bank decisions: the institution.'),
};
