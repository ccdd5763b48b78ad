import { describe, expect, it } from 'vitest';
import { questionsOfVenueA } from '../../functions/ingest/identity/venue_a.ts';
import { questionsOfVenueB } from '../../functions/ingest/identity/venue_b.ts';
import type { Question } from '../../functions/ingest/listing.ts';

/**
 * Guarantee: the text of every contract of a ladder counts, not only the text that the terms come
 * from. A text that differs from the fields never counts as agreement. The grammar is that of texts
 * of both venues from 2025 and 2026, the sentences are invented.
 */

const NOW = '2026-10-01T12:00:00Z';
type Market = { [field: string]: unknown };

const a = (ticker: string, markets: Market[], event: Market = {}, series?: Market): Question | undefined =>
  questionsOfVenueA(
    {
      event_ticker: ticker,
      series_ticker: ticker.split('-')[0],
      markets: markets.map((one) => ({ ...one, ticker: `${ticker}-${one.ticker}` })),
      ...event,
    },
    { now: NOW, ...(series ? { series } : {}) },
  ).questions[0];
const b = (
  slug: string,
  title: string,
  description: string | null,
  markets: Market[],
  event: Market = {},
): Question[] =>
  questionsOfVenueB(
    {
      slug,
      title,
      description,
      markets: markets.map((one, at) => ({
        conditionId: `c${at}`,
        outcomes: '["Yes", "No"]',
        clobTokenIds: `["${at}y", "${at}n"]`,
        ...one,
      })),
      ...event,
    },
    { now: NOW },
  ).questions;

const warm = (from: number, day = 'Sep 15, 2026', text?: string): Market => ({
  ticker: `B${from}.5`,
  yes_sub_title: `${from}° to ${from + 1}°`,
  strike_type: 'between',
  floor_strike: from,
  cap_strike: from + 1,
  rules_primary:
    text ??
    `If the maximum temperature recorded at Miami (CLIMIA) for ${day}, is between ${from}-${from + 1}° fahrenheit according to The Weather Company, then the market resolves to Yes.`,
});

const figure = (value: string, text?: string): Market => ({
  ticker: `T${value}`,
  yes_sub_title: `Exactly ${value}%`,
  rules_primary: text ?? `If the Unemployment rate is exactly ${value}% in Jul 2026, then the market resolves to Yes.`,
});

const move = (code: string, label: string, rule: string, day = 'October 28, 2026'): Market => ({
  ticker: code,
  yes_sub_title: label,
  rules_primary: `If the Federal Reserve does a ${rule} on ${day}, then the market resolves to Yes.`,
});

const coin = (strike: number, label: string, text?: string): Market => ({
  ticker: `T${strike}`,
  yes_sub_title: label,
  strike_type: 'greater',
  floor_strike: strike,
  rules_primary:
    text ??
    `If the simple average of the sixty seconds of CF Benchmarks' Bitcoin Real-Time Index (BRTI) before 4 PM EDT is above ${strike} at 4 PM EDT on Oct 6, 2026, then the market resolves to Yes.`,
});

describe('the text of one contract of a ladder', () => {
  it.each<[string, Question | undefined, string]>([
    [
      'a temperature',
      a('KXHIGHMIA-26SEP15', [warm(88), warm(90, '', 'If {city} is warm, then the market resolves to Yes.')]),
      'unfilled',
    ],
    [
      'a print',
      a('KXECONSTATU3-26JUL', [figure('4.1'), figure('4.2', 'If [insert figure], then the market resolves to Yes.')]),
      'unfilled',
    ],
    [
      'a decision',
      a('KXFEDDECISION-26OCT', [
        move('H0', 'Fed maintains rate', 'Hike of 0bps'),
        move('H25', 'Hike 25bps', 'Hike of {x}'),
      ]),
      'unfilled',
    ],
    [
      'a price',
      a('KXBTCD-26OCT0616', [coin(63999.99, '$64,000 or above'), coin(65999.99, '$66,000 or above', 'TBD')]),
      'unfilled',
    ],
    [
      'a temperature whose text does not state when it pays',
      a('KXHIGHMIA-26SEP15', [warm(88), warm(90, '', 'See the terms.')]),
      'unread',
    ],
    [
      'a price whose text does not state when it pays',
      a('KXBTCD-26OCT0616', [coin(63999.99, '$64,000 or above', 'See the terms.')]),
      'unread',
    ],
  ])('makes the rules of the whole listing unread or unfilled: %s', (_name, question, state) => {
    expect(question?.terms.rules).toBe(state);
  });

  it.each<[string, Question | undefined]>([
    ['another day of a temperature', a('KXHIGHMIA-26SEP15', [warm(88), warm(90, 'Sep 16, 2026')])],
    [
      'another month of a print',
      a('KXECONSTATU3-26JUL', [
        figure('4.1'),
        figure('4.2', 'If the Unemployment rate is exactly 4.2% in Aug 2026, then the market resolves to Yes.'),
      ]),
    ],
    [
      'the same month of another year',
      a('KXECONSTATU3-26JUL', [
        figure('4.1', 'If the Unemployment rate is exactly 4.1% in Jul 2027, then the market resolves to Yes.'),
      ]),
    ],
    [
      'another meeting',
      a('KXFEDDECISION-26OCT', [
        move('H0', 'Fed maintains rate', 'Hike of 0bps'),
        move('H25', 'Hike 25bps', 'Hike of 25bps', 'December 9, 2026'),
      ]),
    ],
    [
      'another hour of a price',
      a('KXBTCD-26OCT0616', [
        coin(63999.99, '$64,000 or above'),
        coin(
          65999.99,
          '$66,000 or above',
          'If the average of BRTI before 5 PM EDT is above 65999.99 at 5 PM EDT on Oct 6, 2026, then the market resolves to Yes.',
        ),
      ]),
    ],
  ])('excludes the listing when it is about %s', (_name, question) => {
    expect(question?.excluded).toBe('payoff_contradicted');
    expect(question?.terms.fields_agree).toBe(false);
  });

  it('drops the leg when it pays for another figure or change than the fields', () => {
    const print = a('KXECONSTATU3-26JUL', [
      figure('4.1'),
      figure('4.2', 'If the Unemployment rate is exactly 4.3% in Jul 2026, then the market resolves to Yes.'),
    ]);
    expect(print?.legs.map((leg) => leg.outcome_key)).toEqual(['eq_4.1']);
    const fed = a('KXFEDDECISION-26OCT', [
      move('H0', 'Fed maintains rate', 'Hike of 0bps'),
      move('H25', 'Hike 25bps', 'Cut of 25bps'),
    ]);
    expect(fed?.excluded).toBe('contradictory');
    const above = a('KXFEDDECISION-26OCT', [move('H25', 'Hike 25bps', 'Hike of >25bps')]);
    expect(above?.excluded).toBe('contradictory');
  });
});

describe('the terms of a print', () => {
  const gdp = (text: string) =>
    b(
      'us-gdp-growth-in-q3-2026',
      'US GDP growth in Q3 2026?',
      `This market will resolve to the annualized change of US real GDP in Q3 2026. ${text}`,
      [{ groupItemTitle: '2.0–2.5%', question: 'Will US GDP growth in Q3 2026 be between 2.0% and 2.5%?' }],
    )[0]?.terms;

  it.each<[string, string | null]>([
    ['The advance estimate counts.', 'first'],
    ['Revisions such as the second estimate will not be considered.', 'first'],
    ['It goes by the advance estimate, regardless of what the second or third estimate shows.', 'first'],
    ['It goes by the second estimate.', 'later'],
    ['It goes by the BEA report.', null],
  ])('return for "%s" the counted figure %s', (text, revisions) => {
    expect(gdp(text)?.revisions).toBe(revisions);
  });

  it('agree with the period in long or short form, and ignore the month of the release day', () => {
    const agreement = (text: string) =>
      a('KXECONSTATU3-26JUL', [figure('4.1', `If it is exactly 4.1% ${text}, then the market resolves to Yes.`)])?.terms
        .fields_agree;
    expect(agreement('in Jul 2026')).toBe(true);
    expect(agreement('for July, 2026, as released on August 7, 2026')).toBe(true);
    expect(agreement('in August 2026, not in July')).toBe(false);
    expect(agreement('in Jul 2025')).toBe(false);
    expect(agreement('that month')).toBeNull();
  });

  it('take the agency from the field of the listing when the text has none, else from the series', () => {
    const field = { settlement_sources: [{ name: 'Bureau of Labor Statistics', url: 'https://www.bls.gov' }] };
    expect(a('KXECONSTATU3-26JUL', [figure('4.1')], field)?.terms).toMatchObject({
      agency: 'bls',
      sources: ['Bureau of Labor Statistics'],
    });
    expect(a('KXECONSTATU3-26JUL', [figure('4.1')], {}, field)?.terms.agency).toBe('bls');
    expect(a('KXECONSTATU3-26JUL', [figure('4.1')])?.terms.agency).toBeNull();
  });
});

describe('the terms of a rate decision', () => {
  const fed = (slug: string, month: string, days: string) =>
    b(
      slug,
      `Fed decision in ${month.split(' ')[0]}?`,
      `This market will resolve by the statement after the meeting scheduled for ${days}.`,
      [
        {
          groupItemTitle: 'No change',
          question: `Will there be no change in Fed interest rates after the ${month} meeting?`,
        },
      ],
    )[0];

  it('use the last day of a meeting that spans two months', () => {
    expect(fed('fed-decision-in-february', 'February 2027', 'January 31 - February 1, 2027')).toMatchObject({
      on_date: '2027-02-01',
      terms: { fields_agree: true },
    });
    expect(fed('fed-decision-in-january', 'January 2027', 'January 31 - February 1, 2027')?.on_date).toBeNull();
  });

  it('do not agree with a text about another meeting or another bank', () => {
    expect(fed('fed-decision-in-october', 'October 2026', 'December 8-9, 2026')?.terms.fields_agree).toBe(false);
    expect(
      a('KXCBDECISIONENGLAND-26JUN18', [
        {
          ticker: 'H0',
          yes_sub_title: 'Hike 0bps',
          rules_primary: 'If the Bank of Japan makes no change, then the market resolves to Yes.',
        },
      ])?.terms.fields_agree,
    ).toBe(false);
  });

  it('exclude a contract whose title names another year than the ticker', () => {
    const market = {
      ticker: 'H0',
      title: 'Will the Federal Reserve Hike rates by 0bps at their October 2027 meeting?',
    };
    expect(a('KXFEDDECISION-26OCT', [market])?.excluded).toBe('contradictory');
  });
});

describe('the level of a price contract', () => {
  it.each<[number, string, string]>([
    [91.49, '$91.5 or above', 'above_91.5'],
    [91.49, '$91.50 or above', 'above_91.5'],
    [90.99, '$91 or above', 'above_91'],
    [63999.99, '$64,000 or above', 'above_64000'],
    [64000.01, 'Above $64,000.01', 'above_64000.01'],
  ])('accepts a strike above %s with the label "%s"', (strike, label, key) => {
    const text = `If the price is above ${strike}, then the market resolves to Yes.`;
    expect(a('KXBTCD-26OCT0616', [coin(strike, label, text)])?.legs.map((leg) => leg.outcome_key)).toEqual([key]);
  });

  it.each<[number, string]>([
    [91.47, '$91.5 or above'],
    [91.5, '$91.49 or above'],
    [64, '$65 or above'],
  ])('rejects a strike above %s with the label "%s"', (strike, label) => {
    const text = `If the price is above ${strike}, then the market resolves to Yes.`;
    expect(a('KXBTCD-26OCT0616', [coin(strike, label, text)])?.excluded).toBe('contradictory');
  });

  it('is dropped when a touched level is listed again, because the new contract asks another question', () => {
    const dip = (at: number, closed: boolean): Market => ({
      conditionId: `d${at}`,
      question: `Will Bitcoin dip to $${at > 2 ? 80 : 85},000 in October?`,
      groupItemTitle: `↓ ${at > 2 ? 80 : 85},000`,
      description:
        'This market will immediately resolve to "Yes" if any candle has a final "Low" price equal to or lower than the price.',
      closed,
    });
    const [low] = b('what-price-will-bitcoin-hit-in-october-2026', 'What price will Bitcoin hit in October?', null, [
      dip(1, true),
      dip(2, false),
      dip(3, false),
    ]);
    expect(low?.legs.map((leg) => leg.outcome_key)).toEqual(['low_80000']);
    expect(low?.identity.doubled).toEqual(['low_85000']);
  });

  it('settles by the daily settlement when the text names a settle price', () => {
    const text =
      'If the front-month settle price for a barrel of West Texas Intermediate oil on Sep 9, 2026 is above $90.99, then the market resolves to Yes.';
    expect(a('KXWTI-26SEP0914', [coin(90.99, '$91 or above', text)])?.terms).toMatchObject({
      averaging: 'daily_settlement',
      fields_agree: true,
    });
  });
});

describe('the terms of a temperature', () => {
  it('mark a temperature with one decimal as another rounding than whole degrees', () => {
    const [hongKong] = b(
      'highest-temperature-in-hong-kong-on-october-3-2026',
      'Highest temperature in Hong Kong on October 3?',
      "This market will resolve to the highest temperature recorded by the Hong Kong Observatory in degrees Celsius on 3 Oct '26, which it measures to one decimal place (eg, 28.6°C).",
      [{ groupItemTitle: '28°C', question: 'Will the highest temperature in Hong Kong be 28°C on October 3?' }],
      { endDate: '2026-10-03T12:00:00Z' },
    );
    expect(hongKong?.terms).toMatchObject({ rounding: 'one_decimal', station: 'HKO' });
  });
});

describe('a text about another subject', () => {
  const prices = (ticker: string, text: string) =>
    a(ticker, [
      { ticker: 'T0.3', yes_sub_title: 'Exactly 0.3%', rules_primary: `${text}, then the market resolves to Yes.` },
    ])?.terms.fields_agree;

  it.each<[string, string, string, boolean | null]>([
    ['core for headline', 'KXECONSTATCPI-26SEP', 'If core CPI month-over-month is exactly 0.3% in Sep 2026', false],
    [
      'less food for headline',
      'KXECONSTATCPIYOY-26SEP',
      'If the CPI less food and energy is exactly 0.3% in Sep 2026',
      false,
    ],
    ['a year for a month', 'KXECONSTATCPI-26SEP', 'If the CPI year-over-year is exactly 0.3% in Sep 2026', false],
    ['a month for a year', 'KXECONSTATCPIYOY-26SEP', 'If the CPI month-over-month is exactly 0.3% in Sep 2026', false],
    [
      'twelve months for a year',
      'KXECONSTATCPIYOY-26SEP',
      'If it rises exactly 0.3% in the twelve months ending September 2026',
      true,
    ],
    ['core for core', 'KXECONSTATCPICORE-26SEP', 'If the CPI core month-over-month is exactly 0.3% in Sep 2026', true],
  ])('returns the expected agreement for %s', (_name, ticker, text, agreement) => {
    expect(prices(ticker, text)).toBe(agreement);
  });

  it('does not agree with another station in one contract, and excludes a title with another city', () => {
    const elsewhere =
      'If the maximum temperature recorded at Dallas (CLIDFW) for Sep 15, 2026, is between 90-91° fahrenheit according to The Weather Company, then the market resolves to Yes.';
    expect(a('KXHIGHMIA-26SEP15', [warm(88), warm(90, '', elsewhere)])?.terms.fields_agree).toBe(false);
    const titled = (title: string) => a('KXHIGHMIA-26SEP15', [warm(88)], { title })?.excluded;
    expect(titled('Highest temperature in Dallas on Sep 15, 2026?')).toBe('contradictory');
    expect(titled('Lowest temperature in Miami on Sep 15, 2026?')).toBe('contradictory');
    expect(titled('Highest temperature in Miami on Sep 15, 2026?')).toBeNull();
    expect(titled('Highest temperature in Miami today?')).toBeNull();
  });

  it('does not agree with another coin', () => {
    const ether =
      "If the average of CF Benchmarks' Ethereum Real-Time Index before 4 PM EDT is above 63999.99 at 4 PM EDT on Oct 6, 2026, then the market resolves to Yes.";
    expect(a('KXBTCD-26OCT0616', [coin(63999.99, '$64,000 or above', ether)])?.terms.fields_agree).toBe(false);
    const [touch] = b('what-price-will-bitcoin-hit-in-october-2026', 'What price will Bitcoin hit in October?', null, [
      {
        question: 'Will Bitcoin reach $90,000 in October?',
        description:
          'This market will resolve to "Yes" if any Binance 1 minute candle for ETH/USDT has a final "High" price that high.',
      },
    ]);
    expect(touch?.terms.fields_agree).toBe(false);
  });
});
