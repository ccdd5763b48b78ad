import { existsSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { econA } from '../../functions/ingest/identity/economy/econ_a.ts';
import { econB } from '../../functions/ingest/identity/economy/econ_b.ts';
import type { Question } from '../../functions/ingest/listing.ts';
import { a, b, context, keys, rung } from './econ_fixtures.ts';

/**
 * Guarantee: listings of two venues match only with equal country, indicator, basis, period and
 * print, and legs only with equal figures.
 */
describe('the question of an economic print', () => {
  const october = (more: object = {}) =>
    b(
      'unemployment-rate-october-2026',
      'October unemployment rate?',
      ['≤4.0%', '4.1%', '4.2%', '4.3% or higher'].map((label) => ({
        label,
        question: `Will the October 2026 unemployment rate be ${label.replace('≤4.0%', '4.0% or lower')}?`,
      })),
      more,
    );

  it('matches buckets with exact figures of venue_a, and with thresholds only by the question', () => {
    const exact = a('KXECONSTATU3-26OCT', 'Unemployment rate in Oct 2026?', [
      rung('KXECONSTATU3-26OCT-T4.2', 'Exactly 4.2%'),
      rung('KXECONSTATU3-26OCT-T4.1', '4.1%'),
    ]);
    const above = a('KXU3-26OCT', 'Unemployment in Oct 2026', [
      rung('KXU3-26OCT-T4.1', 'Above 4.1%', { strike_type: 'greater', floor_strike: 4.1 }),
      rung('KXU3-26OCT-T4.2', '4.2%'),
    ]);
    const buckets = october();
    expect(buckets).toMatchObject({
      key: 'econ_print|us|unemployment|level|2026-10',
      excluded: null,
      indicator: 'Unemployment rate',
      basis: 'Level',
      exclusive: true,
      identity: { kind: 'buckets', grid: '0.1', unit: '%', year_by: 'text' },
    });
    expect([exact?.key, above?.key]).toEqual([buckets?.key, buckets?.key]);
    expect(keys(buckets)).toEqual(['le_4', 'eq_4.1', 'eq_4.2', 'ge_4.3']);
    expect(keys(exact)).toEqual(['eq_4.1', 'eq_4.2']);
    expect(exact?.identity.kind).toBe('exact');
    expect(keys(above)).toEqual(['gt_4.1', 'gt_4.2']);
    expect(above).toMatchObject({ exclusive: false, identity: { kind: 'above' } });
    expect(buckets?.legs[1]?.detail).toEqual({ low: '4.1', high: '4.1', comparison: 'equal', unit: '%' });
  });

  it.each([
    [
      'KXCPI-26SEP',
      'will-monthly-inflation-increase-by-0pt3-in-september',
      'Will monthly inflation increase by 0.3% in September?',
    ],
    ['KXECONSTATCPIYOY-26SEP', 'x', 'Will annual inflation be 3.4% in September?'],
    ['KXECONSTATCPICORE-26SEP', 'core-cpi-mom-september-2026', 'Will Core CPI MoM be 0.2% in September?'],
    ['KXECONSTATCORECPIYOY-26SEP', 'core-cpi-yoy-september-2026', 'Will Core CPI YoY be 2.5% in September?'],
    ['KXPAYROLLS-26SEP', 'how-many-jobs-added-in-september-2026', 'Will the US add at least 100k jobs in September?'],
    ['KXGDP-26OCT30', 'us-gdp-growth-in-q3-2026', 'Will US GDP growth in Q3 2026 be between 3.0% and 3.5%?'],
  ])('gives %s the same key as %s', (ticker, slug, question) => {
    const listed = a(ticker, undefined, [rung(`${ticker}-T0.3`)]);
    const single = b(slug, undefined, [{ question }], { endDate: '2026-10-30T00:00:00Z' });
    expect(single?.key).toBe(listed?.key);
    expect(single).toMatchObject({ excluded: null });
    expect(single?.legs).toHaveLength(1);
  });

  it('gives other bases, core figures, periods, countries and releases other keys', () => {
    const september = (question: string, more: object = {}) =>
      b('x', undefined, [{ question }], { endDate: '2026-10-14T00:00:00Z', ...more })?.key;
    const printKeys = [
      september('Will annual inflation be 3.4% in September?'),
      september('Will monthly inflation be 0.4% in September?'),
      september('Will annual inflation be 3.4% in August?'),
      september('Will Core CPI YoY be 3.4% in September?'),
      september('Will UK annual inflation be 3.4% in September?'),
      september('Will PPI YoY be 3.4% in September?'),
      a('KXDECPIPREL-26SEP29', 'Germany inflation rate YoY prel for September 2026', [])?.key,
      september('Will German annual inflation be 3.4% in September?'),
    ];
    expect(printKeys).not.toContain(undefined);
    expect(new Set(printKeys).size).toBe(printKeys.length);
  });

  it('uses the previous year for figures of December, which are published in January', () => {
    expect(
      b('december-unemployment-rate', 'December Unemployment Rate', [{ label: '4.2%' }], {
        endDate: '2027-01-09T13:30:00Z',
      })?.identity,
    ).toMatchObject({
      period: '2026-12',
      year_by: 'end_date',
    });
    expect(a('KXUSRETAIL-27JAN15', 'US retail sales in December', [])?.identity.period).toBe('2026-12');
    expect(a('KXGDP-27JAN29', undefined, [])?.identity.period).toBe('2026-Q4');
    expect(b('december-unemployment-rate', 'December Unemployment Rate', [{ label: '4.2%' }])?.identity.year_by).toBe(
      'inferred',
    );
  });

  it.each([
    ['gdp-growth-in-2026', 'GDP growth in 2026', '>2.5%'],
    [
      'will-us-unemployment-reach-at-least-5pt0-in-2026',
      undefined,
      'Will US unemployment reach at least 5.0% in 2026?',
    ],
    ['x', undefined, 'Will South Korea’s 2026 Annual Inflation be less than 1.5%?'],
    ['x', 'Inflation in May?', 'Will inflation be 3% in May?'],
    ['x', 'How many Fed rate cuts in 2026?', 'Will 3 Fed rate cuts happen in 2026?'],
    ['fed-decision-in-october', 'Fed decision in October?', 'No change'],
  ])('asks no question about a print for %s %s', (slug, title, question) => {
    expect(b(slug, title, [{ question }])).toBeUndefined();
  });

  it('drops a contract whose label and question name different figures', () => {
    const question = b('october-unemployment-rate-2026', 'October Unemployment Rate', [
      { label: '4.2%', question: 'Will the October unemployment rate be 4.3%?' },
      { label: '4.4%', question: 'Will the October unemployment rate be 4.4%?' },
      { label: 'Other' },
    ]);
    expect(keys(question)).toEqual(['eq_4.4']);
    expect(question?.identity.unread).toBe(2);
  });

  it('is whole only when its contracts cover every figure', () => {
    const whole = (labels: string[], slug = 'october-unemployment-rate', title = 'October Unemployment Rate') =>
      b(
        slug,
        title,
        labels.map((label) => ({ label })),
      )?.identity.whole;
    expect(whole(['≤4.0%', '4.1%', '4.2%', '≥4.3%'])).toBe(true);
    expect(whole(['<4.1%', '4.1%', '>4.1%'])).toBe(true);
    expect(whole(['≤4.0%', '4.2%', '≥4.3%'])).toBe(false);
    expect(whole(['≤4.1%', '4.1%', '≥4.2%'])).toBe(false);
    expect(whole(['4.1%', '4.2%'])).toBe(false);
    const gdp = (labels: string[]) => whole(labels, 'us-gdp-growth-in-q2-2026', 'US GDP growth in Q2 2026?');
    expect(gdp(['<1.0%', '1.0–1.5%', '1.5–2.0%', '≥2.0%'])).toBe(true);
    expect(gdp(['<1.0%', '1.0–1.5%', '2.0–2.5%', '≥2.5%'])).toBe(false);
    expect(
      a('KXU3-26OCT', 'Unemployment in Oct 2026', [rung('KXU3-26OCT-T4.1'), rung('KXU3-26OCT-T4.2')])?.identity.whole,
    ).toBe(false);
  });

  it('asks for the rate and not for its change', () => {
    expect(
      b('october-unemployment-rate', 'October Unemployment Rate', [
        { question: 'Will the October unemployment rate increase by 0.2%?' },
      ])?.legs,
    ).toEqual([]);
  });

  it('keeps the only trading contract of two with the same figures, and none when both trade', () => {
    const listed = (closed: boolean) =>
      b('october-unemployment-rate-2026', 'October Unemployment Rate', [
        { label: '4.2%', more: { closed } },
        { label: '4.2%' },
        { label: '4.3%' },
      ]);
    expect(listed(true)?.legs.map((leg) => leg.contract_id)).toEqual(['t1:0', 't2:0']);
    expect(keys(listed(false))).toEqual(['eq_4.3']);
  });

  it('adds no leg for a figure that only a slug names, because a slug has no comparison', () => {
    const question = b('uscpi-apr2026yoy-2026-05-12', 'cpi year-over-year in april', [{}], {
      endDate: '2026-05-12T00:00:00Z',
    });
    expect(question).toMatchObject({ key: 'econ_print|us|cpi|yoy|2026-04', excluded: 'incomplete', legs: [] });
  });

  it('drops venue_a contracts whose fields contradict each other', () => {
    const part = a('KXU3-26OCT', 'Unemployment in Oct 2026', [
      rung('KXU3-26OCT-T4.1', 'Above 4.2%'),
      rung('KXU3-26OCT-T4.3', 'Above 4.3%', { floor_strike: 4.3 }),
      rung('KXU3-26OCT-T4.4', 'Above 4.4%', { floor_strike: 4.5 }),
    ]);
    expect(keys(part)).toEqual(['gt_4.3']);
    expect(a('KXU3-26OCT', 'Unemployment in Sep 2026', [])?.excluded).toBe('contradictory');
    expect(a('KXCPI-26OCT', 'CPI year-over-year in Oct 2026', [])?.excluded).toBe('contradictory');
    expect(a('KXU3MAX-30', 'How high will unemployment get before 2030?', [])).toBeUndefined();
  });

  it('parses thousands from field, label and ticker', () => {
    const jobs = a('KXPAYROLLS-26OCT', 'Jobs numbers in Oct 2026?', [
      rung('KXPAYROLLS-26OCT-T125000', 'Above 125,000', { strike_type: 'greater', floor_strike: 125000 }),
      rung('KXPAYROLLS-26OCT-T-25000', '-25,000'),
      rung('KXPAYROLLS-26OCT-T0', '0'),
    ]);
    expect(keys(jobs)).toEqual(['gt_-25', 'gt_0', 'gt_125']);
  });

  it('uses the United States when no country is named, unless the rules name another one', () => {
    const text = (description: string) => october({ description });
    expect(
      text('The Bureau of Labor Statistics reports the October 2026 figure. This market resolves to it.'),
    ).toMatchObject({ excluded: null, terms: { agency: 'bls', fields_agree: true } });
    expect(text('Statistics Canada reports the October 2026 figure for Canada.')?.excluded).toBe('contradictory');
    expect(text('This market resolves to the October 2026 figure.')?.excluded).toBe('unknown_alias');
  });

  it('parses the terms of a print from its own text', () => {
    const gdp = b('us-gdp-growth-in-q2-2026', 'US GDP growth in Q2 2026?', [{ label: '1.5–2.0%' }], {
      description:
        'This market will resolve according to the seasonally adjusted annualized "Advance Estimate" of Q2 2026 by the Bureau of Economic Analysis. If the reported value falls exactly between two brackets, then this market will resolve to the higher range bracket. If no data is released, it will resolve by the last available quarterly data.',
    });
    expect(gdp).toMatchObject({
      key: 'econ_print|us|gdp|saar|2026-Q2',
      legs: [{ detail: { low: '1.5', high: '2', high_included: false } }],
      terms: {
        rules: 'read',
        revisions: 'first',
        boundary: 'higher',
        missing: 'previous_print',
        adjustment: 'seasonal',
        agency: 'bea',
        fields_agree: true,
      },
    });
    const other = october({ description: 'The BLS reports the September 2026 figure. It resolves to it.' });
    expect(other?.terms.fields_agree).toBe(false);
  });
});

const WORLD = '../shared/data/labels/macro-2026-10-06';
describe.skipIf(!existsSync(`${WORLD}/listings.venue_a.json`))(
  'the recorded October unemployment rate (../shared)',
  () => {
    it('pairs each exact figure with its counterpart', () => {
      const read = (name: string) => JSON.parse(readFileSync(`${WORLD}/${name}`, 'utf8'));
      const listed = read('listings.venue_a.json').flatMap((event: never) => econA(event, context)) as Question[];
      const other = read('listings.venue_b.json').flatMap((event: never) => econB(event, context)) as Question[];
      const exact = listed.find((question) => question.identity.kind === 'exact');
      expect(keys(exact)).toEqual(keys(other[0]));
      expect(exact?.key).toBe(other[0]?.key);
    });
  },
);

it('parses very long texts of prints within a second', () => {
  const endless = `October unemployment rate ${'1'.repeat(200_000)}`;
  const started = performance.now();
  b('october-unemployment-rate', endless, [{ question: endless, label: endless }], { description: endless });
  b('october-unemployment-rate', 'October unemployment rate', [{ question: endless }], { description: endless });
  a('KXU3-26OCT', endless, [rung('KXU3-26OCT-T4', endless)]);
  expect(performance.now() - started).toBeLessThan(1000);
});

it('print parsers never throw for corrupted fields', () => {
  const figure = fc.constantFrom(
    '4.2%',
    '≤4.0%',
    'Above 125,000',
    '-25k to 0',
    'Will the US lose jobs?',
    '9'.repeat(400),
    '0.'.repeat(50),
  );
  const market = fc.record(
    {
      ticker: fc.oneof(fc.constantFrom('KXU3-26OCT-T4.2', 'KXPAYROLLS-26OCT-T-9999999999999999'), fc.jsonValue()),
      yes_sub_title: fc.oneof(figure, fc.jsonValue()),
      title: fc.oneof(figure, fc.jsonValue()),
      floor_strike: fc.oneof(fc.double(), fc.jsonValue()),
      question: fc.oneof(figure, fc.constant('Will the October 2026 unemployment rate be 4.2%?'), fc.jsonValue()),
      groupItemTitle: fc.oneof(figure, fc.jsonValue()),
      conditionId: fc.jsonValue(),
      outcomes: fc.oneof(fc.constant('["Yes","No"]'), fc.jsonValue()),
      clobTokenIds: fc.oneof(fc.constant('["1","2"]'), fc.jsonValue()),
      endDate: fc.jsonValue(),
    },
    { requiredKeys: [] },
  );
  const listing = fc.record(
    {
      event_ticker: fc.oneof(
        fc.constantFrom('KXU3-26OCT', 'KXGDP-26XXX99', 'KXUSRETAIL-26JUN31', 'KXPAYROLLS-26OCT'),
        fc.jsonValue(),
      ),
      slug: fc.oneof(fc.constantFrom('october-unemployment-rate-2026', 'jobless-claims'), fc.jsonValue()),
      title: fc.oneof(
        fc.constantFrom('October unemployment rate?', 'Initial jobless claims for the week ending Feb 31'),
        fc.jsonValue(),
      ),
      description: fc.jsonValue(),
      endDate: fc.oneof(fc.constant('2026-99-99'), fc.jsonValue()),
      settlement_sources: fc.jsonValue(),
      markets: fc.oneof(fc.array(market, { maxLength: 4 }), fc.jsonValue()),
    },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(listing, fc.constantFrom('2026-05-18T12:00:00Z', 'x'), (one, now) => {
      econA(one as never, { now });
      econB(one as never, { now });
    }),
    { numRuns: 500 },
  );
});
