import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cryptoA } from '../../functions/_shared/identity/price/crypto_a.ts';
import { assetNamed, priceSeries } from '../../functions/_shared/identity/price/crypto_assets.ts';
import { cryptoB } from '../../functions/_shared/identity/price/crypto_b.ts';
import { periodIn, yearsIn } from '../../functions/_shared/identity/price/crypto_period.ts';
import {
  byPrice,
  levelOfStrict,
  priceOf,
  priceOfLabel,
  priceOfSlug,
} from '../../functions/_shared/identity/price/threshold.ts';
import type { Wire } from '../../functions/_shared/identity/text/wire.ts';
import type { Question } from '../../functions/_shared/listing.ts';

/** Guarantee: a price level has one name on both venues, and only ladders of one asset, one direction and one instant or period share a key. */

const context = { now: '2026-07-10T12:00:00Z' };
const a = (event: Wire): Question | undefined => cryptoA(event, context)[0];
const b = (event: Wire): Question[] => cryptoB(event, context);

const marketB = (question: string, more: Wire = {}): Wire => ({
  question,
  conditionId: `0x${question}`,
  outcomes: '["Yes","No"]',
  clobTokenIds: `["${question}:0","${question}:1"]`,
  ...more,
});

describe('a price level', () => {
  it('has one text in every spelling', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 9_999_999 }), fc.integer({ min: 0, max: 4 }), (digits, decimals) => {
        const padded = String(digits).padStart(decimals + 1, '0');
        const whole = padded.slice(0, padded.length - decimals);
        const said = decimals === 0 ? whole : `${whole}.${padded.slice(-decimals)}`;
        const level = priceOf(said);
        const grouped = said.replace(/\B(?=(\d{3})+(?!\d)(?<!\.\d*))/g, ',');
        expect(level).not.toBeNull();
        expect([
          priceOf(Number(said)),
          priceOfLabel(`$${grouped}`),
          priceOfLabel(` ↑ ${said} `),
          priceOfSlug(said.replace('.', 'pt')),
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
  ])('reads %j', (label, level) => {
    expect(priceOfLabel(label)).toBe(level);
  });

  it.each(['', '$0', '60-65', '$94 to 94.99', '>1.90', '<$40', 'by March 31, 2026', '1,00', '-5', '1e5'])(
    'reads nothing in %j',
    (label) => {
      expect(priceOfLabel(label)).toBeNull();
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
  ] as const)('of a strict strike of %s is what it stands for', (strike, side, level, inclusive) => {
    expect(levelOfStrict(strike, side)).toEqual({ level, inclusive });
  });

  it('is ordered as a number', () => {
    expect(['100', '9', '0.7', '1.25', '1.5'].sort(byPrice)).toEqual(['0.7', '1.25', '1.5', '9', '100']);
  });
});

describe('a period', () => {
  const hints = { years: [] as number[], end: null, now: context.now };
  it.each([
    ['in July', '2026-07'],
    ['in July 2027', '2027-07'],
    ['by December 31, 2026', '2026'],
    ['by end of December', '2026'],
    ['by end of June', 'by:2026-06-30'],
    ['by the end of September 2026', 'by:2026-09-30'],
    ['by August 15', 'by:2026-08-15'],
    ['before August 15', 'by:2026-08-14'],
    ['April 13-19', '2026-04-13..2026-04-19'],
    ['april 27 may 3', '2026-04-27..2026-05-03'],
    ['Week of April 13 2026', '2026-04-13..2026-04-19'],
    ['on July 22', '2026-07-22'],
    ['in 2026', '2026'],
    ['before 2027', '2026'],
  ])('"%s" is %s', (said, key) => {
    expect(periodIn(said, hints)?.key).toBe(key);
  });

  it('says where its year comes from', () => {
    expect(periodIn('in July', { ...hints, years: [2025] })).toMatchObject({ key: '2025-07', year_by: 'text' });
    expect(periodIn('in January', { ...hints, end: '2027-02-01T05:00:00Z' })).toMatchObject({
      key: '2027-01',
      year_by: 'end_date',
    });
    expect(periodIn('in July', hints)).toMatchObject({ year_by: 'inferred' });
    expect(periodIn('before it is too late', hints)).toBeNull();
  });

  it('takes no price for a year', () => {
    expect(yearsIn('ethereum-above-2030-on-may-13-5pm-et', 'Will Ethereum reach $2,030 in May?')).toEqual([]);
    expect(yearsIn('will-bitcoin-reach-82500-in-july-2026', 'by Dec 31, 2027?')).toEqual([2026, 2027]);
  });
});

describe('a price above a level at an instant', () => {
  const rules =
    "If the simple average of the sixty seconds of CF Benchmarks' Bitcoin Real-Time Index (BRTI) before 5 PM EDT is above 77999.99 at 5 PM EDT on Sep 18, 2026, then the market resolves to Yes.";
  const market: Wire = {
    ticker: 'KXBTCD-26SEP1817-T77999.99',
    strike_type: 'greater',
    floor_strike: 77999.99,
    yes_sub_title: '$78,000 or above',
    rules_primary: rules,
  };
  const event: Wire = {
    event_ticker: 'KXBTCD-26SEP1817',
    title: 'Bitcoin price on Sep 18, 2026 at 5pm EDT?',
    markets: [market],
  };

  it('has the same key and the same instant on both venues', () => {
    const one = a(event);
    const [other] = b({
      slug: 'bitcoin-above-on-september-18-2026-5pm-et',
      markets: [marketB('Bitcoin above 78,000 on September 18, 5PM ET?')],
      endDate: '2026-09-18T21:00:00Z',
    });
    expect(one).toMatchObject({
      key: 'crypto_above|btc',
      on_date: '2026-09-18',
      category: 'crypto',
      exclusive: false,
      excluded: null,
      identity: { settles_at: '2026-09-18T21:00:00.000Z' },
    });
    expect(other).toMatchObject({
      key: one?.key,
      on_date: one?.on_date,
      identity: { settles_at: '2026-09-18T21:00:00.000Z', hour_by: 'title' },
    });
    expect(one?.legs[0]).toMatchObject({
      outcome_key: 'above_78000',
      side: 'yes',
      detail: { low: 78000, comparison: 'at_or_above' },
    });
    expect(other?.legs[0]).toMatchObject({
      outcome_key: 'above_78000',
      side: null,
      outcome_name: '$78,000',
      detail: { low: 78000, comparison: 'above' },
    });
    expect(one?.terms).toMatchObject({
      rules: 'read',
      index: 'cf_benchmarks',
      averaging: '60_seconds',
      comparison: 'at_or_above',
      fields_agree: true,
    });
  });

  it('means noon where venue_b says no hour', () => {
    const description =
      'This market will resolve to "Yes" if the Binance 1 minute candle for BTC/USDT 12:00 in the ET timezone (noon) on the date specified in the title has a final "Close" price higher than the price specified in the title.';
    const [question] = b({
      slug: 'bitcoin-above-on-september-18',
      markets: [
        marketB('Will the price of Bitcoin be above $78,000 on September 18?', {
          description,
          endDate: '2026-09-18T16:00:00Z',
        }),
      ],
    });
    expect(question).toMatchObject({
      identity: { settles_at: '2026-09-18T16:00:00.000Z', hour_by: 'rules' },
      terms: { index: 'binance', averaging: '1_minute_close', comparison: 'above' },
    });
    const [bare] = b({ slug: 'x', markets: [marketB('Will the price of XRP be above $1.60 on April 18?')] });
    expect(bare).toMatchObject({
      key: 'crypto_above|xrp',
      identity: { settles_at: '2026-04-18T16:00:00.000Z', hour_by: 'usual' },
    });
  });

  it('is read from the title of the event or a slug where a market has no question', () => {
    const labelled = { groupItemTitle: '72,600', question: null };
    const [titled] = b({
      slug: 'x',
      title: 'Bitcoin above ___ on April 15, 6PM ET?',
      markets: [marketB('q', labelled)],
    });
    const [slugged] = b({ slug: 'bitcoin-above-on-april-15-2026-6pm-et', markets: [marketB('q', labelled)] });
    const [own] = b({
      slug: 'x',
      markets: [marketB('q', { question: null, slug: 'bitcoin-above-72600-on-april-15-2026-6pm-et' })],
    });
    for (const question of [titled, slugged, own])
      expect(question).toMatchObject({
        key: 'crypto_above|btc',
        identity: { settles_at: '2026-04-15T22:00:00.000Z' },
        legs: [{ outcome_key: 'above_72600' }],
      });
  });

  it("settles a future on its last trading day, at its market's end", () => {
    const question = 'Will Crude Oil (CL) settle over $63 on the final trading day of June 2026?';
    expect(b({ slug: 'x', markets: [marketB(question, { endDate: '2026-06-30T18:30:00Z' })] })[0]).toMatchObject({
      key: 'crypto_above|wti',
      category: 'commodities',
      identity: { settles_at: '2026-06-30T18:30:00.000Z' },
    });
    expect(b({ slug: 'x', markets: [marketB(question, { endDate: '2026-07-31T18:30:00Z' })] })).toEqual([]);
    expect(b({ slug: 'x', markets: [marketB(question)] })).toEqual([]);
  });

  it('reads a commodity with its own clock', () => {
    expect(
      a({
        event_ticker: 'KXWTI-26SEP0914',
        title: 'WTI oil price on Sep 9, 2026 at 2:30 PM EDT?',
        markets: [{ ticker: 'x', strike_type: 'greater', floor_strike: 81.99 }],
      }),
    ).toMatchObject({
      key: 'crypto_above|wti',
      category: 'commodities',
      identity: { settles_at: '2026-09-09T18:30:00.000Z' },
      legs: [{ outcome_key: 'above_82' }],
    });
    expect(
      a({ event_ticker: 'KXGOLDD-26SEP09', markets: [{ ticker: 'x', strike_type: 'greater', floor_strike: 4000 }] }),
    ).toMatchObject({ excluded: 'unreadable_date', legs: [] });
  });

  it('takes the minute that a ticker lacks from a strike date within its hour, and from no other', () => {
    const wti = {
      event_ticker: 'KXWTI-26SEP0914',
      markets: [{ ticker: 'x', strike_type: 'greater', floor_strike: 81.99 }],
    };
    expect(a({ ...wti, strike_date: '2026-09-09T18:30:00Z' })?.identity.settles_at).toBe('2026-09-09T18:30:00.000Z');
    expect(a({ ...wti, strike_date: '2026-09-09T23:30:00Z' })?.identity.settles_at).toBe('2026-09-09T18:00:00.000Z');
  });

  it('takes a strike from the ticker of a cumulative ladder where there is nothing else', () => {
    expect(
      a({ event_ticker: 'KXETHD-26MAY1317', markets: [{ ticker: 'KXETHD-26MAY1317-T1449.99' }] })?.legs[0]?.outcome_key,
    ).toBe('above_1450');
    expect(
      a({ event_ticker: 'KXBTCMAXMON-BTC-26JUL31', markets: [{ ticker: 'KXBTCMAXMON-BTC-26JUL31-7250000' }] }),
    ).toMatchObject({ excluded: 'incomplete' });
  });

  it.each<[string, Wire]>([
    ['a ladder of ranges', { ...event, event_ticker: 'KXWTI-26SEP1817', mutually_exclusive: true }],
    [
      'a range among its rungs',
      { ...event, markets: [market, { ticker: 'r', strike_type: 'between', floor_strike: 1, cap_strike: 2 }] },
    ],
    ['a range by its label', { ...event, markets: [{ ticker: 'r', yes_sub_title: '$94 to 94.99' }] }],
    ['quarter hours', { ...event, event_ticker: 'KXBTC15M-26SEP181715' }],
    ['a race of two levels', { ...event, event_ticker: 'KXBTC75VS100-BTC-26DEC31' }],
    ['a question of when', { ...event, event_ticker: 'KXBTCMAX150-25' }],
    ['an asset that nobody knows', { ...event, event_ticker: 'KXFOOD-26SEP1817' }],
  ])('leaves %s alone', (_name, listed) => {
    expect(a(listed)).toBeUndefined();
  });

  it.each<[string, Question | undefined]>([
    ['strikes against the label', a({ ...event, markets: [{ ...market, yes_sub_title: '$79,000 or above' }] })],
    [
      'rules against the strikes',
      a({ ...event, markets: [{ ...market, rules_primary: rules.replace('77999.99', '78999.99') }] }),
    ],
    ['a title of another day', a({ ...event, title: 'Bitcoin price on Sep 19, 2026 at 5pm EDT?' })],
    ['a title of another hour', a({ ...event, title: 'Bitcoin price on Sep 18, 2026 at 4pm EDT?' })],
    [
      'a label against the question',
      b({
        slug: 'x',
        markets: [marketB('Bitcoin above 78,000 on September 18, 5PM ET?', { groupItemTitle: '79,000' })],
      })[0],
    ],
  ])('refuses %s', (_name, question) => {
    expect(question).toMatchObject({ excluded: 'contradictory', legs: [] });
  });

  it('notes a text of another day or hour', () => {
    const other = rules.replaceAll('5 PM', '4 PM');
    expect(a({ ...event, markets: [{ ...market, rules_primary: other }] })?.terms.fields_agree).toBe(false);
  });

  it.each([
    'Will the price of Bitcoin be between $66,000 and $68,000 on April 22?',
    'Will the price of Bitcoin be less than $62,000 on April 19?',
    'Will the price of Solana be greater than $130 on April 20?',
    'Bitcoin Up or Down - May 14, 8:50AM-8:55AM ET',
    'Will the Bitcoin Volatility Index hit 70 by April 30?',
    'Will US crude oil reserves fall to 350M by May 1?',
    'Will the average monthly Ethereum gas price hit 20 Gwei before 2027?',
    'Base FDV above $2B one day after launch?',
  ])('leaves alone: %s', (question) => {
    expect(b({ slug: 'x', title: null, markets: [marketB(question)] })).toEqual([]);
  });
});

describe("a period's high or low", () => {
  const high: Wire = {
    event_ticker: 'KXBTCMAXMON-BTC-26JUL31',
    series_ticker: 'KXBTCMAXMON',
    title: 'How high will BTC get in July?',
    markets: [
      {
        ticker: 'h',
        title: 'Will BTC trimmed mean be above $72,500 by 11:59 PM ET on Jul 31, 2026?',
        strike_type: 'greater',
        floor_strike: 72500,
      },
    ],
  };
  const low: Wire = {
    event_ticker: 'KXBTCMINMON-BTC-26JUL31',
    markets: [
      {
        ticker: 'l',
        title: 'Will BTC trimmed mean be below $50,000 by 11:59 PM ET on Jul 31, 2026?',
        strike_type: 'less',
        cap_strike: 50000,
      },
    ],
  };
  const slug = 'what-price-will-bitcoin-hit-in-july-2026';
  const july: Wire = {
    slug,
    markets: [marketB('Will Bitcoin reach $72,500 in July?'), marketB('Will Bitcoin dip to $50,000 in July?')],
  };

  it('makes two questions of one event of venue_b, each with its own legs and id', () => {
    const [one, other] = [a(high), a(low)];
    const [up, down] = b(july);
    expect(up).toMatchObject({
      question_id: `venue_b:${slug}:high`,
      key: 'crypto_above|btc|high|2026-07',
      on_date: null,
      identity: { year_by: 'text' },
      legs: [
        {
          outcome_key: 'high_72500',
          outcome_name: '↑ $72,500',
          detail: { low: 72500, high: null, comparison: 'at_or_above' },
        },
      ],
    });
    expect(down).toMatchObject({
      question_id: `venue_b:${slug}:low`,
      key: 'crypto_above|btc|low|2026-07',
      legs: [{ outcome_key: 'low_50000', detail: { low: null, high: 50000, comparison: 'at_or_below' } }],
    });
    expect([one?.key, one?.legs[0]?.outcome_key]).toEqual([up?.key, up?.legs[0]?.outcome_key]);
    expect([other?.key, other?.legs[0]?.outcome_key]).toEqual([down?.key, down?.legs[0]?.outcome_key]);
    expect(one).toMatchObject({
      on_date: null,
      terms: { averaging: 'trimmed_mean', comparison: 'above' },
      legs: [{ side: 'yes', outcome_name: 'Above $72,500' }],
    });
  });

  it('reads arrows where there is no question, and does not believe one that points elsewhere', () => {
    const arrows = [
      marketB('1', { question: null, groupItemTitle: '↑ 150,000' }),
      marketB('2', { question: null, groupItemTitle: '↓ 70,000 ' }),
    ];
    expect(
      b({ slug: 'x', title: 'What price will Bitcoin hit in July?', markets: arrows }).map(
        (one) => one.legs[0]?.outcome_key,
      ),
    ).toEqual(['high_150000', 'low_70000']);
    expect(b({ slug, markets: arrows }).map((one) => one.key)).toEqual([
      'crypto_above|btc|high|2026-07',
      'crypto_above|btc|low|2026-07',
    ]);
    expect(
      b({ slug, markets: [marketB('Will Bitcoin reach $72,500 in July?', { groupItemTitle: '↓ 72,500' })] })[0],
    ).toMatchObject({ excluded: 'contradictory' });
    expect(b({ slug: 'x', markets: [marketB('Will Bitcoin hit $130k in July?')] })).toEqual([]);
  });

  it.each([
    ['KXETHMAXY-27JAN01', 'How high will Ethereum get in 2026?', 'crypto_above|eth|high|2026'],
    ['KXBTCMAXY-26DEC31', null, 'crypto_above|btc|high|2026'],
    ['KXWTIMIN-26DEC31', 'How low will oil (WTI) get by end of year?', 'crypto_above|wti|low|2026'],
    ['KXWTIMINM-26MAY29', 'How low will oil (WTI) get before May 30, 2026?', 'crypto_above|wti|low|2026-05'],
    ['KXDOGEMINMON-DOGE-26MAY31', 'How low will Dogecoin get in May?', 'crypto_above|doge|low|2026-05'],
  ])('names the period of %s', (event_ticker, title, key) => {
    expect(a({ event_ticker, title, markets: [] })?.key).toBe(key);
  });

  it('keeps other periods, directions and assets apart', () => {
    const keys = [
      ...b(july),
      ...b({ slug: 'y', markets: [marketB('Will Bitcoin reach $72,500 by July 31, 2026?')] }),
      ...b({ slug: 'z', markets: [marketB('Will Bitcoin reach $72,500 on July 31?')] }),
      ...b({ slug: 'w', markets: [marketB('Will Bitcoin reach $72,500 July 27 - August 2?')] }),
      ...b({ slug: 'v', markets: [marketB('Will Bitcoin reach $72,500 by December 31, 2026?')] }),
      ...b({ slug: 'g', markets: [marketB('Will Gold (GC) hit (HIGH) $6,200 in July?')] }),
      ...b({ slug: 's', markets: [marketB('Will Gold (XAUUSD) hit (HIGH) $6,200 in July?')] }),
    ].map((one) => one.key);
    expect(new Set(keys).size).toBe(keys.length);
    expect(keys.at(-2)).toBe('crypto_above|gold-futures|high|2026-07');
  });

  it('refuses a market that speaks of another month than its event', () => {
    expect(a({ ...high, title: 'How high will BTC get in August?' })).toMatchObject({ excluded: 'contradictory' });
    expect(a({ ...high, event_ticker: 'KXBTCMAXMON-BTC-26AUG31', title: null })).toMatchObject({
      excluded: 'contradictory',
    });
  });

  it('notes rules that look at the other end of a candle', () => {
    const description =
      'This market will immediately resolve to "Yes" if any Binance 1-minute candle for BTC/USDT has a final "Low" price equal to or lower than the price specified in the title.';
    expect(
      b({ slug, markets: [marketB('Will Bitcoin reach $72,500 in July?', { description })] })[0]?.terms,
    ).toMatchObject({ index: 'binance', averaging: '1_minute_extreme', early_close: 'event', fields_agree: false });
  });
});

describe('names', () => {
  it('are decided by the symbol in brackets', () => {
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
  ])('%s asks for %s, %s', (series, asset, kind) => {
    expect(priceSeries(series)).toMatchObject({ asset: { id: asset }, kind });
  });

  it.each(['KXSOLE', 'KXBTC15M', 'KXBTCMAX100', 'KXBTCVSGOLD', 'KXGOLDCARDS', 'KXNEARX', 'BTCD'])(
    '%s is none of them',
    (series) => {
      expect(priceSeries(series)).toBeNull();
    },
  );
});

describe('hostile listings', () => {
  it('never throw', () => {
    const value = fc.oneof(
      fc.jsonValue(),
      fc.constantFrom(
        'Will Bitcoin reach $72,500 in July?',
        '↑ 110,000',
        'greater',
        '2026-06-08T12:00:00Z',
        '["Yes","No"]',
        'Bitcoin above ___ on February 30?',
      ),
    );
    const market = fc.dictionary(
      fc.constantFrom(
        'ticker',
        'yes_sub_title',
        'title',
        'strike_type',
        'floor_strike',
        'cap_strike',
        'rules_primary',
        'groupItemTitle',
        'question',
        'slug',
        'outcomes',
        'clobTokenIds',
        'conditionId',
        'endDate',
        'description',
      ),
      value,
    );
    fc.assert(
      fc.property(fc.array(market), value, value, (markets, title, end) => {
        const shared = {
          title,
          endDate: end,
          eventDate: end,
          strike_date: end,
          markets,
          settlement_sources: end,
          description: title,
        } as Wire;
        for (const event_ticker of [
          'KXBTCD-26SEP1817',
          'KXBTCMAXMON-BTC-26JUL31',
          'KXWTIMAX-26DEC31',
          'KXBTCD-26SEP9999',
        ])
          cryptoA({ ...shared, event_ticker }, context);
        for (const slug of ['bitcoin-above-on-april-31', 'what-price-will-bitcoin-hit-in-july-2026'])
          cryptoB({ ...shared, slug }, { now: 'never' });
      }),
    );
  });
});
