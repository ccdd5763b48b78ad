import { countsMaps } from '../lines/lines_registry.ts';
import { findParticipant } from '../names/participants.ts';
import { mentionsPerson } from '../names/person.ts';
import { AS_PRINTED, isKnownInOtherPool, type TeamId, teamsByName } from '../names/registry.ts';
import { splitSentences } from '../terms/terms_clauses.ts';
import { findInvertedResult, findPart, type Payoff, parseCondition, withoutBrackets } from '../text/payoff.ts';
import { hasPhrase, normalize } from '../text/text.ts';
import { bareId, type ParsedGame } from './game.ts';

/**
 * Finds which team and which contest a text about a game names. The payoff checks of all game
 * families use it.
 */

export type Sides = Pick<ParsedGame, 'league' | 'teams'> & {
  /** Labels that the contracts of the listing print for each team. */
  labels: ReadonlyMap<TeamId, readonly string[]>;
  /**
   * Numbers that the listing gives its game, of a doubleheader or of a series ("Game 3: A at B").
   */
  numbers: readonly number[];
};

/**
 * `listed`: "the named team", which is the team of the contract. `other`: a registered team that
 * does not play in this game.
 */
export type NamedSide = TeamId | 'listed' | 'other' | null;

const LISTED =
  /^(?:(?:the|this|a) )?(?:(?:named|listed|specified|selected|corresponding|respective|given|above|designated|following) )*(?:team|player|fighter|side|club|participant|competitor|country|nation|contestant|outcome|result)s?(?: (?:named|listed|specified|shown)[\w ]{0,30})?(?: (?:that|who|which))?$/i;

/** Returns the team that a name in a text means. */
export function parseSide(sides: Sides, name: string): NamedSide {
  const labelled = sideWithLabel(sides, name);
  if (labelled !== null) return labelled;
  const plain = withoutBrackets(name)
    .replace(/^(?:and|or|either|if|that)\s+/i, '')
    .trim();
  if (plain === '' || plain.length > 80) return null;
  if (LISTED.test(plain)) return 'listed';
  const bare = plain.replace(/^(?:the )+/i, '').replace(/['’]s?$/, '');
  for (const one of [bare, plain, `the ${bare}`]) {
    const team = findParticipant(sides.league, one, sides.teams);
    if (team !== null) return team;
  }
  const alike = sides.teams.filter((team) => resemblesLabel(sides, team, bare));
  if (alike.length === 1) return alike[0] ?? null;
  if (alike.length > 1 || sides.league.open !== undefined) return null;
  const known = [...teamsByName(sides.league, bare)].filter((id) => !bareId(id).startsWith(AS_PRINTED));
  if (known.some((id) => sides.teams.includes(id))) return null;
  return known.length > 0 || isKnownInOtherPool(sides.league, bare) ? 'other' : null;
}

/**
 * Returns the team whose whole label equals the name, brackets included: "Miami" is not "Miami
 * (OH)". Null when both teams or neither have that label.
 */
function sideWithLabel(sides: Sides, name: string): TeamId | null {
  const normalized = normalize(name.replace(/^\s*the /i, ''));
  if (normalized === '') return null;
  const teams = sides.teams.filter((team) =>
    (sides.labels.get(team) ?? []).some((label) => normalize(label) === normalized),
  );
  return teams.length === 1 ? (teams[0] ?? null) : null;
}

/** Whether a name is the label of the team, or a longer or shorter form of it. */
function resemblesLabel(sides: Sides, team: TeamId, name: string): boolean {
  const normalized = normalize(name);
  if (normalized === '') return false;
  const persons = sides.league.open === 'person' || sides.league.open === 'full_name';
  if (persons && mentionsPerson(normalized, bareId(team))) return true;
  return (sides.labels.get(team) ?? []).some((label) => {
    const own = normalize(label);
    return own !== '' && (own === normalized || hasPhrase(normalized, own) || hasPhrase(own, normalized));
  });
}

/**
 * Cases in which a contract pays by another rule. Sentences about them do not describe the ordinary
 * result.
 */
const ODD_CASE =
  /\b(?:cancel|postpon|delay|reschedul|abandon|suspend|walk-?overs?|withdr|retire[sd]?\b|retirement|disqualif|forfeit|no[- ]contest|no result|called off|curtail|shorten|interrupt|make-?up|not (?:be )?(?:played|held|completed|started|finished|take place)|does not (?:occur|take place|start)|dead heat)/i;
export const isOddCase = (text: string): boolean => ODD_CASE.test(text);

const SCOPE =
  /\b(?:refers?|relates?|appl(?:y|ies)|pertains?|concerns?|covers?|determined|based on|only|solely|counts?)\b/i;

/**
 * Returns the words of a sentence that limits the contract to a part of the contest or to its
 * loser. Null when there is none.
 */
export function findOtherScope(text: string): string | null {
  for (const sentence of splitSentences(text)) {
    if (sentence.length > 1_500 || !SCOPE.test(sentence) || /^\W*if\b/i.test(sentence) || ODD_CASE.test(sentence))
      continue;
    const part = findPart(withoutBrackets(sentence));
    if (part !== null) return part;
    if (/\b(?:refers?|relates?|pertains?|concerns?)\b/i.test(sentence)) {
      const inverted = findInvertedResult(sentence);
      if (inverted !== null) return inverted;
    }
  }
  return null;
}

const COUNT = '(?:\\d+(?:\\.\\d+)?|one|two|three|four|five|six|seven|eight|nine|ten)';
const EXTRA_CONDITIONS = [
  /\bby (?:more than|at least|over|under|exactly|fewer than|less than|no more than|between|a margin)\b/i,
  new RegExp(String.raw`\bby ${COUNT}\b(?![:–-]?\d| ?(?:am|pm|a\.m|p\.m)\b)`, 'i'),
  /\band (?:both (?:teams|sides)|over\b|under\b|there (?:is|are)|the (?:total|combined|game total|match total))/i,
  /\b(?:and|while) [\w .'’-]{0,40}\b(?:scores?|keeps?|covers?|leads?)\b/i,
  /\b(?:to nil|without conceding|clean sheet|shut-?out win|(?:both|each|either) (?:half|halves)|every (?:set|map|quarter|half|period)|from behind|straight (?:sets|maps)|on penalties|wire[- ]to[- ]wire)\b/i,
  /\bby (?:knock-?out|ko|tko|submission|(?:unanimous |split |majority )?decision|points|stoppage)\b(?! or)/i,
  /(?<!including |include |or |and |, )\bin (?:extra time|overtime|a (?:penalty )?shoot-?out|penalties)\b(?! or)/i,
  /(?<![\d-])\d{1,2}\s?[-–]\s?\d{1,2}(?![\d-])/,
];
const OTHER_COUNT =
  /\b(?:corners?|(?:yellow|red) cards?|bookings|shots?|hits|strikeouts|rebounds|assists|possession|coin|toss|face-?offs?|fastest lap|pole position)\b/i;
const LARGER =
  /\b(?:series|championships?|title|tournament|league|cup|trophy|pennant|division|conference|group|finals|play-?offs|season|medal|crown|award|standings)\b/i;
const CONTEST =
  /\b(?:games?|match(?:es)?|match-?up|fight|bout|contest|fixture|test|event|meeting|encounter|derby|it|final|semi-?final|quarter-?final|super bowl|title fight)\b/i;
const NUMBERS = ['one', 'two', 'three', 'four', 'five', 'six', 'seven'];

/**
 * Reads the words after the verb of the winner. They name the whole listed game, something else
 * (returned with its words), or are unclear.
 */
export function parseContest(sides: Sides, rest: string): { is: 'game' | 'unclear' } | { is: 'other'; words: string } {
  // The name of a video game is not the name of a league.
  const plain = withoutBrackets(rest).replace(/\b(?:league of legends|rocket league)\b/gi, '');
  const other = (words: string | undefined) => ({ is: 'other' as const, words: words ?? plain });
  for (const pattern of [...EXTRA_CONDITIONS, OTHER_COUNT]) {
    const found = pattern.exec(plain);
    if (found) return other(found[0]);
  }
  const object = ` ${plain.replace(/^of (?:the )?/i, '')}`.split(
    /[,;]|\s(?:in|of|between|against|originally|initially|scheduled|on|after|including|during|outright|for|or|if|and|over)\b/i,
  )[0] as string;
  const otherTeam = findOtherTeam(sides, object, plain);
  if (otherTeam !== null) return other(otherTeam);
  const number = parseGameNumber(`${object} `);
  if (number !== null && CONTEST.test(object)) {
    if (countsMaps(sides.league.sport)) return other(`game ${number}`);
    if (sides.numbers.length > 0 && !sides.numbers.includes(number)) return other(`game ${number}`);
    return { is: sides.numbers.includes(number) ? 'game' : 'unclear' };
  }
  if (object.trim() === '' || CONTEST.test(object)) return { is: 'game' };
  if (LARGER.test(object)) return other(LARGER.exec(object)?.[0]);
  return { is: CONTEST.test(plain) ? 'game' : 'unclear' };
}

/** "Game 3", "game two", "first game of the doubleheader". */
function parseGameNumber(text: string): number | null {
  const number = /\bgame (?:#|no\.? ?)?([1-7]|one|two|three|four|five|six|seven)\b/i.exec(text)?.[1]?.toLowerCase();
  if (number === undefined) return null;
  return NUMBERS.includes(number) ? NUMBERS.indexOf(number) + 1 : Number(number);
}

/** Returns every number that the texts give the listed game. */
export const parseGameNumbers = (texts: readonly (string | null)[]): number[] => [
  ...new Set(texts.flatMap((one) => (one === null ? [] : (parseGameNumber(one) ?? [])))),
];

const VERSUS = /\s(?:vs?\.?|at|@|versus)\s/i;

/**
 * Returns the words that name a registered team as a side of the contest although it does not play
 * in the listed game. Null when there is none.
 */
function findOtherTeam(sides: Sides, object: string, plain: string): string | null {
  if (sides.league.open !== undefined) return null;
  const [left, right] = object.replace(/^(?:the|a|their|its)\s+/i, '').split(VERSUS);
  const opponents = [...plain.matchAll(/\b(?:against|over)\s+(?:the\s+)?([^,;.]{2,60})/gi)].map((one) => one[1]);
  const named = right === undefined ? opponents : [left, right, ...opponents];
  for (const phrase of named) {
    const team = phrase === undefined ? null : leadingTeam(sides, phrase);
    if (team !== null) return team;
  }
  return null;
}

/**
 * Returns the longest run of words at the start of a text that names a registered team. Null when
 * it is one of the two teams, or when there is none.
 */
function leadingTeam(sides: Sides, phrase: string): string | null {
  const words = phrase.trim().split(/\s+/).slice(0, 5);
  for (let length = words.length; length >= 1; length -= 1) {
    const name = words.slice(0, length).join(' ');
    if (length === words.length && parseSide(sides, name) !== null && parseSide(sides, name) !== 'other') return null;
    const may = teamsByName(sides.league, name);
    if (may.size > 0) return sides.teams.some((team) => may.has(team)) ? null : name;
  }
  return null;
}

/**
 * Returns a name when a text mentions a contest "between X and Y" and one of them is a registered
 * team that does not play in this game.
 */
export function findOtherOpponent(sides: Sides, text: string): string | null {
  if (sides.league.open !== undefined) return null;
  for (const sentence of splitSentences(text).slice(0, 60)) {
    const found =
      /\bbetween (?:the )?([^,;.]{2,50}?) and (?:the )?([^,;]{2,50}?)(?:[,.;:]|\s(?:in|scheduled|originally|initially|on|for)\b|$)/i.exec(
        sentence,
      );
    for (const name of found ? [found[1], found[2]] : []) {
      if (name !== undefined && parseSide(sides, name) === 'other') return name;
    }
  }
  return null;
}

/** Removes the names of the teams from a text, so that "Lost Puppies" is not read as a loss. */
export function withoutNames(sides: Pick<Sides, 'labels'>, text: string): string {
  const names = [...sides.labels.values()].flat().filter((name) => name.length > 2);
  return names.reduce((left, name) => replaceWord(left, name), text);
}

/** Replaces every occurrence of a name as whole words by "X", regardless of case. */
function replaceWord(text: string, name: string): string {
  const [low, sought] = [text.toLowerCase(), name.toLowerCase()];
  let [left, from] = ['', 0];
  for (let at = low.indexOf(sought); at >= 0; at = low.indexOf(sought, from)) {
    const whole = !/\w/.test(text[at - 1] ?? ' ') && !/\w/.test(text[at + sought.length] ?? ' ');
    left += text.slice(from, at) + (whole ? 'X' : text.slice(at, at + sought.length));
    from = at + sought.length;
  }
  return left + text.slice(from);
}

/** Whether a condition begins with this name as whole words. */
function startsWithName(condition: string, name: string): boolean {
  const bare = condition.replace(/^the /i, '');
  return bare.toLowerCase().startsWith(name.toLowerCase()) && !/\w/.test(bare[name.length] ?? ' ');
}

/** Splits a payoff sentence into the team, the result and the rest. */
export function parsePayoffClause(sides: Sides, payoff: Payoff) {
  // A name may contain a verb ("Trail Blazers"), so the label at the start is removed before the
  // verb is searched.
  const ahead = allLabels(sides)
    .filter((label) => startsWithName(payoff.condition, label))
    .sort((x, y) => y.length - x.length)[0];
  const read =
    ahead === undefined ? null : parseCondition(`X${payoff.condition.replace(/^the /i, '').slice(ahead.length)}`);
  const clause =
    read === null || ahead === undefined
      ? parseCondition(payoff.condition)
      : { ...read, subject: read.subject.replace(/^X/, () => ahead) };
  const bare = withoutBrackets(withoutNames(sides, payoff.condition));
  return {
    ...clause,
    side: parseSide(sides, clause.subject),
    inverted: findInvertedResult(bare),
    part: findPart(bare),
  };
}

/** Returns every label of the two teams. */
export const allLabels = (sides: Sides): string[] => [...sides.labels.values()].flat();

/** Collects the two teams with the labels that the contracts of the listing print. */
export function buildSides(
  game: Pick<ParsedGame, 'league' | 'teams' | 'printed' | 'game_no'>,
  labelled: readonly { team: TeamId | 'draw'; label: string | null }[],
  titles: readonly (string | null)[],
): Sides {
  const labels = new Map<TeamId, string[]>();
  const add = (team: TeamId, label: string) => labels.set(team, [...(labels.get(team) ?? []), label]);
  for (const { team, label } of labelled) if (team !== 'draw' && label !== null) add(team, label);
  for (const [team, label] of game.printed) add(team, label);
  const numbers = [...new Set([...parseGameNumbers(titles), ...(game.game_no === null ? [] : [game.game_no])])];
  return { league: game.league, teams: game.teams, labels, numbers };
}
