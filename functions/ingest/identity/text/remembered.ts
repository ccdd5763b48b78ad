import { LRUCache } from 'lru-cache';

/** Characters of the texts and answers that one function remembers. */
const MAX_CHARS = 1_000_000;
/** What an entry takes without its texts, in characters: at most 10,000 answers are remembered. */
const ENTRY_CHARS = 100;

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
    // No `max`: for it, the cache would reserve memory for all entries when it is made. Each league
    // has one.
    maxSize: MAX_CHARS,
    sizeCalculation: (one, text) => text.length + charsOf(one.answer) + ENTRY_CHARS,
  });
  return (text) => {
    const known = last.get(text);
    if (known !== undefined) return known.answer;
    const found = answer(text);
    last.set(text, { answer: found });
    return found;
  };
}
