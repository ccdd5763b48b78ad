import { LRUCache } from 'lru-cache';

/** Characters of the texts and answers that one function remembers, and how many. */
const MAX_CHARS = 1_000_000;
const MAX_ANSWERS = 10_000;

/**
 * Remembers the last answers of a function of a text. Of 340 texts that the parsers normalize for
 * one event, more than 300 were normalized before: names and sentences repeat on a page
 * (docs/measurements/2026-11-25-backtest.md). `charsOf`: the characters of an answer.
 */
export function remembered<T>(
  answer: (text: string) => T,
  charsOf: (answer: T) => number = (one) => String(one).length,
): (text: string) => T {
  const last = new LRUCache<string, { answer: T }>({
    max: MAX_ANSWERS,
    maxSize: MAX_CHARS,
    sizeCalculation: (one, text) => text.length + charsOf(one.answer) + 1,
  });
  return (text) => {
    const known = last.get(text);
    if (known !== undefined) return known.answer;
    const found = answer(text);
    last.set(text, { answer: found });
    return found;
  };
}
