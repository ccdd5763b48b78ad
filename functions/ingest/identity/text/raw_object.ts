import type { Json } from '../../listing.ts';
import { jsonInText } from './json_in_text.ts';
import { outcomeTokens } from './outcome_ids.ts';
import { clean } from './text.ts';

/**
 * Reads fields of a venue payload. Any field may be missing, null or of another type. A wrong type
 * counts as missing.
 */

export type RawObject = { [key: string]: Json };

export function record(value: unknown): RawObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as RawObject) : {};
}

export function records(value: unknown): RawObject[] {
  return Array.isArray(value)
    ? value.filter((one) => typeof one === 'object' && one !== null && !Array.isArray(one)).map(record)
    : [];
}

export function text(value: unknown): string | null {
  return clean(value);
}

/**
 * Returns the first 2,000 characters of a contract's text, which state what it pays for. Cleaning a
 * text of any length would take too long.
 */
export const opening = (value: unknown): string =>
  typeof value === 'string' ? (clean(value.slice(0, 2000)) ?? '') : '';

/** Parses a number, or a decimal string. */
export function amount(value: unknown): number | null {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : null;
}

/** Parses an array that venue_b writes as JSON in a string. A real array is accepted too. */
export function strings(value: unknown): string[] {
  const list = jsonInText(value);
  return Array.isArray(list) ? list.filter((one): one is string => typeof one === 'string') : [];
}

/**
 * Returns the contract that pays when a Yes/No market of venue_b comes true: its condition and the
 * token of "Yes", at any position among the outcomes. Null unless there are two of each and a Yes.
 */
export function yesContract(market: RawObject): { market_id: string; contract_id: string } | null {
  const outcomes = strings(market.outcomes);
  const tokens = outcomeTokens(market);
  const contract_id = tokens[outcomes.findIndex((one) => /^yes$/i.test(one))];
  const market_id = text(market.conditionId);
  if (market_id === null || contract_id === undefined || outcomes.length !== 2 || tokens.length !== 2) return null;
  return { market_id, contract_id };
}

/** Joins texts with a blank line. Null when there is none. */
export function joined(...parts: unknown[]): string | null {
  const kept = parts
    .filter((one): one is string => typeof one === 'string' && one.trim() !== '')
    .map((one) => one.trim());
  return kept.length === 0 ? null : kept.join('\n\n');
}

/**
 * Returns the first text of any market, in the order of the market ids. Pages shuffle the markets,
 * and the result must not change with their order.
 */
function firstText(markets: readonly RawObject[], id: string, fields: readonly string[]): string | null {
  const sorted = [...markets].sort((a, b) => ((text(a[id]) ?? '') < (text(b[id]) ?? '') ? -1 : 1));
  for (const market of sorted) {
    const found = joined(...fields.map((field) => market[field]));
    if (found !== null) return found;
  }
  return null;
}

/** Returns the rules of a venue_a event: primary and secondary rules of one of its markets. */
export const rulesOfA = (markets: readonly RawObject[]): string | null =>
  firstText(markets, 'ticker', ['rules_primary', 'rules_secondary']);

/** Returns the rules of a venue_b event: its own description, else that of one of its markets. */
export const rulesOfB = (event: RawObject, markets: readonly RawObject[]): string | null =>
  joined(event.description) ?? firstText(markets, 'conditionId', ['description']);

/** Returns the text of every market of a venue_a event, each once. */
export const textsOfA = (markets: readonly RawObject[]): string[] =>
  uniqueTexts(markets.map((market) => joined(market.rules_primary, market.rules_secondary)));

/** Returns the texts of a venue_b event: its own and those of its markets, each once. */
export const textsOfB = (event: RawObject, markets: readonly RawObject[]): string[] =>
  uniqueTexts([event, ...markets].map((holder) => joined(holder.description)));

/** Removes duplicates and cuts each text. The longest recorded ones have about 4,000 characters. */
const uniqueTexts = (texts: readonly (string | null)[]): string[] => [
  ...new Set(texts.flatMap((one) => (one === null ? [] : [one.slice(0, 12_000)]))),
];

/**
 * Returns the names of the settlement sources of a venue_a event: its own, else those of its
 * series.
 */
export function sourcesOfA(event: RawObject, series: unknown): string[] {
  const named = (holder: RawObject) => records(holder.settlement_sources).flatMap((source) => text(source.name) ?? []);
  const own = named(event);
  return own.length > 0 ? own : named(record(series));
}
