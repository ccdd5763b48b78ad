import { z } from 'zod';
import { isId } from '../feeds/clean.ts';
import { MAX_EVENTS_OF_MILESTONE, MAX_ROWS } from '../feeds/limits.ts';

/**
 * The fields of venue_a that this service uses. Other fields pass through, so that the venue may
 * add fields. Shapes: the venue's OpenAPI 3.28.0 of August 2026 and recorded payloads (venues.md A3
 * to A6).
 */

const text = z.string().min(1);
/**
 * An id is stored and compared unchanged, so it must not have blanks at its ends or invisible
 * characters. The longest recorded id has 151 characters. A PostgreSQL index entry takes 2,704
 * bytes, and a longer id would make the database reject the page.
 */
const id = text.max(500).refine(isId, 'blanks at an end or characters that cannot be seen');
const decimal = z.string().regex(/^\d{1,12}(?:\.\d{1,12})?$/);
const maybeText = z.string().nullish();
const maybeNumber = z.number().nullish();
/**
 * The matching engine that trades a market: its own, else that of its event, else of its series.
 * Anything but a number is unknown and does not reject the row (trading_status.ts).
 */
const exchangeIndex = z.unknown().optional();

export const rawSeries = z.looseObject({
  ticker: id,
  title: maybeText,
  category: maybeText,
  fee_type: maybeText,
  fee_multiplier: maybeNumber,
  settlement_sources: z.array(z.looseObject({ name: maybeText, url: maybeText })).nullish(),
  exchange_index: exchangeIndex,
});
export type RawSeries = z.infer<typeof rawSeries>;

export const rawMilestone = z.looseObject({
  id: text,
  start_date: text,
  related_event_tickers: z.array(z.string()).max(MAX_EVENTS_OF_MILESTONE),
  primary_event_tickers: z.array(z.string()).nullish(),
});
export type RawMilestone = z.infer<typeof rawMilestone>;

/** Fields that every listing has, also a recording with few fields. */
const eventCore = {
  event_ticker: id,
  series_ticker: id,
  sub_title: maybeText,
  fee_type_override: maybeText,
  fee_multiplier_override: maybeNumber,
  exchange_index: exchangeIndex,
  /** Absent or null where all markets are older than the historical cutoff (venues.md G10). */
  markets: z.array(z.unknown()).max(MAX_ROWS.markets).nullish(),
};
const marketCore = {
  ticker: id,
  event_ticker: id,
  status: text,
  title: maybeText,
  no_sub_title: maybeText,
  expected_expiration_time: maybeText,
  latest_expiration_time: maybeText,
  result: maybeText,
  settlement_value_dollars: maybeText,
  settlement_ts: maybeText,
  rules_secondary: maybeText,
  price_ranges: z.array(z.object({ start: decimal, end: decimal, step: decimal })).nullish(),
  is_provisional: z.boolean().nullish(),
  floor_strike: maybeNumber,
  cap_strike: maybeNumber,
  /** Null or absent without a waiver. A fee is zero until this time. */
  fee_waiver_expiration_time: maybeText,
  exchange_index: exchangeIndex,
};

/** A recording may lack fields. */
export const recordedEvent = z.looseObject({
  ...eventCore,
  title: maybeText,
  mutually_exclusive: z.boolean().nullish(),
});
export const recordedMarket = z.looseObject({
  ...marketCore,
  market_type: maybeText,
  yes_sub_title: maybeText,
  open_time: maybeText,
  close_time: maybeText,
  rules_primary: maybeText,
});

/**
 * A listing as the venue serves it. A missing field was renamed or dropped, so the row is rejected
 * instead of being half understood.
 */
export const servedEvent = z.looseObject({ ...eventCore, title: text, mutually_exclusive: z.boolean() });
export const servedMarket = z.looseObject({
  ...marketCore,
  market_type: text,
  yes_sub_title: z.string(),
  open_time: text,
  close_time: text,
  rules_primary: z.string(),
});
export type RawEvent = z.infer<typeof recordedEvent>;
export type RawMarket = z.infer<typeof recordedMarket>;

/** The flags of one exchange index, and at the top level those of index 0. */
export const exchangeFlags = z.looseObject({ exchange_active: z.boolean(), trading_active: z.boolean() });

/** `GET /exchange/status`. The rows are absent when the venue cannot list them. */
export const exchangeStatus = exchangeFlags.extend({
  exchange_index_statuses: z.array(exchangeFlags.extend({ exchange_index: z.number().int() })).nullish(),
});

/** `GET /account/endpoint_costs`: tokens per request where they differ from the default. */
export const endpointCosts = z.looseObject({
  default_cost: z.number().nonnegative(),
  endpoint_costs: z.array(z.looseObject({ method: z.string(), path: z.string(), cost: z.number().nonnegative() })),
});

/** `GET /historical/cutoff`. */
export const historicalCutoff = z.looseObject({ market_settled_ts: maybeText });

const level = z.tuple([z.string(), z.string()]);
/** One side of a book. An empty side is [], null or absent. */
export const rawSide = z.array(level).nullish();
export type RawSide = z.infer<typeof rawSide>;

export const restBook = z.object({
  ticker: text,
  orderbook_fp: z.object({ yes_dollars: rawSide, no_dollars: rawSide }),
});

const sequenced = { sid: z.number().int(), seq: z.number().int() };

export const snapshotMessage = z.object({
  type: z.literal('orderbook_snapshot'),
  ...sequenced,
  msg: z.object({ market_ticker: text, yes_dollars_fp: rawSide, no_dollars_fp: rawSide }),
});

export const deltaMessage = z.object({
  type: z.literal('orderbook_delta'),
  ...sequenced,
  msg: z.object({
    market_ticker: text,
    price_dollars: z.string(),
    delta_fp: z.string(),
    side: z.enum(['yes', 'no']),
    ts_ms: z.number().optional(),
  }),
});

export const subscribedMessage = z.object({
  type: z.literal('subscribed'),
  id: z.number().int().optional(),
  msg: z.object({ channel: z.string(), sid: z.number().int() }),
});

/** `ok` has a sequence number when it concerns a subscription. */
export const okMessage = z.object({
  type: z.literal('ok'),
  id: z.number().int().optional(),
  sid: z.number().int().optional(),
  seq: z.number().int().optional(),
});

export const errorMessage = z.object({
  type: z.literal('error'),
  id: z.number().int().optional(),
  sid: z.number().int().optional(),
  seq: z.number().int().optional(),
  msg: z.object({ code: z.number().int(), msg: z.string().optional(), market_ticker: z.string().optional() }),
});
