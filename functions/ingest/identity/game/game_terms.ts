import { mentionsPerson } from '../names/person.ts';
import { AS_PRINTED, type League, registeredByName, type TeamId } from '../names/registry.ts';
import { sportsTerms, type Terms } from '../terms/terms.ts';
import { hasPhrase, normalize } from '../text/text.ts';

/** A team name has at most this many words. */
const MAX_NAME_WORDS = 5;
const CONTEST = /\bvs?\b|\bwins?\b|\bagainst\b/i;

/**
 * For every run of words that names registered teams, the set of teams that it may mean. A
 * generator: most texts name a team of their own game in the first words, and looking up the rest
 * took a third of the time of a listing.
 */
function* teamsNamedIn(league: League, words: readonly string[]): Generator<ReadonlySet<TeamId>> {
  for (let from = 0; from < words.length; from += 1) {
    for (let length = Math.min(MAX_NAME_WORDS, words.length - from); length >= 1; length -= 1) {
      const registered = registeredByName(league, words.slice(from, from + length).join(' '));
      if (registered.size === 0) continue;
      yield registered;
      break;
    }
  }
}

const bareOf = (id: TeamId): string => id.slice(id.indexOf('/') + 1);

/** Whether the text contains a whole name that this listing prints, or the name of a person. */
function mentionsOneOf(league: League, teams: readonly TeamId[], text: string): boolean {
  const persons = league.open === 'person' || league.open === 'full_name';
  return teams.some((team) => {
    const name = bareOf(team).replace(AS_PRINTED, '');
    return persons ? mentionsPerson(text, name) : hasPhrase(text, normalize(name));
  });
}

/**
 * Whether this is the text of another game. In a closed league it names two or more other teams and
 * neither of these. In an open league it describes a contest and names none of the two. A text that
 * names no team may belong to any game.
 */
export function isOtherGame(league: League, teams: readonly TeamId[], text: string): boolean {
  const plain = normalize(text);
  if (mentionsOneOf(league, teams, plain)) return false;
  if (league.open === 'person' || league.open === 'full_name') return CONTEST.test(text);
  const others = new Set<string>();
  for (const named of teamsNamedIn(league, plain.split(' ').slice(0, 400))) {
    if (teams.some((team) => named.has(team))) return false;
    others.add([...named].sort().join());
  }
  return others.size >= 2;
}

/**
 * Parses the settlement terms of a listing about this game. A text about other teams sets
 * `fields_agree` to false.
 */
export function gameTerms(
  game: { league: League; teams: readonly TeamId[] },
  rules: string | null,
  sources: readonly string[],
  on_date: string | null,
): Terms {
  const terms = sportsTerms(rules, sources, on_date);
  return rules !== null && isOtherGame(game.league, game.teams, rules) ? { ...terms, fields_agree: false } : terms;
}
