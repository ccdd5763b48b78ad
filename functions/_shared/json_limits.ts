export type JsonLimits = {
  /** Levels of nested arrays and objects. */
  maxDepth: number;
  /** Elements and members of all arrays and objects together. */
  maxValues?: number;
};

export type JsonFault = 'too_deep' | 'too_many';

const QUOTE = '"'.charCodeAt(0);
const BACKSLASH = '\\'.charCodeAt(0);
const COMMA = ','.charCodeAt(0);
const OPEN_ARRAY = '['.charCodeAt(0);
const CLOSE_ARRAY = ']'.charCodeAt(0);
const OPEN_OBJECT = '{'.charCodeAt(0);
const CLOSE_OBJECT = '}'.charCodeAt(0);

/**
 * Why a text must not be given to JSON.parse; null for a text within the limits. JSON.parse needs
 * memory for each value, an empty array or object up to twenty times its text, and later code
 * walks the value recursively. Counts brackets and commas outside of strings, in any text.
 */
export function jsonFault(text: string, { maxDepth, maxValues = text.length }: JsonLimits): JsonFault | null {
  let depth = 0;
  let values = 0;
  for (let at = 0; at < text.length; at++) {
    const char = text.charCodeAt(at);
    if (char === QUOTE) at = endOfString(text, at);
    else if (char === COMMA) values++;
    else if (char === OPEN_ARRAY || char === OPEN_OBJECT) {
      values++;
      if (++depth > maxDepth) return 'too_deep';
    } else if (char === CLOSE_ARRAY || char === CLOSE_OBJECT) depth--;
    if (values > maxValues) return 'too_many';
  }
  return null;
}

/**
 * The index of the quote that ends the string which begins at `start`; the length of the text
 * without one. `indexOf` takes half the time of a loop over the characters.
 */
function endOfString(text: string, start: number): number {
  for (let at = start; ; ) {
    at = text.indexOf('"', at + 1);
    if (at < 0) return text.length;
    let before = at - 1;
    while (text.charCodeAt(before) === BACKSLASH) before--;
    const isEscaped = (at - before) % 2 === 0;
    if (!isEscaped) return at;
  }
}
