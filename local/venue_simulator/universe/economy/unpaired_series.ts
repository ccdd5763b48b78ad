import { DAY, easternParts, MONTHS } from '../../core/eastern.ts';
import { above, listOnA } from '../listing/list_a.ts';
import { listOnB } from '../listing/list_b.ts';
import { ECONOMICS_FEE, slugText } from '../listing/listing_b.ts';
import { longSchedule } from '../listing/long_schedule.ts';
import type { Moments, Question } from '../question.ts';

/**
 * Series that resemble decisions and releases, each on one venue: the level of a rate, the number
 * of cuts in a year, the extreme of a year.
 */
export const UNPAIRED_SERIES = ['KXFED', 'KXU3MAX'] as const;

export function unpairedQuestions(seed: number, base: number): Question[] {
  const { year } = easternParts(base + 20 * DAY);
  const moments = longSchedule({ listed_a: base - 30 * DAY, listed_b: base - 30 * DAY, ends: base + 60 * DAY });
  const { month } = easternParts(base + 25 * DAY);
  const name = MONTHS[month - 1] ?? '';
  return [
    onA(seed, moments, 'fed', {
      ticker: `KXFED-${year % 100}${name.toUpperCase()}`,
      title: `Fed funds rate after ${name} ${year} meeting?`,
      contracts: ['3.25', '3.50', '3.75'].map((level) => ({ code: `T${level}`, level })),
      rule: 'the upper bound of the target federal funds rate',
    }),
    onA(seed, moments, 'print:u3', {
      ticker: `KXU3MAX-${(year + 1) % 100}`,
      title: `How high will unemployment get in ${year}?`,
      contracts: ['5', '6'].map((level) => ({ code: level, level })),
      rule: 'the U-3 unemployment rate of any month of the year',
    }),
    onB(seed, moments, 'fed', `How many Fed rate cuts in ${year}?`, ['0', '1', '2', '3']),
    onB(seed, moments, 'print:u3', `Will US unemployment reach at least 5.0% in ${year}?`, ['']),
  ];
}

type Shape = {
  ticker: string;
  title: string;
  contracts: readonly { code: string; level: string }[];
  rule: string;
};

function onA(seed: number, moments: Moments, subject: string, { ticker, title, contracts, rule }: Shape): Question {
  const a = listOnA(
    {
      seed,
      ticker,
      title,
      sub: '',
      exclusive: false,
      sources: [],
      category: 'Economics',
      listed: moments.listed_a,
      close: moments.closed_a,
      expected: moments.ends,
      profile: { spread: [0.7, 1], size: [100, 900] },
    },
    contracts.map(({ code, level }, i) => ({
      code,
      title,
      yes: `Above ${level}%`,
      rules: [`If ${rule} is above ${Number(level)}%, then the market resolves to Yes.`, ''],
      strike: above(Number(level)),
      fair: () => 0.85 - 0.3 * i,
      pays: i === 0,
    })),
  );
  return { key: ticker, family: 'neighbour', moments, a, b: null, legs: [], subject };
}

function onB(seed: number, moments: Moments, subject: string, title: string, groups: readonly string[]): Question {
  const slug = slugText(title);
  const b = listOnB(
    {
      seed,
      slug,
      title,
      description: title,
      resolution: '',
      opened: moments.listed_b,
      end: moments.ends,
      negRisk: false,
      series: slug,
      tags: [['100328', 'Economy', 'economy']],
      fee: ECONOMICS_FEE,
      tick: 10,
      profile: { spread: [4, 0], size: [100, 900] },
    },
    groups.map((group, i) => ({
      slug: group ? `${slug}-${group}` : slug,
      question: group ? title.replace('How many', `Will there be ${group}`) : title,
      group,
      fair: () => 0.25,
      pays: i === 0,
    })),
  );
  return { key: slug, family: 'neighbour', moments, a: null, b, legs: [], subject };
}
