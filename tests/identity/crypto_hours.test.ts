import { describe, expect, it } from 'vitest';
import { a, b, marketB } from './crypto_fixtures.ts';

/**
 * Guarantee: the hour of a price ladder is in the zone that the listing names, and never in New
 * York time by default.
 */

const RULES = (clock: string) =>
  `This market will resolve to "Yes" if the Binance 1 minute candle for ETH/USDT ${clock} on the date specified in the title has a final "Close" price higher than the price specified in the title. Otherwise, this market will resolve to "No".`;

const listedB = (when: string, slug: string, rules: string | null, end: string | null) =>
  b({
    slug: `ethereum-above-on-july-15${slug}`,
    title: `Ethereum above ___ on July 15${when}?`,
    ...(end === null ? {} : { endDate: end }),
    markets: [
      marketB(`Ethereum above 4,000 on July 15${when}?`, {
        groupItemTitle: '4,000',
        ...(rules === null ? {} : { description: rules }),
      }),
    ],
  })[0];

const settles = (question: ReturnType<typeof listedB>) => [
  question?.on_date ?? null,
  question?.identity.settles_at ?? null,
  question?.excluded ?? null,
];

describe('the settlement hour on venue_b', () => {
  it.each([
    [', 5PM ET', '-5pm-et', '17:00 in the ET timezone', '2026-07-15T21:00:00.000Z'],
    [', 5PM GMT', '-5pm-gmt', '17:00 in the GMT timezone', '2026-07-15T17:00:00.000Z'],
    [', 12PM UTC', '-12pm-utc', '12:00 UTC', '2026-07-15T12:00:00.000Z'],
    [', noon London time', '-noon', '12:00 London time', '2026-07-15T11:00:00.000Z'],
    [', 9AM PT', '-9am-pt', '9:00 AM PT', '2026-07-15T16:00:00.000Z'],
    ['', '', '12:00 in the ET timezone (noon)', '2026-07-15T16:00:00.000Z'],
    ['', '', '12:00 in the UTC timezone (noon)', '2026-07-15T12:00:00.000Z'],
    ['', '', 'noon CET', null],
    [', 5PM', '-5pm', '17:00 in the UTC timezone', '2026-07-15T17:00:00.000Z'],
  ])(
    'parses the hour of the title "July 15%s" together with rules that name the hour',
    (when, slug, clock, instant) => {
      const question = listedB(when, slug, RULES(clock), null);
      expect(settles(question)).toEqual(['2026-07-15', instant, instant === null ? 'unreadable_date' : null]);
    },
  );

  it('uses the zone of the title when the end date is another hour', () => {
    expect(settles(listedB(', 5PM GMT', '-5pm-gmt', null, '2026-07-15T21:00:00Z'))[1]).toBe('2026-07-15T17:00:00.000Z');
  });

  it('puts an hour in another zone on the day that it has in New York', () => {
    expect(settles(listedB(', 2AM UTC', '-2am-utc', null, null))).toEqual([
      '2026-07-14',
      '2026-07-15T02:00:00.000Z',
      null,
    ]);
  });

  it.each([
    [', 5PM IST', '-5pm-ist', null],
    [', 5PM Atlantis time', '-5pm', null],
    [', 5PM', '-5pm', null],
    [', 5PM', '-5pm', '2026-07-15T19:00:00Z'],
  ])('excludes the title "July 15%s" because its zone is unknown', (when, slug, end) => {
    expect(listedB(when, slug, null, end)?.excluded).toBe('unreadable_date');
  });

  it('uses New York for an hour without a zone when the end date is that hour', () => {
    expect(settles(listedB(', 5PM', '-5pm', null, '2026-07-15T21:00:00Z'))[1]).toBe('2026-07-15T21:00:00.000Z');
  });
});

describe('the settlement hour on venue_a', () => {
  const listedA = (ticker: string, title: string, rules: string) =>
    a({
      event_ticker: ticker,
      title: 'Ethereum price on Jul 15, 2026?',
      markets: [
        {
          ticker: `${ticker}-T3999.99`,
          title,
          yes_sub_title: '$4,000 or above',
          strike_type: 'greater',
          floor_strike: 3999.99,
          rules_primary: rules,
        },
      ],
    });
  const rules = (clock: string) =>
    `If the simple average of the sixty seconds of CF Benchmarks' Ethereum Real-Time Index (ERTI) before ${clock} is above 3999.99 at ${clock} on Jul 15, 2026, then the market resolves to Yes.`;

  it('uses the hour of the ticker in New York, and a text with the same hour agrees', () => {
    const question = listedA('KXETHD-26JUL1517', 'Ethereum price on Jul 15, 2026 at 17:00 EDT?', rules('5 PM EDT'));
    expect([question?.excluded, question?.identity.settles_at, question?.terms.fields_agree]).toEqual([
      null,
      '2026-07-15T21:00:00.000Z',
      true,
    ]);
  });

  it('excludes a title with another hour, also with the same figure in another zone', () => {
    const event = (title: string) =>
      a({ event_ticker: 'KXETHD-26JUL1517', title, markets: [{ ticker: 'KXETHD-26JUL1517-T3999.99' }] })?.excluded;
    expect(event('Ethereum price on Jul 15, 2026 at 5 PM UTC?')).toBe('contradictory');
    expect(event('Ethereum price on Jul 15, 2026 at 9 PM UTC?')).toBeNull();
    expect(event('Ethereum price on Jul 15, 2026 at 5 PM EDT?')).toBeNull();
  });
});
