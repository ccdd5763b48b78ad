import { describe, expect, test } from 'vitest';
import type { Live } from '../../dashboard/src/live/live.ts';
import { bidOf, depthOf, isStale } from '../../dashboard/src/live/stale.ts';

/** Guarantee: a price that may be old is not drawn as a live one. */

describe('the prices', () => {
  const liveWith = (status: string, isLoaded = true) => ({ status, isLoaded }) as Live;

  test.each(['connecting', 'lost', 'denied'])('may be stale while the channel is %s', (status) => {
    expect(isStale(liveWith(status), true)).toBe(true);
  });
  test('are live while the channel is subscribed and the browser is online', () => {
    expect(isStale(liveWith('subscribed'), true)).toBe(false);
    expect(isStale(liveWith('subscribed'), false)).toBe(true);
  });
  test('are not called stale before any is there', () => {
    expect(isStale(liveWith('connecting', false), true)).toBe(false);
  });
});

describe('the bid and the size next to an ask', () => {
  const book = { ask: 0.46, bid: 0.44, depth: 120.9 };

  test('are those of the book with this ask', () => {
    expect([bidOf(book, 0.46), depthOf(book, 0.46)]).toEqual(['44.0¢', '120']);
  });
  test.each([
    ['a lower one', 0.45],
    ['a higher one', 0.47],
    ['none', null],
  ])('are hidden where the ask of the book is older than %s', (_, ask) => {
    expect([bidOf(book, ask), depthOf(book, ask)]).toEqual(['–', '–']);
  });
  test.each([null, undefined])('are hidden without a book', (none) => {
    expect([bidOf(none, 0.46), depthOf(none, 0.46)]).toEqual(['–', '–']);
  });
});
