import { distinguishNamesakes, parseTitleSides, type TitleSides } from '../names/participants.ts';
import { type League, leagueOfPrefix } from '../names/registry.ts';
import { type RawObject, record, records, strings, text } from '../text/raw_object.ts';
import { type GameSlug, parseGameSlug } from '../text/slug.ts';
import { normalize } from '../text/text.ts';
import { competitionsNamedIn } from './competition_words.ts';
import { inferLeague } from './inferred.ts';

/** Which competition a venue_b event belongs to, from its slug, its title or its fields. */

/** An event's title; where it has none, the question of the market that bears its slug, else that market's two outcomes. */
export function titleOfB(event: RawObject, slug: string): string | null {
  const main = records(event.markets).find((market) => text(market.slug) === slug);
  const outcomes = main ? strings(main.outcomes).filter((one) => !/^(?:yes|no|over|under)$/i.test(one)) : [];
  const question = main ? text(main.question) : null;
  const own = parseTitleSides(question) ? question : outcomes.length === 2 ? outcomes.join(' vs ') : null;
  return text(event.title) ?? own ?? titleFromDraw(event);
}

/** "Will A vs. B end in a draw?" names both sides of a page without a title. */
function titleFromDraw(event: RawObject): string | null {
  const questions = records(event.markets).map((market) => text(market.question) ?? '');
  return questions.map((one) => /^will (.+ vs\.? .+) end in a draw\?$/i.exec(one)?.[1]).find((one) => one) ?? null;
}

/**
 * A competition, the slug of a dated game, and what names the competition: the slug's prefix, the title's lead or a field of the
 * event. `inferred`: only its teams imply it, or its slug bears a prefix that nobody registered.
 */
export type EventCompetition = { league: League; gameSlug: GameSlug | null; by: 'prefix' | 'title' | 'inferred' };

/** The competition of an event, by its slug's prefix, else by what its title and fields say. Null: none, or several may be meant. */
export function competitionOfB(event: RawObject, slug: string): EventCompetition | null {
  const gameSlug = parseGameSlug(slug);
  const names = parseTitleSides(titleOfB(event, slug));
  // A prefix that nobody registered names a competition that the registry may still hold.
  const prefixed = gameSlug ? leagueOfPrefix(gameSlug.prefix, wordsOf(event)) : null;
  const named = prefixed === null ? namedLeague(event, names) : null;
  const league = prefixed ?? named?.league ?? null;
  if (league === null) return null;
  // Names of persons and open teams may have dashes of their own in a slug; a closed league's codes have none.
  if (gameSlug && (league.open === undefined ? gameSlug.codes.length !== 2 : names === null)) return null;
  const among = names === null ? league : distinguishNamesakes(league, [names.first, names.second]);
  return {
    league: among,
    gameSlug,
    by: prefixed !== null ? 'prefix' : gameSlug === null && named?.titled ? 'title' : 'inferred',
  };
}

/** Title, questions, tags and the venue's own name of the tournament: where a listing says whether men or women play. */
function wordsOf(event: RawObject): string {
  const questions = records(event.markets).map((market) => text(market.question));
  const tags = records(event.tags).flatMap((tag) => [text(tag.slug), text(tag.label)]);
  return [text(event.title), text(record(event.eventMetadata).league), ...questions, ...tags]
    .filter((one) => one)
    .join(' ');
}

/**
 * An event without a league in its slug: the one that its title puts first ("Counter-Strike: …"), else its own fields, else the one
 * in which both teams of its title take part.
 */
function namedLeague(event: RawObject, names: TitleSides | null): { league: League; titled: boolean } | null {
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
  const inferred = inferLeague(event, names);
  return inferred === null ? null : { league: inferred, titled: false };
}
