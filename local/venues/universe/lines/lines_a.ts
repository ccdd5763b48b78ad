import { HOUR } from '../../core/eastern.ts';
import { uuidOf } from '../../core/ids.ts';
import { keyOf, pick, unit } from '../../core/random.ts';
import type { Fixture } from '../fixture.ts';
import type { Team } from '../leagues/index.ts';
import { eventFieldsA, marketFieldsA } from '../listing_a.ts';
import type { ContractA, EventA, Moments } from '../question.ts';
import type { SideLine } from './plan.ts';
import type { Score } from './score.ts';
import { gameA, matchupA, secondaryA, subtitleA } from './words.ts';

/** A game's ladders as venue A lists them: one event a kind of line, one contract a line. */
export type GameA = {
  seed: number;
  fixture: Fixture;
  sides: readonly [Team, Team];
  suffix: string;
  moments: Moments;
  score: Score;
};

/** Lines rest longer between updates than the winner's market does. */
export const LINE_PACE = 4;

type Rung = {
  code: string;
  line: number;
  title: string;
  yes: string;
  rule: string;
  team: Team | null;
  fair: (t: number) => number;
  hit: boolean;
};

export function totalOnA(game: GameA, series: string, lines: readonly number[]): EventA {
  const { fixture, sides, score } = game;
  const { scoring, rules, key } = fixture.league;
  const unit = scoring?.unit ?? 'points';
  const [first, second] = sides;
  const match = matchupA(fixture, sides);
  // Baseball's text has lost a word on the venue itself (recorded August 2026).
  const than = rules === 'baseball' ? '' : 'than ';
  const rungs = lines.map((line): Rung => {
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
      hit: score.first + score.second > line,
    };
  });
  const name = rules === 'wnba' ? 'Total' : (scoring?.totalName ?? 'Total');
  const scope = unit === 'games' || unit === 'maps' ? name : 'Point Total';
  return ladderOnA(game, series, `${match}: ${name}`, scope, rungs);
}

export function spreadOnA(game: GameA, series: string, lines: readonly SideLine[]): EventA {
  const { fixture, sides, score } = game;
  const { scoring, rules } = fixture.league;
  const units = scoring?.unit ?? 'points';
  const match = matchupA(fixture, sides);
  const games = rules === 'tennis';
  const rungs = lines.map(({ side, line }): Rung => {
    const team = sides[side];
    const name = games ? team.full : team.city;
    const lead = side === 0 ? score.leadAbove(line) : score.leadAbove(-line);
    return {
      code: `${team.code}${scoring?.suffix.spread === 'down' ? Math.floor(line) : Math.ceil(line)}`,
      line,
      title: games
        ? `Will ${name} win at least ${line} more games than ${sides[side === 0 ? 1 : 0].full}?`
        : `${name} wins by over ${line} ${units}?`,
      yes: games ? `${name} -${line} games` : `${name} wins by over ${line} ${units}`,
      rule: games
        ? `If the game differential in favor of ${name} across the full match is above ${line} games in the ${gameA(fixture, sides)}, then the market resolves to Yes.`
        : `If ${name} wins by more than ${line} ${units} in the ${gameA(fixture, sides)}, then the market resolves to Yes.`,
      team,
      fair: side === 0 ? lead : (t) => 1 - lead(t),
      hit: (side === 0 ? 1 : -1) * (score.first - score.second) > line,
    };
  });
  const title = `${match}: ${games ? 'Game Spread' : 'Spread'}`;
  return ladderOnA(game, series, title, games ? 'Game Spread' : 'Spread', rungs);
}

export function teamTotalOnA(game: GameA, series: string, lines: readonly SideLine[]): EventA {
  const { fixture, sides, score } = game;
  const units = fixture.league.scoring?.unit ?? 'points';
  const rungs = lines.map(({ side, line }): Rung => {
    const team = sides[side];
    return {
      code: `${team.code}${fixture.league.scoring?.suffix.total === 'down' ? Math.floor(line) : Math.ceil(line)}`,
      line,
      title: `${team.city} over ${line} ${units}?`,
      yes: `${team.city} over ${line} ${units} scored`,
      rule: `If ${team.city} scores more than ${line} ${units} in the ${gameA(fixture, sides)}, then the market resolves to Yes.`,
      team,
      fair: score.sideAbove(side, line),
      hit: (side === 0 ? score.first : score.second) > line,
    };
  });
  return ladderOnA(game, series, `${matchupA(fixture, sides)}: Team Total`, 'Team Total', rungs);
}

function ladderOnA(game: GameA, series: string, title: string, scope: string, rungs: readonly Rung[]): EventA {
  const { seed, fixture, sides, moments } = game;
  const { league, start, scheduled } = fixture;
  const ticker = `${series}-${game.suffix}`;
  const contracts = rungs.map((rung): ContractA => {
    const key = keyOf(seed, ticker, rung.code);
    const fields = marketFieldsA(
      {
        ticker: `${ticker}-${rung.code}`,
        event: ticker,
        title: rung.title,
        yes: rung.yes,
        rules: [rung.rule, secondaryA(fixture, sides)],
        open: moments.listed_a,
        close: scheduled + league.closeHours * HOUR,
        expected: start + 3 * HOUR,
        occurrence: start + 3 * HOUR,
        earlyClose: 'This market will close and expire early if the event occurs.',
        settlementSeconds: league.settlementSeconds,
        strike: {
          type: 'greater',
          floor: rung.line,
          ...(rung.team ? { custom: { [league.targetKey]: uuidOf('team', league.key, rung.team.code) } } : {}),
        },
      },
      key,
    );
    return {
      ticker: `${ticker}-${rung.code}`,
      fields,
      quoting: {
        key,
        fair: rung.fair,
        halfSpread: 0.5 + unit(key, 1),
        scale: 100 + pick(key, 2, 1200),
        tick: 100,
        pace: LINE_PACE,
      },
      pays: rung.hit ? 'yes' : 'no',
      expirationValue: '',
    };
  });
  return {
    ticker,
    series,
    fields: eventFieldsA({
      ticker,
      series,
      title,
      sub: subtitleA(fixture, sides),
      exclusive: false,
      metadata: { competition: league.competition, competition_scope: scope },
      sources: league.sources,
      category: 'Sports',
      updated: moments.listed_a,
    }),
    contracts,
    milestone: null,
  };
}
