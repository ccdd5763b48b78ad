import { DAY } from '../../core/eastern.ts';
import { keyOf, shuffled, unit } from '../../core/random.ts';
import { type ContractShapeA, listOnA, targetOf } from '../listing/list_a.ts';
import { NOT_AFFILIATED } from '../listing/listing_a.ts';
import type { EventA, Moments } from '../question.ts';
import type { Future } from './futures.ts';

/** A season-long question of one year, and its result. */
export type Race = {
  seed: number;
  future: Future;
  ticker: string;
  /** Fills the years of the season into a text. */
  fillYears(text: string): string;
  chances(t: number): number[];
  winner: number;
  moments: Moments;
  /** Market time of the death of a player of a race with a death clause. Null without a death. */
  diedAt: number | null;
};

/** In the form of the texts that venue A listed in 2026 (venues.md G). */
const DEATH_CLAUSE =
  'In the event of the death of a listed player before the award is announced, the market will resolve to the last traded price prior to the death, unless that price is not available or not representative of a fair settlement value, in which case the Exchange may determine a fair value.';

export const forPlayers = ({ targetKey }: Future): boolean => targetKey.endsWith('player');

/** Whether a venue does not list a runner of a long list. */
export const isMissing = (runners: number, key: number, position: number): boolean =>
  runners > 20 && unit(key, position) < 0.03;

/** Dollars per contract at a price: at least a cent, as the venue quotes it. */
const lastPrice = (chance: number): number => Math.min(99, Math.max(1, Math.round(chance * 100))) / 100;

export function raceOnA({ seed, future, ticker, fillYears, chances, winner, moments, diedAt }: Race): EventA {
  const { runners, a, league, targetKey, site, deathClause } = future;
  const secondary = deathClause === 'rules_secondary' ? `${DEATH_CLAUSE}\n\n${NOT_AFFILIATED}` : NOT_AFFILIATED;
  const notice = { id: ticker, markdown: `**Important information**: ${DEATH_CLAUSE}`, message: '', title: '' };
  const prize = fillYears(a.prize);
  const contracts = runners.flatMap(({ code, city }, i): ContractShapeA[] =>
    isMissing(runners.length, keyOf(seed, ticker, code), 5)
      ? []
      : [
          {
            code,
            title: `Will ${city} win the ${prize}?`,
            yes: city,
            rules: [`If ${city} wins the ${prize}, then the market resolves to Yes.`, secondary],
            strike: { type: 'structured', custom: targetOf({ key: league, targetKey }, code) },
            fair: (t) => chances(t)[i] ?? 0,
            pays: diedAt === null ? i === winner : lastPrice(chances(diedAt)[i] ?? 0),
          },
        ],
  );
  return listOnA(
    {
      seed,
      ticker,
      title: fillYears(a.title),
      sub: fillYears('{season}'),
      exclusive: true,
      metadata: {
        competition: a.competition,
        competition_scope: a.scope,
        ...(deathClause === 'important_info' ? { important_info: notice } : {}),
      },
      sources: [{ name: 'the Governing League', url: site }],
      category: 'Sports',
      listed: moments.listed_a,
      close: moments.ends + 700 * DAY,
      expected: moments.ends,
      ...(forPlayers(future) ? {} : { occurrence: moments.ends }),
      earlyClose: 'This market will close and expire after a title holder is declared.',
      profile: { spread: [0.35, 1], size: [300, 6000] },
      expirationValue: diedAt === null ? (runners[winner]?.city ?? '') : '',
    },
    shuffled(keyOf(seed, ticker, 'order'), contracts),
  );
}
