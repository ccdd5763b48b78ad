import { isObject } from '../feeds/parse.ts';
import { type Known, knownNames, messageSampler, type UnknownCounter } from '../feeds/unknown.ts';

/**
 * The fields and values of venue_a that are documented or recorded, used or not. Sources: OpenAPI
 * 3.28.0 and AsyncAPI of 2026-08-22, recordings of January to September 2026 (docs/venues.md).
 * Everything else is counted, because it may change the meaning of what is read.
 */

export const marketFields = knownNames(`
  ticker event_ticker market_type title subtitle yes_sub_title no_sub_title created_time updated_time
  open_time close_time expected_expiration_time expiration_time latest_expiration_time
  settlement_timer_seconds status yes_bid_dollars yes_bid_size_fp yes_ask_dollars yes_ask_size_fp
  no_bid_dollars no_ask_dollars last_price_dollars volume_fp volume_24h_fp result can_close_early
  open_interest_fp notional_value_dollars previous_yes_bid_dollars previous_yes_ask_dollars
  previous_price_dollars liquidity_dollars settlement_value_dollars settlement_ts expiration_value
  occurrence_datetime fee_waiver_expiration_time early_close_condition strike_type floor_strike
  cap_strike functional_strike custom_strike rules_primary rules_secondary mve_collection_ticker
  mve_selected_legs primary_participant_key price_level_structure price_ranges is_provisional
  exchange_index fractional_trading_enabled response_price_units
  last_price liquidity no_ask no_bid notional_value open_interest previous_price previous_yes_ask
  previous_yes_bid tick_size volume volume_24h yes_ask yes_bid
`);

export const eventFields = knownNames(`
  event_ticker series_ticker sub_title title collateral_return_type mutually_exclusive category
  strike_date strike_period markets available_on_brokers product_metadata settlement_sources
  last_updated_ts fee_type_override fee_multiplier_override exchange_index
`);
const series = knownNames(`
  ticker frequency title category tags settlement_sources contract_url contract_terms_url
  product_metadata fee_type fee_multiplier additional_prohibitions volume_fp last_updated_ts
  exchange_index volume
`);
const milestone = knownNames(`
  id category type start_date end_date related_event_tickers title notification_message source_id
  source_ids details primary_event_tickers last_updated_ts
`);
const source = knownNames('name url');
const priceRange = knownNames('start end step');
const exchangeStatus = knownNames(`
  exchange_active trading_active intra_exchange_transfers_active exchange_estimated_resume_time
  exchange_index_statuses
`);
const exchangeIndexStatus = knownNames(`
  exchange_index description exchange_active trading_active intra_exchange_transfers_active
  exchange_estimated_resume_time
`);
const restBook = knownNames('ticker orderbook_fp');
const bookSides = knownNames('yes_dollars no_dollars');

const statuses = knownNames('initialized active inactive closed determined disputed amended finalized');
const marketTypes = knownNames('binary scalar');
const strikeTypes = knownNames(`
  greater greater_or_equal less less_or_equal between functional custom structured
`);
const results: Known = new Set(['yes', 'no', 'scalar', '']);
const feeTypes = knownNames(`
  quadratic quadratic_with_maker_fees quadratic_with_combo_maker_fees flat
`);
/** 1 to 28 (websocket-connection of 2026-08-22). */
const errorCodes: Known = new Set(Array.from({ length: 28 }, (_, i) => String(i + 1)));

/** Fields of each message type, and of its `msg`. `msg` of `ok` may be a list. */
const messages: ReadonlyMap<string, { frame: Known; msg: Known }> = new Map([
  [
    'orderbook_snapshot',
    { frame: knownNames('type sid seq msg'), msg: knownNames('market_ticker market_id yes_dollars_fp no_dollars_fp') },
  ],
  [
    'orderbook_delta',
    {
      frame: knownNames('type sid seq msg'),
      msg: knownNames('market_ticker market_id price_dollars delta_fp side client_order_id subaccount ts ts_ms'),
    },
  ],
  ['subscribed', { frame: knownNames('id type msg'), msg: knownNames('channel sid') }],
  ['unsubscribed', { frame: knownNames('id sid seq type'), msg: knownNames('sid') }],
  ['ok', { frame: knownNames('id sid seq type msg'), msg: knownNames('market_tickers market_ids') }],
  ['error', { frame: knownNames('id sid seq type msg'), msg: knownNames('code msg market_id market_ticker') }],
]);
export const messageTypes: Known = new Set(messages.keys());

/** Counts one page of events with their markets. */
export function countEvents(counter: UnknownCounter, events: readonly unknown[]): void {
  for (const raw of events) {
    if (!isObject(raw)) continue;
    counter.countFields('event', raw, eventFields, raw.event_ticker);
    counter.countValue('event.fee_type_override', raw.fee_type_override, feeTypes, raw.event_ticker);
    countAll(counter, 'event.settlement_sources', raw.settlement_sources, source);
    if (Array.isArray(raw.markets)) countMarkets(counter, raw.markets);
  }
}

export function countMarkets(counter: UnknownCounter, markets: readonly unknown[]): void {
  for (const raw of markets) {
    if (!isObject(raw)) continue;
    const id = raw.ticker;
    counter.countFields('market', raw, marketFields, id);
    counter.countValue('market.status', raw.status, statuses, id);
    counter.countValue('market.market_type', raw.market_type, marketTypes, id);
    counter.countValue('market.strike_type', raw.strike_type, strikeTypes, id);
    counter.countValue('market.result', raw.result, results, id);
    countAll(counter, 'market.price_ranges', raw.price_ranges, priceRange);
  }
}

export function countSeries(counter: UnknownCounter, rows: readonly unknown[]): void {
  for (const raw of rows) {
    if (!isObject(raw)) continue;
    counter.countFields('series', raw, series, raw.ticker);
    counter.countValue('series.fee_type', raw.fee_type, feeTypes, raw.ticker);
    countAll(counter, 'series.settlement_sources', raw.settlement_sources, source);
  }
}

export function countMilestones(counter: UnknownCounter, rows: readonly unknown[]): void {
  countAll(counter, 'milestone', rows, milestone);
}

export function countExchangeStatus(counter: UnknownCounter, response: unknown): void {
  if (!isObject(response)) return;
  counter.countFields('exchange_status', response, exchangeStatus);
  countAll(counter, 'exchange_index_status', response.exchange_index_statuses, exchangeIndexStatus);
}

export function countBooks(counter: UnknownCounter, books: readonly unknown[]): void {
  for (const raw of books) {
    if (!isObject(raw)) continue;
    counter.countFields('book', raw, restBook, raw.ticker);
    if (isObject(raw.orderbook_fp)) counter.countFields('book.orderbook_fp', raw.orderbook_fp, bookSides, raw.ticker);
  }
}

/** Counts the messages of one socket. */
export const messageInspector = (counter: UnknownCounter): ((message: unknown) => void) =>
  messageSampler(
    (message) => isObject(message) && message.type === 'orderbook_delta',
    (message) => countMessage(counter, message),
  );

export function countMessage(counter: UnknownCounter, message: unknown): void {
  if (!isObject(message)) return;
  counter.countValue('message.type', message.type, messageTypes);
  const known = typeof message.type === 'string' ? messages.get(message.type) : undefined;
  if (!known) return;
  counter.countFields(`message.${message.type}`, message, known.frame);
  if (!isObject(message.msg)) return;
  counter.countFields(`message.${message.type}.msg`, message.msg, known.msg);
  if (message.type === 'error') counter.countValue('message.error.code', message.msg.code, errorCodes);
}

function countAll(counter: UnknownCounter, record: string, rows: unknown, known: Known): void {
  if (!Array.isArray(rows)) return;
  for (const row of rows) if (isObject(row)) counter.countFields(record, row, known);
}
