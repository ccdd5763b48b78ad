import type { Json } from '../../listing.ts';
import { clean } from './text.ts';

/** Reading a venue's object of which any field may be missing, null or of another type: a wrong type reads as absent. */

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

/** The opening of a contract's text, which says what it pays for; an endless text is not cleaned to its end. */
export const opening = (value: unknown): string =>
  typeof value === 'string' ? (clean(value.slice(0, 2000)) ?? '') : '';

/** A number, or a decimal string of one. */
export function amount(value: unknown): number | null {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : null;
}

/** venue_b writes arrays as JSON in a string; a real array is taken as well. */
export function strings(value: unknown): string[] {
  let list = value;
  if (typeof value === 'string') {
    try {
      list = JSON.parse(value);
    } catch {
      return [];
    }
  }
  return Array.isArray(list) ? list.filter((one): one is string => typeof one === 'string') : [];
}

/**
 * What pays when a Yes/No market of venue_b comes true: its condition and the token of "Yes", wherever that stands among the
 * outcomes. Null where there are not two of each, or no Yes.
 */
export function yesContract(market: RawObject): { market_id: string; contract_id: string } | null {
  const outcomes = strings(market.outcomes);
  const tokens = strings(market.clobTokenIds);
  const contract_id = tokens[outcomes.findIndex((one) => /^yes$/i.test(one))];
  const market_id = text(market.conditionId);
  if (market_id === null || contract_id === undefined || outcomes.length !== 2 || tokens.length !== 2) return null;
  return { market_id, contract_id };
}

/** Texts joined by a blank line, or null when there is none. */
export function joined(...parts: unknown[]): string | null {
  const kept = parts
    .filter((one): one is string => typeof one === 'string' && one.trim() !== '')
    .map((one) => one.trim());
  return kept.length === 0 ? null : kept.join('\n\n');
}

/** The first text that any market of an event carries, by the markets' own ids: pages shuffle markets, and the reading must not change for it. */
function firstText(markets: readonly RawObject[], id: string, fields: readonly string[]): string | null {
  const sorted = [...markets].sort((a, b) => ((text(a[id]) ?? '') < (text(b[id]) ?? '') ? -1 : 1));
  for (const market of sorted) {
    const found = joined(...fields.map((field) => market[field]));
    if (found !== null) return found;
  }
  return null;
}

/** The contract's text of a venue_a event: primary and secondary rules of one of its markets. */
export const rulesOfA = (markets: readonly RawObject[]): string | null =>
  firstText(markets, 'ticker', ['rules_primary', 'rules_secondary']);

/** The contract's text of a venue_b event: its own description, else that of one of its markets. */
export const rulesOfB = (event: RawObject, markets: readonly RawObject[]): string | null =>
  joined(event.description) ?? firstText(markets, 'conditionId', ['description']);

/** The text of every market of a venue_a event, each once. */
export const textsOfA = (markets: readonly RawObject[]): string[] =>
  uniqueTexts(markets.map((market) => joined(market.rules_primary, market.rules_secondary)));

/** The texts of a venue_b event: its own and those of its markets, each once. */
export const textsOfB = (event: RawObject, markets: readonly RawObject[]): string[] =>
  uniqueTexts([event, ...markets].map((holder) => joined(holder.description)));

/** As much of each text as is read; the longest recorded ones have some 4,000 characters. */
const uniqueTexts = (texts: readonly (string | null)[]): string[] => [
  ...new Set(texts.flatMap((one) => (one === null ? [] : [one.slice(0, 12_000)]))),
];

/** Names of what a venue_a event settles by; the event's own come before those of its series. */
export function sourcesOfA(event: RawObject, series: unknown): string[] {
  const named = (holder: RawObject) => records(holder.settlement_sources).flatMap((source) => text(source.name) ?? []);
  const own = named(event);
  return own.length > 0 ? own : named(record(series));
}
