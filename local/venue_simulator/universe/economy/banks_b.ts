import { easternParts, longMonth } from '../../core/eastern.ts';
import { listOnB } from '../listing/list_b.ts';
import { ECONOMICS_FEE } from '../listing/listing_b.ts';
import type { EventB, Moments } from '../question.ts';
import { type Bank, CHOICES_B, type Move, movesOf } from './bank.ts';

/** A bank's decision on venue B. */
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
  const when = `${month.toLowerCase()}-${year}-meeting`;
  return listOnB(
    {
      seed,
      slug: `${bank.slug}-decision-in-${month.toLowerCase()}`,
      title: `${bank.name} decision in ${month}?`,
      description: `This market will resolve according to the change of the key interest rate that the ${bank.name} announces after its ${month} ${year} meeting, in basis points.\n\nA change that is not among the choices is rounded up to the nearest 25. If the meeting is canceled and no decision is announced by the end of the next scheduled meeting, this market will resolve to "No change".\n\nThe resolution source is the ${bank.name} (${bank.site}).`,
      resolution: bank.site,
      opened: moments.listed_b,
      end: Date.parse(`${new Date(at).toISOString().slice(0, 10)}T00:00:00Z`),
      eventEnd: at,
      negRisk: true,
      series: `${bank.slug}-decisions`,
      tags: [
        ['100328', 'Economy', 'economy'],
        ['101800', 'Central banks', 'central-banks'],
      ],
      fee: ECONOMICS_FEE,
      tick: 10,
      profile: { spread: [2, 3], size: [200, 3000], intervalFactor: 3 },
    },
    CHOICES_B.map((choice) => {
      const parts = movesOf(choice, moves);
      const amount = `${Math.abs(choice.change)}${choice.more ? '+' : ''}`;
      const word = choice.change < 0 ? 'decreases' : 'increases';
      const isUnchanged = choice.change === 0;
      return {
        slug: isUnchanged
          ? `no-change-in-${bank.slug}s-interest-rates-after-${when}`
          : `${bank.slug}-${word}-interest-rates-by-${Math.abs(choice.change)}-bps-after-${when}`,
        question: isUnchanged
          ? `No change in ${bank.name}'s interest rates after ${month} ${year} meeting?`
          : `${bank.name} ${word} interest rates by ${amount} bps after ${month} ${year} meeting?`,
        group: choice.group,
        fair: (t: number) => parts.reduce((sum, part) => sum + (chances(t)[part] ?? 0), 0),
        pays: parts.includes(winner),
      };
    }),
  );
}
