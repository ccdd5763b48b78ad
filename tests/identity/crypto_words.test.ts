import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { assetNamed, priceSeries } from '../../functions/ingest/identity/price/crypto_assets.ts';
import {
  byPrice,
  levelOfStrictStrike,
  parsePrice,
  parsePriceLabel,
  parsePriceSlug,
} from '../../functions/ingest/identity/price/threshold.ts';

/**
 * Guarantee: a price level and an asset have one canonical name for every spelling of both venues.
 */
describe('price levels', () => {
  it('gives a price one canonical text in every spelling', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 9_999_999 }), fc.integer({ min: 0, max: 4 }), (digits, decimals) => {
        const padded = String(digits).padStart(decimals + 1, '0');
        const whole = padded.slice(0, padded.length - decimals);
        const written = decimals === 0 ? whole : `${whole}.${padded.slice(-decimals)}`;
        const level = parsePrice(written);
        const grouped = written.replace(/\B(?=(\d{3})+(?!\d)(?<!\.\d*))/g, ',');
        expect(level).not.toBeNull();
        expect([
          parsePrice(Number(written)),
          parsePriceLabel(`$${grouped}`),
          parsePriceLabel(` ↑ ${written} `),
          parsePriceSlug(written.replace('.', 'pt')),
        ]).toEqual([level, level, level, level]);
        expect(level).not.toMatch(/\.0*$|\.\d*0$|^0\d/);
      }),
    );
  });

  it.each([
    ['$82,500', '82500'],
    ['64k', '64000'],
    ['1.5m', '1500000'],
    ['↑ 110,000 ', '110000'],
    ['↓ 0.20', '0.2'],
    ['$1,000.50', '1000.5'],
  ])('parses the price label %j', (label, level) => {
    expect(parsePriceLabel(label)).toBe(level);
  });

  it.each(['', '$0', '60-65', '$94 to 94.99', '>1.90', '<$40', 'by March 31, 2026', '1,00', '-5', '1e5'])(
    'parses no price from %j',
    (label) => {
      expect(parsePriceLabel(label)).toBeNull();
    },
  );

  it.each([
    ['77999.99', 'above', '78000', true],
    ['84.9999', 'above', '85', true],
    ['60.499', 'above', '60.5', true],
    ['85000', 'above', '85000', false],
    ['0.19', 'above', '0.19', false],
    ['0.1999', 'above', '0.2', true],
    ['60000.01', 'below', '60000', true],
    ['0.7', 'below', '0.7', false],
  ] as const)('returns the level of a strict strike of %s', (strike, side, level, inclusive) => {
    expect(levelOfStrictStrike(strike, side)).toEqual({ level, inclusive });
  });

  it('sorts prices as numbers', () => {
    expect(['100', '9', '0.7', '1.25', '1.5'].sort(byPrice)).toEqual(['0.7', '1.25', '1.5', '9', '100']);
  });
});

describe('names of assets and series', () => {
  it('identifies an asset by the symbol in brackets', () => {
    expect(assetNamed('Gold (GC)')?.id).toBe('gold-futures');
    expect(assetNamed('Gold')?.id).toBe('gold');
    expect(assetNamed('Gold (GLD)')).toBeNull();
    expect(assetNamed('WTI Crude Oil (WTI)')?.id).toBe('wti');
    expect(assetNamed('The price of Bitcoin')?.id).toBe('btc');
  });

  it.each([
    ['KXBTCD', 'btc', 'at'],
    ['KXSOLD26', 'sol', 'at'],
    ['KXNATGASMON', 'natgas', 'at'],
    ['KXXRPMINMON', 'xrp', 'low'],
    ['KXNGASMAX', 'natgas', 'high'],
  ])('parses the series %s as %s, %s', (series, asset, kind) => {
    expect(priceSeries(series)).toMatchObject({ asset: { id: asset }, kind });
  });

  it.each(['KXSOLE', 'KXBTC15M', 'KXBTCMAX100', 'KXBTCVSGOLD', 'KXGOLDCARDS', 'KXNEARX', 'BTCD'])(
    'does not parse %s as a price series',
    (series) => {
      expect(priceSeries(series)).toBeNull();
    },
  );
});
