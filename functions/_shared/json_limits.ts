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
 * Counts the levels and values of a JSON text that arrives in parts, so that a text over its limits
 * is refused at the part that exceeds them. JSON.parse needs memory for each value, an empty array
 * or object up to twenty times its text, and later code walks the value recursively. Counts
 * brackets and commas outside of strings, in any text.
 */
export class JsonScan {
  readonly #maxDepth: number;
  readonly #maxValues: number;
  #depth = 0;
  #values = 0;
  #isInString = false;
  /** Whether the last part ended within a string, after a backslash that escapes. */
  #isEscaped = false;

  constructor({ maxDepth, maxValues = Number.POSITIVE_INFINITY }: JsonLimits) {
    this.#maxDepth = maxDepth;
    this.#maxValues = maxValues;
  }

  /** Why the text up to the end of this part must not be given to JSON.parse; null within them. */
  add(part: string): JsonFault | null {
    let depth = this.#depth;
    let values = this.#values;
    let at = this.#isInString && part !== '' ? this.#skipString(part, this.#isEscaped ? 1 : 0) : 0;
    for (; at < part.length; at++) {
      const char = part.charCodeAt(at);
      if (char === QUOTE) at = this.#skipString(part, at + 1) - 1;
      else if (char === COMMA) values++;
      else if (char === OPEN_ARRAY || char === OPEN_OBJECT) {
        values++;
        if (++depth > this.#maxDepth) return 'too_deep';
      } else if (char === CLOSE_ARRAY || char === CLOSE_OBJECT) depth--;
      if (values > this.#maxValues) return 'too_many';
    }
    this.#depth = depth;
    this.#values = values;
    return null;
  }

  /**
   * The index after the string whose characters begin at `from`; the length of the part when the
   * string does not end in it. `indexOf` takes half the time of a loop over the characters.
   */
  #skipString(part: string, from: number): number {
    for (let at = from; ; at++) {
      at = part.indexOf('"', at);
      const end = at < 0 ? part.length : at;
      let before = end - 1;
      while (before >= from && part.charCodeAt(before) === BACKSLASH) before--;
      const isEscaped = (end - before) % 2 === 0;
      if (at < 0) {
        this.#isInString = true;
        this.#isEscaped = isEscaped;
        return end;
      }
      if (!isEscaped) {
        this.#isInString = false;
        return end + 1;
      }
    }
  }
}
