import { DAY, easternParts, HOUR, MONTHS } from '../../core/eastern.ts';
import { keyOf, pick, unit } from '../../core/random.ts';
import { eventFieldsA, marketFieldsA } from '../listing_a.ts';
import { ECONOMICS_FEE, eventB, marketB, slugText } from '../listing_b.ts';
import { longMoments } from '../long_moments.ts';
import type { ContractA, Moments, Question } from '../question.ts';

/** Neighbours of decisions and prints, each on one venue: the level of a rate, the number of cuts in a year, the extreme of a year. */
export const NEIGHBOUR_SERIES = ['KXFED', 'KXU3MAX'] as const;

export function neighbourQuestions(seed: number, base: number): Question[] {
  const { year } = easternParts(base + 20 * DAY);
  const ends = base + 60 * DAY;
  const moments = longMoments({
    listed_a: base - 30 * DAY,
    listed_b: base - 30 * DAY,
    stopped_a: ends,
    stopped_b: ends,
    ends,
    resolvedAfter: 2 * HOUR,
  });
  const { month } = easternParts(base + 25 * DAY);
  const name = MONTHS[month - 1] ?? '';
  return [
    onA(seed, moments, 'fed', {
      ticker: `KXFED-${year % 100}${name.toUpperCase()}`,
      title: `Fed funds rate after ${name} ${year} meeting?`,
      rungs: ['3.25', '3.50', '3.75'].map((level) => ({
        code: `T${level}`,
        yes: `Above ${level}%`,
        floor: Number(level),
      })),
      rule: 'the upper bound of the target federal funds rate',
    }),
    onA(seed, moments, 'print:u3', {
      ticker: `KXU3MAX-${(year + 1) % 100}`,
      title: `How high will unemployment get in ${year}?`,
      rungs: ['5', '6'].map((level) => ({ code: level, yes: `Above ${level}%`, floor: Number(level) })),
      rule: 'the U-3 unemployment rate of any month of the year',
    }),
    onB(seed, moments, 'fed', `How many Fed rate cuts in ${year}?`, ['0', '1', '2', '3']),
    onB(seed, moments, 'print:u3', `Will US unemployment reach at least 5.0% in ${year}?`, ['']),
  ];
}

type Shape = {
  ticker: string;
  title: string;
  rungs: readonly { code: string; yes: string; floor: number }[];
  rule: string;
};

function onA(seed: number, moments: Moments, subject: string, { ticker, title, rungs, rule }: Shape): Question {
  const series = ticker.slice(0, ticker.indexOf('-'));
  const contracts = rungs.map(({ code, yes, floor }, i): ContractA => {
    const market = `${ticker}-${code}`;
    const key = keyOf(seed, market);
    return {
      ticker: market,
      fields: marketFieldsA(
        {
          ticker: market,
          event: ticker,
          title,
          yes,
          rules: [`If ${rule} is above ${floor}%, then the market resolves to Yes.`, ''],
          open: moments.listed_a,
          close: moments.closed_a,
          expected: moments.ends,
          occurrence: null,
          earlyClose: 'This market will close and expire early if the event occurs.',
          settlementSeconds: 300,
          strike: { type: 'greater', floor },
        },
        key,
      ),
      quoting: {
        key,
        fair: () => 0.85 - 0.3 * i,
        halfSpread: 0.7 + unit(key, 1),
        scale: 100 + pick(key, 2, 900),
        tick: 100,
      },
      pays: i === 0 ? 'yes' : 'no',
      expirationValue: '',
    };
  });
  const a = {
    ticker,
    series,
    fields: eventFieldsA({
      ticker,
      series,
      title,
      sub: '',
      exclusive: false,
      sources: [],
      category: 'Economics',
      updated: moments.listed_a,
    }),
    contracts,
    milestone: null,
  };
  return { key: ticker, family: 'neighbour', moments, a, b: null, legs: [], subject };
}

function onB(seed: number, moments: Moments, subject: string, title: string, groups: readonly string[]): Question {
  const slug = slugText(title);
  const markets = groups.map((group, i) => {
    const own = group ? `${slug}-${group}` : slug;
    const key = keyOf(seed, own);
    return marketB(
      seed,
      {
        slug: own,
        question: group ? `${title.replace('How many', `Will there be ${group}`)}` : title,
        description: title,
        resolution: '',
        outcomes: ['Yes', 'No'],
        end: moments.ends,
        opened: moments.listed_b,
        group,
        threshold: i,
        fee: ECONOMICS_FEE,
        tick: 10,
        negRiskId: null,
      },
      { key, fair: () => 0.25, halfSpread: 4, scale: 100 + pick(key, 23, 900) },
      i === 0 ? 0 : 1,
    );
  });
  const b = eventB(
    seed,
    {
      slug,
      title,
      description: title,
      resolution: '',
      opened: moments.listed_b,
      end: moments.ends,
      negRisk: false,
      augmented: false,
      series: slug,
      tags: [['100328', 'Economy', 'economy']],
    },
    markets,
  );
  return { key: slug, family: 'neighbour', moments, a: null, b, legs: [], subject };
}
