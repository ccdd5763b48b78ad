import { remembered } from '../identity/text/remembered.ts';
import { clean as cleanForParser } from '../identity/text/text.ts';
import type { Json } from '../listing.ts';

// U+3164 is a letter for JavaScript and looks blank: a venue fills empty labels with it. Control
// characters and lone surrogates do not belong in text, and PostgreSQL rejects a whole page of
// listings for one NUL in a jsonb string.
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern must find them.
const INVISIBLE = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u200b\u2060\u3164\ufeff]/g;
const SURROGATE = /[\ud800-\udfff]/;

/**
 * Texts are cut at this length. The longest recorded rules have about 4,000 characters, those with
 * a venue's updates 15,000.
 */
export const MAX_TEXT_CHARS = 24_000;

/**
 * Removes fillers, control characters and lone surrogates. A longer text is cut and ends with a
 * note that gives its length.
 */
export function cleanText(text: string): string {
  const cleaned = text.length > MAX_TEXT_CHARS ? truncate(text) : text.replace(INVISIBLE, '');
  return SURROGATE.test(cleaned) ? dropLoneSurrogates(cleaned) : cleaned;
}

function truncate(text: string): string {
  const mark = `\n\n(Cut here: the venue's text has ${text.length} characters.)`;
  return text.slice(0, MAX_TEXT_CHARS - mark.length).replace(INVISIBLE, '') + mark;
}

const isClean = (text: string): boolean => cleanText(text) === text;

/**
 * Whether a text stays the same when it is stored and parsed. Other texts are not accepted as ids:
 * two of them could become equal, or a question could name a contract that no listing has.
 */
export const isId = (text: string): boolean => isClean(text) && cleanForParser(text) === text;

/** A clean label without blanks at its ends. Null when nothing is left. */
export function cleanLabel(text: unknown): string | null {
  if (typeof text !== 'string') return null;
  const label = cleanText(text).trim();
  return label === '' ? null : label;
}

/**
 * Listings nest at most 8 levels deep. Unbounded nesting would overflow the stack here and make
 * PostgreSQL reject the page.
 */
const MAX_DEPTH = 64;

const isCleanKey = remembered(isClean);

/**
 * Cleans all texts of a JSON value. A key that is not clean is dropped, because the cleaned key
 * could replace another one. `__proto__` is dropped. Values that are nested too deep become null.
 */
export function cleanJson(value: unknown, depth = MAX_DEPTH): Json {
  if (typeof value === 'string') return cleanText(value);
  if (value !== null && typeof value === 'object' && depth === 0) return null;
  if (Array.isArray(value)) return value.map((child) => cleanJson(child, depth - 1));
  if (value !== null && typeof value === 'object') {
    const clean: { [key: string]: Json } = {};
    for (const key of Object.keys(value)) {
      if (key !== '__proto__' && isCleanKey(key))
        clean[key] = cleanJson((value as Record<string, unknown>)[key], depth - 1);
    }
    return clean;
  }
  return typeof value === 'number' || typeof value === 'boolean' ? value : null;
}

/** `value` without volatile keys. The rest changes only when the listing itself changes. */
export function withoutKeys(
  value: { [key: string]: Json },
  isVolatile: (key: string) => boolean,
): { [key: string]: Json } {
  const kept: { [key: string]: Json } = {};
  for (const key of Object.keys(value)) if (!isVolatile(key)) kept[key] = value[key] as Json;
  return kept;
}

function dropLoneSurrogates(text: string): string {
  return text.replace(/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, '');
}

/**
 * Whether the name of a field matches a pattern. A page has the same hundred names tens of
 * thousands of times.
 */
export const fieldMatcher = (pattern: RegExp): ((field: string) => boolean) =>
  remembered((field) => pattern.test(field));
