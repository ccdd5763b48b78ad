import { HOUR, isoSeconds } from '../../core/eastern.ts';
import { unit } from '../../core/random.ts';
import type { WireFields } from '../question.ts';
import { exchangeIndexOf } from './exchange_index.ts';

/** Venue A's payloads: every field of venues.md A3 as recorded, without the fields that change. */

export const NOT_AFFILIATED =
  'Kalshi is not affiliated, associated, authorized, endorsed by, or in any way officially connected with the Governing League. All trademarks, logos, and brand names are the property of their respective owners.';

export type MarketShapeA = {
  ticker: string;
  event: string;
  title: string;
  yes: string;
  rules: readonly [primary: string, secondary: string];
  open: number;
  close: number;
  expected: number;
  occurrence: number | null;
  earlyClose: string;
  settlementSeconds: number;
  strike: { type: string; floor?: number; cap?: number; custom?: Record<string, string> };
};

export function marketFieldsA(shape: MarketShapeA, key: number): WireFields {
  const { strike } = shape;
  // Kalshi fills an empty line with U+3164. A reader that only calls trim() keeps it.
  const filler = unit(key, 41) < 0.03 ? 'ㅤ' : '';
  return {
    can_close_early: true,
    close_time: isoSeconds(shape.close),
    created_time: new Date(shape.open - 5 * 60_000 + Math.floor(unit(key, 42) * 1000)).toISOString(),
    ...(strike.custom ? { custom_strike: strike.custom } : {}),
    early_close_condition: shape.earlyClose,
    event_ticker: shape.event,
    exchange_index: exchangeIndexOf(shape.event),
    expected_expiration_time: isoSeconds(shape.expected),
    expiration_time: isoSeconds(shape.close),
    ...(strike.floor === undefined ? {} : { floor_strike: strike.floor }),
    ...(strike.cap === undefined ? {} : { cap_strike: strike.cap }),
    is_provisional: false,
    latest_expiration_time: isoSeconds(shape.close),
    liquidity_dollars: '0.0000',
    market_type: 'binary',
    no_sub_title: shape.yes + filler,
    notional_value_dollars: '1.0000',
    ...(shape.occurrence === null ? {} : { occurrence_datetime: isoSeconds(shape.occurrence) }),
    open_time: isoSeconds(shape.open),
    price_level_structure: 'linear_cent',
    price_ranges: [{ start: '0.0000', end: '1.0000', step: '0.0100' }],
    rules_primary: shape.rules[0],
    rules_secondary: shape.rules[1],
    settlement_timer_seconds: shape.settlementSeconds,
    strike_type: strike.type,
    ticker: shape.ticker,
    title: shape.title,
    yes_sub_title: shape.yes + filler,
  };
}

export type EventShapeA = {
  ticker: string;
  series: string;
  title: string;
  sub: string;
  exclusive: boolean;
  metadata?: Record<string, unknown>;
  sources: readonly { name: string; url: string }[];
  category: string;
  strikeDate?: number;
  collateral?: string;
  updated: number;
};

export function eventFieldsA(shape: EventShapeA): WireFields {
  return {
    available_on_brokers: false,
    category: shape.category,
    collateral_return_type: shape.collateral ?? (shape.exclusive ? 'MECNET' : ''),
    event_ticker: shape.ticker,
    exchange_index: exchangeIndexOf(shape.series),
    last_updated_ts: new Date(shape.updated - HOUR / 60).toISOString(),
    mutually_exclusive: shape.exclusive,
    ...(shape.metadata ? { product_metadata: shape.metadata } : {}),
    series_ticker: shape.series,
    settlement_sources: shape.sources,
    ...(shape.strikeDate === undefined ? {} : { strike_date: isoSeconds(shape.strikeDate) }),
    strike_period: '',
    sub_title: shape.sub,
    title: shape.title,
  };
}

export type SeriesShapeA = {
  ticker: string;
  title: string;
  category: string;
  tags: readonly string[] | null;
  frequency: string;
  feeMultiplier: number;
  feeType: string;
  sources: readonly { name: string; url: string }[];
  scope?: string;
};

export function seriesFieldsA(shape: SeriesShapeA, updated: number): WireFields {
  const name = shape.ticker.replace(/^KX/, '');
  return {
    additional_prohibitions: [
      'Persons who are employed by any of the Source Agencies are not permitted to trade on the Contract.',
      'Persons who hold any material, non-public information on the Underlying are not permitted to trade on the Contract.',
    ],
    category: shape.category,
    contract_terms_url: `https://assets.kalshi.com/contract_terms/${name}.pdf`,
    contract_url: `https://assets.kalshi.com/regulatory/product-certifications/${name}.pdf`,
    exchange_index: exchangeIndexOf(shape.ticker),
    fee_multiplier: shape.feeMultiplier,
    fee_type: shape.feeType,
    frequency: shape.frequency,
    last_updated_ts: new Date(updated).toISOString(),
    product_metadata: shape.scope ? { scope: shape.scope } : {},
    settlement_sources: shape.sources,
    tags: shape.tags,
    ticker: shape.ticker,
    title: shape.title,
  };
}

/** A contract's label without the filler that some labels contain. */
export const labelOf = ({ fields }: { fields: { [field: string]: unknown } }): string =>
  String(fields.yes_sub_title).replaceAll('\u3164', '');
