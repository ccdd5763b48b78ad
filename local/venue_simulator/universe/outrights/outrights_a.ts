import { DAY } from '../../core/eastern.ts';
import { keyOf, shuffled, unit } from '../../core/random.ts';
import { listOnA, type RungA, targetOf } from '../listing/list_a.ts';
import { NOT_AFFILIATED } from '../listing/listing_a.ts';
import type { EventA, Moments } from '../question.ts';
import type { Future } from './futures.ts';

/** A season-long question with the year filled in, and how it ends. */
export type Race = {
  seed: number;
  future: Future;
  ticker: string;
  /** Puts the season's years into a text. */
  words(text: string): string;
  chances(t: number): number[];
  winner: number;
  moments: Moments;
};

export const forPlayers = ({ targetKey }: Future): boolean => targetKey.endsWith('player');

/** Of long lists, a runner now and then is missing on one venue. */
export const left = (runners: number, key: number, place: number): boolean => runners > 20 && unit(key, place) < 0.03;

export function raceOnA({ seed, future, ticker, words, chances, winner, moments }: Race): EventA {
  const { runners, a, league, targetKey, site } = future;
  const prize = words(a.prize);
  const rungs = runners.flatMap(({ code, city }, i): RungA[] =>
    left(runners.length, keyOf(seed, ticker, code), 5)
      ? []
      : [
          {
            code,
            title: `Will ${city} win the ${prize}?`,
            yes: city,
            rules: [`If ${city} wins the ${prize}, then the market resolves to Yes.`, NOT_AFFILIATED],
            strike: { type: 'structured', custom: targetOf({ key: league, targetKey }, code) },
            fair: (t) => chances(t)[i] ?? 0,
            pays: i === winner,
          },
        ],
  );
  return listOnA(
    {
      seed,
      ticker,
      title: words(a.title),
      sub: words('{season}'),
      exclusive: true,
      metadata: { competition: a.competition, competition_scope: a.scope },
      sources: [{ name: 'the Governing League', url: site }],
      category: 'Sports',
      listed: moments.listed_a,
      close: moments.ends + 700 * DAY,
      expected: moments.ends,
      ...(forPlayers(future) ? {} : { occurrence: moments.ends }),
      earlyClose: 'This market will close and expire after a title holder is declared.',
      habits: { spread: [0.35, 1], size: [300, 6000] },
      expirationValue: runners[winner]?.city ?? '',
    },
    shuffled(keyOf(seed, ticker, 'order'), rungs),
  );
}
