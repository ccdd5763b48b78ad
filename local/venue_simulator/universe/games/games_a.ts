import { clockTime, DAY, easternParts, HOUR, isoSeconds, shortDate, shortDay } from '../../core/eastern.ts';
import { uuidOf } from '../../core/ids.ts';
import { keyOf, shuffled } from '../../core/random.ts';
import type { Fixture } from '../calendar/fixture.ts';
import { type League, type Team, versusOf } from '../leagues/index.ts';
import { type ContractShapeA, listOnA, targetOf } from '../listing/list_a.ts';
import type { EventA, Moments, WireFields } from '../question.ts';
import { gameRulesA } from './game_rules_a.ts';

/** Index of the winner, a tie ($0.50 each), or the fair prices of a game that was not played. */
export type GamePayout = number | 'tie' | readonly number[];

/** A game as venue A lists it. */
export function eventA(
  seed: number,
  fixture: Fixture,
  ticker: string,
  chances: (t: number) => number[],
  pays: GamePayout,
  moments: Moments,
): EventA {
  const { league, away, home, start, scheduled } = fixture;
  const [first, second] = league.order === 'away' ? [away, home] : [home, away];
  const title = `${first.city} ${versusOf(league)} ${second.city}`;
  const leader = fixture.gameNo === null ? '' : `Game ${fixture.gameNo}: `;
  const outcomes = league.ways === 3 ? [first, second, null] : [first, second];
  const contracts = outcomes.map((team, i): ContractShapeA => {
    const yes = team ? (league.persons ? team.full : team.city) : 'Tie';
    return {
      code: team?.code ?? 'TIE',
      title: `${leader}${marketTitle(league, title, yes)}`,
      yes,
      rules: rulesOf(fixture, title, yes),
      strike: {
        type: 'structured',
        custom: team ? targetOf(league, team.code) : { [league.targetKey]: uuidOf('tie') },
      },
      fair: (t) => chances(t)[i] ?? 0,
      pays: payoutOf(pays, i),
    };
  });
  return listOnA(
    {
      seed,
      ticker,
      title: league.rules === 'mma' ? `UFC Fight Night: ${title}` : `${leader}${title}`,
      sub: subtitle(fixture, title, first, second),
      exclusive: true,
      metadata: { competition: league.competition, competition_scope: 'Game' },
      sources: league.sources,
      category: 'Sports',
      listed: moments.listed_a,
      close: scheduled + league.closeHours * HOUR,
      expected: start + 3 * HOUR,
      occurrence: start + 3 * HOUR,
      earlyClose: 'This market will close and expire after a winner is declared.',
      settlementSeconds: league.settlementSeconds,
      profile: { spread: [0.3, 0.9], size: [150, 2500] },
      expirationValue: typeof pays === 'number' ? (outcomes[pays]?.city ?? 'Tie') : '',
      milestone: milestoneOf(seed, fixture, ticker, title, moments),
    },
    shuffled(keyOf(seed, ticker, 'order'), contracts),
  );
}

/** The milestone is the only object in which venue A states the start of a game (venues.md A3). */
function milestoneOf(seed: number, fixture: Fixture, ticker: string, title: string, moments: Moments): WireFields {
  const { league, away, home, start } = fixture;
  return {
    category: 'Sports',
    details: {
      away_team_id: uuidOf('team', league.key, away.code),
      home_team_id: uuidOf('team', league.key, home.code),
      league: league.bName,
      status: 'created',
    },
    end_date: null,
    id: uuidOf(seed, 'milestone', ticker),
    last_updated_ts: new Date(moments.listed_a).toISOString(),
    notification_message: 'Who will win?',
    primary_event_tickers: [ticker],
    related_event_tickers: [ticker],
    source_id: uuidOf(seed, 'source', ticker),
    start_date: isoSeconds(start),
    title,
    type: league.milestone,
  };
}

/** The payout of the contract of outcome `i`. */
function payoutOf(pays: GamePayout, i: number): ContractShapeA['pays'] {
  if (pays === 'tie') return 0.5;
  if (typeof pays === 'number') return pays === i;
  return Math.round((pays[i] ?? 0) * 100) / 100;
}

/**
 * The contract's rules. A defect leaves a blank unfilled, names another day or another game, or
 * removes the text.
 */
function rulesOf(fixture: Fixture, title: string, yes: string): readonly [string, string] {
  const { league, scheduled, defect } = fixture;
  if (defect === 'rules_of_another_game') return rulesOfOthers(fixture);
  const day = defect === 'rules_contradict_fields' ? scheduled + 4 * DAY : scheduled;
  const rules = gameRulesA(league, title, yes, shortDate(day), `${clockTime(day)} ${easternParts(day).zone}`);
  if (defect === 'no_rules') return ['', ''];
  return defect === 'unfilled_template' ? [rules[0].replace(yes, '{{team_name}}'), rules[1]] : rules;
}

function rulesOfOthers({ league, away, home, scheduled }: Fixture): readonly [string, string] {
  const [one, other] = league.teams.filter((team) => team !== away && team !== home);
  const title = `${one?.city} ${versusOf(league)} ${other?.city}`;
  const clock = `${clockTime(scheduled)} ${easternParts(scheduled).zone}`;
  return gameRulesA(league, title, one?.city ?? '', shortDate(scheduled), clock);
}

function subtitle({ league, scheduled }: Fixture, title: string, first: Team, second: Team): string {
  if (league.rules === 'mma') return title;
  if (league.persons || league.rules === 'wnba' || league.rules === 'esports')
    return `${title} (${shortDay(scheduled)})`;
  return `${first.code} ${league.title} ${second.code} (${shortDay(scheduled)})`;
}

function marketTitle(league: League, title: string, yes: string): string {
  if (league.rules === 'wnba') return `${title} women's Pro Basketball game: ${yes} wins?`;
  if (league.key === 'nfl') return `Will ${yes} win the ${title} Pro Football game?`;
  if (league.rules === 'college' || league.persons) return `Will ${yes} win the ${title} ${league.gamePhrase}?`;
  return `${title} Winner?`;
}
