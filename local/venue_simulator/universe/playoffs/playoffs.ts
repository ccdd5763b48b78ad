import { DAY } from '../../core/eastern.ts';
import { bell, keyOf, pick } from '../../core/random.ts';
import type { Calendar } from '../calendar/schedule.ts';
import { drawWinner, fieldChances } from '../chances.ts';
import { longSchedule } from '../listing/long_schedule.ts';
import type { Leg, Question } from '../question.ts';
import { type Matchup, matchupsOf } from './matchups.ts';
import { seriesOnA, spreadOnA } from './playoffs_a.ts';
import { seriesOnB, totalOnB } from './playoffs_b.ts';

/**
 * Playoff series: the winner, listed by both venues, and two lookalikes: the number of games, and
 * the margin in games. The single games of the same two teams are listed too.
 */
export function playoffQuestions(seed: number, base: number, calendar: Calendar): Question[] {
  return matchupsOf(calendar).flatMap((matchup) => questionsOf(seed, base, matchup));
}

function questionsOf(seed: number, base: number, matchup: Matchup): Question[] {
  const { league, low, high, at } = matchup;
  const key = keyOf(seed, 'series', league.key, low.code, high.code);
  const logits = [low, high].map((team) => 0.6 * bell(keyOf(seed, league.key, team.code, 'strength')));
  const moments = longSchedule({
    listed_a: base - (4 + at) * DAY,
    listed_b: base - (3 + at) * DAY,
    ends: base + (9 + pick(key, 1, 8)) * DAY,
  });
  const series = { seed, base, matchup, moments, chances: fieldChances(key, logits), winner: drawWinner(key, logits) };
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
