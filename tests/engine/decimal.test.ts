import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  DecimalParseError,
  decimalOfNumber,
  formatMicro,
  parseMicro,
  parsePrice,
  parseSize,
  sumOfDecimals,
} from '../../functions/ingest/decimal.ts';

const codeOf = (read: () => unknown): string => {
  try {
    read();
  } catch (error) {
    if (error instanceof DecimalParseError) return error.code;
    throw error;
  }
  return 'read';
};

describe('venue decimals', () => {
  it('parse to the same integer with any trailing zeros and format back to the same text', () => {
    fc.assert(
      fc.property(fc.integer({ min: -(10 ** 14), max: 10 ** 14 }), fc.nat(3), (value, zeros) => {
        const written = formatMicro(value);
        expect(parseMicro(written, 'size')).toBe(value);
        const longer = written.includes('.') ? written + '0'.repeat(zeros) : `${written}.${'0'.repeat(zeros + 1)}`;
        expect(parseMicro(longer, 'size')).toBe(value);
      }),
    );
  });

  it('are rejected with a code when they are not a price or size of a book', () => {
    expect(codeOf(() => parsePrice('0.1234567'))).toBe('price.too_fine');
    expect(codeOf(() => parsePrice('0.1234560'))).toBe('read');
    for (const text of [
      '',
      '.',
      '-',
      '1e-3',
      '0,5',
      ' 0.5',
      '0.5.5',
      'NaN',
      '٠٫٥',
      null,
      undefined,
      0.5,
      {},
      '0x1',
      '1'.repeat(30),
    ]) {
      expect(codeOf(() => parsePrice(text))).toBe('price.not_a_number');
    }
    for (const text of ['0', '1', '1.0000', '-0.5', '2'])
      expect(codeOf(() => parsePrice(text))).toBe('price.out_of_range');
    expect(codeOf(() => parseSize('-1.00'))).toBe('size.negative');
    expect(codeOf(() => parseSize('99999999999999'))).toBe('size.too_large');
  });

  it('convert a JSON number to its original text, and other values to null', () => {
    expect([0.5, 5, 0.0025, 1e-7, 0].map(decimalOfNumber)).toEqual(['0.5', '5', '0.0025', '0.0000001', '0']);
    expect([-1, Number.NaN, Number.POSITIVE_INFINITY, null, {}, 'x'].map(decimalOfNumber)).toEqual(Array(6).fill(null));
  });

  it('are summed exactly, and to null without a value or from 1e15 on', () => {
    expect(sumOfDecimals(['0.1', '0.2', '1000000000000'])).toBe('1000000000000.3');
    expect(sumOfDecimals(['0.000001234567890123456', '1'])).toBe('1.000001234567890123456');
    expect(sumOfDecimals(['0', '0.00'])).toBe('0');
    expect([[], ['1', null], ['999999999999999.5', '0.5']].map(sumOfDecimals)).toEqual([null, null, null]);
  });
});
