import { pick } from '../../core/random.ts';
import type { Fixture } from '../calendar/fixture.ts';
import type { Team } from '../leagues/index.ts';
import type { EventA, EventB, Lookalike, MarketB, Moments, Question, Twin } from '../question.ts';
import { type GameA, spreadOnA, teamTotalOnA, totalOnA } from './lines_a.ts';
import {
  bothScoreOnB,
  type GameB,
  halfSpreadOnB,
  mapHandicapOnB,
  spreadOnB,
  teamTotalOnB,
  totalOnB,
} from './lines_b.ts';
import { hasTeamTotals, type LineFamily, lineKey, lineup } from './lineup.ts';
import { exactScoreEvent, halftimeEvent, partOnA, partOnB, siblingOf } from './parts.ts';
import type { LinePlan, SideLine } from './plan.ts';
import { lineTwins } from './twins.ts';

export type GameForLines = {
  seed: number;
  fixture: Fixture;
  sides: readonly [Team, Team];
  /** The game's ticker and slug. */
  ticker: string;
  slug: string;
  moments: Moments;
  winner: number;
  chances: (t: number) => number[];
  /** The game's event on venue B without its lines. Null without listings of venue B. */
  main: EventB | null;
  subject: string;
  /** The venue whose listings are wanted, or both. */
  only: 'a' | 'b' | null;
};

export type GameLines = {
  /** Lines that are in the game's own event on venue B. */
  inMain: MarketB[];
  questions: Question[];
  lookalikes: Lookalike[];
  /** Event tickers of venue A's strike ladders. The game's milestone lists them. */
  related: string[];
};

/**
 * Totals, spreads and team totals of one game on both venues, the parts of the game that look like
 * the whole, and the twins.
 */
export function linesOf(game: GameForLines): GameLines {
  const { seed, fixture, ticker, slug, subject, moments, main, only } = game;
  if (!fixture.league.scoring) return { inMain: [], questions: [], lookalikes: [], related: [] };
  const { score, plan, suffix } = lineup(game);
  const onA: GameA = { seed, fixture, sides: game.sides, suffix, moments, score };
  const onB = main && { ...onA, slug, title: String(main.fields.title) };
  const lines = onB && linesOnB(onB, plan, main, lineKey(seed, ticker));
  const ladders = only === 'b' ? [] : laddersOf(onA, plan);
  const part = only === 'b' ? null : partOnA(onA);
  const questions = ladders.map(({ family, event }): Question => {
    const twins = onB && lines ? twinsOf(family, event, lines.listed, onB) : [];
    return { key: event.ticker, family, moments, a: event, b: null, legs: [], subject, twins };
  });
  const addUnpaired = (family: string, a: EventA | null, b: EventB | null) => {
    const listing = a?.ticker ?? b?.slug ?? '';
    questions.push({ key: listing, family, moments, a, b, legs: [], subject });
  };
  if (lines?.sibling) addUnpaired('more_markets', null, lines.sibling);
  if (part) addUnpaired('part_of_game', part, null);
  if (onB && fixture.league.rules === 'soccer') {
    addUnpaired('part_of_game', null, halftimeEvent(onB, main));
    addUnpaired('exact_score', null, exactScoreEvent(onB, main));
  }
  const [total] = ladders;
  const lookalikes = (lines?.duplicates ?? []).map(
    (market): Lookalike => ({
      venue_a: total?.event.ticker ?? '',
      venue_b: lines?.sibling?.slug ?? '',
      why: 'duplicate_listing',
      slug: market.slug,
    }),
  );
  const related = [...ladders.map(({ event }) => event.ticker), ...(part ? [part.ticker] : [])];
  return { inMain: lines?.inMain ?? [], questions, lookalikes, related };
}

type LinesOnB = {
  /** Lines in the game's own event. */
  inMain: MarketB[];
  sibling: EventB | null;
  duplicates: MarketB[];
  /** The lines that can be paired, with the slug of their event. */
  listed: { slug: string; market: MarketB }[];
};

function linesOnB(game: GameB, plan: LinePlan, event: EventB, key: number): LinesOnB {
  const { league } = game.fixture;
  const soccer = league.rules === 'soccer';
  const main = mainLines(game, plan);
  const more = moreLines(game, plan, soccer);
  // In soccer the game's own event contains the three results only. All lines are in the sibling
  // event.
  const inMain = soccer ? [] : [...main, ...partOnB(game)];
  const duplicates = soccer || league.persons ? [] : [duplicateOf(game, plan, key)];
  const inSibling = [...(soccer ? main : []), ...more, ...duplicates];
  const sibling = inSibling.length > 0 ? siblingOf(game, event, 'more-markets', 'More Markets', inSibling) : null;
  const listed = [
    ...inMain.map((market) => ({ slug: game.slug, market })),
    ...(sibling ? [...(soccer ? main : []), ...more].map((market) => ({ slug: sibling.slug, market })) : []),
  ];
  return { inMain, sibling, duplicates, listed };
}

function mainLines(game: GameB, plan: LinePlan): MarketB[] {
  const spread = plan.spread && game.fixture.league.rules !== 'tennis' ? [spreadOnB(game, plan.spread.main, 2)] : [];
  const maps = game.fixture.league.rules === 'esports' ? [mapHandicapOnB(game, 0, 4)] : [];
  return [totalOnB(game, plan.total.main, 1), ...spread, ...maps];
}

function moreLines(game: GameB, plan: LinePlan, soccer: boolean): MarketB[] {
  const { persons } = game.fixture.league;
  if (persons) return [];
  const totals = plan.total.more.filter((line) => line !== plan.total.main);
  const differs = ({ side, line }: SideLine) => side !== plan.spread?.main.side || line !== plan.spread.main.line;
  return [
    ...totals.map((line, i) => totalOnB(game, line, 10 + i)),
    ...(plan.spread?.more.filter(differs) ?? []).map((one, i) => spreadOnB(game, one, 20 + i)),
    ...(plan.teamTotal?.more ?? []).map((one, i) => teamTotalOnB(game, one, 30 + i)),
    ...(soccer ? [bothScoreOnB(game, 40)] : plan.spread ? [halfSpreadOnB(game, plan.spread.main, 41)] : []),
  ];
}

/**
 * The main line, listed a second time in the sibling event. Only one of the two listings is paired.
 */
function duplicateOf(game: GameB, plan: LinePlan, key: number): MarketB {
  return totalOnB(game, plan.total.main, 50, `-${100 + pick(key, 41, 900)}`);
}

type Ladder = { family: LineFamily; event: EventA };

function laddersOf(game: GameA, plan: LinePlan): Ladder[] {
  const series = game.fixture.league.scoring?.series;
  if (!series) return [];
  const ladders: Ladder[] = [{ family: 'total', event: totalOnA(game, series.total, plan.total.a) }];
  if (plan.spread && series.spread) {
    ladders.push({ family: 'spread', event: spreadOnA(game, series.spread, plan.spread.a) });
  }
  if (plan.teamTotal && series.teamTotal && hasTeamTotals(game.suffix)) {
    ladders.push({ family: 'team_total', event: teamTotalOnA(game, series.teamTotal, plan.teamTotal.a) });
  }
  return ladders;
}

function twinsOf(
  family: Ladder['family'],
  event: EventA,
  listed: readonly { slug: string; market: MarketB }[],
  { sides }: GameB,
): Twin[] {
  const typed = (...types: string[]) =>
    listed.filter(({ market }) => types.includes(String(market.fields.sportsMarketType)));
  // The code of a contract is the code of the team and the line: "NYK29". The code of Schalke ends
  // in digits: "S040".
  const teamOf = (ticker: string) => {
    const code = ticker.slice(event.ticker.length + 1);
    return sides.find((side) => code.startsWith(side.code) && /^\d+$/.test(code.slice(side.code.length)));
  };
  switch (family) {
    case 'total':
      return lineTwins(
        { family, names: (market) => [`Over ${market.fields.line}`, `Under ${market.fields.line}`] },
        event,
        typed('totals', 'tennis_match_totals'),
        (contract, market) => contract.fields.floor_strike === market.fields.line,
      );
    case 'team_total':
      return lineTwins(
        { family, names: (market) => [`Over ${market.fields.line}`, `Under ${market.fields.line}`] },
        event,
        typed('team_totals'),
        (contract, market) =>
          contract.fields.floor_strike === market.fields.line &&
          String(market.fields.question).startsWith(`${teamOf(contract.ticker)?.nick} Team Total`),
      );
    case 'spread':
      return lineTwins(
        {
          family,
          names: ({ outcomes, fields }) => [`${outcomes[0]} ${fields.line}`, `${outcomes[1]} +${-Number(fields.line)}`],
        },
        event,
        typed('spreads'),
        (contract, market) =>
          contract.fields.floor_strike === -Number(market.fields.line) &&
          teamOf(contract.ticker)?.nick === market.outcomes[0],
      );
  }
}
