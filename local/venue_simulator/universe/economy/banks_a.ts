import { DAY, HOUR, longMonth, shortDate } from '../../core/eastern.ts';
import { listOnA } from '../listing/list_a.ts';
import type { EventA, Moments } from '../question.ts';
import type { Bank, Move } from './bank.ts';

/** A bank's decision on venue A. */
export function onA(
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
  return listOnA(
    {
      seed,
      ticker,
      title: `${bank.name} rate decision in ${month}`,
      sub: `${day} meeting`,
      exclusive: true,
      sources: [{ name: bank.name, url: bank.site }],
      category: 'Economics',
      listed: moments.listed_a,
      close: moments.closed_a,
      expected: at + HOUR,
      occurrence: at,
      profile: { spread: [0.5, 1], size: [200, 3000], intervalFactor: 3 },
      expirationValue: moves[winner]?.a ?? '',
    },
    moves.map((move, i) => ({
      code: move.code,
      title: `Will the ${bank.name} ${move.a} at the ${month} ${bank.name} meeting?`,
      yes: move.change === 0 ? 'Hike 0bps' : move.a,
      rules: [
        `If the ${bank.name} announces a ${move.a.toLowerCase()} at its meeting of ${day}, then the market resolves to Yes.`,
        'What is announced counts, whenever it takes effect. If the meeting is cancelled, the market for a hike of 0bps resolves to Yes.',
      ],
      strike: { type: 'custom', custom: { Action: move.a } },
      fair: (t: number) => chances(t)[i] ?? 0,
      pays: i === winner,
    })),
  );
}
