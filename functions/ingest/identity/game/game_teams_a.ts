import { findParticipant, parseTitleSides, splitCodes, startsWord } from '../names/participants.ts';
import { type League, type TeamId, teamsByCode, teamsByName } from '../names/registry.ts';
import { intersection } from '../text/sets.ts';

/**
 * Finds the two teams of a venue_a event and their order, from its title, the codes of its ticker
 * and the names of its markets.
 */

/**
 * Returns the only two teams that the names of the title and the codes of the ticker allow
 * together.
 */
export function teamsOfTitle(league: League, title: string | null, codes: string): [TeamId, TeamId] | null {
  const names = parseTitleSides(title);
  const cuts = league.open === undefined || names === null ? splitCodes(league, 'venue_a', codes) : [];
  const pairs = names
    ? [[teamsByName(league, names.first), teamsByName(league, names.second)] as const]
    : cuts.map(([first, second]) => [first, second] as const);
  const fits = (a: TeamId, b: TeamId): boolean =>
    cuts.length === 0 || cuts.some(([x, y]) => (x.has(a) && y.has(b)) || (x.has(b) && y.has(a)));
  const found = new Map<string, [TeamId, TeamId]>();
  for (const [firsts, seconds] of pairs) {
    for (const a of firsts) for (const b of seconds) if (a !== b && fits(a, b)) found.set([a, b].sort().join(), [a, b]);
  }
  const [only, ...more] = [...found.values()];
  if (only !== undefined) return more.length === 0 ? only : null;
  const [[firsts, seconds] = []] = pairs;
  const [a, b] = [firsts, seconds].map((may) => (may?.size === 1 ? [...may][0] : undefined));
  return a !== undefined && b !== undefined && a !== b && codesSpellNames(league, [a, b], title, codes) ? [a, b] : null;
}

/**
 * Whether the codes of the ticker abbreviate the names of the title, although the registry assigns
 * one of the codes to another team. "INDRIV" is Independiente against Independiente Rivadavia, and
 * RIV is usually River Plate.
 */
function codesSpellNames(
  league: League,
  teams: readonly [TeamId, TeamId],
  title: string | null,
  codes: string,
): boolean {
  const names = parseTitleSides(title);
  if (names === null) return false;
  const sides = [names.first, names.second].map((name) => ({ name, team: findParticipant(league, name, teams) }));
  const means = (code: string, side: (typeof sides)[number] | undefined): boolean =>
    side !== undefined &&
    side.team !== null &&
    (teamsByCode(league, 'venue_a', code).has(side.team) || startsWord(code, side.name));
  return [sides, [...sides].reverse()].some(([left, right]) =>
    Array.from(codes).some((_, at) => means(codes.slice(0, at), left) && means(codes.slice(at), right)),
  );
}

/** Returns both teams of a game when the markets name one or both of them. */
export function bothTeams(
  league: League,
  named: readonly TeamId[],
  title: string | null,
  codes: string,
): [TeamId, TeamId] | null {
  const [a, b, ...more] = [...new Set(named)];
  if (a === undefined || more.length > 0) return null;
  if (b !== undefined) return [a, b];
  if (named.length > 1) return null;
  // The venue lists one market of the two. The other team is the remaining one of the title or of
  // the ticker.
  const names = parseTitleSides(title);
  const may = new Set<TeamId>();
  if (names) {
    for (const [mine, theirs] of [
      [names.first, names.second],
      [names.second, names.first],
    ] as const) {
      if (teamsByName(league, mine).has(a)) for (const id of teamsByName(league, theirs)) if (id !== a) may.add(id);
    }
  }
  const cut = new Set<TeamId>();
  for (const [first, second] of splitCodes(league, 'venue_a', codes)) {
    if (first.has(a)) for (const id of second) cut.add(id);
    if (second.has(a)) for (const id of first) cut.add(id);
  }
  cut.delete(a);
  const both = may.size > 0 && cut.size > 0 ? intersection(may, cut) : may.size > 0 ? may : cut;
  const [other, ...others] = [...both];
  return other !== undefined && others.length === 0 ? [a, other] : null;
}

/** Returns a text when the title or the ticker names another team than the markets do. */
export function findTeamConflict(
  league: League,
  teams: readonly [TeamId, TeamId],
  title: string | null,
  codes: string,
): string | null {
  const names = parseTitleSides(title);
  for (const name of names ? [names.first, names.second] : []) {
    const may = teamsByName(league, name);
    if (may.size > 0 && !teams.some((team) => may.has(team)))
      return `the title "${title}" names another team than the markets do`;
  }
  // In an open league, a known code is no evidence about participants that the registry does not
  // hold.
  const cuts = league.open === undefined ? splitCodes(league, 'venue_a', codes) : [];
  const fits = cuts.some(([a, b]) => (a.has(teams[0]) && b.has(teams[1])) || (a.has(teams[1]) && b.has(teams[0])));
  return cuts.length > 0 && !fits && !codesSpellNames(league, teams, title, codes)
    ? `the ticker's codes "${codes}" name another team than the markets do`
    : null;
}

export function listingOrder(
  league: League,
  teams: [TeamId, TeamId],
  title: string | null,
  codes: string,
): { teams: [TeamId, TeamId]; home: TeamId | null } {
  const reversed: [TeamId, TeamId] = [teams[1], teams[0]];
  const names = parseTitleSides(title);
  const first = names ? findParticipant(league, names.first, teams) : null;
  if (first !== null) {
    const inOrder = first === teams[0] ? teams : reversed;
    // "A at B" states that B plays at home. "A vs B" leaves it to the order of the league.
    return { teams: inOrder, home: names?.word === 'at' ? inOrder[1] : null };
  }
  const cuts = splitCodes(league, 'venue_a', codes);
  return {
    teams:
      cuts.some(([a, b]) => a.has(teams[1]) && b.has(teams[0])) &&
      !cuts.some(([a, b]) => a.has(teams[0]) && b.has(teams[1]))
        ? reversed
        : teams,
    home: null,
  };
}
