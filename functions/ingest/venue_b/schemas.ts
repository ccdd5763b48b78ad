import { z } from 'zod';
import { isId } from '../feeds/clean.ts';
import { MAX_ROWS } from '../feeds/limits.ts';
import { jsonInText } from '../identity/text/json_in_text.ts';

/**
 * The fields of venue_b that this service uses. Other fields pass through. Shapes: the venue's
 * documentation of 2026 and recorded payloads (venues.md B1 to B4, G).
 */

const text = z.string().min(1);
/**
 * An id is stored and compared unchanged, so it must not have blanks at its ends or invisible
 * characters. The longest recorded id has 151 characters. A PostgreSQL index entry takes 2,704
 * bytes, and a longer id would make the database reject the page.
 */
export const id = text.max(500).refine(isId, 'blanks at an end or characters that cannot be seen');
const maybeText = z.string().nullish();
const maybeNumber = z.number().nullish();
const maybeFlag = z.boolean().nullish();
/**
 * Epoch milliseconds. A timestamp that is not a number would be neither before nor after any other
 * one.
 */
const stamp = z.string().regex(/^\d{1,15}$/);
/**
 * A list of texts that the venue writes as JSON inside a string. Some responses contain the list
 * itself.
 */
const listOf = (of: z.ZodType<string>) => z.preprocess(jsonInText, z.array(of));
const textList = listOf(z.string());

const eventCore = {
  slug: id,
  description: maybeText,
  startTime: maybeText,
  endDate: maybeText,
  closed: maybeFlag,
  series: z.array(z.looseObject({ slug: maybeText, title: maybeText })).nullish(),
  markets: z.array(z.unknown()).max(MAX_ROWS.markets),
};

const marketCore = {
  conditionId: id,
  slug: id,
  // Gamma's flags may be null or absent. That means unknown, and never trading or final.
  active: maybeFlag,
  closed: maybeFlag,
  acceptingOrders: maybeFlag,
  enableOrderBook: maybeFlag,
  outcomes: textList,
  // Which of the two lists is read depends on the version (identity/text/outcome_ids.ts). The other
  // one may have any shape.
  version: z.unknown().optional(),
  clobTokenIds: z.unknown().optional(),
  positionIds: z.unknown().optional(),
  outcomePrices: textList.nullish(),
  groupItemTitle: maybeText,
  description: maybeText,
  startDate: maybeText,
  endDate: maybeText,
  gameStartTime: maybeText,
  closedTime: maybeText,
  umaResolutionStatus: maybeText,
  umaResolutionStatuses: textList.nullish(),
  orderPriceMinTickSize: maybeNumber,
  orderMinSize: maybeNumber,
  secondsDelay: z.number().min(0).max(86_400).nullish(),
  feesEnabled: maybeFlag,
  feeSchedule: z.looseObject({ rate: maybeNumber, exponent: maybeNumber, takerOnly: maybeFlag }).nullish(),
};

/** A recording may lack fields. */
export const recordedEvent = z.looseObject({ ...eventCore, title: maybeText });
export const recordedMarket = z.looseObject({ ...marketCore, question: maybeText });

/** A listing as the venue serves it. */
export const servedEvent = z.looseObject({ ...eventCore, title: text });
export const servedMarket = z.looseObject({ ...marketCore, question: text });
export type RawEvent = z.infer<typeof recordedEvent>;
export type RawMarket = z.infer<typeof recordedMarket>;

/**
 * A row of /v2/resolutions of the data API (its OpenAPI document, 2026-11). `payouts` are
 * millionths of a dollar per share, outcome 0 first. They are present on resolved rows, and absent
 * on rows of markets that UMA resolved.
 */
export const resolutionRow = z.looseObject({
  condition_id: id,
  status: text,
  payouts: z.array(z.int().min(0)).nullish(),
  resolved_at: maybeText,
});

const level = z.object({ price: z.string(), size: z.string() });
const side = z.array(level);
export type RawLevels = z.infer<typeof side>;

export const restBook = z.object({
  asset_id: text,
  timestamp: stamp.optional(),
  hash: z.string().optional(),
  bids: side.nullish(),
  asks: side.nullish(),
});

export const bookMessage = z.object({
  event_type: z.literal('book'),
  asset_id: text,
  timestamp: stamp,
  hash: z.string().optional(),
  bids: side,
  asks: side,
});

/**
 * The shape since 2025-09-15. The earlier shape (asset_id, price, side and size at the top level)
 * has less data and is rejected.
 */
export const priceChangeMessage = z.object({
  event_type: z.literal('price_change'),
  timestamp: stamp,
  price_changes: z.array(
    z.object({
      asset_id: text,
      price: z.string(),
      size: z.string(),
      side: z.enum(['BUY', 'SELL']),
      hash: z.string().optional(),
      best_bid: maybeText,
      best_ask: maybeText,
    }),
  ),
});
export type PriceChange = z.infer<typeof priceChangeMessage>['price_changes'][number];

export const tickChangeMessage = z.object({ event_type: z.literal('tick_size_change'), asset_id: text });
