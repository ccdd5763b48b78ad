import type { TitleSides } from '../names/participants.ts';
import { COMPETITIONS, type League, poolsWithTeam, teamsByName } from '../names/registry.ts';
import { type RawObject, records, strings, text } from '../text/raw_object.ts';

/**
 * Words that mark a women's game. Women's teams often have the same bare names as men's teams, so a
 * listing without such a word means men.
 */
const WOMEN = /\b(?:wom[ae]n|womens|ladies|fem[ie]n[a-z]*|frauen|vrouwen|wfc|cff)\b|\(w\)/i;

/**
 * Infers the competition of an event that names none: one in which both teams of its title play. A
 * club that plays in a league and a cup matches both. Then the competition stays open, but the
 * teams do not, as long as every possible competition gives the same two teams and the same key.
 * The one with the fewest pools is returned for all of them. Null when the teams are unknown or
 * ambiguous.
 *
 * `prefixed`: the slug has a league prefix, which the registry does not hold. Then two clubs of one
 * pool imply no competition of several pools: they may as well meet in a league of their country
 * that the registry does not hold. Two Icelandic clubs of uefa.json were taken for a game of the
 * Club World Cup.
 */
export function inferLeague(event: RawObject, names: TitleSides, prefixed: boolean): League | null {
  const plain = [names.first, names.second].map((name) => name.normalize('NFD').replace(/[\u0300-\u036f]/g, ''));
  const women = plain.some((name) => WOMEN.test(name));
  const ways = parseWays(event);
  // A cricket Test may end in a draw too, but it lasts several days, so nothing is won "on" one
  // date.
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
  const [league] = [...may].sort((a, b) => a.pools_all.length - b.pools_all.length);
  if (league === undefined) return null;
  const isOnePool = league.pools_all.some((pool) => firsts.has(pool) && seconds.has(pool));
  return prefixed && isOnePool && league.pools_all.length > 1 ? null : league;
}

/**
 * Returns the meaning of a listing in one league: its sport, its key, and the teams that each name
 * may mean.
 */
function meaningOf(league: League, names: TitleSides): string {
  const ids = (name: string) => [...teamsByName(league, name)].sort();
  return JSON.stringify([league.sport, league.key ?? league.id, ids(names.first), ids(names.second)]);
}

/**
 * Returns in how many ways the listed game can end, if its markets show it. A draw market means
 * three, a winner market with two teams means two.
 */
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
