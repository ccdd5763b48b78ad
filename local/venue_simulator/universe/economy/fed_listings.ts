import { easternParts, longMonth, MINUTE, MONTHS, shortDate } from '../../core/eastern.ts';
import { listOnA } from '../listing/list_a.ts';
import { listOnB } from '../listing/list_b.ts';
import { ECONOMICS_FEE } from '../listing/listing_b.ts';
import type { EventA, EventB, Moments } from '../question.ts';
import { FED_MOVES } from './fed_moves.ts';

const SITE = 'https://www.federalreserve.gov/monetarypolicy/openmarket.htm';

export type Meeting = {
  seed: number;
  at: number;
  moments: Moments;
  chances(t: number): number[];
  winner: number;
};

export const fedTicker = (at: number): string => {
  const { year, month } = easternParts(at);
  return `KXFEDDECISION-${String(year).slice(2)}${(MONTHS[month - 1] ?? '').toUpperCase()}`;
};

export function fedOnA({ seed, at, moments, chances, winner }: Meeting): EventA {
  const { year, month } = easternParts(at);
  return listOnA(
    {
      seed,
      ticker: fedTicker(at),
      title: `Fed decision in ${MONTHS[month - 1]} ${year}?`,
      sub: `On ${shortDate(at)}`,
      exclusive: true,
      metadata: { competition: 'US FED', competition_scope: 'Fed Decision' },
      sources: [{ name: 'Federal Reserve', url: SITE }],
      category: 'Economics',
      strikeDate: at,
      listed: moments.listed_a,
      close: moments.closed_a,
      expected: at + 5 * MINUTE,
      occurrence: at,
      profile: { spread: [0.3, 0.5], size: [1500, 20_000] },
      expirationValue: FED_MOVES[winner]?.a ?? '',
    },
    FED_MOVES.map(({ code, a, aTitle }, i) => ({
      code,
      title: `Will the Federal Reserve ${aTitle} at their ${longMonth(at)} ${year} meeting?`,
      yes: a,
      rules: [
        `If the Federal Reserve does a ${aTitle.replace(' rates by', ' of')} on ${shortDate(at)}, then the market resolves to Yes.`,
        'The change is the difference between the upper bound of the target federal funds range before and after the meeting. If the meeting is cancelled or ends without a statement, the market for a hike of 0bps resolves to Yes.',
      ],
      strike: { type: 'custom', custom: { Action: aTitle } },
      fair: (t: number) => chances(t)[i] ?? 0,
      pays: i === winner,
    })),
  );
}

export function fedOnB({ seed, at, moments, chances, winner }: Meeting): EventB {
  const { year } = easternParts(at);
  const month = longMonth(at);
  return listOnB(
    {
      seed,
      slug: `fed-decision-in-${month.toLowerCase()}`,
      title: `Fed decision in ${month}?`,
      description: `The FED interest rates are defined in this market by the upper bound of the target federal funds range. This market will resolve to the amount of basis points the upper bound of the target federal funds rate is changed by versus the level it was prior to the Federal Reserve's ${month} ${year} meeting.\n\nIf the target federal funds rate is changed to a level not expressed in the displayed options, the change will be rounded up to the nearest 25 and will resolve to the relevant bracket.\n\nIf no statement is released by the end of the next scheduled meeting, this market will resolve to "No change".`,
      resolution: SITE,
      opened: moments.listed_b,
      end: at,
      negRisk: true,
      series: 'fomc',
      tags: [
        ['100328', 'Economy', 'economy'],
        ['159', 'Fed', 'fed'],
        ['100196', 'Fed Rates', 'fed-rates'],
      ],
      fee: ECONOMICS_FEE,
      tick: 10,
      profile: { spread: [1, 2], size: [1500, 15_000] },
    },
    FED_MOVES.map(({ slug, question, b }, i) => ({
      slug: slug(`${month.toLowerCase()}-${year}`),
      question: question(`${month} ${year}`),
      group: b,
      fair: (t: number) => chances(t)[i] ?? 0,
      pays: i === winner,
    })),
  );
}
