import { MAX_TEXT_CHARS } from '../../feeds/clean.ts';

/**
 * The value of JSON in a string, as venue_b writes lists: `"[\"Yes\", \"No\"]"`. Anything else
 * stays as it is, also a longer text: the limits of an answer do not look into its strings.
 */
export function jsonInText(value: unknown): unknown {
  if (typeof value !== 'string' || value.length > MAX_TEXT_CHARS) return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}
