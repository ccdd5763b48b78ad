import { describe, expect, it } from 'vitest';
import { parsePeriod, parseYears } from '../../functions/ingest/identity/price/crypto_period.ts';
import type { RawObject } from '../../functions/ingest/identity/text/raw_object.ts';
import { a, b, context, marketB } from './crypto_fixtures.ts';

/** Guarantee: only ladders of one asset, one direction and one period share a key. */
describe('parsePeriod and parseYears', () => {
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
  ])('parses the period "%s" as %s', (text, key) => {
    expect(parsePeriod(text, hints)?.key).toBe(key);
  });

  it('reports where the year of a period comes from', () => {
    expect(parsePeriod('in July', { ...hints, years: [2025] })).toMatchObject({ key: '2025-07', year_by: 'text' });
    expect(parsePeriod('in January', { ...hints, end: '2027-02-01T05:00:00Z' })).toMatchObject({
      key: '2027-01',
      year_by: 'end_date',
    });
    expect(parsePeriod('in July', hints)).toMatchObject({ year_by: 'inferred' });
    expect(parsePeriod('before it is too late', hints)).toBeNull();
  });

  it('does not parse a price as a year', () => {
    expect(parseYears('ethereum-above-2030-on-may-13-5pm-et', 'Will Ethereum reach $2,030 in May?')).toEqual([]);
    expect(parseYears('will-bitcoin-reach-82500-in-july-2026', 'by Dec 31, 2027?')).toEqual([2026, 2027]);
  });
});

describe('the high or low of a period', () => {
  const high: RawObject = {
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
  const low: RawObject = {
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
  const july: RawObject = {
    slug,
    markets: [marketB('Will Bitcoin reach $72,500 in July?'), marketB('Will Bitcoin dip to $50,000 in July?')],
  };

  it('makes two questions of one venue_b event, each with its own legs and id', () => {
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
      on_date: null,
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

  it('parses arrows when there is no question, and excludes an arrow that contradicts the question', () => {
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
  ])('parses the period of %s', (event_ticker, title, key) => {
    expect(a({ event_ticker, title, markets: [] })?.key).toBe(key);
  });

  it('gives other periods, directions and assets other keys', () => {
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

  it('excludes a price market that names another month than its event', () => {
    expect(a({ ...high, title: 'How high will BTC get in August?' })).toMatchObject({ excluded: 'contradictory' });
    expect(a({ ...high, event_ticker: 'KXBTCMAXMON-BTC-26AUG31', title: null })).toMatchObject({
      excluded: 'contradictory',
    });
  });

  it('sets fields_agree to false when the rules use the other extreme of a candle', () => {
    const description =
      'This market will immediately resolve to "Yes" if any Binance 1-minute candle for BTC/USDT has a final "Low" price equal to or lower than the price specified in the title.';
    expect(
      b({ slug, markets: [marketB('Will Bitcoin reach $72,500 in July?', { description })] })[0]?.terms,
    ).toMatchObject({ index: 'binance', averaging: '1_minute_extreme', early_close: 'event', fields_agree: false });
  });
});
