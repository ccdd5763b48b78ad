import { easternParts, longMonth } from '../../core/eastern.ts';
import { keyOf, pick, unit } from '../../core/random.ts';
import { ECONOMICS_FEE, eventB, marketB, negRiskIdOf } from '../listing_b.ts';
import type { EventB, Moments } from '../question.ts';
import { type Bank, CHOICES, type Move, partsOf } from './bank.ts';

/** A bank's decision as venue B lists it. */
export function onB(
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
