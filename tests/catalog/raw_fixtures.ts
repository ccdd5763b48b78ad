/**
 * Ladder listings in the form that both venues sent in autumn 2026. The fields and the structure of
 * the texts are theirs, the sentences are written for these tests.
 */

export type Fields = { [field: string]: unknown };

export const eventA = (ticker: string, title: string, markets: Fields[], more: Fields = {}): Fields => ({
  event_ticker: ticker,
  series_ticker: ticker.split('-')[0],
  title,
  ...more,
  markets: markets.map((market) => ({
    status: 'active',
    close_time: more.close ?? '2026-09-16T04:59:00Z',
    ...market,
    ticker: `${ticker}-${market.ticker}`,
  })),
});

export const eventB = (
  slug: string,
  title: string,
  text: string | null,
  markets: [label: string, question: string, own?: string][],
  end: string,
): Fields => ({
  slug,
  title,
  description: text,
  endDate: end,
  markets: markets.map(([label, question, own], at) => ({
    slug: `${slug}-${at}`,
    conditionId: `0x${slug}-${at}`,
    question,
    groupItemTitle: label,
    description: own ?? text,
    outcomes: '["Yes", "No"]',
    clobTokenIds: JSON.stringify([`${slug}:${label}`, `${slug}:${label}:no`]),
    endDate: end,
  })),
});

/** Three ranges of a city's high on September 15: below `from`, two degrees, and above those. */
export function temperatureA(series: string, place: string, from: number, source: string, more: Fields = {}): Fields {
  const text = (what: string) =>
    `If the maximum temperature recorded at ${place} for Sep 15, 2026, is ${what}° fahrenheit according to ${source}, then the market resolves to Yes.`;
  return eventA(
    `${series}-26SEP15`,
    'Highest temperature on Sep 15, 2026?',
    [
      {
        ticker: `T${from}`,
        yes_sub_title: `${from - 1}° or below`,
        strike_type: 'less',
        cap_strike: from,
        rules_primary: text(`less than ${from}`),
      },
      {
        ticker: `B${from}.5`,
        yes_sub_title: `${from}° to ${from + 1}°`,
        strike_type: 'between',
        floor_strike: from,
        cap_strike: from + 1,
        rules_primary: text(`between ${from}-${from + 1}`),
      },
      {
        ticker: `T${from + 1}`,
        yes_sub_title: `${from + 2}° or above`,
        strike_type: 'greater',
        floor_strike: from + 1,
        rules_primary: text(`greater than ${from + 1}`),
      },
    ],
    { mutually_exclusive: true, ...more },
  );
}

export function temperatureB(
  city: string,
  name: string,
  station: string,
  site: string,
  from: number,
  more = '',
): Fields {
  const question = (what: string) => `Will the highest temperature in ${name} be ${what} on September 15?`;
  return eventB(
    `highest-temperature-in-${city}-on-september-15-2026`,
    `Highest temperature in ${name} on September 15?`,
    `This market will resolve to the range of the highest temperature recorded by NOAA at the ${station} Station in degrees Fahrenheit on 15 Sep '26, the highest reading of the "Temp" column for all times on this day: https://www.weather.gov/wrh/timeseries?site=${site}. Wunderground is used where NOAA is unavailable. It is measured in whole degrees Fahrenheit.${more}`,
    [
      [`${from - 1}°F or below`, question(`${from - 1}°F or below`)],
      [`${from}-${from + 1}°F`, question(`between ${from}-${from + 1}°F`)],
      [`${from + 2}°F or higher`, question(`${from + 2}°F or higher`)],
    ],
    '2026-09-15T12:00:00Z',
  );
}

const MOVES = [
  ['C26', 'Cut >25bps', 'Cut of >25bps'],
  ['C25', 'Cut 25bps', 'Cut of 25bps'],
  ['H0', 'Fed maintains rate', 'Hike of 0bps'],
  ['H25', 'Hike 25bps', 'Hike of 25bps'],
  ['H26', 'Hike >25bps', 'Hike of >25bps'],
] as const;

export const fedA = (day = 'October 28, 2026', secondary = ''): Fields =>
  eventA(
    'KXFEDDECISION-26OCT',
    'Fed decision in Oct 2026?',
    MOVES.map(([ticker, yes_sub_title, rule]) => ({
      ticker,
      yes_sub_title,
      rules_primary: `If the Federal Reserve does a ${rule} on ${day}, then the market resolves to Yes.`,
      rules_secondary: `If a scheduled FOMC meeting is canceled, then the strike for "Fed maintains rate" will resolve to Yes.${secondary}`,
    })),
    { close: '2026-10-28T17:59:00Z' },
  );

export const movesB = (bank: string, meeting: string): [string, string][] => [
  ['50+ bps decrease', `Will the ${bank} decrease interest rates by 50+ bps after the ${meeting} meeting?`],
  ['25 bps decrease', `Will the ${bank} decrease interest rates by 25 bps after the ${meeting} meeting?`],
  ['No change', `Will there be no change in ${bank} interest rates after the ${meeting} meeting?`],
  ['25 bps increase', `Will the ${bank} increase interest rates by 25 bps after the ${meeting} meeting?`],
  ['50+ bps increase', `Will the ${bank} increase interest rates by 50+ bps after the ${meeting} meeting?`],
];

export const fedB = (more = ''): Fields =>
  eventB(
    'fed-decision-in-october-20260617190323537',
    'Fed Decision in October?',
    `This market will resolve to the basis points by which the upper bound of the target federal funds rate is changed at the October 2026 meeting. A change to a level that is no option will be rounded up to the nearest 25. The source is the statement after the meeting scheduled for October 27-28, 2026. If no statement is released by the end of the next meeting, this market will resolve to the "No change" bracket.${more}`,
    movesB('Fed', 'October 2026'),
    '2026-10-29T03:59:00Z',
  );

export const ecbA = (more = ''): Fields =>
  eventA(
    'KXCBDECISIONEU-26OCT29',
    'ECB rate decision in October',
    [
      ['HOLD', 'Hold'],
      ['C25', 'Cut 25bp'],
      ['C25P', 'Cut more than 25bp'],
      ['H25', 'Hike 25bp'],
      ['H25P', 'Hike more than 25bp'],
    ].map(([ticker, label]) => ({
      ticker,
      title: `Will the European Central Bank ${label}?`,
      rules_primary: `If the European Central Bank changes the deposit facility rate so at its Oct 29, 2026 meeting, then the market resolves to Yes.${more}`,
    })),
    { close: '2026-10-29T13:14:00Z' },
  );

export const ecbB = (): Fields =>
  eventB(
    'ecb-interest-rates-october-2026-20260723225848778',
    'ECB Interest Rates: October 2026',
    'This market will resolve according to the change in the deposit facility rate at the meeting scheduled for October 28-29, 2026. If no decision is announced by December 31, 2026, it resolves to "No change".',
    movesB('ECB', 'October 2026'),
    '2026-10-29T12:00:00Z',
  );

export const unemploymentA = (more = '', fields: Fields = {}): Fields =>
  eventA(
    'KXECONSTATU3-26SEP',
    'Unemployment rate in Sep 2026?',
    ['4.0', '4.1', '4.2'].map((figure) => ({
      ticker: `T${figure}`,
      yes_sub_title: `Exactly ${figure}%`,
      floor_strike: Number(figure),
      rules_primary: `If the Unemployment rate is exactly ${figure}% in Sep 2026, then the market resolves to Yes.${more}`,
    })),
    {
      mutually_exclusive: true,
      close: '2026-10-02T12:29:00Z',
      settlement_sources: [{ name: 'Bureau of Labor Statistics', url: 'https://www.bls.gov' }],
      ...fields,
    },
  );

export const unemploymentB = (): Fields =>
  eventB(
    'september-unemployment-rate-2026',
    'September Unemployment Rate',
    "This market will resolve according to the seasonally adjusted unemployment rate (U-3) that the Bureau of Labor Statistics reports for September 2026, scheduled for October 2, 2026. Revisions after the first release will not count. If nothing is released by the date of the next month's report, it resolves by the last available month. The figure has one decimal point.",
    [
      ['≤3.9%', 'Will the September 2026 unemployment rate be ≤3.9%?'],
      ['4.0%', 'Will the September 2026 unemployment rate be 4.0%?'],
      ['4.1%', 'Will the September 2026 unemployment rate be 4.1%?'],
      ['≥4.3%', 'Will the September 2026 unemployment rate be ≥4.3%?'],
    ],
    '2026-10-02T12:30:00Z',
  );

export const bitcoinA = (hour = '12', clock = '12 PM', more = ''): Fields =>
  eventA(
    `KXBTCD-26SEP15${hour}`,
    'Bitcoin price on Sep 15, 2026?',
    [85999.99, 86249.99, 87999.99].map((strike) => ({
      ticker: `T${strike}`,
      yes_sub_title: `$${(strike + 0.01).toLocaleString('en-US')} or above`,
      strike_type: 'greater',
      floor_strike: strike,
      rules_primary: `If the simple average of the sixty seconds of CF Benchmarks' Bitcoin Real-Time Index (BRTI) before ${clock} EDT is above ${strike} at ${clock} EDT on Sep 15, 2026, then the market resolves to Yes.${more}`,
    })),
  );

export const bitcoinB = (): Fields =>
  eventB(
    'bitcoin-above-on-september-15-2026',
    'Bitcoin above ___ on September 15?',
    'This market will resolve to "Yes" if the Binance 1 minute candle for BTC/USDT 12:00 in the ET timezone (noon) on the date of the title has a final “Close” price higher than the price of the title.',
    [
      ['86,000', 'Will the price of Bitcoin be above $86,000 on September 15?'],
      ['88,000', 'Will the price of Bitcoin be above $88,000 on September 15?'],
      ['90,000', 'Will the price of Bitcoin be above $90,000 on September 15?'],
    ],
    '2026-09-15T16:00:00Z',
  );

export const bitcoinHighA = (): Fields =>
  eventA(
    'KXBTCMAXMON-BTC-26SEP30',
    'How high will BTC get in September?',
    [85000, 90000].map((level) => ({
      ticker: `${level}00`,
      title: `Will BTC trimmed mean be above $${level}.00 by 11:59 PM ET on Sep 30, 2026?`,
      yes_sub_title: `Above $${level.toLocaleString('en-US')}.00`,
      strike_type: 'greater',
      floor_strike: level,
      rules_primary: `If a trimmed mean of CF Benchmarks' Bitcoin Real-Time Index is above ${level} before Oct 1, 2026, then the market resolves to Yes.`,
    })),
    { close: '2026-10-01T03:59:59Z' },
  );

export const bitcoinTouchB = (): Fields => {
  const text = (side: string, than: string) =>
    `This market will immediately resolve to "Yes" if any Binance 1 minute candle for BTC/USDT in the month of the title has a final "${side}" price equal to or ${than} than the price of the title.`;
  return eventB(
    'what-price-will-bitcoin-hit-in-september-2026',
    'What price will Bitcoin hit in September?',
    null,
    [
      ['↑ 90,000', 'Will Bitcoin reach $90,000 in September?', text('High', 'greater')],
      ['↓ 85,000', 'Will Bitcoin dip to $85,000 in September?', text('Low', 'lower')],
    ],
    '2026-10-01T03:59:00Z',
  );
};

export const payrollsA = (): Fields =>
  eventA(
    'KXPAYROLLS-26SEP',
    'Jobs numbers in Sep 2026?',
    [-25000, 0, 50000, 100000].map((strike) => ({
      ticker: `T${strike}`,
      yes_sub_title: `Above ${strike.toLocaleString('en-US')}`,
      title: `Will above ${strike} jobs be added in September 2026?`,
      strike_type: 'greater',
      floor_strike: strike,
      rules_primary: `If the increase in total non-farm payroll employment is above ${strike} as reported by the Bureau of Labor Statistics for the month of September 2026, then the market resolves to Yes.`,
    })),
    { close: '2026-10-02T12:29:00Z' },
  );

export const payrollsB = (): Fields =>
  eventB(
    'how-many-jobs-added-in-september-2026',
    'How many jobs added in September?',
    'This market will resolve according to the change in nonfarm payroll employment that the BLS reports for September 2026. If the reported value falls exactly between two brackets, it resolves to the higher range bracket.',
    [
      ['<-25k', 'Will the US lose more than 25k jobs in September?'],
      ['-25k to 0', 'Will the US lose between 0 and 25k jobs in September?'],
      ['0 to 50k', 'Will the US add between 0 and 50k jobs in September?'],
      ['100k+', 'Will the US add at least 100k jobs in September?'],
    ],
    '2026-10-03T04:59:00Z',
  );
