import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { exceedsVenueDistance, invertedOutcome, isInverted } from '../../functions/ingest/engine/polarity.ts';

const tight = (mid: number, spread = 20_000) => ({ bid: mid - spread / 2, ask: mid + spread / 2 });

describe('isInverted', () => {
  it('detects two venues that price an outcome as each other’s opposite, and no smaller distance', () => {
    expect(isInverted(tight(200_000), tight(800_000))).toBe(true);
    expect(isInverted(tight(970_000), tight(20_000))).toBe(true);
    // 40 points of distance and 10 points from the complement. Both bounds are included; one step
    // beyond is not.
    expect(isInverted(tight(350_000), tight(750_000))).toBe(true);
    expect(isInverted(tight(350_000), tight(749_000))).toBe(false);
    expect(isInverted(tight(350_000), tight(751_000))).toBe(false);
    expect(isInverted(tight(250_000), tight(850_000))).toBe(true);
    expect(isInverted(tight(249_000), tight(850_000))).toBe(true);
    expect(isInverted(tight(100_000), tight(700_000))).toBe(false);
  });

  it('returns false near 50 %, for similar prices, and for a book without two close sides', () => {
    const mid = fc.integer({ min: 300, max: 700 }).map((tenth) => tenth * 1_000);
    fc.assert(fc.property(mid, mid, (a, b) => Math.abs(a - b) === 400_000 || !isInverted(tight(a), tight(b))));
    const price = fc.integer({ min: 20, max: 980 }).map((tenth) => tenth * 1_000);
    const distance = fc.integer({ min: -300, max: 300 }).map((tenth) => tenth * 1_000);
    fc.assert(fc.property(price, distance, (a, by) => !isInverted(tight(a), tight(a + by))));
    expect(isInverted({ bid: 10_000, ask: 390_000 }, tight(800_000))).toBe(false);
    expect(isInverted(tight(200_000, 101_000), tight(800_000))).toBe(false);
    for (const side of [
      { bid: null, ask: 210_000 },
      { bid: 190_000, ask: null },
    ]) {
      expect(isInverted(side, tight(800_000))).toBe(false);
    }
  });

  it('does not apply to three outcomes, where one price may equal the complement of another', () => {
    const rows = {
      bid_a: [190_000, 790_000],
      ask_a: [210_000, 810_000],
      bid_b: [790_000, 1_000],
      ask_b: [810_000, 2_000],
    };
    expect(invertedOutcome(rows)).toBe(0);
    const third = Object.fromEntries(Object.entries(rows).map(([name, row]) => [name, [...row, null]]));
    expect(invertedOutcome(third as typeof rows)).toBe(-1);
  });
});

describe('exceedsVenueDistance', () => {
  it('compares mids where both exist, and otherwise the smallest distance that the books allow', () => {
    expect(exceedsVenueDistance(tight(200_000), tight(350_000))).toBe(false);
    expect(exceedsVenueDistance(tight(200_000), tight(350_500))).toBe(true);
    expect(exceedsVenueDistance({ bid: 10_000, ask: 600_000 }, tight(700_000))).toBe(false);
    expect(exceedsVenueDistance({ bid: null, ask: 300_000 }, tight(700_000))).toBe(true);
    expect(exceedsVenueDistance({ bid: null, ask: null }, tight(990_000))).toBe(false);
  });
});
