import type { TitleSides } from '../names/participants.ts';
import { COMPETITIONS, type League, poolsWithTeam, teamsByName } from '../names/registry.ts';
import { type RawObject, records, strings, text } from '../text/raw_object.ts';

/** How a listing says that women play. Their teams often carry the men's bare names, so a listing that says nothing means men. */
const WOMEN = /\b(?:wom[ae]n|womens|ladies|fem[ie]n[a-z]*|frauen|vrouwen|wfc|cff)\b|\(w\)/i;

/**
 * The competition of an event that names none: one that both teams of its title take part in. A club that plays a league and a cup
 * is known to both; that leaves the competition open but not the teams, as long as every competition that may be meant gives the
 * same two and the same key. Then the one with the fewest pools stands for all. Null where the teams are unknown or may be several.
 */
export function inferLeague(event: RawObject, names: TitleSides): League | null {
  const plain = [names.first, names.second].map((name) => name.normalize('NFD').replace(/[\u0300-\u036f]/g, ''));
  const women = plain.some((name) => WOMEN.test(name));
  const ways = parseWays(event);
  // A Test ends in a draw as well, but nobody wins it "on" one day.
  const inADay = records(event.markets).some((market) =>
    /\bwin on \d{4}-\d{2}-\d{2}\?/.test(text(market.question) ?? ''),
  );
  const [firsts, seconds] = [poolsWithTeam(names.first), poolsWithTeam(names.second)];
  const may = [...COMPETITIONS.values()].filter(
    (league) =>
      league.open === undefined &&
      league.named_only !== true &&
      league.pools_all.some((pool) => firsts.has(pool)) &&
      league.pools_all.some((pool) => seconds.has(pool)) &&
      (ways === null || league.ways === ways) &&
      (!inADay || league.sport !== 'cricket') &&
      (league.key === 'women') === women &&
      teamsByName(league, names.first).size > 0 &&
      teamsByName(league, names.second).size > 0,
  );
  const meant = new Set(may.map((league) => meaningOf(league, names)));
  if (meant.size !== 1) return null;
  return [...may].sort((a, b) => a.pools_all.length - b.pools_all.length)[0] ?? null;
}

/** What a listing asks in one of the leagues: its sport, what keys call it, and the teams that each of its two names may mean. */
function meaningOf(league: League, names: TitleSides): string {
  const ids = (name: string) => [...teamsByName(league, name)].sort();
  return JSON.stringify([league.sport, league.key ?? league.id, ids(names.first), ids(names.second)]);
}

/** In how many ways the listed game can end, where its markets tell: a draw to trade makes three, a winner of two teams makes two. */
function parseWays(event: RawObject): 2 | 3 | null {
  const markets = records(event.markets);
  const wordsOf = (market: RawObject): string => `${text(market.question) ?? ''} ${text(market.groupItemTitle) ?? ''}`;
  if (markets.some((market) => /\bend in a draw\b|\bboth teams to score\b|(?:^| )draw \(/i.test(wordsOf(market))))
    return 3;
  const two = markets.some((market) => {
    const outcomes = strings(market.outcomes).map((one) => one.toLowerCase());
    return text(market.sportsMarketType) === 'moneyline' && outcomes.length === 2 && !outcomes.includes('yes');
  });
  return two ? 2 : null;
}
