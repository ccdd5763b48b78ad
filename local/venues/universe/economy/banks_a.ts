import { DAY, HOUR, longMonth, shortDate } from '../../core/eastern.ts';
import { keyOf, pick, unit } from '../../core/random.ts';
import { eventFieldsA, marketFieldsA } from '../listing_a.ts';
import type { EventA, Moments } from '../question.ts';
import type { Bank, Move } from './bank.ts';

/** A bank's decision as venue A lists it. */
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
