import { distinguishNamesakes, parseTitleSides, type TitleSides } from '../names/participants.ts';
import { type League, leagueOfPrefix } from '../names/registry.ts';
import { type RawObject, record, records, strings, text } from '../text/raw_object.ts';
import { type GameSlug, parseGameSlug } from '../text/slug.ts';
import { normalize } from '../text/text.ts';
import { competitionsNamedIn } from './competition_words.ts';
import { inferLeague } from './inferred.ts';

/** Finds the competition of a venue_b event from its slug, its title or its fields. */

/**
 * Returns the title of an event. Without one, returns the question of the market with the same
 * slug, else the two outcomes of that market.
 */
export function titleOfB(event: RawObject, slug: string): string | null {
  const main = records(event.markets).find((market) => text(market.slug) === slug);
  const outcomes = main ? strings(main.outcomes).filter((one) => !/^(?:yes|no|over|under)$/i.test(one)) : [];
  const question = main ? text(main.question) : null;
  const own = parseTitleSides(question) ? question : outcomes.length === 2 ? outcomes.join(' vs ') : null;
  return text(event.title) ?? own ?? titleFromDraw(event);
}

/** "Will A vs. B end in a draw?" names both teams of a page without a title. */
function titleFromDraw(event: RawObject): string | null {
  const questions = records(event.markets).map((market) => text(market.question) ?? '');
  return questions.map((one) => /^will (.+ vs\.? .+) end in a draw\?$/i.exec(one)?.[1]).find((one) => one) ?? null;
}

/**
 * A competition, the slug of a dated game, and where the competition comes from: the prefix of the
 * slug, the start of the title or a field of the event. `inferred`: only the teams imply it, or the
 * registry does not hold the prefix of the slug.
 */
export type EventCompetition = { league: League; gameSlug: GameSlug | null; by: 'prefix' | 'title' | 'inferred' };

/**
 * Returns the competition of an event by the prefix of its slug, else by its title and fields. Null
 * when there is none, or when several are possible.
 */
export function competitionOfB(event: RawObject, slug: string): EventCompetition | null {
  const gameSlug = parseGameSlug(slug);
  const names = parseTitleSides(titleOfB(event, slug));
  // A prefix that is not in the registry may still belong to a competition that is.
  const prefixed = gameSlug ? leagueOfPrefix(gameSlug.prefix, wordsOf(event)) : null;
  const named = prefixed === null ? namedLeague(event, names, gameSlug !== null) : null;
  const league = prefixed ?? named?.league ?? null;
  if (league === null) return null;
  // Names of persons and of open teams may contain dashes in a slug. Codes of a closed league do
  // not.
  if (gameSlug && (league.open === undefined ? gameSlug.codes.length !== 2 : names === null)) return null;
  const among = names === null ? league : distinguishNamesakes(league, [names.first, names.second]);
  return {
    league: among,
    gameSlug,
    by: prefixed !== null ? 'prefix' : gameSlug === null && named?.titled ? 'title' : 'inferred',
  };
}

/**
 * Title, questions, tags and the venue's own name of the tournament. These state whether men or
 * women play.
 */
function wordsOf(event: RawObject): string {
  const questions = records(event.markets).map((market) => text(market.question));
  const tags = records(event.tags).flatMap((tag) => [text(tag.slug), text(tag.label)]);
  return [text(event.title), text(record(event.eventMetadata).league), ...questions, ...tags]
    .filter((one) => one)
    .join(' ');
}

/**
 * Returns the competition of an event whose slug has no league: the one at the start of the title
 * ("Counter-Strike: …"), else the one in its fields, else the one in which both teams of the title
 * play.
 */
function namedLeague(
  event: RawObject,
  names: TitleSides | null,
  isPrefixed: boolean,
): { league: League; titled: boolean } | null {
  if (names === null) return null;
  const lead = normalize(names.lead ?? '');
  const led = competitionsNamedIn(lead);
  if (led.length > 0) return led[0] !== undefined && led.length === 1 ? { league: led[0], titled: true } : null;
  if (names.lead !== null) return null;
  const fields = [record(event.sport).sport, event.seriesSlug, ...records(event.series).map((one) => one.slug)];
  for (const field of fields) {
    const named = leagueOfPrefix((text(field) ?? '').replace(/-\d{4}.*$/, ''), wordsOf(event));
    if (named !== null) return { league: named, titled: true };
  }
  const inferred = inferLeague(event, names, isPrefixed);
  return inferred === null ? null : { league: inferred, titled: false };
}
