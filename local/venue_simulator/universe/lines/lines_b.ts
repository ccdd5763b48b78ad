import { clockTime, DAY, longDay } from '../../core/eastern.ts';
import { keyOf, unit } from '../../core/random.ts';
import { type MarketQuestionB, marketB, SPORTS_FEE, versionOf } from '../listing/listing_b.ts';
import type { MarketB } from '../question.ts';
import { countingRuleB } from './game_text.ts';
import { type GameA, LINE_INTERVAL_FACTOR } from './lines_a.ts';
import type { SideLine } from './plan.ts';
import type { Final } from './score.ts';

/**
 * The lines of a game as venue B lists them: one market per line, in the game's own event or in its
 * "More Markets" sibling.
 */
export type GameB = GameA & { slug: string; title: string };

const dotted = (line: number): string => String(line).replace('.', 'pt');
const homeOrAway = ({ fixture, sides }: GameB, side: 0 | 1): string => (sides[side] === fixture.home ? 'home' : 'away');

type LineShape = Omit<MarketQuestionB, 'pays'> & {
  type: string;
  line: number | null;
  outcomes: readonly [string, string];
  rule: string;
  /** Whether outcome 0 pays. */
  pays: boolean;
};

/** Whether outcome 0 pays, by venue B's rules: a spread is won by the rounded line or more. */
const paysOnB = {
  total: ({ first, second }: Final, { line }: { line: number }): boolean => first + second > line,
  spread: ({ first, second }: Final, { side, line }: SideLine): boolean =>
    (side === 0 ? first - second : second - first) >= Math.ceil(line),
  team_total: ({ first, second }: Final, { side, line }: SideLine): boolean => (side === 0 ? first : second) > line,
};

/** `suffix` ends the slug of the second listing of the same line. */
export function totalOnB(game: GameB, line: number, threshold: number, suffix = ''): MarketB {
  const { title, slug, score, fixture } = game;
  const { rules, scoring } = fixture.league;
  const units = scoring?.unit ?? 'points';
  const [infix, type, group] =
    rules === 'tennis'
      ? ['match-total', 'tennis_match_totals', `Match O/U ${line}`]
      : rules === 'esports'
        ? ['total-games', 'totals', `Games Total: O/U ${line}`]
        : ['total', 'totals', `O/U ${line}`];
  return lineOnB(game, {
    slug: `${slug}-${infix}-${dotted(line)}${suffix}`,
    question: rules === 'esports' ? group : `${title}: ${group}`,
    group,
    type,
    line,
    outcomes: ['Over', 'Under'],
    rule: `This market will resolve to "Over" if the total number of ${units} of both sides is more than ${line}. Otherwise, this market will resolve to "Under".`,
    fair: score.totalAbove(line),
    pays: paysOnB.total(score, { line }),
    threshold,
  });
}

/** Outcome 0 is the side that gives points. */
export function spreadOnB(game: GameB, { side, line }: SideLine, threshold: number): MarketB {
  const { slug, sides, score } = game;
  const giver = sides[side];
  const taker = sides[side === 0 ? 1 : 0];
  const lead = side === 0 ? score.leadAbove(line) : score.leadAbove(-line);
  return lineOnB(game, {
    slug: `${slug}-spread-${homeOrAway(game, side)}-${dotted(line)}`,
    question: `Spread: ${giver.nick} (-${line})`,
    group: `Spread -${line}`,
    type: 'spreads',
    line: -line,
    outcomes: [giver.nick, taker.nick],
    rule: `This market will resolve to "${giver.nick}" if ${giver.full} win by ${Math.ceil(line)} or more. Otherwise, this market will resolve to "${taker.nick}".`,
    fair: side === 0 ? lead : (t) => 1 - lead(t),
    pays: paysOnB.spread(score, { side, line }),
    threshold,
  });
}

export function teamTotalOnB(game: GameB, { side, line }: SideLine, threshold: number): MarketB {
  const { slug, sides, score } = game;
  const team = sides[side];
  return lineOnB(game, {
    slug: `${slug}-team-total-${homeOrAway(game, side)}-${dotted(line)}`,
    question: `${team.nick} Team Total: O/U ${line}`,
    group: `${team.nick} O/U ${line}`,
    type: 'team_totals',
    line,
    outcomes: ['Over', 'Under'],
    rule: `This market will resolve to "Over" if ${team.full} alone score more than ${line}. Otherwise, this market will resolve to "Under".`,
    fair: score.sideAbove(side, line),
    pays: paysOnB.team_total(score, { side, line }),
    threshold,
  });
}

/**
 * The line of the first half. Its `line` field has the opposite sign (venues.md B2). It is a part
 * and must not be paired with the game.
 */
export function halfSpreadOnB(game: GameB, { side, line }: SideLine, threshold: number): MarketB {
  const whole = spreadOnB(game, { side, line }, threshold);
  const [giver, taker] = whole.outcomes;
  return lineOnB(game, {
    slug: `${game.slug}-1h-spread-${homeOrAway(game, side)}-${dotted(line)}`,
    question: `1H Spread: ${giver} (-${line})`,
    group: `1H Spread -${line}`,
    type: 'first_half_spreads',
    line,
    outcomes: [giver, taker],
    rule: `This market will resolve to "${giver}" if they lead by more than ${line} at the end of the first half. Otherwise, this market will resolve to "${taker}".`,
    fair: whole.quoting.fair,
    pays: unit(keyOf(whole.slug), 5) < 0.4,
    threshold,
  });
}

/** A spread on the maps won, best of three. Only venue B lists it. */
export function mapHandicapOnB(game: GameB, side: 0 | 1, threshold: number): MarketB {
  const whole = spreadOnB(game, { side, line: 1.5 }, threshold);
  return lineOnB(game, {
    slug: `${game.slug}-map-handicap-${homeOrAway(game, side)}-1pt5`,
    question: `Map Handicap: ${whole.outcomes[0]} (-1.5)`,
    group: 'Map Handicap -1.5',
    type: 'map_handicap',
    line: -1.5,
    outcomes: whole.outcomes,
    rule: `This market will resolve to "${whole.outcomes[0]}" if they win by two maps or more. Otherwise, this market will resolve to "${whole.outcomes[1]}".`,
    fair: whole.quoting.fair,
    pays: whole.pays === 0,
    threshold,
  });
}

export function bothScoreOnB(game: GameB, threshold: number): MarketB {
  const { slug, title, score } = game;
  const under = score.totalAbove(1.5);
  return lineOnB(game, {
    slug: `${slug}-btts`,
    question: `${title}: Both Teams to Score`,
    group: 'Both Teams to Score',
    type: 'both_teams_to_score',
    line: null,
    outcomes: ['Yes', 'No'],
    rule: 'This market will resolve to "Yes" if each team scores at least one goal. Otherwise, this market will resolve to "No".',
    fair: (t) => 0.75 * under(t),
    pays: Math.min(score.first, score.second) > 0,
    threshold,
  });
}

export function lineOnB(game: GameB, line: LineShape): MarketB {
  const { seed, fixture, moments, title } = game;
  const { league, start, scheduled } = fixture;
  const when = `${longDay(scheduled)} at ${clockTime(scheduled)} ET`;
  const shared = {
    seed,
    version: versionOf(seed, game.slug),
    description: `In the upcoming ${league.bName} game between ${title.replace(' vs. ', ' and ')}, scheduled for ${when}:\n${line.rule}\n${countingRuleB(fixture)}`,
    resolution: league.resolution,
    outcomes: line.outcomes,
    end: league.endRule === 'week' ? start + 7 * DAY : start,
    opened: moments.listed_b,
    fee: SPORTS_FEE,
    tick: 100,
    negRiskId: null,
    start,
    sportsType: line.type,
    profile: { spread: [0.5, 1], size: [100, 1000], intervalFactor: LINE_INTERVAL_FACTOR } as const,
  };
  const market = marketB(shared, line);
  return line.line === null ? market : { ...market, fields: { ...market.fields, line: line.line } };
}
