import { keyOf, unit } from '../../core/random.ts';
import type { Fixture } from '../calendar/fixture.ts';
import type { PlayedGame } from '../games/played_game.ts';
import { type LinePlan, planOf, type SideLine } from './plan.ts';
import { type Score, scoreOf } from './score.ts';

export type LineFamily = 'total' | 'spread' | 'team_total';
export type Lineup = { score: Score; plan: LinePlan; suffix: string };

export const lineKey = (seed: number, ticker: string): number => keyOf(seed, 'lines', ticker);

/** The score of a game with lines, and the lines that both venues list of it. */
export function lineup(
  game: { seed: number; fixture: Fixture } & Pick<PlayedGame, 'ticker' | 'moments' | 'winner' | 'chances'>,
): Lineup {
  const { seed, fixture, ticker, moments, winner, chances } = game;
  const { scoring } = fixture.league;
  if (!scoring) throw new Error(`${fixture.league.key} has no lines`);
  const key = lineKey(seed, ticker);
  const score = scoreOf({ key, scoring, start: fixture.start, ends: moments.ends, winner, chances });
  return { score, plan: planOf(key, scoring, score), suffix: ticker.slice(ticker.indexOf('-') + 1) };
}

/** Half of the games with lines have team totals. */
export const hasTeamTotals = (suffix: string): boolean => unit(keyOf(suffix), 8) < 0.5;

/** The lines that both venues list, by family. Computed without creating the listings. */
export function sharedLines({ league }: Fixture, { plan, suffix }: Lineup): Record<LineFamily, SideLine[]> {
  const { series } = league.scoring ?? {};
  const more = league.persons ? [] : plan.total.more;
  const total = plan.total.a.filter((line) => line === plan.total.main || more.includes(line));
  const same = (list: readonly SideLine[]) => (one: SideLine) =>
    list.some(({ side, line }) => side === one.side && line === one.line);
  const { spread, teamTotal } = plan;
  const spreads = spread && series?.spread && league.rules !== 'tennis' ? [spread.main, ...spread.more] : [];
  const sides = teamTotal && series?.teamTotal && !league.persons && hasTeamTotals(suffix) ? teamTotal.more : [];
  return {
    total: total.map((line) => ({ side: 0, line })),
    spread: spread?.a.filter(same(spreads)) ?? [],
    team_total: teamTotal?.a.filter(same(sides)) ?? [],
  };
}
