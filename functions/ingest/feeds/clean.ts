import { clean as asRead } from '../identity/text/text.ts';
import type { Json } from '../listing.ts';

// U+3164 is a letter to JavaScript and a blank to the eye: a venue fills empty labels with it. Control characters and lone surrogates
// never belong to a text, and PostgreSQL refuses a whole page of listings for one NUL in a jsonb string.
// biome-ignore lint/suspicious/noControlCharactersInRegex: finding control characters is what this is for.
const INVISIBLE = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u200b\u2060\u3164\ufeff]/g;
const SURROGATE = /[\ud800-\udfff]/;

/** As much of a text as is kept. The longest recorded rules have some 4,000 characters, those with a venue's updates 15,000. */
export const MAX_TEXT_CHARS = 24_000;

/** A text as a person would read it: without filler, control characters and halves of characters. One without end is cut, and says so. */
export function cleanText(text: string): string {
  const seen = text.length > MAX_TEXT_CHARS ? truncate(text) : text.replace(INVISIBLE, '');
  return SURROGATE.test(seen) ? dropLoneSurrogates(seen) : seen;
}

function truncate(text: string): string {
  const mark = `\n\n(Cut here: the venue's text has ${text.length} characters.)`;
  return text.slice(0, MAX_TEXT_CHARS - mark.length).replace(INVISIBLE, '') + mark;
}

const isClean = (text: string): boolean => cleanText(text) === text;

/**
 * Is a text the same as it is stored and as the parsers read it? An id that is not is no id: two of them could become one, or a question name
 * a contract that nobody lists.
 */
export const isId = (text: string): boolean => isClean(text) && asRead(text) === text;

/** A label: clean, without blanks at its ends, null when nothing is left. */
export function cleanLabel(text: unknown): string | null {
  if (typeof text !== 'string') return null;
  const label = cleanText(text).trim();
  return label === '' ? null : label;
}

/** No listing nests deeper than 8. What does so without end would cost the stack here, and PostgreSQL the page. */
const MAX_DEPTH = 64;

/**
 * A JSON value whose texts are all clean. A name that is not clean is left out: cleaned, it could take the place of another. So is
 * `__proto__`, and what is nested too deep is null.
 */
export function cleanJson(value: unknown, deeper = MAX_DEPTH): Json {
  if (typeof value === 'string') return cleanText(value);
  if (value !== null && typeof value === 'object' && deeper === 0) return null;
  if (Array.isArray(value)) return value.map((child) => cleanJson(child, deeper - 1));
  if (value !== null && typeof value === 'object') {
    const clean: { [key: string]: Json } = {};
    for (const [key, child] of Object.entries(value)) {
      if (key !== '__proto__' && isClean(key)) clean[key] = cleanJson(child, deeper - 1);
    }
    return clean;
  }
  return typeof value === 'number' || typeof value === 'boolean' ? value : null;
}

/** `value` without the keys that `isVolatile` names: what is left changes only when the listing itself does. */
export function withoutKeys(
  value: { [key: string]: Json },
  isVolatile: (key: string) => boolean,
): { [key: string]: Json } {
  const kept: { [key: string]: Json } = {};
  for (const [key, child] of Object.entries(value)) if (!isVolatile(key)) kept[key] = child;
  return kept;
}

function dropLoneSurrogates(text: string): string {
  return text.replace(/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, '');
}
