import { DAY } from '../../core/eastern.ts';
import { bell, keyOf, pick } from '../../core/random.ts';
import type { Calendar } from '../calendar/schedule.ts';
import { drawWinner, fieldChances } from '../chances.ts';
import { longSchedule } from '../listing/long_schedule.ts';
import type { Leg, Question } from '../question.ts';
import { seriesOnA, spreadOnA } from './playoffs_a.ts';
import { seriesOnB, totalOnB } from './playoffs_b.ts';
import { type Tie, tiesOf } from './ties.ts';

/**
 * Playoff series: who goes on, on both venues, and what only looks like it: how many games it takes, by how many it is won. The single
 * games of the same two teams stand beside them.
 */
export function playoffQuestions(seed: number, base: number, calendar: Calendar): Question[] {
  return tiesOf(calendar).flatMap((tie) => questionsOf(seed, base, tie));
}

function questionsOf(seed: number, base: number, tie: Tie): Question[] {
  const { league, low, high, at } = tie;
  const key = keyOf(seed, 'series', league.key, low.code, high.code);
  const lean = [low, high].map((team) => 0.6 * bell(keyOf(seed, league.key, team.code, 'strength')));
  const moments = longSchedule({
    listed_a: base - (4 + at) * DAY,
    listed_b: base - (3 + at) * DAY,
    ends: base + (9 + pick(key, 1, 8)) * DAY,
  });
  const series = { seed, base, tie, moments, chances: fieldChances(key, lean), winner: drawWinner(key, lean) };
  const a = seriesOnA(series);
  const b = seriesOnB(series);
  const [market] = b.markets;
  const legs = [low, high].map(
    (team): Leg => ({
      name: team.full,
      ticker: `${a.ticker}-${team.code}`,
      side: 'yes',
      token_id: market?.tokens[market.outcomes.indexOf(team.nick)] ?? '',
    }),
  );
  const plain = { moments, subject: `${league.key}:${[low.code, high.code].sort().join('-')}` };
  const spread = spreadOnA(series);
  const total = totalOnB(series);
  return [
    { ...plain, family: 'advance', key: a.ticker, a, b, legs },
    { ...plain, family: 'series_spread', key: spread.ticker, a: spread, b: null, legs: [] },
    { ...plain, family: 'series_total', key: total.slug, a: null, b: total, legs: [] },
  ];
}
