import { DAY, easternInstant, easternParts, HOUR, longMonth, MONTHS, shortDate } from '../../core/eastern.ts';
import { keyOf, pick, unit } from '../../core/random.ts';
import { drawWinner, fieldChances } from '../chances.ts';
import { eventFieldsA, marketFieldsA } from '../listing_a.ts';
import { ECONOMICS_FEE, eventB, marketB, negRiskIdOf } from '../listing_b.ts';
import { longMoments } from '../long_moments.ts';
import type { EventA, EventB, Moments, Question } from '../question.ts';

/** The five-way decision of one meeting. Days of the announcement; the years after the published calendar repeat its rhythm. */
const MEETINGS = [
  '2026-01-28',
  '2026-03-18',
  '2026-04-29',
  '2026-06-17',
  '2026-07-29',
  '2026-09-16',
  '2026-10-28',
  '2026-12-09',
  '2027-01-27',
  '2027-03-17',
  '2027-04-28',
  '2027-06-09',
  '2027-07-28',
  '2027-09-15',
  '2027-10-27',
  '2027-12-08',
];
const RHYTHM = ['01-28', '03-18', '04-29', '06-17', '07-29', '09-16', '10-28', '12-09'];

type Bucket = {
  code: string;
  a: string;
  aTitle: string;
  b: string;
  slug: (when: string) => string;
  question: (when: string) => string;
  lean: number;
};
const BUCKETS: readonly Bucket[] = [
  {
    code: 'C26',
    a: 'Cut >25bps',
    aTitle: 'Cut rates by >25bps',
    b: '50+ bps decrease',
    slug: (w) => `fed-decreases-interest-rates-by-50-bps-after-${w}-meeting`,
    question: (w) => `Will the Fed decrease interest rates by 50+ bps after the ${w} meeting?`,
    lean: -2.6,
  },
  {
    code: 'C25',
    a: 'Cut 25bps',
    aTitle: 'Cut rates by 25bps',
    b: '25 bps decrease',
    slug: (w) => `fed-decreases-interest-rates-by-25-bps-after-${w}-meeting`,
    question: (w) => `Will the Fed decrease interest rates by 25 bps after the ${w} meeting?`,
    lean: 0.4,
  },
  {
    code: 'H0',
    a: 'Fed maintains rate',
    aTitle: 'Hike rates by 0bps',
    b: 'No change',
    slug: (w) => `no-change-in-fed-interest-rates-after-${w}-meeting`,
    question: (w) => `Will there be no change in Fed interest rates after the ${w} meeting?`,
    lean: 1.2,
  },
  {
    code: 'H25',
    a: 'Hike 25bps',
    aTitle: 'Hike rates by 25bps',
    b: '25 bps increase',
    slug: (w) => `fed-increases-interest-rates-by-25-bps-after-${w}-meeting`,
    question: (w) => `Will the Fed increase interest rates by 25 bps after the ${w} meeting?`,
    lean: -1.6,
  },
  {
    code: 'H26',
    a: 'Hike >25bps',
    aTitle: 'Hike rates by >25bps',
    b: '50+ bps increase',
    slug: (w) => `fed-increases-interest-rates-by-50-bps-after-${w}-meeting`,
    question: (w) => `Will the Fed increase interest rates by 50+ bps after the ${w} meeting?`,
    lean: -3.6,
  },
];

/** The next two meetings after the base time. */
export function fedQuestions(seed: number, base: number): Question[] {
  return meetingsAfter(base)
    .slice(0, 2)
    .map((at) => decision(seed, base, at));
}

function meetingsAfter(base: number): number[] {
  const year = easternParts(base).year;
  const listed = MEETINGS.some((date) => date.startsWith(String(year + 1)));
  const dates = listed ? MEETINGS : [year, year + 1].flatMap((y) => RHYTHM.map((day) => `${y}-${day}`));
  return dates
    .map((date) => easternInstant(Number(date.slice(0, 4)), Number(date.slice(5, 7)), Number(date.slice(8)), 14))
    .filter((at) => at > base + DAY);
}

function decision(seed: number, base: number, at: number): Question {
  const { year, month } = easternParts(at);
  const ticker = `KXFEDDECISION-${String(year).slice(2)}${(MONTHS[month - 1] ?? '').toUpperCase()}`;
  const key = keyOf(seed, ticker);
  const lean = BUCKETS.map((bucket, i) => bucket.lean + 0.7 * (unit(key, 10 + i) - 0.5));
  const winner = drawWinner(key, lean);
  const chances = fieldChances(key, lean);
  const moments = longMoments({
    listed_a: base - 80 * DAY,
    listed_b: base - 70 * DAY,
    stopped_a: at - 60_000,
    stopped_b: at + 10 * 60_000,
    ends: at,
    resolvedAfter: 2 * HOUR,
  });
  const a = onA(seed, ticker, at, moments, chances, winner);
  const b = onB(seed, at, moments, chances, winner);
  const legs = BUCKETS.map((bucket, i) => ({
    name: bucket.b,
    ticker: `${ticker}-${bucket.code}`,
    side: 'yes' as const,
    token_id: b.markets[i]?.tokens[0] ?? '',
  }));
  return { key: ticker, family: 'fed_decision', moments, a, b, legs, subject: 'fed' };
}

function onA(
  seed: number,
  ticker: string,
  at: number,
  moments: Moments,
  chances: (t: number) => number[],
  winner: number,
): EventA {
  const { year, month } = easternParts(at);
  const meeting = `${longMonth(at)} ${year}`;
  return {
    ticker,
    series: 'KXFEDDECISION',
    fields: eventFieldsA({
      ticker,
      series: 'KXFEDDECISION',
      title: `Fed decision in ${MONTHS[month - 1]} ${year}?`,
      sub: `On ${shortDate(at)}`,
      exclusive: true,
      metadata: { competition: 'US FED', competition_scope: 'Fed Decision' },
      sources: [{ name: 'Federal Reserve', url: 'https://www.federalreserve.gov/monetarypolicy/openmarket.htm' }],
      category: 'Economics',
      strikeDate: at,
      updated: moments.listed_a,
    }),
    contracts: BUCKETS.map((bucket, i) => {
      const key = keyOf(seed, ticker, bucket.code);
      const fields = marketFieldsA(
        {
          ticker: `${ticker}-${bucket.code}`,
          event: ticker,
          title: `Will the Federal Reserve ${bucket.aTitle} at their ${meeting} meeting?`,
          yes: bucket.a,
          rules: [
            `If the Federal Reserve does a ${bucket.aTitle.replace(' rates by', ' of')} on ${shortDate(at)}, then the market resolves to Yes.`,
            'The change is the difference between the upper bound of the target federal funds range before and after the meeting. If the meeting is cancelled or ends without a statement, the market for a hike of 0bps resolves to Yes.',
          ],
          open: moments.listed_a,
          close: moments.closed_a,
          expected: at + 5 * 60_000,
          occurrence: at,
          earlyClose: 'This market will close and expire early if the event occurs.',
          settlementSeconds: 300,
          strike: { type: 'custom', custom: { Action: bucket.aTitle } },
        },
        key,
      );
      return {
        ticker: `${ticker}-${bucket.code}`,
        fields,
        quoting: {
          key,
          fair: (t: number) => chances(t)[i] ?? 0,
          halfSpread: 0.3 + 0.5 * unit(key, 1),
          scale: 1500 + pick(key, 2, 20_000),
          tick: 100,
        },
        pays: i === winner ? ('yes' as const) : ('no' as const),
        expirationValue: BUCKETS[winner]?.a ?? '',
      };
    }),
    milestone: null,
  };
}

function onB(seed: number, at: number, moments: Moments, chances: (t: number) => number[], winner: number): EventB {
  const { year } = easternParts(at);
  const month = longMonth(at);
  const slug = `fed-decision-in-${month.toLowerCase()}`;
  const negRiskId = negRiskIdOf(seed, slug);
  const description = `The FED interest rates are defined in this market by the upper bound of the target federal funds range. This market will resolve to the amount of basis points the upper bound of the target federal funds rate is changed by versus the level it was prior to the Federal Reserve's ${month} ${year} meeting.\n\nIf the target federal funds rate is changed to a level not expressed in the displayed options, the change will be rounded up to the nearest 25 and will resolve to the relevant bracket.\n\nIf no statement is released by the end of the next scheduled meeting, this market will resolve to "No change".`;
  const when = `${month.toLowerCase()}-${year}`;
  const markets = BUCKETS.map((bucket, i) => {
    const key = keyOf(seed, slug, year, bucket.code);
    return marketB(
      seed,
      {
        slug: bucket.slug(when),
        question: bucket.question(`${month} ${year}`),
        description,
        resolution: 'https://www.federalreserve.gov/monetarypolicy/openmarket.htm',
        outcomes: ['Yes', 'No'],
        end: at,
        opened: moments.listed_b,
        group: bucket.b,
        threshold: i,
        fee: ECONOMICS_FEE,
        tick: 10,
        negRiskId,
      },
      { key, fair: (t) => chances(t)[i] ?? 0, halfSpread: 1 + 2 * unit(key, 21), scale: 1500 + pick(key, 23, 15_000) },
      i === winner ? 0 : 1,
    );
  });
  return eventB(
    seed,
    {
      slug,
      title: `Fed decision in ${month}?`,
      description,
      resolution: 'https://www.federalreserve.gov/monetarypolicy/openmarket.htm',
      opened: moments.listed_b,
      end: at,
      negRisk: true,
      augmented: false,
      series: 'fomc',
      tags: [
        ['100328', 'Economy', 'economy'],
        ['159', 'Fed', 'fed'],
        ['100196', 'Fed Rates', 'fed-rates'],
      ],
    },
    markets,
  );
}
