import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { questionsOfVenueA } from '../../functions/_shared/identity/venue_a.ts';
import { questionsOfVenueB } from '../../functions/_shared/identity/venue_b.ts';
import type { Question } from '../../functions/_shared/listing.ts';

/**
 * Guarantee: however both venues spell the rungs of a ladder, two contracts with one outcome key pay for the same values. What each
 * pays for is computed here from the figures that the spelling was made of, never from what was read.
 */

const NOW = '2026-10-01T12:00:00Z';
type Fields = { [field: string]: unknown };
/** A contract as it is spelled, and for which values it pays. */
type Spelled = { fields: Fields; pays: (value: number) => boolean };

function readA(ticker: string, title: string, rungs: Spelled[], more: Fields = {}): Question[] {
  const markets = rungs.map((one, at) => ({ ticker: `${ticker}-X${at}`, ...one.fields }));
  const event = { event_ticker: ticker, series_ticker: ticker.split('-')[0], title, ...more, markets };
  return questionsOfVenueA(event, { now: NOW }).questions;
}

function readB(slug: string, title: string, rungs: Spelled[], more: Fields = {}): Question[] {
  const markets = rungs.map((one, at) => ({
    conditionId: `X${at}`,
    outcomes: at % 2 === 0 ? '["Yes", "No"]' : '["No", "Yes"]',
    clobTokenIds: at % 2 === 0 ? `["X${at}", "no"]` : `["no", "X${at}"]`,
    ...one.fields,
  }));
  return questionsOfVenueB({ slug, title, ...more, markets }, { now: NOW }).questions;
}

/** Legs that would stand beside each other: equal family, key and outcome. */
function beside(a: Question[], b: Question[]): [number, number][] {
  return a.flatMap((one) =>
    b.flatMap((other) =>
      one.family === other.family && one.key === other.key && one.excluded === null && other.excluded === null
        ? one.legs.flatMap((leg) =>
            other.legs.flatMap((twin): [number, number][] => {
              if (leg.outcome_key !== twin.outcome_key) return [];
              expect(leg.side).toBe('yes');
              return [[Number(leg.contract_id.split('-X')[1]), Number(twin.contract_id.slice(1))]];
            }),
          )
        : [],
    ),
  );
}

/** Every two that stand beside each other pay alike for all `values`; `found` counts them, so that the test cannot pass on nothing. */
function agree(a: Question[], rungsA: Spelled[], b: Question[], rungsB: Spelled[], values: number[]): number {
  const found = beside(a, b);
  for (const [left, right] of found) {
    const [one, other] = [rungsA[left], rungsB[right]];
    for (const value of values) {
      if (one?.pays(value) !== other?.pays(value))
        throw new Error(`${JSON.stringify(one?.fields)} and ${JSON.stringify(other?.fields)} part at ${value}`);
    }
  }
  return found.length;
}

const range = (from: number, to: number, step = 1): number[] =>
  Array.from({ length: Math.round((to - from) / step) + 1 }, (_, at) => Number((from + at * step).toFixed(4)));
const pick = <T>(...all: T[]) => fc.constantFrom(...all);

describe('temperatures', () => {
  const degree = fc.integer({ min: -8, max: 6 });
  const warmA: fc.Arbitrary<Spelled> = fc
    .record({ low: degree, kind: pick('between', 'greater', 'less'), bare: fc.boolean() })
    .map(({ low, kind, bare }) => {
      const label =
        kind === 'between'
          ? `${low}° to ${low + 1}°`
          : kind === 'greater'
            ? `${low + 1}° or above`
            : `${low - 1}° or below`;
      const fields = {
        strike_type: kind,
        ...(kind !== 'less' ? { floor_strike: low } : {}),
        ...(kind === 'less' ? { cap_strike: low } : kind === 'between' ? { cap_strike: low + 1 } : {}),
        ...(bare ? {} : { yes_sub_title: label }),
      };
      return {
        fields,
        pays: (v) => (kind === 'between' ? v === low || v === low + 1 : kind === 'greater' ? v > low : v < low),
      };
    });
  const warmB: fc.Arbitrary<Spelled> = fc
    .record({
      low: degree,
      kind: pick('pair', 'one', 'up', 'down'),
      dash: pick('-', '–', ' to ', '−'),
      word: pick('or', 'and'),
      up: pick('higher', 'above', 'more'),
      down: pick('below', 'lower', 'less'),
      gap: pick('', ' '),
    })
    .map(({ low, kind, dash, word, up, down, gap }) => {
      const unit = `${gap}°F`;
      const label =
        kind === 'pair'
          ? `${low}${dash}${low + 1}${unit}`
          : kind === 'one'
            ? `${low}${unit}`
            : `${low}${unit} ${word} ${kind === 'up' ? up : down}`;
      return {
        fields: { groupItemTitle: label },
        pays: (v) =>
          kind === 'pair'
            ? v === low || v === low + 1
            : kind === 'one'
              ? v === low
              : kind === 'up'
                ? v >= low
                : v <= low,
      };
    });

  it('meet in bands that hold the same degrees, below zero as well', () => {
    let found = 0;
    fc.assert(
      fc.property(fc.array(warmA, { maxLength: 12 }), fc.array(warmB, { maxLength: 12 }), (a, b) => {
        found += agree(
          readA('KXLOWTMIN-27JAN01', 'Lowest temperature on Jan 1, 2027?', a),
          a,
          readB(
            'lowest-temperature-in-minneapolis-on-january-1-2027',
            'Lowest temperature in Minneapolis on January 1?',
            b,
          ),
          b,
          range(-60, 60),
        );
      }),
      { numRuns: 400 },
    );
    expect(found).toBeGreaterThan(50);
  });

  it('of Celsius never meet those of Fahrenheit', () => {
    const a = readA('KXHIGHMIA-26OCT03', 'x', [
      { fields: { strike_type: 'between', floor_strike: 28, cap_strike: 29 }, pays: () => true },
    ]);
    const b = readB('highest-temperature-in-miami-on-october-3-2026', 'Highest temperature in Miami on October 3?', [
      { fields: { groupItemTitle: '28-29°C' }, pays: () => true },
    ]);
    expect(beside(a, b)).toEqual([]);
  });
});

describe('prices', () => {
  const level = fc.integer({ min: 1, max: 12 }).map((n) => n * 500);
  const grouped = (n: number) => n.toLocaleString('en-US');
  const abovA: fc.Arbitrary<Spelled> = fc
    .record({ level, cent: pick(-1, 0, 1), label: pick('above', 'or', 'none') })
    .map(({ level: at, cent, label }) => {
      const strike = Number((at + cent / 100).toFixed(2));
      const said =
        label === 'none'
          ? {}
          : cent === -1
            ? { yes_sub_title: `$${grouped(at)} or above` }
            : { yes_sub_title: `Above $${grouped(strike)}` };
      return { fields: { strike_type: 'greater', floor_strike: strike, ...said }, pays: (v) => v > strike };
    });
  const spelled = (n: number, how: string) =>
    how === 'k' && n % 1000 === 0
      ? `${n / 1000}k`
      : how === 'dollar'
        ? `$${grouped(n)}`
        : how === 'cents'
          ? `$${grouped(n)}.00`
          : grouped(n);
  const aboveB: fc.Arbitrary<Spelled> = fc
    .record({ level, how: pick('k', 'dollar', 'plain', 'cents') })
    .map(({ level: at, how }) => ({
      fields: {
        question: `Will the price of Bitcoin be above ${spelled(at, how)} on October 6?`,
        groupItemTitle: spelled(at, how === 'cents' ? 'plain' : how),
      },
      pays: (v) => v > at,
    }));

  it('meet on the same level, give or take the level itself, which is disclosed', () => {
    let found = 0;
    fc.assert(
      fc.property(fc.array(abovA, { maxLength: 15 }), fc.array(aboveB, { maxLength: 15 }), (a, b) => {
        const levels = b.map(
          (one) =>
            Number(/above \$?([\d.,]+)(k?)/.exec(String(one.fields.question))?.[1]?.replace(/,/g, '')) *
            (/\dk on/.test(String(one.fields.question)) ? 1000 : 1),
        );
        found += agree(
          readA('KXBTCD-26OCT0612', 'Bitcoin price on Oct 6, 2026?', a),
          a,
          readB('bitcoin-above-on-october-6-2026', 'Bitcoin above ___ on October 6?', b, {
            endDate: '2026-10-06T16:00:00Z',
          }),
          b,
          levels.flatMap((at) => [at - 250, at - 0.5, at - 0.02, at - 0.01, at + 0.01, at + 0.02, at + 0.5, at + 250]),
        );
      }),
      { numRuns: 400 },
    );
    expect(found).toBeGreaterThan(50);
  });
});

describe('prints', () => {
  const tenth = fc.integer({ min: -3, max: 9 }).map((n) => n / 10);
  const shown = (n: number) => n.toFixed(1);
  const exact: fc.Arbitrary<Spelled> = tenth.map((at) => ({
    fields: { yes_sub_title: `Exactly ${shown(at)}%`, floor_strike: at },
    pays: (v) => v === at,
  }));
  const above: fc.Arbitrary<Spelled> = tenth.map((at) => ({
    fields: { yes_sub_title: `Above ${shown(at)}%`, strike_type: 'greater', floor_strike: at },
    pays: (v) => v > at,
  }));
  const bucket: fc.Arbitrary<Spelled> = fc
    .record({
      at: tenth,
      how: pick('one', 'le', 'ge', 'lt', 'gt', 'orless', 'ormore', 'plus', 'most', 'least', 'under', 'over'),
      asked: fc.boolean(),
    })
    .map(({ at, how, asked }) => {
      const n = `${shown(at)}%`;
      const label =
        {
          one: n,
          le: `≤${n}`,
          ge: `≥${n}`,
          lt: `<${n}`,
          gt: `>${n}`,
          orless: `${n} or less`,
          ormore: `${n} or more`,
          plus: `${n}+`,
          most: `at most ${n}`,
          least: `at least ${n}`,
          under: `less than ${n}`,
          over: `more than ${n}`,
        }[how] ?? n;
      const fields: Fields = asked
        ? { groupItemTitle: label, question: `Will annual inflation be ${label} in September?` }
        : { groupItemTitle: label };
      const pays = (v: number) =>
        how === 'one'
          ? v === at
          : ['le', 'orless', 'most'].includes(how)
            ? v <= at
            : ['ge', 'ormore', 'plus', 'least'].includes(how)
              ? v >= at
              : ['lt', 'under'].includes(how)
                ? v < at
                : v > at;
      return { fields, pays };
    });

  it.each([
    ['exact figures', 'KXECONSTATCPIYOY-26SEP', exact, 'CPI year-over-year in Sep 2026?'],
    ['thresholds', 'KXCPIYOY-26SEP', above, 'CPI year-over-year in Sep 2026?'],
  ])('%s meet buckets that hold the same printed figures', (_name, ticker, rung, title) => {
    let found = 0;
    fc.assert(
      fc.property(fc.array(rung, { maxLength: 15 }), fc.array(bucket, { maxLength: 15 }), (a, b) => {
        found += agree(
          readA(ticker, title, a),
          a,
          readB('september-inflation-us-annual', 'September Inflation US - Annual', b, {
            endDate: '2026-10-14T03:59:00Z',
          }),
          b,
          range(-2, 8, 0.1),
        );
      }),
      { numRuns: 400 },
    );
    expect(found).toBeGreaterThan(20);
  });
});

describe('decisions', () => {
  type Move = { sign: number; size: number; how: 'exact' | 'more' | 'least' | 'range' };
  const move = (sizes: number[]): fc.Arbitrary<Move> =>
    fc.record({ sign: pick(-1, 1), size: pick(...sizes), how: pick('exact', 'exact', 'more', 'least', 'range') });
  const pays =
    ({ sign, size, how }: Move) =>
    (bp: number): boolean => {
      const by = bp * sign;
      if (size === 0) return how === 'exact' ? bp === 0 : by > 0;
      if (how === 'exact') return by === size;
      if (how === 'range') return by >= 1 && by <= size;
      return how === 'more' ? by > size : by >= size;
    };
  const spell = (one: Move, words: [string, string], grammar: 'a' | 'b', other: boolean): string => {
    const word = one.sign < 0 ? words[0] : words[1];
    const size = {
      exact: `${one.size}`,
      more: other ? `>${one.size}` : `more than ${one.size}`,
      least: other ? `${one.size}+` : `at least ${one.size}`,
      range: `1-${one.size}`,
    }[one.how];
    return grammar === 'a' ? `${word} ${size}bps` : `${size} bps ${word}`;
  };
  const movesA = (sizes: number[]) =>
    fc.tuple(move(sizes), fc.boolean()).map(
      ([one, other]): Spelled => ({
        fields: { yes_sub_title: spell(one, ['Cut', 'Hike'], 'a', other) },
        pays: pays(one),
      }),
    );
  const movesB = (sizes: number[]) =>
    fc.tuple(move(sizes), fc.boolean()).map(
      ([one, other]): Spelled => ({
        fields: { groupItemTitle: spell(one, ['decrease', 'increase'], 'b', other) },
        pays: pays(one),
      }),
    );

  it.each<[string, string, string, string, number[], number[]]>([
    [
      'on a grid of 25',
      'KXFEDDECISION-26OCT',
      'fed-decision-in-october',
      'Fed decision in October?',
      [0, 25, 50, 75],
      range(-100, 100, 25),
    ],
    [
      'of a bank without a grid',
      'KXCBDECISIONHUNGARY-26OCT20',
      'bank-of-hungary-decision-in-october',
      'Hungarian National Bank decision in October?',
      [0, 5, 10, 25, 50],
      range(-100, 100, 1),
    ],
  ])('%s meet where they pay for the same moves', (_name, ticker, slug, title, sizes, values) => {
    let found = 0;
    fc.assert(
      fc.property(fc.array(movesA(sizes), { maxLength: 8 }), fc.array(movesB(sizes), { maxLength: 8 }), (a, b) => {
        found += agree(
          readA(ticker, title, a),
          a,
          readB(slug, title, b, { endDate: '2026-10-29T03:59:00Z' }),
          b,
          values,
        );
      }),
      { numRuns: 400 },
    );
    expect(found).toBeGreaterThan(50);
  });
});

describe('times and neighbours', () => {
  type Listing = [id: string, title: string, label: string | Fields, more?: Fields];
  const rung = (label: string | Fields): Spelled[] => [
    { fields: typeof label === 'string' ? { yes_sub_title: label, groupItemTitle: label } : label, pays: () => true },
  ];
  const a = ([id, title, label, more]: Listing) => readA(id, title, rung(label), more);
  const b = ([id, title, label, more]: Listing) => readB(id, title, rung(label), more);
  /** What the match pass holds against each other before it looks at legs. */
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
      'noon of the day on which it begins',
      coin('27MAR1412'),
      coinB('bitcoin-above-on-march-14-2027', 'March 14', '2027-03-14T16:00:00Z'),
    ],
    [
      'the last noon of a year, slug without it',
      coin('26DEC3112'),
      coinB('bitcoin-above-on-december-31', 'December 31', '2026-12-31T17:00:00Z'),
    ],
    ['the first day of a year', warm('27JAN01'), warmB('january-1', '2027-01-01T12:00:00Z')],
    ['the last one', warm('26DEC31'), warmB('december-31', '2026-12-31T12:00:00Z')],
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
  ])('%s is one question', (_name, left, right) => {
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
      'noon by the clock of summer in winter',
      coin('26DEC0111'),
      coinB('bitcoin-above-on-december-1-2026', 'December 1', '2026-12-01T17:00:00Z'),
    ],
    [
      'an hour that no clock shows',
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
  ])('%s is another', (_name, left, right) => {
    expect(a(left).filter((one) => one.excluded === null || one.excluded === 'unreadable_date')).not.toEqual([]);
    expect(meet(left, right)).toBe(false);
  });
});
