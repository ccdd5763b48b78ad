import { describe, expect, it } from 'vitest';
import type { Question } from '../../functions/ingest/listing.ts';
import { a, b, marketB } from './crypto_fixtures.ts';

/**
 * Guarantee: a price ladder pays what its payoff sentences state. A ladder that pays the opposite
 * or another price is excluded, and one that states nothing is unread.
 */

const verdict = (question: Question | undefined): string =>
  question === undefined ? 'no question' : (question.excluded ?? String(question.terms.rules));
const yes = (condition: string) =>
  `This market will resolve to "Yes" if ${condition}. Otherwise, this market will resolve to "No".`;
const CANDLE =
  'the Binance 1 minute candle for BTC/USDT 12:00 in the ET timezone (noon) on the date specified in the title has a final "Close" price';

type Texts = { title?: string; question?: string; rules?: string; label?: string };
const aboveB = ({ title, question, rules, label }: Texts) =>
  verdict(
    b({
      slug: 'bitcoin-above-on-july-15',
      title: title ?? 'Bitcoin above ___ on July 15?',
      endDate: '2026-07-15T16:00:00Z',
      markets: [
        marketB(question ?? 'Will the price of Bitcoin be above $78,000 on July 15?', {
          groupItemTitle: label ?? '78,000',
          slug: 'bitcoin-above-78k-on-july-15',
          description: rules ?? yes(`${CANDLE} higher than the price specified in the title`),
        }),
      ],
    })[0],
  );

describe('a price above a level at an hour on venue_b', () => {
  it.each([
    `${CANDLE} higher than the price specified in the title`,
    `${CANDLE} greater than $78,000`,
    `${CANDLE} above 78,000`,
    'the Coinbase BTC-USD last price at 12:00 ET on July 15, 2026 is higher than $78,000',
    'the price of Bitcoin is above $78,000 at noon ET on July 15',
  ])('agrees with a price text that pays if %s', (condition) => {
    expect(aboveB({ rules: yes(condition) })).toBe('read');
  });

  it.each([
    `${CANDLE} lower than the price specified in the title`,
    `${CANDLE} below $78,000`,
    `${CANDLE} not higher than the price specified in the title`,
    `${CANDLE} that is not above $78,000`,
    `${CANDLE} that does not exceed $78,000`,
    `${CANDLE} higher than $80,000`,
    `${CANDLE.replace('BTC/USDT', 'ETH/USDT')} higher than the price specified in the title`,
    'the price of Bitcoin is above $78,000 at noon ET on July 16',
    'the price of Bitcoin is above $78,000 at noon ET on July 15, 2025',
    'the price of Bitcoin fails to close above $78,000',
  ])('excludes a price text that pays if %s', (condition) => {
    expect(aboveB({ rules: yes(condition) })).toBe('payoff_contradicted');
  });

  it.each(['the market is fair', 'the price of Bitcoin is between $76,000 and $78,000'])(
    'leaves a price text unread that pays if %s',
    (condition) => {
      expect(aboveB({ rules: yes(condition) })).toBe('unread');
    },
  );

  it.each<Texts>([
    { question: 'Will the price of Bitcoin not be above $78,000 on July 15?' },
    { question: 'Will the price of Bitcoin be below $78,000 on July 15?' },
    { question: 'Will Bitcoin fail to close above $78,000 on July 15?' },
    { question: "Won't the price of Bitcoin be above $78,000 on July 15?" },
    { title: 'Bitcoin not above ___ on July 15?' },
    { label: 'Not above 78,000' },
  ])('excludes a ladder whose title, question or label is negated: %j', (texts) => {
    expect(aboveB(texts)).toMatch(/payoff_contradicted|no question/);
  });

  it.each(['17:00 in the ET timezone', '12:00 in the UTC timezone'])(
    'excludes a text that pays by the candle of %s under a title of 12PM ET',
    (hour) => {
      const rules = yes(
        `${CANDLE.replace('12:00 in the ET timezone (noon)', hour)} higher than the price specified in the title`,
      );
      expect(aboveB({ rules, question: 'Bitcoin above 78,000 on July 15, 12PM ET?' })).toBe('payoff_contradicted');
    },
  );

  it('excludes a text that pays No above the level', () => {
    expect(
      aboveB({
        rules: 'This market will resolve to "No" if the price of Bitcoin is above $78,000 at noon ET on July 15.',
      }),
    ).toBe('payoff_contradicted');
  });
});

const aboveA = (rules: string, title = 'Bitcoin price on Jul 15, 2026 at 12:00 EDT?') =>
  verdict(
    a({
      event_ticker: 'KXBTCD-26JUL1512',
      title: 'Bitcoin price on Jul 15, 2026?',
      markets: [
        {
          ticker: 'KXBTCD-26JUL1512-T77999.99',
          title,
          yes_sub_title: '$78,000 or above',
          strike_type: 'greater',
          floor_strike: 77999.99,
          rules_primary: rules,
        },
      ],
    }),
  );
const AVERAGE =
  "the simple average of the sixty seconds of CF Benchmarks' Bitcoin Real-Time Index (BRTI) before 12 PM EDT";

describe('a price above a level at an hour on venue_a', () => {
  it.each([
    [`If ${AVERAGE} is above 77999.99 at 12 PM EDT on Jul 15, 2026, then the market resolves to Yes.`, 'read'],
    [
      `If ${AVERAGE} is not above 77999.99 at 12 PM EDT on Jul 15, 2026, then the market resolves to Yes.`,
      'payoff_contradicted',
    ],
    [
      `If ${AVERAGE} is below 77999.99 at 12 PM EDT on Jul 15, 2026, then the market resolves to Yes.`,
      'payoff_contradicted',
    ],
    [
      `If ${AVERAGE} is above 77999.99 at 12 PM EDT on Jul 16, 2026, then the market resolves to Yes.`,
      'payoff_contradicted',
    ],
    [
      `If ${AVERAGE} is above 77999.99 at 12 PM EDT on Jul 15, 2026, then the market resolves to No.`,
      'payoff_contradicted',
    ],
    ['If a certain thing happens, then the market resolves to Yes.', 'unread'],
  ])('checks what a price contract pays: %s', (rules, expected) => {
    expect(aboveA(rules)).toBe(expected);
  });

  it('excludes a ladder whose title asks for the opposite', () => {
    expect(aboveA('The market settles.', 'Will Bitcoin not be above $78,000 on Jul 15, 2026 at 12:00 EDT?')).toBe(
      'payoff_contradicted',
    );
  });
});

describe('a level touched within a period', () => {
  const touch = (condition: string, down = false) =>
    b({
      slug: 'what-price-will-bitcoin-hit-in-july-2026',
      title: 'What price will Bitcoin hit in July?',
      endDate: '2026-08-01T04:00:00Z',
      markets: [
        marketB(`Will Bitcoin ${down ? 'dip to $70,000' : 'reach $90,000'} in July 2026?`, {
          groupItemTitle: down ? '↓ 70,000' : '↑ 90,000',
          description: yes(condition),
        }),
      ],
    })[0];
  const candle = (extreme: string, months = 'July 1, 2026, 00:00 and July 31, 2026, 23:59') =>
    `any Binance 1 minute candle for BTC/USDT between ${months} in the ET timezone has a final "${extreme}" price`;

  it.each([
    [`${candle('High')} equal to or greater than $90,000`, false, 'read'],
    [`${candle('High')} of the price specified in the title or higher`, false, 'read'],
    [`${candle('Low')} equal to or lower than $70,000`, true, 'read'],
    [`${candle('High')} lower than $90,000`, false, 'payoff_contradicted'],
    [`${candle('High')} equal to or greater than $95,000`, false, 'payoff_contradicted'],
    [
      `${candle('High', 'August 1, 2026, 00:00 and August 31, 2026, 23:59')} equal to or greater than $90,000`,
      false,
      'payoff_contradicted',
    ],
    [
      `${candle('High', 'July 1, 2025, 00:00 and July 31, 2025, 23:59')} equal to or greater than $90,000`,
      false,
      'payoff_contradicted',
    ],
    ['Bitcoin never reaches $90,000 in July 2026', false, 'payoff_contradicted'],
    [`${candle('Low')} equal to or greater than $70,000`, true, 'payoff_contradicted'],
  ])('checks a touch that pays if %s (down: %s): %s', (condition, down, expected) => {
    expect(verdict(touch(condition, down))).toBe(expected);
  });

  it.each([
    ['High', false, true],
    ['Low', true, true],
    ['Low', false, false],
    ['High', true, false],
  ])('compares the %s of a candle with the direction of the level (down: %s): agrees %s', (extreme, down, agrees) => {
    const than = extreme === 'High' ? 'greater' : 'lower';
    const level = down ? '$70,000' : '$90,000';
    expect(touch(`${candle(extreme)} equal to or ${than} than ${level}`, down)?.terms.fields_agree).toBe(agrees);
  });

  it('sets the basis "touch" for a touch, and none for a price at an hour', () => {
    expect(touch(`${candle('High')} equal to or greater than $90,000`)?.basis).toBe('touch');
    expect(touch(`${candle('Low')} equal to or lower than $70,000`, true)?.basis).toBe('touch');
    expect(
      a({
        event_ticker: 'KXBTCD-26JUL1512',
        title: 'Bitcoin price on Jul 15, 2026?',
        markets: [{ ticker: 'KXBTCD-26JUL1512-T77999.99' }],
      })?.basis,
    ).toBeNull();
  });
});
