import { type RawObject, records, text } from './raw_object.ts';

/** Titles, questions and labels are short; a longer text is none, and reading it could take for ever. */
export const MAX_PLAIN_LENGTH = 300;

/** As much of a rules text as is read. The longest recorded ones have some 4,000 characters. */
export const truncateRules = (rules: string | null): string | null => rules?.slice(0, 12_000) ?? null;

/** All that a venue_b event calls itself and asks, in one text: for a first look at whether a family could be meant at all. */
export function summaryTextOf(event: RawObject): string {
  const questions = records(event.markets).map((market) => text(market.question) ?? '');
  return [text(event.slug) ?? '', text(event.title) ?? '', ...questions].join(' ');
}
