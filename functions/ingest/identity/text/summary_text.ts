import { type RawObject, records, text } from './raw_object.ts';

/**
 * Characters. Titles, questions and labels are shorter. A longer text is not parsed, because that
 * could take very long.
 */
export const MAX_PLAIN_LENGTH = 300;

/** Cuts a rules text. The longest recorded ones have about 4,000 characters. */
export const truncateRules = (rules: string | null): string | null => rules?.slice(0, 12_000) ?? null;

/**
 * Returns slug, title and questions of a venue_b event as one text, for a first check whether a
 * family is possible at all.
 */
export function summaryTextOf(event: RawObject): string {
  const questions = records(event.markets).map((market) => text(market.question) ?? '');
  return [text(event.slug) ?? '', text(event.title) ?? '', ...questions].join(' ');
}
