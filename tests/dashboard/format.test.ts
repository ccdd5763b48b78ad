import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  cents,
  count,
  day,
  dollars,
  duration,
  exactDollars,
  exactLocal,
  exactUtc,
  instant,
  NO_VALUE,
  percent,
  points,
  relative,
} from '../../dashboard/src/components/format.ts';

describe('formats of numbers', () => {
  test.each([
    [cents(0.625), '62.5¢'],
    [cents(0.1 + 0.2), '30.0¢'],
    [cents(null), NO_VALUE],
    [points(3.25), '3.3 pts'],
    [points(-0.04, true), '0.0 pts'],
    [points(1.5, true), '+1.5 pts'],
    [percent(0.02345), '2.3 %'],
    [count(1_000_000), '1,000,000'],
    [dollars(1234.5), '$1,234.50'],
    // A decimal string keeps its precision: no double can hold this value.
    [exactDollars('9007199254740993.000001'), '$9,007,199,254,740,993.000001'],
    [exactDollars('0.1'), '$0.10'],
  ])('formats a number as %s', (formatted, expected) => expect(formatted).toBe(expected));

  test('cents writes any price with one decimal', () => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: 1, noNaN: true }), (price) => {
        expect(cents(price)).toMatch(/^\d{1,3}\.\d¢$/);
      }),
    );
  });
});

describe('formats of times', () => {
  test('exactLocal has the offset of the zone at that moment, and nothing where the zone is UTC', () => {
    expect(exactLocal('2026-11-20 05:14:50.37+00', 'Europe/Berlin')).toBe('2026-11-20 06:14:50 GMT+1');
    expect(exactLocal('2026-07-20T05:14:50Z', 'America/New_York')).toBe('2026-07-20 01:14:50 GMT-4');
    expect(exactLocal('2026-11-20T23:00:00Z', 'Asia/Kolkata')).toBe('2026-11-21 04:30:00 GMT+5:30');
    expect([exactLocal(0, 'UTC'), exactLocal('no time', 'Asia/Tokyo')]).toEqual([null, null]);
  });

  test('instant parses times of PostgREST and of the local REST service alike', () => {
    const at = Date.UTC(2026, 10, 20, 5, 14, 50, 370);
    for (const text of ['2026-11-20T05:14:50.37+00:00', '2026-11-20 05:14:50.37+00', '2026-11-20T05:14:50.370Z']) {
      expect(instant(text)).toBe(at);
    }
    expect(exactUtc('2026-11-20 05:14:50.37+00')).toBe('2026-11-20 05:14:50 UTC');
    expect(day('2026-11-20T23:59:59Z')).toBe('20 Nov 2026');
  });

  test('an invalid time is written as a dash, not as NaN', () => {
    expect([exactUtc('soon'), day(''), relative(Number.NaN, 0)]).toEqual([NO_VALUE, NO_VALUE, NO_VALUE]);
  });

  test.each([
    [0, 'just now'],
    [-999, 'just now'],
    [-75_000, '75 s ago'],
    [-91_000, '2 min ago'],
    [5 * 3_600_000, 'in 5 h'],
    [-45 * 86_400_000, '45 d ago'],
    [-400 * 86_400_000, '13 mo ago'],
  ])('relative writes %d ms from now as %s', (away, text) => expect(relative(1e12 + away, 1e12)).toBe(text));

  test('duration never writes a longer time as a smaller number of the same unit', () => {
    fc.assert(
      fc.property(fc.nat(3e12), fc.nat(1e11), (one, more) => {
        const [a = '', unit] = duration(one).split(' ');
        const [b = '', other] = duration(one + more).split(' ');
        if (unit === other) expect(Number(b)).toBeGreaterThanOrEqual(Number(a));
      }),
    );
  });
});
