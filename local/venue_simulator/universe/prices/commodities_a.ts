import { easternParts, HOUR, shortDate, tickerDate } from '../../core/eastern.ts';
import { keyOf, unit } from '../../core/random.ts';
import { listOnA } from '../listing/list_a.ts';
import type { EventA, Moments } from '../question.ts';
import { atLeast } from './at_least.ts';
import { aboveChance, type Commodity } from './commodity.ts';

/** The weekly strike ladder of venue A: a spot price at an hour of Friday. */
export function weeklyOnA(seed: number, base: number, of: Commodity, at: number, moments: Moments): EventA {
  const ticker = `${of.series}-${tickerDate(at)}${of.hour}`;
  const when = `${shortDate(at)} at ${of.hour - 12}:00 PM ${easternParts(at).zone}`;
  return listOnA(
    {
      seed,
      ticker,
      title: `${of.name} on ${when}?`,
      sub: when,
      exclusive: false,
      sources: [{ name: 'Pyth', url: 'https://www.pyth.network/' }],
      category: 'Financials',
      strikeDate: at,
      listed: moments.listed_a,
      close: at,
      expected: at + HOUR,
      profile: { spread: [0.8, 1], size: [80, 700] },
    },
    [-2, -1, 0, 1, 2].map((steps) => {
      const strike = of.price + steps * of.step;
      const fair = aboveChance(of, strike);
      return atLeast(strike, (floor) => ({
        title: `Will the price of ${of.unit} be above ${floor} on ${shortDate(at)}?`,
        yes: `$${strike} or above`,
        rules: [`If the price of ${of.unit} on ${when} is above ${floor}, then the market resolves to Yes.`, ''],
        fair,
        pays: unit(keyOf(seed, ticker), 3) < fair(base),
      }));
    }),
  );
}
