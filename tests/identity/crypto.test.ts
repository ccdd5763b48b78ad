import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cryptoA } from '../../functions/ingest/identity/price/crypto_a.ts';
import { cryptoB } from '../../functions/ingest/identity/price/crypto_b.ts';
import type { RawObject } from '../../functions/ingest/identity/text/raw_object.ts';
import type { Question } from '../../functions/ingest/listing.ts';
import { corruptedMarket, corruptedValue } from './corrupted_market.ts';
import { a, b, context, marketB } from './crypto_fixtures.ts';

/**
 * Guarantee: only ladders of one asset and one instant share a key, and no field value stops the
 * parsing of a listing.
 */
describe('a price ladder at an instant', () => {
  const rules =
    "If the simple average of the sixty seconds of CF Benchmarks' Bitcoin Real-Time Index (BRTI) before 5 PM EDT is above 77999.99 at 5 PM EDT on Sep 18, 2026, then the market resolves to Yes.";
  const market: RawObject = {
    ticker: 'KXBTCD-26SEP1817-T77999.99',
    strike_type: 'greater',
    floor_strike: 77999.99,
    yes_sub_title: '$78,000 or above',
    rules_primary: rules,
  };
  const event: RawObject = {
    event_ticker: 'KXBTCD-26SEP1817',
    title: 'Bitcoin price on Sep 18, 2026 at 5pm EDT?',
    markets: [market],
  };

  it('gives a price ladder the same key and the same instant on both venues', () => {
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

  it('uses noon in New York when venue_b states no hour', () => {
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

  it('parses a ladder from the title of the event or from a slug when its market has no question', () => {
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

  it('settles a future on its last trading day, at the end of its market', () => {
    const question = 'Will Crude Oil (CL) settle over $63 on the final trading day of June 2026?';
    expect(b({ slug: 'x', markets: [marketB(question, { endDate: '2026-06-30T18:30:00Z' })] })[0]).toMatchObject({
      key: 'crypto_above|wti',
      category: 'commodities',
      identity: { settles_at: '2026-06-30T18:30:00.000Z' },
    });
    expect(b({ slug: 'x', markets: [marketB(question, { endDate: '2026-07-31T18:30:00Z' })] })).toEqual([]);
    expect(b({ slug: 'x', markets: [marketB(question)] })).toEqual([]);
  });

  it('parses the hour of a commodity from its title', () => {
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

  it('takes the minute of a settlement from a strike date only when it is within the hour of the ticker', () => {
    const wti = {
      event_ticker: 'KXWTI-26SEP0914',
      markets: [{ ticker: 'x', strike_type: 'greater', floor_strike: 81.99 }],
    };
    expect(a({ ...wti, strike_date: '2026-09-09T18:30:00Z' })?.identity.settles_at).toBe('2026-09-09T18:30:00.000Z');
    expect(a({ ...wti, strike_date: '2026-09-09T23:30:00Z' })?.identity.settles_at).toBe('2026-09-09T18:00:00.000Z');
  });

  it('takes a strike from the ticker of a cumulative ladder when no other field has one', () => {
    expect(
      a({ event_ticker: 'KXETHD-26MAY1317', markets: [{ ticker: 'KXETHD-26MAY1317-T1449.99' }] })?.legs[0]?.outcome_key,
    ).toBe('above_1450');
    expect(
      a({ event_ticker: 'KXBTCMAXMON-BTC-26JUL31', markets: [{ ticker: 'KXBTCMAXMON-BTC-26JUL31-7250000' }] }),
    ).toMatchObject({ excluded: 'incomplete' });
  });

  it.each<[string, RawObject]>([
    ['a ladder of ranges', { ...event, event_ticker: 'KXWTI-26SEP1817', mutually_exclusive: true }],
    [
      'a range among its rungs',
      { ...event, markets: [market, { ticker: 'r', strike_type: 'between', floor_strike: 1, cap_strike: 2 }] },
    ],
    ['a range by its label', { ...event, markets: [{ ticker: 'r', yes_sub_title: '$94 to 94.99' }] }],
    ['quarter hours', { ...event, event_ticker: 'KXBTC15M-26SEP181715' }],
    ['a race of two levels', { ...event, event_ticker: 'KXBTC75VS100-BTC-26DEC31' }],
    ['a question of when', { ...event, event_ticker: 'KXBTCMAX150-25' }],
    ['an unknown asset', { ...event, event_ticker: 'KXFOOD-26SEP1817' }],
  ])('ignores %s on venue_a', (_name, listed) => {
    expect(a(listed)).toBeUndefined();
  });

  it.each<[string, Question | undefined]>([
    [
      'strikes that differ from the label',
      a({ ...event, markets: [{ ...market, yes_sub_title: '$79,000 or above' }] }),
    ],
    [
      'rules that differ from the strikes',
      a({ ...event, markets: [{ ...market, rules_primary: rules.replace('77999.99', '78999.99') }] }),
    ],
    ['a title of another day', a({ ...event, title: 'Bitcoin price on Sep 19, 2026 at 5pm EDT?' })],
    ['a title of another hour', a({ ...event, title: 'Bitcoin price on Sep 18, 2026 at 4pm EDT?' })],
    [
      'a label that differs from the question',
      b({
        slug: 'x',
        markets: [marketB('Bitcoin above 78,000 on September 18, 5PM ET?', { groupItemTitle: '79,000' })],
      })[0],
    ],
  ])('excludes a price ladder with %s as contradictory', (_name, question) => {
    expect(question).toMatchObject({ excluded: 'contradictory', legs: [] });
  });

  it('sets fields_agree to false when the text names another hour', () => {
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
  ])('asks no price question for: %s', (question) => {
    expect(b({ slug: 'x', title: null, markets: [marketB(question)] })).toEqual([]);
  });
});

describe('price parsers with corrupted listings', () => {
  it('never throw for corrupted price ladders', () => {
    const value = corruptedValue(
      'Will Bitcoin reach $72,500 in July?',
      '↑ 110,000',
      'Bitcoin above ___ on February 30?',
    );
    fc.assert(
      fc.property(fc.array(corruptedMarket(value)), value, value, (markets, title, end) => {
        const shared = {
          title,
          endDate: end,
          eventDate: end,
          strike_date: end,
          markets,
          settlement_sources: end,
          description: title,
        } as RawObject;
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
