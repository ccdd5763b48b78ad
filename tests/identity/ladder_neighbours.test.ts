import { describe, expect, it } from 'vitest';
import { type Fields, readA, readB, type Spelled } from './ladder_attack_fixtures.ts';

/**
 * Guarantee: two ladders are one question only with equal time, period, place and subject, to the
 * hour and across every turn of a year.
 */
describe('ladders with neighbouring times and subjects', () => {
  type Listing = [id: string, title: string, label: string | Fields, more?: Fields];
  const rung = (label: string | Fields): Spelled[] => [
    { fields: typeof label === 'string' ? { yes_sub_title: label, groupItemTitle: label } : label, pays: () => true },
  ];
  const a = ([id, title, label, more]: Listing) => readA(id, title, rung(label), more);
  const b = ([id, title, label, more]: Listing) => readB(id, title, rung(label), more);
  /** The fields that the match pass compares before it compares legs. */
  const meet = (left: Listing, right: Listing): boolean =>
    a(left).some((one) =>
      b(right).some(
        (other) =>
          one.excluded === null &&
          other.excluded === null &&
          one.family === other.family &&
          one.key === other.key &&
          (one.on_date === null || other.on_date === null || one.on_date === other.on_date) &&
          (one.identity.settles_at ?? null) === (other.identity.settles_at ?? null),
      ),
    );

  const strike = (floor: number, label: string): Fields => ({
    strike_type: 'greater',
    floor_strike: floor,
    yes_sub_title: label,
  });
  const coin = (when: string, title = 'Bitcoin price'): Listing => [
    `KXBTCD-${when}`,
    title,
    strike(63999.99, '$64,000 or above'),
  ];
  const coinB = (slug: string, day: string, end: string): Listing => [
    slug,
    `Bitcoin above ___ on ${day}?`,
    { question: `Will the price of Bitcoin be above $64,000 on ${day}?`, groupItemTitle: '64,000' },
    { endDate: end },
  ];
  const high = (series: string, when: string, title: string): Listing => [
    `${series}-BTC-${when}`,
    title,
    strike(85000, 'Above $85,000.00'),
  ];
  const touch = (slug: string, title: string, question: string, end: string): Listing => [
    slug,
    title,
    { question, groupItemTitle: '↑ 85,000' },
    { endDate: end },
  ];
  const warm = (when: string): Listing => [
    `KXHIGHMIA-${when}`,
    'Highest temperature in Miami?',
    { strike_type: 'between', floor_strike: 70, cap_strike: 71 },
  ];
  const warmB = (day: string, end: string, extreme = 'highest'): Listing => [
    `${extreme}-temperature-in-miami-on-${day}`,
    `x`,
    { groupItemTitle: '70-71°F' },
    { endDate: end },
  ];
  const fed = (when: string): Listing => [`KXFEDDECISION-${when}`, 'Fed decision', 'Hike 25bps'];
  const fedB = (month: string, end: string, more: Fields = {}): Listing => [
    `fed-decision-in-${month.split(' ')[0]?.toLowerCase()}`,
    `Fed decision in ${month.split(' ')[0]}?`,
    { question: `Will the Fed increase interest rates by 25 bps after the ${month} meeting?` },
    { endDate: end, ...more },
  ];
  const cpi = (series: string, when: string): Listing => [`${series}-${when}`, '', 'Exactly 0.3%'];
  const cpiB = (title: string, end = '2026-10-14T12:30:00Z', more: Fields = {}): Listing => [
    title.toLowerCase().replace(/[^a-z0-9]+/g, '-'),
    title,
    '0.3%',
    { endDate: end, ...more },
  ];

  it.each<[string, Listing, Listing]>([
    [
      'noon of a winter day',
      coin('26DEC0112'),
      coinB('bitcoin-above-on-december-1-2026', 'December 1', '2026-12-01T17:00:00Z'),
    ],
    [
      'noon of the day on which summer time ends',
      coin('26NOV0112'),
      coinB('bitcoin-above-on-november-1-2026', 'November 1', '2026-11-01T17:00:00Z'),
    ],
    [
      'noon of the day on which summer time begins',
      coin('27MAR1412'),
      coinB('bitcoin-above-on-march-14-2027', 'March 14', '2027-03-14T16:00:00Z'),
    ],
    [
      'the last noon of a year, slug without it',
      coin('26DEC3112'),
      coinB('bitcoin-above-on-december-31', 'December 31', '2026-12-31T17:00:00Z'),
    ],
    ['the first day of a year', warm('27JAN01'), warmB('january-1', '2027-01-01T12:00:00Z')],
    ['the last day of a year', warm('26DEC31'), warmB('december-31', '2026-12-31T12:00:00Z')],
    ['a leap day', warm('28FEB29'), warmB('february-29', '2028-02-29T12:00:00Z')],
    [
      'a month',
      high('KXBTCMAXMON', '26DEC31', 'How high will BTC get in December?'),
      touch(
        'what-price-will-bitcoin-hit-in-december-2026',
        'What price will Bitcoin hit in December?',
        'Will Bitcoin reach $85,000 in December?',
        '2027-01-01T04:59:00Z',
      ),
    ],
    [
      'a year',
      ['KXBTCMAXY-26DEC31', 'How high will BTC get in 2026?', strike(85000, 'Above $85,000.00')],
      touch(
        'what-price-will-bitcoin-hit-before-2027',
        'What price will Bitcoin hit before 2027?',
        'Will Bitcoin reach $85,000 by December 31, 2026?',
        '2027-01-01T04:59:00Z',
      ),
    ],
    ['a meeting in December, listed till January', fed('26DEC'), fedB('December 2026', '2027-01-26T12:00:00Z')],
    [
      "December's prices, printed in January",
      cpi('KXECONSTATCPIYOY', '26DEC'),
      cpiB('December Inflation US - Annual', '2027-01-13T13:30:00Z'),
    ],
  ])('match across venues: %s', (_name, left, right) => {
    expect(meet(left, right)).toBe(true);
  });

  it.each<[string, Listing, Listing]>([
    ['another day', coin('26NOV0112'), coinB('bitcoin-above-on-november-2-2026', 'November 2', '2026-11-02T17:00:00Z')],
    [
      'another hour',
      coin('26NOV0117'),
      coinB('bitcoin-above-on-november-1-2026', 'November 1', '2026-11-01T17:00:00Z'),
    ],
    [
      'noon in summer time on a winter day',
      coin('26DEC0111'),
      coinB('bitcoin-above-on-december-1-2026', 'December 1', '2026-12-01T17:00:00Z'),
    ],
    [
      'an hour that a clock change skips',
      coin('27MAR1402'),
      coinB('bitcoin-above-on-march-14-2027', 'March 14, 2AM ET', '2027-03-14T07:00:00Z'),
    ],
    [
      'the same day of another year',
      coin('27NOV0112'),
      coinB('bitcoin-above-on-november-1-2026', 'November 1', '2026-11-01T17:00:00Z'),
    ],
    ['the first day of another year', warm('26JAN01'), warmB('january-1', '2027-01-01T12:00:00Z')],
    ['the day after', warm('27JAN01'), warmB('december-31', '2026-12-31T12:00:00Z')],
    ['the low of a day', warm('26DEC31'), warmB('december-31', '2026-12-31T12:00:00Z', 'lowest')],
    [
      'a week of the month',
      high('KXBTCMAXMON', '26OCT31', 'How high will BTC get in October?'),
      touch(
        'what-price-will-bitcoin-hit-october-5-11',
        'What price will Bitcoin hit October 5-11?',
        'Will Bitcoin reach $85,000 October 5-11?',
        '2026-10-12T03:59:00Z',
      ),
    ],
    [
      'the year of the month',
      high('KXBTCMAXMON', '26DEC31', 'How high will BTC get in December?'),
      touch(
        'what-price-will-bitcoin-hit-in-2026',
        'What price will Bitcoin hit in 2026?',
        'Will Bitcoin reach $85,000 by December 31, 2026?',
        '2027-01-01T04:59:00Z',
      ),
    ],
    [
      'the month of another year',
      high('KXBTCMAXMON', '27OCT31', 'How high will BTC get in October?'),
      touch(
        'what-price-will-bitcoin-hit-in-october-2026',
        'What price will Bitcoin hit in October?',
        'Will Bitcoin reach $85,000 in October?',
        '2026-11-01T03:59:00Z',
      ),
    ],
    [
      'the low of the month',
      ['KXBTCMINMON-BTC-26OCT31', 'How low will BTC get in October?', { strike_type: 'less', cap_strike: 85000 }],
      touch(
        'what-price-will-bitcoin-hit-in-october-2026',
        'What price will Bitcoin hit in October?',
        'Will Bitcoin reach $85,000 in October?',
        '2026-11-01T03:59:00Z',
      ),
    ],
    [
      'a touch on the day',
      coin('26OCT0612'),
      touch(
        'what-price-will-bitcoin-hit-on-october-6',
        'What price will Bitcoin hit on October 6?',
        'Will Bitcoin reach $64,000 on October 6?',
        '2026-10-07T03:59:00Z',
      ),
    ],
    [
      'another coin',
      ['KXETHD-26NOV0112', 'Ethereum price', strike(63999.99, '$64,000 or above')],
      coinB('bitcoin-above-on-november-1-2026', 'November 1', '2026-11-01T17:00:00Z'),
    ],
    [
      'a range',
      coin('26NOV0112'),
      [
        'bitcoin-price-on-november-1',
        'Bitcoin price on November 1?',
        {
          question: 'Will the price of Bitcoin be between $64,000 and $66,000 on November 1?',
          groupItemTitle: '64,000-66,000',
        },
        { endDate: '2026-11-01T17:00:00Z' },
      ],
    ],
    ['the meeting of another year', fed('27OCT'), fedB('October 2026', '2026-10-28T18:00:00Z')],
    ['the next meeting', fed('26DEC'), fedB('October 2026', '2026-10-28T18:00:00Z')],
    ['another bank', ['KXCBDECISIONENGLAND-26OCT29', 'x', 'Hike 25bps'], fedB('October 2026', '2026-10-28T18:00:00Z')],
    [
      'a move between meetings',
      fed('26OCT'),
      [
        'fed-emergency-rate-hike-in-october',
        'Fed emergency rate hike in October?',
        { question: 'Will the Fed increase interest rates by 25 bps in an emergency meeting in October 2026?' },
      ],
    ],
    [
      'any move until a date',
      fed('26OCT'),
      ['fed-rate-hike-by', 'Fed rate hike by...?', { question: 'Fed rate hike by October 2026 meeting?' }],
    ],
    ['monthly against annual', cpi('KXECONSTATCPI', '26SEP'), cpiB('September Inflation US - Annual')],
    ['core against headline', cpi('KXECONSTATCPIYOY', '26SEP'), cpiB('Core CPI YoY - September 2026')],
    ['core of the month against the year', cpi('KXECONSTATCPICORE', '26SEP'), cpiB('Core CPI YoY - September 2026')],
    ['the same month of another year', cpi('KXECONSTATCPIYOY', '27SEP'), cpiB('September Inflation US - Annual')],
    ['the month of the release', cpi('KXECONSTATCPIYOY', '26OCT'), cpiB('September Inflation US - Annual')],
    ['another country', cpi('KXECONSTATCPIYOY', '26SEP'), cpiB('September Inflation UK - Annual')],
    [
      'a country that only the rules name',
      cpi('KXECONSTATCPIYOY', '26SEP'),
      cpiB('September Inflation - Annual', '2026-10-14T12:30:00Z', {
        description:
          'This market will resolve by the CPI of Canada for September 2026 as Statistics Canada reports it.',
      }),
    ],
    ['producer prices', cpi('KXECONSTATCPI', '26SEP'), cpiB('PPI MoM - September 2026')],
    [
      'another unemployment rate',
      ['KXECONSTATU3-26SEP', '', 'Exactly 7.9%'],
      ['september-u6', 'September U-6 Unemployment Rate', '7.9%', { endDate: '2026-10-02T12:30:00Z' }],
    ],
    [
      'the jobs of another report',
      ['KXPAYROLLS-26SEP', '', 'Above 50,000'],
      ['adp-september', 'How many ADP jobs added in September?', '50k to 100k', { endDate: '2026-09-30T12:30:00Z' }],
    ],
    [
      'a second estimate',
      ['KXGDP-26OCT29', 'US GDP growth in Q3 2026?', 'Above 2.0%'],
      [
        'us-gdp-growth-in-q3-2026-second',
        'US GDP growth in Q3 2026?',
        '2.0-2.5%',
        {
          description: 'This market will resolve by the second estimate of US GDP for Q3 2026.',
          endDate: '2026-11-25T13:30:00Z',
        },
      ],
    ],
    [
      'another quarter',
      ['KXGDP-26OCT29', 'US GDP growth in Q3 2026?', 'Above 2.0%'],
      ['us-gdp-growth-in-q4-2026', 'US GDP growth in Q4 2026?', '2.0-2.5%', { endDate: '2027-01-28T13:30:00Z' }],
    ],
    [
      'the whole year',
      ['KXGDP-26OCT29', 'US GDP growth in Q3 2026?', 'Above 2.0%'],
      ['us-gdp-growth-in-2026', 'US GDP growth in 2026?', '2.0-2.5%', { endDate: '2027-01-28T13:30:00Z' }],
    ],
  ])('do not match across venues: %s', (_name, left, right) => {
    expect(a(left).filter((one) => one.excluded === null || one.excluded === 'unreadable_date')).not.toEqual([]);
    expect(meet(left, right)).toBe(false);
  });
});
