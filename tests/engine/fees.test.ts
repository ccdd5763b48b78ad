import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { productUp } from '../../functions/ingest/decimal.ts';
import {
  type FeeSchedule,
  feeOfFill,
  feePerContract,
  scheduleOf,
  waiverEndOf,
} from '../../functions/ingest/engine/fees.ts';

const knownSchedule = (schedule: FeeSchedule | null): FeeSchedule => {
  if (!schedule) throw new Error('The schedule should be known.');
  return schedule;
};
const quadratic = (multiplier: string) => knownSchedule(scheduleOf({ model: 'quadratic', multiplier, maker: true }));
const rate = (text: string) => knownSchedule(scheduleOf({ model: 'rate', rate: text }));

/** The same fee in big integers. `share` is a decimal, the result is in 1e-6 USD. */
function exactFee(share: string, price: number, size: number, unit: number): number {
  const [whole = '', fraction = ''] = share.split('.');
  const value = BigInt(whole + fraction) * BigInt(price) * BigInt(1_000_000 - price) * BigInt(size);
  const divisor = 10n ** BigInt(fraction.length + 12 + 2) * BigInt(unit);
  return Number((value * 1_000_000n + divisor - 1n) / divisor) * unit;
}

describe('taker fees', () => {
  it('equal the costs of both venues that venues.md B6 lists for $1, before rounding', () => {
    const listed: [multiplier: string, share: string, drag: [number, number, number]][] = [
      ['1', '0.05', [3, 2.52, 1.08]],
      ['0.5', '0.05', [2.125, 1.785, 0.765]],
      ['1', '0.07', [3.5, 2.94, 1.26]],
      ['1', '0.04', [2.75, 2.31, 0.99]],
      ['1', '0', [1.75, 1.47, 0.63]],
    ];
    for (const [multiplier, share, drag] of listed) {
      for (const [at, price] of [500_000, 300_000, 100_000].entries()) {
        // A thousand contracts of each. Rounding then adds less than the table shows.
        const thousand =
          feeOfFill(quadratic(multiplier), price, 100_000) + feeOfFill(rate(share), 1_000_000 - price, 100_000);
        expect(thousand).toBe(Math.round((drag[at] ?? 0) * 10_000_000));
      }
    }
  });

  it('are rounded up for each contract: to 1e-4 USD on venue_a, to 1e-5 USD on venue_b', () => {
    // 0.07 × 0.055 × 0.945 = 0.00363825 (venues.md A8), 0.05 × 0.055 × 0.945 = 0.00259875.
    expect(feePerContract(quadratic('1'), 55_000)).toBe(3_700);
    expect(feePerContract(rate('0.05'), 55_000)).toBe(2_600);
    expect(feePerContract(rate('0.05'), 500_000)).toBe(12_500);
    expect(feePerContract(quadratic('1'), 500_000)).toBe(17_500);
  });

  it('are zero when the share is zero, and otherwise at least one unit', () => {
    expect([feePerContract(quadratic('0'), 500_000), feePerContract(rate('0'), 500_000)]).toEqual([0, 0]);
    expect([feeOfFill(quadratic('0.5'), 1_000, 1), feeOfFill(rate('0.04'), 1_000, 1)]).toEqual([100, 10]);
  });

  it('equal the sum in big integers at any share, price and size, also beyond 2^53', () => {
    const decimals = fc.tuple(fc.nat(3), fc.integer({ min: 0, max: 4 }), fc.nat(9_999));
    const share = decimals.map(([whole, places, digits]) =>
      places === 0 ? String(whole) : `${whole}.${String(digits).padStart(4, '0').slice(0, places)}`,
    );
    const price = fc.oneof(
      fc.integer({ min: 1, max: 999 }).map((tenth) => tenth * 1_000),
      fc.integer({ min: 1, max: 9_999 }).map((step) => step * 100),
      fc.integer({ min: 1, max: 999_999 }),
    );
    fc.assert(
      fc.property(share, price, fc.integer({ min: 1, max: 10 ** 9 }), (text, at, size) => {
        expect(feeOfFill(rate(text), at, size)).toBe(exactFee(text, at, size, 10));
        const sevenfold = (7n * BigInt(text.replace('.', ''))).toString();
        const places = (text.split('.')[1]?.length ?? 0) + 2;
        const padded = sevenfold.padStart(places + 1, '0');
        const times007 = `${padded.slice(0, -places)}.${padded.slice(-places)}`;
        expect(feeOfFill(quadratic(text), at, size)).toBe(exactFee(times007, at, size, 100));
      }),
    );
  });

  it('are unknown, never zero, when the schedule is missing or cannot be parsed', () => {
    expect(scheduleOf(null)).toBeNull();
    for (const text of ['', '-1', '1e3', 'free', '1.', '.5', '0,5', '999999999999999.5']) {
      expect(scheduleOf({ model: 'quadratic', multiplier: text, maker: false })).toBeNull();
    }
    expect(quadratic('1.000000000000')).toEqual(quadratic('1'));
  });

  it('are waived before the end of a waiver of venue_a, and whole from then on or without a time', () => {
    const end = '2026-11-20T13:00:00Z';
    const waived = { model: 'quadratic', multiplier: '1', maker: false, waived_until: end } as const;
    const at = Date.parse(end);
    const feeAt = (now?: number) => feePerContract(knownSchedule(scheduleOf(waived, now)), 500_000);
    expect(waiverEndOf(waived)).toBe(at);
    expect([feeAt(at - 1), feeAt(at), feeAt()]).toEqual([0, 17_500, 17_500]);
    expect(scheduleOf(waived, at - 1)).toEqual({ ...quadratic('1'), factor: 0 });
  });

  it('are not waived by a text that is no time, by a fee of venue_b, or for an unknown share', () => {
    const waiver = (fee: object) =>
      ({ waived_until: '2026-11-20T13:00:00Z', ...fee }) as Parameters<typeof scheduleOf>[0];
    const unreadable = waiver({ model: 'quadratic', multiplier: '1', maker: false, waived_until: 'soon' });
    const ofVenueB = waiver({ model: 'rate', rate: '0.05' });
    const unknownShare = waiver({ model: 'quadratic', multiplier: 'much', maker: false });
    expect([waiverEndOf(unreadable), waiverEndOf(ofVenueB), waiverEndOf(null)]).toEqual([null, null, null]);
    expect(waiverEndOf({ model: 'quadratic', multiplier: '1', maker: true })).toBeNull();
    expect(scheduleOf(unreadable, 0)).toEqual(quadratic('1'));
    expect(scheduleOf(ofVenueB, 0)).toEqual(rate('0.05'));
    expect([scheduleOf(unknownShare, 0), scheduleOf(null, 0)]).toEqual([null, null]);
  });
});

describe('productUp', () => {
  it('is exact below and above 2^53', () => {
    const factor = fc.integer({ min: 0, max: 2 ** 31 });
    fc.assert(
      fc.property(
        factor,
        factor,
        fc.integer({ min: 0, max: 1_000 }),
        fc.integer({ min: 6, max: 20 }),
        (a, b, c, decimals) => {
          const divisor = 10n ** BigInt(decimals);
          const exact = (BigInt(a) * BigInt(b) * BigInt(c) + divisor - 1n) / divisor;
          expect(BigInt(productUp(a, b, c, decimals))).toBe(exact);
        },
      ),
    );
  });

  it('is exact in the last digit just below 2^53', () => {
    const value = fc.integer({ min: Number.MAX_SAFE_INTEGER - 10 ** 9, max: Number.MAX_SAFE_INTEGER });
    fc.assert(
      fc.property(fc.oneof(value, fc.nat()), fc.nat(17), (whole, decimals) => {
        const divisor = 10n ** BigInt(decimals);
        expect(BigInt(productUp(whole, 1, 1, decimals))).toBe((BigInt(whole) + divisor - 1n) / divisor);
      }),
    );
  });
});
