import { DAY, easternInstant, easternParts, HOUR, longMonth, shortDate, tickerDate } from '../../core/eastern.ts';
import { keyOf, pick, unit } from '../../core/random.ts';
import { drawWinner, fieldChances } from '../chances.ts';
import { eventFieldsA, marketFieldsA } from '../listing_a.ts';
import { ECONOMICS_FEE, eventB, marketB, negRiskIdOf } from '../listing_b.ts';
import { longMoments } from '../long_moments.ts';
import type { EventA, EventB, Leg, LooseLeg, Moments, Question } from '../question.ts';

/** Decisions of other central banks. Venue A cuts some ladders finer than venue B; venue B often lists three or four choices only. */
type Bank = {
  series: string;
  name: string;
  /** As venue B names it, with the article where it has one. */
  slug: string;
  site: string;
  /** Days from the base time to the next decision, before it is moved to a Thursday. */
  ahead: number;
  hour: number;
  finer: boolean;
  /** A meeting of two days: venue A names the first, venue B the second. */
  twoDays: boolean;
};

export const BANKS: readonly Bank[] = [
  {
    series: 'KXCBDECISIONENGLAND',
    name: 'Bank of England',
    slug: 'bank-of-england',
    site: 'https://www.bankofengland.co.uk/',
    ahead: 21,
    hour: 7,
    finer: true,
    twoDays: false,
  },
  {
    series: 'KXCBDECISIONEU',
    name: 'European Central Bank',
    slug: 'ecb',
    site: 'https://www.ecb.europa.eu/',
    ahead: 21,
    hour: 8,
    finer: false,
    twoDays: false,
  },
  {
    series: 'KXCBDECISIONJAPAN',
    name: 'Bank of Japan',
    slug: 'bank-of-japan',
    site: 'https://www.boj.or.jp/en/',
    ahead: 24,
    hour: 22,
    finer: true,
    twoDays: true,
  },
  {
    series: 'KXCBDECISIONCANADA',
    name: 'Bank of Canada',
    slug: 'bank-of-canada',
    site: 'https://www.bankofcanada.ca/',
    ahead: 15,
    hour: 10,
    finer: false,
    twoDays: false,
  },
];

/** Moves in basis points; `more` is "more than", which on venue B is "50+". */
type Move = { code: string; a: string; change: number; more: boolean; lean: number };
const FIVE: readonly Move[] = [
  { code: 'C26', a: 'Cut >25bps', change: -25, more: true, lean: -2.4 },
  { code: 'C25', a: 'Cut 25bps', change: -25, more: false, lean: 0.6 },
  { code: 'H0', a: 'Hike 0bps', change: 0, more: false, lean: 1.1 },
  { code: 'H25', a: 'Hike 25bps', change: 25, more: false, lean: -1.2 },
  { code: 'H26', a: 'Hike >25bps', change: 25, more: true, lean: -3.4 },
];
const FINER: readonly Move[] = [
  { code: 'C50P', a: 'Cut more than 50bps', change: -50, more: true, lean: -3.6 },
  { code: 'C50', a: 'Cut 50bps', change: -50, more: false, lean: -2.6 },
  ...FIVE.filter((one) => !one.more),
  { code: 'H50', a: 'Hike 50bps', change: 50, more: false, lean: -3.8 },
];

export function bankQuestions(seed: number, base: number): Question[] {
  return BANKS.flatMap((bank) => [
    decision(seed, base, bank, thursdayAfter(base, bank, 0), true),
    // The meeting after it, on venue A only: the same words, another month.
    decision(seed, base, bank, thursdayAfter(base, bank, 45), false),
  ]);
}

function thursdayAfter(base: number, bank: Bank, later: number): number {
  const { year, month, day } = easternParts(base + (bank.ahead + later) * DAY);
  const ahead = (4 - new Date(Date.UTC(year, month - 1, day)).getUTCDay() + 7) % 7;
  return easternInstant(year, month, day + ahead, bank.hour);
}

function decision(seed: number, base: number, bank: Bank, at: number, both: boolean): Question {
  const moments = longMoments({
    listed_a: base - 40 * DAY,
    listed_b: base - 30 * DAY,
    stopped_a: at - 5 * 60_000,
    stopped_b: at + 10 * 60_000,
    ends: at,
    resolvedAfter: 2 * HOUR,
  });
  const moves = bank.finer ? FINER : FIVE;
  const ticker = `${bank.series}-${tickerDate(bank.twoDays ? at - DAY : at)}`;
  const key = keyOf(seed, ticker);
  const lean = moves.map((move, i) => move.lean + 0.7 * (unit(key, 10 + i) - 0.5));
  const winner = drawWinner(key, lean);
  const chances = fieldChances(key, lean);
  const a = onA(seed, bank, ticker, at, moments, moves, chances, winner);
  const b = both ? onB(seed, bank, at, moments, moves, chances, winner) : null;
  const subject = `bank:${bank.slug}`;
  return { key: ticker, family: 'cb_decision', moments, a, b, ...(b ? saidAlike(a, b, moves) : { legs: [] }), subject };
}

function onA(
  seed: number,
  bank: Bank,
  ticker: string,
  at: number,
  moments: Moments,
  moves: readonly Move[],
  chances: (t: number) => number[],
  winner: number,
): EventA {
  const month = longMonth(at);
  const day = shortDate(bank.twoDays ? at - DAY : at);
  return {
    ticker,
    series: bank.series,
    fields: eventFieldsA({
      ticker,
      series: bank.series,
      title: `${bank.name} rate decision in ${month}`,
      sub: `${day} meeting`,
      exclusive: true,
      sources: [{ name: bank.name, url: bank.site }],
      category: 'Economics',
      updated: moments.listed_a,
    }),
    contracts: moves.map((move, i) => {
      const market = `${ticker}-${move.code}`;
      const key = keyOf(seed, market);
      return {
        ticker: market,
        fields: marketFieldsA(
          {
            ticker: market,
            event: ticker,
            title: `Will the ${bank.name} ${move.a} at the ${month} ${bank.name} meeting?`,
            yes: move.change === 0 ? 'Hike 0bps' : move.a,
            rules: [
              `If the ${bank.name} announces a ${move.a.toLowerCase()} at its meeting of ${day}, then the market resolves to Yes.`,
              'What is announced counts, whenever it takes effect. If the meeting is cancelled, the market for a hike of 0bps resolves to Yes.',
            ],
            open: moments.listed_a,
            close: moments.closed_a,
            expected: at + HOUR,
            occurrence: at,
            earlyClose: 'This market will close and expire early if the event occurs.',
            settlementSeconds: 300,
            strike: { type: 'custom', custom: { Action: move.a } },
          },
          key,
        ),
        quoting: {
          key,
          fair: (t: number) => chances(t)[i] ?? 0,
          halfSpread: 0.5 + unit(key, 1),
          scale: 200 + pick(key, 2, 3000),
          tick: 100,
          pace: 3,
        },
        pays: i === winner ? ('yes' as const) : ('no' as const),
        expirationValue: moves[winner]?.a ?? '',
      };
    }),
    milestone: null,
  };
}

/** Venue B's four choices: 50 or more down, 25 down, none, 25 up (nobody asks it for more). */
const CHOICES = [
  { change: -50, more: true, group: '50+ bps decrease' },
  { change: -25, more: false, group: '25 bps decrease' },
  { change: 0, more: false, group: 'No change' },
  { change: 25, more: false, group: '25 bps increase' },
] as const;

/** Which of venue A's moves make up a choice of venue B. */
function partsOf(choice: (typeof CHOICES)[number], moves: readonly Move[]): number[] {
  return moves.flatMap((move, i) => {
    if (!choice.more) return move.change === choice.change && !move.more ? [i] : [];
    return move.change <= -50 || (move.change === -25 && move.more) ? [i] : [];
  });
}

function onB(
  seed: number,
  bank: Bank,
  at: number,
  moments: Moments,
  moves: readonly Move[],
  chances: (t: number) => number[],
  winner: number,
): EventB {
  const { year } = easternParts(at);
  const month = longMonth(at);
  const slug = `${bank.slug}-decision-in-${month.toLowerCase()}`;
  const when = `${month.toLowerCase()}-${year}-meeting`;
  const negRiskId = negRiskIdOf(seed, `${slug}-${year}`);
  const description = `This market will resolve according to the change of the key interest rate that the ${bank.name} announces after its ${month} ${year} meeting, in basis points.\n\nA change that is not among the choices is rounded up to the nearest 25. If the meeting is canceled and no decision is announced by the end of the next scheduled meeting, this market will resolve to "No change".\n\nThe resolution source is the ${bank.name} (${bank.site}).`;
  const markets = CHOICES.map((choice, i) => {
    const parts = partsOf(choice, moves);
    const amount = `${Math.abs(choice.change)}${choice.more ? '+' : ''}`;
    const word = choice.change < 0 ? 'decreases' : 'increases';
    const own =
      choice.change === 0
        ? `no-change-in-${bank.slug}s-interest-rates-after-${when}`
        : `${bank.slug}-${word}-interest-rates-by-${Math.abs(choice.change)}-bps-after-${when}`;
    const key = keyOf(seed, own);
    return marketB(
      seed,
      {
        slug: own,
        question:
          choice.change === 0
            ? `No change in ${bank.name}'s interest rates after ${month} ${year} meeting?`
            : `${bank.name} ${word} interest rates by ${amount} bps after ${month} ${year} meeting?`,
        description,
        resolution: bank.site,
        outcomes: ['Yes', 'No'],
        end: Date.parse(`${new Date(at).toISOString().slice(0, 10)}T00:00:00Z`),
        opened: moments.listed_b,
        group: choice.group,
        threshold: i,
        fee: ECONOMICS_FEE,
        tick: 10,
        negRiskId,
      },
      {
        key,
        fair: (t) => parts.reduce((sum, part) => sum + (chances(t)[part] ?? 0), 0),
        halfSpread: 2 + 3 * unit(key, 21),
        scale: 200 + pick(key, 23, 3000),
        pace: 3,
      },
      parts.includes(winner) ? 0 : 1,
    );
  });
  return eventB(
    seed,
    {
      slug,
      title: `${bank.name} decision in ${month}?`,
      description,
      resolution: bank.site,
      opened: moments.listed_b,
      end: at,
      negRisk: true,
      augmented: false,
      series: `${bank.slug}-decisions`,
      tags: [
        ['100328', 'Economy', 'economy'],
        ['101800', 'Central banks', 'central-banks'],
      ],
    },
    markets,
  );
}

/** One move of venue A for one choice of venue B is a leg; a choice that several moves make up is only spanned. */
function saidAlike(a: EventA, b: EventB, moves: readonly Move[]): { legs: Leg[]; loose: LooseLeg[] } {
  const legs: Leg[] = [];
  const loose: LooseLeg[] = [];
  for (const [i, choice] of CHOICES.entries()) {
    const market = b.markets[i];
    if (!market) continue;
    const parts = partsOf(choice, moves);
    const [only] = parts;
    const contract = parts.length === 1 && only !== undefined ? a.contracts[only] : undefined;
    if (contract) legs.push({ name: choice.group, ticker: contract.ticker, side: 'yes', token_id: market.tokens[0] });
    else {
      const span = parts.map((part) => moves[part]?.a ?? '');
      loose.push({ name: choice.group, token_id: market.tokens[0], relation: 'UNCOVERED', span });
    }
  }
  return { legs, loose };
}
