import { mentionsPerson } from '../names/person.ts';
import { AS_PRINTED, type League, registeredByName, type TeamId } from '../names/registry.ts';
import { sportsTerms, type Terms } from '../terms/terms.ts';
import { hasPhrase, normalize } from '../text/text.ts';

/** A team's name has at most so many words. */
const MAX_NAME_WORDS = 5;
const CONTEST = /\bvs?\b|\bwins?\b|\bagainst\b/i;

/** Every set of registered teams that some run of words in a text may mean. */
function teamsNamedIn(league: League, words: readonly string[]): Set<TeamId>[] {
  const found: Set<TeamId>[] = [];
  for (let from = 0; from < words.length; from += 1) {
    for (let length = Math.min(MAX_NAME_WORDS, words.length - from); length >= 1; length -= 1) {
      const registered = registeredByName(league, words.slice(from, from + length).join(' '));
      if (registered.size === 0) continue;
      found.push(registered);
      break;
    }
  }
  return found;
}

const bareOf = (id: TeamId): string => id.slice(id.indexOf('/') + 1);

/** Does the text hold a whole name that this listing itself prints, or the name of a person? */
function mentionsOneOf(league: League, teams: readonly TeamId[], text: string): boolean {
  const persons = league.open === 'person' || league.open === 'full_name';
  return teams.some((team) => {
    const name = bareOf(team).replace(AS_PRINTED, '');
    return persons ? mentionsPerson(text, name) : hasPhrase(text, normalize(name));
  });
}

/**
 * Is this the text of another game? It names two or more other sides of the league and neither of these; where anyone may take part, it
 * speaks of a contest and of none of the two. A text that names nobody is of any game.
 */
export function isOtherGame(league: League, teams: readonly TeamId[], text: string): boolean {
  const plain = normalize(text);
  if (mentionsOneOf(league, teams, plain)) return false;
  if (league.open === 'person' || league.open === 'full_name') return CONTEST.test(text);
  const named = teamsNamedIn(league, plain.split(' ').slice(0, 400));
  if (named.some((may) => teams.some((team) => may.has(team)))) return false;
  return new Set(named.map((may) => [...may].sort().join())).size >= 2;
}

/** The settlement terms of a listing about this game; a text about other teams does not agree with the listing's fields. */
export function gameTerms(
  game: { league: League; teams: readonly TeamId[] },
  rules: string | null,
  sources: readonly string[],
  on_date: string | null,
): Terms {
  const terms = sportsTerms(rules, sources, on_date);
  return rules !== null && isOtherGame(game.league, game.teams, rules) ? { ...terms, fields_agree: false } : terms;
}
