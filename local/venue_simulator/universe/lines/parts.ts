import { keyOf, unit } from '../../core/random.ts';
import { listOnA, targetOf } from '../listing/list_a.ts';
import { eventB, versionOf } from '../listing/listing_b.ts';
import type { EventA, EventB, MarketB } from '../question.ts';
import { gameA, matchupA } from './game_text.ts';
import { type GameA, partOfGame } from './lines_a.ts';
import { type GameB, lineOnB } from './lines_b.ts';

/**
 * Parts of a game (a half, five innings, a set, a map): the same two names on the same day, but
 * another question.
 */

function chanceOf(game: GameA, side: 0 | 1): (t: number) => number {
  const lead = game.score.leadAbove(0);
  return side === 0 ? (t) => 0.5 + 0.7 * (lead(t) - 0.5) : (t) => 0.5 - 0.7 * (lead(t) - 0.5);
}

const leaderOf = (game: GameA): 0 | 1 => (unit(keyOf(game.suffix), 9) < 0.5 ? 0 : 1);

export function partOnA(game: GameA): EventA | null {
  const { fixture, sides } = game;
  const { league } = fixture;
  const part = league.scoring?.part;
  if (!part) return null;
  const numbered = league.rules === 'tennis' || league.rules === 'esports' ? '-1' : '';
  const match = matchupA(fixture, sides);
  const ticker = `${part.series}-${game.suffix}${numbered}`;
  return listOnA(
    { ...partOfGame(game, ticker, `${match}: ${part.name}`, part.scope, 2), exclusive: true },
    sides.map((team, side) => {
      const name = league.persons ? team.full : team.city;
      return {
        code: team.code,
        title: `${match}: ${part.name}?`,
        yes: part.yes(name),
        rules: [
          `If ${name} wins the ${part.name.replace(/ Winner$/, '')} of the ${gameA(fixture, sides)}, then the market resolves to Yes.`,
          '',
        ],
        strike: { type: 'structured', custom: targetOf(league, team.code) },
        fair: chanceOf(game, side as 0 | 1),
        pays: leaderOf(game) === side,
      };
    }),
  );
}

/**
 * The part as a market in the game's own event. Its two outcomes have the names of the moneyline.
 */
export function partOnB(game: GameB): MarketB[] {
  const { fixture, sides, slug, title } = game;
  const part = fixture.league.scoring?.part;
  if (!part || fixture.league.rules === 'soccer') return [];
  const [first, second] = sides;
  const types: Partial<Record<string, string>> = {
    tennis: 'tennis_first_set_winner',
    esports: 'child_moneyline',
    baseball: 'first_five_moneyline',
  };
  const names: Partial<Record<string, string>> = {
    tennis: 'Set 1 Winner',
    esports: 'Game 1 Winner',
    baseball: 'First 5 Innings',
  };
  const name = names[fixture.league.rules] ?? '1H Moneyline';
  return [
    lineOnB(game, {
      slug: `${slug}-${part.slug}`,
      question: `${title}: ${name}`,
      group: name,
      type: types[fixture.league.rules] ?? 'first_half_moneyline',
      line: null,
      outcomes: [first.nick, second.nick],
      rule: `This market refers to the ${part.name} only and resolves to the side that is ahead in it.`,
      fair: chanceOf(game, 0),
      pays: leaderOf(game) === 0,
      threshold: 3,
    }),
  ];
}

/**
 * The sibling event of the first half in soccer: three Yes/No markets, worded like those of the
 * game.
 */
export function halftimeEvent(game: GameB, main: EventB): EventB {
  const { sides, slug, title } = game;
  const [first, second] = sides;
  const ahead = leaderOf(game);
  const markets = [first, second, null].map((team, i) =>
    lineOnB(game, {
      slug: `${slug}-halftime-result-${team?.short ?? 'draw'}`,
      question: team ? `${team.full} leading at halftime?` : `${title}: Draw at halftime?`,
      group: team?.full ?? 'Draw',
      type: 'soccer_halftime_result',
      line: null,
      outcomes: ['Yes', 'No'],
      rule: 'This market refers only to the result of the first half including its stoppage time.',
      fair: team ? (t) => 0.7 * chanceOf(game, i as 0 | 1)(t) : () => 0.3,
      pays: i === ahead,
      threshold: i,
    }),
  );
  return siblingOf(game, main, 'halftime-result', 'Halftime Result', markets);
}

/** The sibling event of exact scores in soccer: Yes/No markets that name both teams. */
export function exactScoreEvent(game: GameB, main: EventB): EventB {
  const { sides, slug, score } = game;
  const [first, second] = sides;
  const scores = [
    [1, 0],
    [1, 1],
    [2, 1],
  ] as const;
  const markets = scores.map(([one, other], i) =>
    lineOnB(game, {
      slug: `${slug}-exact-score-${one}-${other}`,
      question: `Exact Score: ${first.full} ${one} - ${other} ${second.full}?`,
      group: `${one} - ${other}`,
      type: 'soccer_exact_score',
      line: null,
      outcomes: ['Yes', 'No'],
      rule: `This market will resolve to "Yes" if the score is ${one}-${other}. Otherwise, this market will resolve to "No".`,
      fair: () => 0.1,
      pays: score.first === one && score.second === other,
      threshold: i,
    }),
  );
  return siblingOf(game, main, 'exact-score', 'Exact Score', markets);
}

/** A sibling of the game's own event, with the same game fields. Venue B groups them by gameId. */
export function siblingOf(
  { seed, slug, title, moments }: GameB,
  main: EventB,
  suffix: string,
  name: string,
  markets: MarketB[],
): EventB {
  const { series, endDate, eventDate, startTime, gameId, teams, sport, resolutionSource } = main.fields;
  return eventB(
    seed,
    {
      slug: `${slug}-${suffix}`,
      version: versionOf(seed, slug),
      title: `${title} - ${name}`,
      description: '',
      resolution: String(resolutionSource),
      opened: moments.listed_b,
      end: Date.parse(String(endDate)),
      negRisk: false,
      augmented: false,
      series: (series as { slug: string }[])[0]?.slug ?? '',
      tags: main.tags.map((tag) => [String(tag.id), String(tag.label), String(tag.slug)] as const),
      extra: { eventDate, startTime, gameId, teams, sport },
    },
    markets,
  );
}
