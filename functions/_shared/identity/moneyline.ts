import type { Json, Question, VenueCode } from '../listing.ts';
import { ordered, question, type UnorderedLeg } from './question.ts';
import { type League, type TeamId, teamOf } from './registry.ts';

/** A game's winner as both venues' readings hand it over: one shape, one key, whoever listed it. */
export type Game = {
  venue: VenueCode;
  event: string;
  league: League;
  stage: 'preseason' | 'season';
  /** In the order of the listing. */
  teams: readonly [first: TeamId, second: TeamId];
  /** Where the listing says it outright; else the league's order decides. */
  home: TeamId | null;
  on_date: string | null;
  game_no: number | null;
  start_at: string | null;
  start_source: string | null;
  close_at: string | null;
  url: string | null;
  terms: { [key: string]: Json };
  /** Evidence beside the key parts. */
  evidence: { [key: string]: Json };
  legs: { team: TeamId | 'draw'; market_id: string; contract_id: string; side: 'yes' | 'no' | null }[];
  excluded: string | null;
};

export const questionId = (venue: VenueCode, native: string): string => `${venue}:${native}`;

export function moneylineKey(league: League, stage: string, scope: string, teams: readonly string[]): string {
  return ['moneyline', league.sport, league.id, stage, scope, [...teams].sort().join(',')].join('|');
}

const bare = (id: TeamId): string => id.split('/')[1] ?? id;

/** `houston-astros`; with its pool where two teams of one game would share it. */
function outcomeKeys(teams: readonly [TeamId, TeamId]): [string, string] {
  const [a, b] = [bare(teams[0]), bare(teams[1])];
  return a === b ? [teams[0].replace('/', '-'), teams[1].replace('/', '-')] : [a, b];
}

export function moneyline(game: Game): Question {
  const { league, teams } = game;
  const keys = outcomeKeys(teams);
  const home = game.home ?? teams[league.order === 'away_first' ? 1 : 0];
  const away = home === teams[0] ? teams[1] : teams[0];
  const name = (id: TeamId) => teamOf(id)?.name ?? id;
  const keyOf = (team: TeamId | 'draw') => (team === 'draw' ? 'draw' : team === teams[0] ? keys[0] : keys[1]);
  const first = league.order === 'away_first' ? away : home;
  const second = first === home ? away : home;
  const legs = game.legs.map(
    (leg): UnorderedLeg => ({
      outcome_key: keyOf(leg.team),
      outcome_name: leg.team === 'draw' ? 'Draw' : name(leg.team),
      market_id: leg.market_id,
      contract_id: leg.contract_id,
      side: leg.side,
      detail: null,
    }),
  );
  return question(
    {
      question_id: questionId(game.venue, game.event),
      family: 'moneyline',
      key: moneylineKey(league, game.stage, 'game', teams),
      title: `${name(first)} vs ${name(second)}`,
      identity: {
        sport: league.sport,
        competition: league.id,
        stage: game.stage,
        scope: 'game',
        participants: [...teams].sort(),
        rematch: league.rematch,
        ways: league.ways,
        start_source: game.start_source,
        // Every way the game can end has a leg: only then can buying all legs be safe.
        whole: game.legs.length === league.ways,
        ...game.evidence,
      },
    },
    {
      on_date: game.on_date,
      game_no: game.game_no,
      start_at: game.start_at,
      close_at: game.close_at,
      sport: league.sport,
      competition: game.stage === 'preseason' ? `${league.name} Preseason` : league.name,
      home: name(home),
      away: name(away),
      url: game.url,
      exclusive: true,
      excluded: game.excluded,
    },
    game.terms,
    ordered(legs, [keyOf(first), keyOf(second), 'draw']),
  );
}

/** A game that we could not make out: kept, with its texts, so that anyone can see what the registry lacks. */
export function unreadGame(
  venue: VenueCode,
  event: string,
  league: League,
  excluded: string,
  texts: { [key: string]: Json },
  facts: {
    title: string;
    on_date: string | null;
    start_at: string | null;
    close_at: string | null;
    url: string | null;
  },
): Question {
  return question(
    {
      question_id: questionId(venue, event),
      family: 'moneyline',
      key: `moneyline|${league.sport}|${league.id}|?|${event.toLowerCase()}`,
      title: facts.title,
      identity: { sport: league.sport, competition: league.id, ...texts },
    },
    {
      on_date: facts.on_date,
      start_at: facts.start_at,
      close_at: facts.close_at,
      url: facts.url,
      sport: league.sport,
      competition: league.name,
      excluded,
    },
    {},
    [],
  );
}
