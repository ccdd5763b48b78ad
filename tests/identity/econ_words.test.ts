import { describe, expect, it } from 'vitest';
import { keyOfBand, orderOfBand, parseBand } from '../../functions/ingest/identity/economy/econ_band.ts';
import { BASES, COUNTRIES, INDICATORS } from '../../functions/ingest/identity/economy/econ_registry.ts';
import { parseSubject } from '../../functions/ingest/identity/economy/econ_subject.ts';

/**
 * Guarantee: a band of figures has one key for every spelling, and a text names a print only when
 * its words are clear.
 */
describe('parseBand of figures', () => {
  it.each([
    ['4.2%', '%', 'eq_4.2'],
    ['Exactly 4.20%', '%', 'eq_4.2'],
    ['≤4.0%', '%', 'le_4'],
    ['4.0% or less', '%', 'le_4'],
    ['0.6%+', '%', 'ge_0.6'],
    ['Will Core CPI MoM be 0.6% or more in September?', '%', 'ge_0.6'],
    ['Will annual inflation increase by ≥2.8% in March?', '%', 'ge_2.8'],
    ['<1.0%', '%', 'lt_1'],
    ['>2.5%', '%', 'gt_2.5'],
    ['Above 4.1%', '%', 'gt_4.1'],
    ['1.5–2.0%', '%', 'in_1.5_2'],
    ['Will US GDP growth in Q1 2026 be between 3.0% and 3.5%?', '%', 'in_3_3.5'],
    ['Will monthly inflation decrease by 0.7% or more in July?', '%', 'le_-0.7'],
    ['Will monthly inflation decrease by 0.6% in July?', '%', 'eq_-0.6'],
    ['Will monthly inflation stay flat (0.0%) in July?', '%', 'eq_0'],
    ['Will CPI rise more than -0.1% in July 2026?', '%', 'gt_-0.1'],
    ['Will the unemployment rate (U-3) be above 3.8% in September?', '%', 'gt_3.8'],
    ['-25k to 0', 'k', 'in_-25_0'],
    ['Will the US lose between 0 and 25k jobs in October?', 'k', 'in_-25_0'],
    ['-150k – -100k', 'k', 'in_-150_-100'],
    ['0-25k', 'k', 'in_0_25'],
    ['Will the US lose more than 25k jobs in October?', 'k', 'lt_-25'],
    ['<-25k', 'k', 'lt_-25'],
    ['Will the US lose jobs in July?', 'k', 'lt_0'],
    ['Will the US add at least 250k jobs in April?', 'k', 'ge_250'],
    ['Will above 125000 jobs be added in June 2026?', 'k', 'gt_125'],
    ['Above -25,000', 'k', 'gt_-25'],
    ['48.5', 'points', 'eq_48.5'],
    ['Will US GDP growth be between 0% and -1% in Q1 2025?', '%', 'in_-1_0'],
    ['greater than or equal to 3.5%', '%', 'ge_3.5'],
    ['CPI year-over-year in Nov 2026: 2.9%?', '%', 'eq_2.9'],
    ['CPI month-over-month above 0.2%', '%', 'gt_0.2'],
  ])('parses the figures of "%s"', (text, unit, key) => {
    const band = parseBand(text, unit);
    expect(band && keyOfBand(band)).toBe(key);
  });

  it.each([
    ['Will the unemployment rate fall to 4.1%?', '%'],
    ['Will inflation decrease by less than 0.5%?', '%'],
    ['3% and 4%', '%'],
    ['50k', '%'],
    ['4.2%', 'k'],
    ['25', 'k'],
    ['CPI in November', '%'],
    ['1%, 2% or 3%', '%'],
    ['between 1% and 50k', '%'],
    ['between 50k and 1%', '%'],
  ])('parses no figures from "%s"', (text, unit) => {
    expect(parseBand(text, unit)).toBeNull();
  });
});

describe('orderOfBand', () => {
  it('sorts bands from low to high, and those at one edge by what they contain', () => {
    const sorted = ['<1%', '1%', '1% or more', 'above 1%', 'between 1.5% and 2%', '<3%', '3% or more'];
    const bands = sorted.map((text) => parseBand(text, '%')).filter((band) => band !== null);
    expect(bands).toHaveLength(sorted.length);
    const orders = bands.map(orderOfBand);
    expect(orders).toEqual([...orders].sort((one, other) => one - other));
    expect(new Set(orders).size).toBe(sorted.length);
  });
});

describe('parseSubject of a print', () => {
  it.each([
    'Will US unemployment reach at least 5.0% in 2026?',
    'How high will unemployment get in 2026?',
    'Youth unemployment in May 2026',
    'US nominal GDP growth in Q2 2026',
    'Unemployment below 4% before May?',
    'Unemployment below 4% by May?',
    'US shelter CPI in May',
  ])('rejects a text with a word of another question: %s', (text) => {
    expect(parseSubject(text).closed).toBe(false);
  });

  it.each([
    ['September Inflation US - Annual', 'us', 'cpi', 'yoy', '09'],
    ['Core inflation in May 2026 (Core CPI YoY)', undefined, 'core_cpi', 'yoy', '05'],
    ['CPI core month-over-month in Aug 2026?', undefined, 'core_cpi', 'mom', '08'],
    ["Will the Eurozone's GDP growth in Q1 2026 be between 0% and 0.3%?", 'eu', 'gdp', undefined, 'Q1'],
    ['Initial jobless claims for the week ending May 16th', undefined, 'jobless_claims', undefined, 'W05-16'],
    ['South Korea GDP growth (YoY) in Q3 2026?', 'kr', 'gdp', 'yoy', 'Q3'],
    ['How many jobs added in October?', undefined, 'payrolls', undefined, '10'],
    ['Will annual inflation be 20.26% in May?', undefined, 'cpi', 'yoy', '05'],
    ['Will monthly inflation increase by ≤0.2% in November?', undefined, 'cpi', 'mom', '11'],
  ])('parses the subject of "%s"', (text, country, indicator, basis, period) => {
    const subject = parseSubject(text);
    expect(subject.closed).toBe(true);
    expect([[...subject.countries], [...subject.indicators], [...subject.bases], [...subject.periods]]).toEqual(
      [country, indicator, basis, period].map((one) => (one === undefined ? [] : [one])),
    );
  });
});

describe('the registry of prints', () => {
  it('assigns every name to one country, indicator or basis', () => {
    for (const words of [COUNTRIES, INDICATORS, BASES]) {
      const all = words.flatMap((one) => one.words);
      expect(new Set(all).size).toBe(all.length);
    }
  });
});
