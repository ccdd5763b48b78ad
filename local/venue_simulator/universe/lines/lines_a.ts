import { HOUR } from '../../core/eastern.ts';
import type { Fixture } from '../calendar/fixture.ts';
import type { Team } from '../leagues/index.ts';
import { above, type ContractShapeA, type ListingA, listOnA, targetOf } from '../listing/list_a.ts';
import type { EventA, Moments } from '../question.ts';
import { gameA, matchupA, secondaryA, subtitleA } from './game_text.ts';
import type { SideLine } from './plan.ts';
import type { Final, Score } from './score.ts';

/** The lines of a game as venue A lists them: one event per kind of line, one contract per line. */
export type GameA = {
  seed: number;
  fixture: Fixture;
  sides: readonly [Team, Team];
  suffix: string;
  moments: Moments;
  score: Score;
};

/** Whether a contract pays, by venue A's rules: more than the line. */
const paysOnA = {
  total: ({ first, second }: Final, { line }: { line: number }): boolean => first + second > line,
  spread: ({ first, second }: Final, { side, line }: SideLine): boolean =>
    (side === 0 ? first - second : second - first) > line,
  team_total: ({ first, second }: Final, { side, line }: SideLine): boolean => (side === 0 ? first : second) > line,
};

/** The books of lines are updated less often than the winner's market. */
export const LINE_INTERVAL_FACTOR = 4;

type LineContract = Pick<ContractShapeA, 'code' | 'title' | 'yes' | 'fair' | 'pays'> & {
  line: number;
  rule: string;
  team: Team | null;
};

export function totalOnA(game: GameA, series: string, lines: readonly number[]): EventA {
  const { fixture, sides, score } = game;
  const { scoring, rules, key } = fixture.league;
  const unit = scoring?.unit ?? 'points';
  const [first, second] = sides;
  const match = matchupA(fixture, sides);
  // The recorded text of baseball lacks this word (August 2026).
  const than = rules === 'baseball' ? '' : 'than ';
  const contracts = lines.map((line): LineContract => {
    const title =
      key === 'nfl'
        ? `Full Game: over ${line} points scored?`
        : rules === 'wnba'
          ? `${match} ${fixture.league.gamePhrase}: Over ${line} points?`
          : rules === 'baseball'
            ? `${match} Total Runs?`
            : `${match}: over ${line} ${unit}?`;
    return {
      code: String(scoring?.suffix.total === 'down' ? Math.floor(line) : Math.ceil(line)),
      line,
      title,
      yes: unit === 'games' || unit === 'maps' ? `Over ${line} ${unit}` : `Over ${line} ${unit} scored`,
      rule: `If ${first.city} and ${second.city} collectively score more ${than}${line} ${unit} in the ${gameA(fixture, sides)}, then the market resolves to Yes.`,
      team: null,
      fair: score.totalAbove(line),
      pays: paysOnA.total(score, { line }),
    };
  });
  const name = rules === 'wnba' ? 'Total' : (scoring?.totalName ?? 'Total');
  const scope = unit === 'games' || unit === 'maps' ? name : 'Point Total';
  return ladderOnA(game, series, `${match}: ${name}`, scope, contracts);
}

export function spreadOnA(game: GameA, series: string, lines: readonly SideLine[]): EventA {
  const { fixture, sides, score } = game;
  const { scoring, rules } = fixture.league;
  const units = scoring?.unit ?? 'points';
  const match = matchupA(fixture, sides);
  const isTennis = rules === 'tennis';
  const contracts = lines.map(({ side, line }): LineContract => {
    const team = sides[side];
    const name = isTennis ? team.full : team.city;
    const lead = side === 0 ? score.leadAbove(line) : score.leadAbove(-line);
    return {
      code: `${team.code}${scoring?.suffix.spread === 'down' ? Math.floor(line) : Math.ceil(line)}`,
      line,
      title: isTennis
        ? `Will ${name} win at least ${line} more games than ${sides[side === 0 ? 1 : 0].full}?`
        : `${name} wins by over ${line} ${units}?`,
      yes: isTennis ? `${name} -${line} games` : `${name} wins by over ${line} ${units}`,
      rule: isTennis
        ? `If the game differential in favor of ${name} across the full match is above ${line} games in the ${gameA(fixture, sides)}, then the market resolves to Yes.`
        : `If ${name} wins by more than ${line} ${units} in the ${gameA(fixture, sides)}, then the market resolves to Yes.`,
      team,
      fair: side === 0 ? lead : (t) => 1 - lead(t),
      pays: paysOnA.spread(score, { side, line }),
    };
  });
  const title = `${match}: ${isTennis ? 'Game Spread' : 'Spread'}`;
  return ladderOnA(game, series, title, isTennis ? 'Game Spread' : 'Spread', contracts);
}

export function teamTotalOnA(game: GameA, series: string, lines: readonly SideLine[]): EventA {
  const { fixture, sides, score } = game;
  const units = fixture.league.scoring?.unit ?? 'points';
  const contracts = lines.map(({ side, line }): LineContract => {
    const team = sides[side];
    return {
      code: `${team.code}${fixture.league.scoring?.suffix.total === 'down' ? Math.floor(line) : Math.ceil(line)}`,
      line,
      title: `${team.city} over ${line} ${units}?`,
      yes: `${team.city} over ${line} ${units} scored`,
      rule: `If ${team.city} scores more than ${line} ${units} in the ${gameA(fixture, sides)}, then the market resolves to Yes.`,
      team,
      fair: score.sideAbove(side, line),
      pays: paysOnA.team_total(score, { side, line }),
    };
  });
  return ladderOnA(game, series, `${matchupA(fixture, sides)}: Team Total`, 'Team Total', contracts);
}

function ladderOnA(
  game: GameA,
  series: string,
  title: string,
  scope: string,
  contracts: readonly LineContract[],
): EventA {
  const { fixture, sides } = game;
  const { league } = fixture;
  return listOnA(
    { ...partOfGame(game, `${series}-${game.suffix}`, title, scope, 3), exclusive: false },
    contracts.map((contract) => ({
      ...contract,
      rules: [contract.rule, secondaryA(fixture, sides)],
      strike: { ...above(contract.line), ...(contract.team ? { custom: targetOf(league, contract.team.code) } : {}) },
    })),
  );
}

/**
 * The fields of every event of venue A about a part or a line of a game. The result is expected
 * `hours` after the start.
 */
export function partOfGame(
  { seed, fixture, sides, moments }: GameA,
  ticker: string,
  title: string,
  scope: string,
  hours: number,
): Omit<ListingA, 'exclusive'> {
  const { league, start, scheduled } = fixture;
  return {
    seed,
    ticker,
    title,
    sub: subtitleA(fixture, sides),
    metadata: { competition: league.competition, competition_scope: scope },
    sources: league.sources,
    category: 'Sports',
    listed: moments.listed_a,
    close: scheduled + league.closeHours * HOUR,
    expected: start + hours * HOUR,
    occurrence: start + hours * HOUR,
    settlementSeconds: league.settlementSeconds,
    profile: { spread: [0.5, 1], size: [100, 1200], intervalFactor: LINE_INTERVAL_FACTOR },
  };
}
