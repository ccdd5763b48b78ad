import { clockTime, easternParts, HOUR, isoSeconds, shortDate, shortDay } from '../core/eastern.ts';
import { uuidOf } from '../core/ids.ts';
import { keyOf, pick, shuffled, unit } from '../core/random.ts';
import type { Fixture } from './fixture.ts';
import { gameRulesA } from './game_rules.ts';
import type { League, Team } from './leagues/index.ts';
import { eventFieldsA, marketFieldsA } from './listing_a.ts';
import type { ContractA, EventA, Moments } from './question.ts';

/** A game as venue A lists it. */
export function eventA(
  seed: number,
  fixture: Fixture,
  ticker: string,
  sides: readonly Team[],
  chances: (t: number) => number[],
  winner: number,
  moments: Moments,
): EventA {
  const { league, away, home, start } = fixture;
  const [first, second] = sides as [Team, Team];
  const title = `${first.city} ${league.title} ${second.city}`;
  const sub =
    league.rules === 'wnba'
      ? `${title} (${shortDay(start)})`
      : `${first.code} ${league.title} ${second.code} (${shortDay(start)})`;
  const outcomes = league.ways === 3 ? [...sides, null] : [...sides];
  const contracts = outcomes.map((team, i): ContractA => {
    const code = team?.code ?? 'TIE';
    const yes = team?.city ?? 'Tie';
    const key = keyOf(seed, ticker, code);
    const fields = marketFieldsA(
      {
        ticker: `${ticker}-${code}`,
        event: ticker,
        title: marketTitle(league, title, yes),
        yes,
        rules: gameRulesA(league, title, yes, shortDate(start), `${clockTime(start)} ${easternParts(start).zone}`),
        open: moments.listed_a,
        close: start + league.closeHours * HOUR,
        expected: start + 3 * HOUR,
        occurrence: start + 3 * HOUR,
        earlyClose: 'This market will close and expire after a winner is declared.',
        settlementSeconds: league.settlementSeconds,
        strike: {
          type: 'structured',
          custom: { [league.targetKey]: team ? uuidOf('team', league.key, team.code) : uuidOf('tie') },
        },
      },
      key,
    );
    const quoting = {
      key,
      fair: (t: number) => chances(t)[i] ?? 0,
      halfSpread: 0.3 + unit(key, 1) * 0.9,
      scale: 150 + pick(key, 2, 2500),
      tick: 100,
    };
    return {
      ticker: `${ticker}-${code}`,
      fields,
      quoting,
      pays: i === winner ? 'yes' : 'no',
      expirationValue: outcomes[winner]?.city ?? 'Tie',
    };
  });
  return {
    ticker,
    series: league.series,
    fields: eventFieldsA({
      ticker,
      series: league.series,
      title,
      sub,
      exclusive: true,
      metadata: { competition: league.competition, competition_scope: 'Game' },
      sources: league.sources,
      category: 'Sports',
      updated: moments.listed_a,
    }),
    contracts: shuffled(keyOf(seed, ticker, 'order'), contracts),
    milestone: {
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
    },
  };
}

function marketTitle(league: League, title: string, yes: string): string {
  if (league.rules === 'wnba') return `${title} women's Pro Basketball game: ${yes} wins?`;
  if (league.key === 'nfl') return `Will ${yes} win the ${title} Pro Football game?`;
  return `${title} Winner?`;
}
