import { COMPETITIONS, type League, registryIndex, type TeamId } from '../names/registry.ts';
import { splitSentences } from '../terms/terms_clauses.ts';
import { type RawObject, record, records, text } from '../text/raw_object.ts';
import { hasPhrase, normalize } from '../text/text.ts';

/**
 * Words that mark another competition than the series or slug names: women, juniors, a minor
 * league, a simulated game, a friendly. One list serves every league. A word that is part of the
 * league's own names does not count.
 */

/**
 * The words of a listing: titles and questions, fields of the venue (tags, series, metadata), and
 * rules texts.
 */
export type ListingWords = {
  titles: readonly (string | null)[];
  fields: readonly (string | null)[];
  texts: readonly (string | null)[];
};

/** Sports that are played on a pitch. In video games "esports" and "legends" are ordinary words. */
const PHYSICAL_SPORTS = new Set(
  'soccer basketball football baseball hockey cricket tennis rugby aussie-rules lacrosse softball volleyball handball mma boxing darts squash table-tennis snooker'.split(
    ' ',
  ),
);
/**
 * Sports of individuals. The name of a woman identifies her, so the word "women" is no
 * contradiction.
 */
const INDIVIDUAL_SPORTS = new Set(['mma', 'boxing', 'darts', 'squash', 'snooker', 'table-tennis']);

type Kind = { kind: string; words: RegExp; applies?: (league: League, teams: readonly TeamId[]) => boolean };

const isPhysicalSport = (league: League): boolean => PHYSICAL_SPORTS.has(league.sport);
const isClosedLeague = (league: League): boolean => league.open === undefined;

const KINDS: readonly Kind[] = [
  {
    kind: 'women',
    words: /\b(?:wom[ae]ns?|ladies|feminin[aoe]?|femenin[ao]|femminile|frauen|vrouwen|girls)\b|\(w\)/i,
    applies: (league, teams) =>
      !isWomens(league) && !INDIVIDUAL_SPORTS.has(league.sport) && !teams.some((team) => /women/.test(team)),
  },
  { kind: 'men', words: /\b(?:men['’]s|mens)\b/i, applies: (league) => isWomens(league) },
  {
    kind: 'juniors',
    words:
      /(?<![/\w])u-?(?:1[5-9]|2[0-3])s?\b(?!\.\d)|\bunder-(?:1[5-9]|2[0-3])s?\b|\bunder (?:1[5-9]|2[0-3])s\b|\b(?:youth|reserve|academy|development|junior|juniors|b)[ -](?:league|teams?|sides?|cup|championships?|squad|game|match|football)\b|\breserves\b(?! the)|\bpremier league 2\b|\bpl2\b|\bnext pro\b/i,
    applies: isClosedLeague,
  },
  {
    kind: 'a minor league',
    words:
      /\b(?:g[ -]league|gleague|summer[ -]league|minor[ -]league|development(?:al)? league|triple-?a|double-?a|fall league|winter league)\b/i,
    applies: isClosedLeague,
  },
  {
    kind: 'a simulated or video game',
    words:
      /\be-?(?:football|soccer|basketball|hockey|cricket|tennis|baseball|rugby)\b|\b(?:srl|esports?|e-sports?|efifa|gt leagues?|cyber ?(?:football|soccer|basketball|hockey|league|live)|simulated (?:reality|game|match|league|football|soccer|basketball)|virtual (?:football|soccer|sports?|basketball|tennis|game|match|league)|nba ?2k\d*|madden nfl|ea (?:sports )?fc(?: ?\d\d)?|fifa ?2\d|battle volta)\b/i,
    applies: isPhysicalSport,
  },
  {
    kind: 'a friendly',
    words:
      /\bfriendl(?:y|ies)\b|\ball[ -]star (?:game|match|weekend|classic)\b|\b(?:testimonial|charity match|charity game)\b/i,
  },
  {
    kind: 'veterans',
    words:
      /\b(?:veterans|legends|old stars)['’]? (?:game|match|league|cup|cricket|tournament|xi|team|series|football|soccer)\b|\bover-?[3-6]\ds\b/i,
    applies: isPhysicalSport,
  },
  {
    kind: 'a disabled sport',
    words: /\bwheelchair\b|\bparalympics?\b|\bamputee\b|\bdeaflympics?\b|\bblind (?:football|cricket)\b/i,
  },
  {
    kind: 'another form of the sport',
    words:
      /\b3x3\b|\b(?:three|3)-on-(?:three|3)\b|\bfutsal\b|\bbeach (?:soccer|football|tennis|handball)\b|\brugby sevens\b|\bindoor (?:soccer|football)\b|\bflag football\b|\bkings league\b|\bballer league\b/i,
  },
  {
    kind: 'doubles',
    words: /\bdoubles\b/i,
    applies: (league, teams) =>
      league.sport === 'tennis' && !/doubles/.test(league.id) && !teams.some((team) => team.includes('+')),
  },
];

const ownWords = (league: League): string =>
  [league.id, league.name, ...league.words, ...league.venue_a.names].join(' | ');
const isWomens = (league: League): boolean =>
  league.key === 'women' || /\b(?:wom[ae]ns?|wta|wnba|nwsl|wbbl|wpl|softball|w)\b/i.test(ownWords(league));

/** Sentences about sources, trademarks and odd cases may name any competition. */
const UNRELATED_SENTENCE = /\b(?:source|official|website|affiliat\w*|trademarks?|endorsed|https?)\b/i;

/**
 * Returns the kind of competition that the words of a listing name and its league is not, together
 * with the words. Null when they agree.
 */
export function findOtherKind(league: League, teams: readonly TeamId[], words: ListingWords): string | null {
  const texts = [...new Set(words.texts)].flatMap((one) => (one === null ? [] : splitSentences(one.slice(0, 12_000))));
  const statements = [...words.titles, ...words.fields, ...texts.filter((one) => !UNRELATED_SENTENCE.test(one))].filter(
    (one): one is string => one !== null,
  );
  for (const { kind, words, applies } of KINDS) {
    if ((applies && !applies(league, teams)) || words.test(ownWords(league))) continue;
    const found = statements.map((one) => words.exec(one)?.[0]).find((one) => one !== undefined);
    if (found !== undefined) return `"${found}" (${kind}), but the names are those of ${league.name}`;
  }
  return null;
}

const wordsOfLeagues = registryIndex(() =>
  [...COMPETITIONS.values()].map((league) => ({ league, words: league.words.map(normalize) })),
);

/**
 * Returns the competitions that the words name, by the longest name found: "Basketball Champions
 * League" is not the "Champions League".
 */
export function competitionsNamedIn(lead: string): League[] {
  if (lead === '') return [];
  const matches = wordsOfLeagues().map(({ league, words }) => ({
    league,
    length: Math.max(0, ...words.filter((word) => hasPhrase(lead, word)).map((word) => word.length)),
  }));
  const longest = Math.max(...matches.map((one) => one.length));
  return longest === 0 ? [] : matches.filter((one) => one.length === longest).map((one) => one.league);
}

/**
 * "In the upcoming FA Cup game", "the Arsenal vs Chelsea professional EPL soccer game": the phrase
 * that names the competition.
 */
const NAMED =
  /\b(?:upcoming|professional|20\d\d(?:[-–]\d\d)?)\s+([A-Z0-9][^,.;:()]{1,60}?)\s+(?:regular[- ]season |playoff |preseason )?(?:game|match|fixture|tie)\b/g;

/**
 * Returns another registered competition of the same sport that the text names as that of the game.
 * Null when it names none, or this one.
 */
export function findOtherCompetition(league: League, texts: readonly (string | null)[]): string | null {
  if (league.open !== undefined || league.sport === 'cricket') return null;
  for (const one of texts) {
    for (const [, phrase = ''] of (one ?? '').slice(0, 2_000).matchAll(NAMED)) {
      if (
        league.words.some(
          (word) => hasPhrase(normalize(phrase), normalize(word)) && normalize(word) === normalize(phrase),
        )
      )
        continue;
      const named = competitionsNamedIn(normalize(phrase)).filter((other) => other.sport === league.sport);
      if (named.length > 0 && !named.some((other) => other.id === league.id)) return phrase;
    }
  }
  return null;
}

const FORMATS: readonly [string, RegExp][] = [
  ['t20', /\bt20i?s?\b|\btwenty ?20\b/i],
  ['odi', /\bodis?\b|\bone[- ]day (?:international|match|game|cup|series)/i],
  ['test', /\btest (?:match|cricket|series|championship)\b/i],
  ['t10', /\bt10\b/i],
];

/**
 * Returns the cricket format of a game, from the title and text of the listing, else from the names
 * of the league, else from its fields. Null when none states it.
 */
export function formatOf(league: League, listing: ListingWords): string | null {
  if (league.sport !== 'cricket') return null;
  const in_ = (words: readonly (string | null)[]) => {
    const found = FORMATS.filter(([, pattern]) => words.some((one) => one !== null && pattern.test(one)));
    return found.length === 1 ? (found[0]?.[0] ?? null) : null;
  };
  return (
    in_([...listing.titles, ...listing.texts.map((one) => one?.slice(0, 2_000) ?? null)]) ??
    in_([ownWords(league)]) ??
    in_(listing.fields)
  );
}

const textValues = (holder: RawObject): string[] => Object.values(holder).flatMap((one) => text(one) ?? []);

/** Collects the words of a venue_b event. */
export function listingWordsOfB(event: RawObject, title: string | null, rules: string | null): ListingWords {
  const markets = records(event.markets);
  const tags = records(event.tags).flatMap((tag) => [text(tag.slug)?.replaceAll('-', ' ') ?? null, text(tag.label)]);
  const series = records(event.series).flatMap((one) => [
    text(one.title),
    text(one.slug)?.replaceAll('-', ' ') ?? null,
  ]);
  return {
    titles: [title, text(event.title), text(event.subtitle), ...markets.map((market) => text(market.question))],
    fields: [
      ...tags,
      ...series,
      ...textValues(record(event.eventMetadata)),
      text(event.seriesSlug)?.replaceAll('-', ' ') ?? null,
    ],
    texts: [rules, text(event.description), ...markets.map((market) => text(market.description))],
  };
}

/** Collects the words of a venue_a event, with those of its series object when it is known. */
export function listingWordsOfA(event: RawObject, series: unknown): ListingWords {
  const markets = records(event.markets);
  const own = record(series);
  const tags = Array.isArray(own.tags) ? own.tags.flatMap((one) => text(one) ?? []) : [];
  return {
    titles: [text(event.title), text(event.sub_title), ...markets.map((market) => text(market.title))],
    fields: [...textValues(record(event.product_metadata)), text(own.title), ...tags],
    texts: markets
      .map((market) => text(market.rules_primary))
      .concat(markets.map((market) => text(market.rules_secondary))),
  };
}
