import type { VenueCode } from '../../listing.ts';
import { findNegation, payoffOfText } from '../terms/payoff_terms.ts';
import { findInvertedLabel, findInvertedResult, type PayoffResult, worstOf } from '../text/payoff.ts';
import { clean, hasPhrase, isPlaceholder, normalize } from '../text/text.ts';
import { type Hints, normalizeAwardText, parseAward } from './award.ts';
import { type Award, type Contest, contestsById } from './outright_awards.ts';
import { parseRunner, type Runner } from './outright_runner.ts';
import { parseOutright } from './outright_sentence.ts';
import { withoutFiller } from './outright_words.ts';
import { parseYears } from './outright_year.ts';

/**
 * Checks whether a season-long contract pays what its listing asks. The payoff sentence must name
 * the runner of the label, the award of the title and the season. A negated title, question or
 * label ("fail to win", "not the winner") asks for the opposite.
 */

/** One contract: its runner as printed, its question, and its text. */
export type RunnerText = { runner: Runner; question: string | null; text: string | null };

export type ExpectedAward = {
  venue: VenueCode;
  title: string | null;
  award: Award;
  hints: Hints;
  accepts: (other: Award) => boolean;
  year: number | null;
};

const NOT_WON = /\b(?:nominat\w*|nominees?|finalists?|shortlist\w*|longlist\w*|runners?[- ]?up|semi-?finalists?)\b/i;
/**
 * Words that describe the result itself when the award is about them ("relegated", "last place").
 * They do not invert it.
 */
const OWN_WORDS =
  /\b(?:relegated|relegation|last[- ]place|last|bottom|second[- ]place|second|2nd|runners?[- ]?up|eliminated|worst|finalists?|lose|losses)\b/gi;

/** Returns the words of the award in its wordings. */
function wordsOf(award: Award, contest: Contest): string {
  const wordings = [...contest.wordings].flatMap(([words, one]) => (one?.id === award.id ? [words] : []));
  return [award.id.replace(/-/g, ' '), award.name, ...wordings].join(' ').toLowerCase();
}

/** Whether a text asks for the opposite of the award. */
function isInverted(text: string, award: Award, contest: Contest): boolean {
  if (findNegation(text) !== null) return true;
  const own = wordsOf(award, contest);
  const plain = text.replace(OWN_WORDS, (word) => (own.includes(word.toLowerCase().replace(/-/g, ' ')) ? ' ' : word));
  return findInvertedResult(plain) !== null || NOT_WON.test(plain);
}

/** "the listed team", "this player", "team that": these mean the runner of the label. */
const LISTED =
  /^(?:(?:the|this|that|whichever|whoever|which) ?)?(?:(?:listed|named|specified|above|respective|relevant|corresponding|selected) ?)?(?:team|club|player|person|individual|candidate|driver|golfer|nation|country|coach|manager|fighter|athlete|competitor|participant|contestant|runner|side|conference|option|outcome|one)?(?: (?:that|who|which|listed|named|specified|in the (?:title|question|market)|above))*$/i;

/**
 * Checks whether a sentence is about the runner of the label. Registered names are compared by key,
 * others by their words.
 */
function checkRunner(
  name: string,
  { runner }: RunnerText,
  expected: ExpectedAward,
  contest: Contest,
  field: readonly string[],
): PayoffResult {
  const subject = clean(name) ?? '';
  if (LISTED.test(subject)) return 'agrees';
  const own = parseRunner(expected.venue, expected.award, contest, { ...runner, other: null });
  const named = parseRunner(expected.venue, expected.award, contest, {
    ...runner,
    label: subject,
    code: null,
    other: null,
  });
  if (!('left_out' in own) && !('left_out' in named) && own.key === named.key) return 'agrees';
  const label = runner.label ?? ('left_out' in own ? '' : own.name);
  const [words, labelled] = [normalize(subject).split(' '), normalize(label).split(' ')];
  if (words.every((word) => labelled.includes(word)) || labelled.every((word) => words.includes(word))) return 'agrees';
  const other = !('left_out' in named) || field.includes(normalize(subject));
  return other ? 'contradicts' : 'not_found';
}

const DECLARED =
  /\b(?:(?:officially|publicly) )?(?:declared|announced|crowned|named|awarded|selected|voted|confirmed)(?: as)?\b/gi;

/**
 * Returns the awards whose wordings occur in a longer text. Only the longest wordings count: "AL
 * MVP", not "AL" and not "MVP".
 */
function awardsWithin(asks: string, contest: Contest): Award[] {
  let rest = ` ${normalizeAwardText(asks)} `;
  for (const word of contest.strip) rest = rest.replaceAll(` ${word} `, ' ');
  const core = withoutFiller(rest.trim());
  const found = [...contest.wordings].filter(([words]) => words !== '' && hasPhrase(core, words));
  return found
    .filter(([words]) => !found.some(([other]) => other !== words && hasPhrase(other, words)))
    .flatMap(([, award]) => (award === null ? [] : [award]));
}

/**
 * Checks whether a sentence asks for the award of the title. A bare "wins" agrees when the question
 * itself contains "win".
 */
function checkAward(
  asks: string,
  question: string | null,
  { hints, accepts }: ExpectedAward,
  contest: Contest,
): PayoffResult {
  const plain = asks.replace(DECLARED, ' ').replace(/\s+/g, ' ').trim();
  // "If Josh Allen wins" names no award, and not the championship of his league either.
  if (/^win\b/i.test(plain) && withoutFiller(normalizeAwardText(plain)) === '')
    return question === null || /\bwins?\b/i.test(question) ? 'agrees' : 'not_found';
  const award = parseAward(plain, hints) ?? parseAward(`${contest.name} ${plain}`, hints);
  if (award !== null) return accepts(award) ? 'agrees' : 'contradicts';
  const within = awardsWithin(plain, contest);
  if (within.length === 0) return 'not_found';
  return within.every(accepts) ? 'agrees' : within.some(accepts) ? 'not_found' : 'contradicts';
}

function checkCondition(
  condition: string,
  one: RunnerText,
  expected: ExpectedAward,
  contest: Contest,
  field: readonly string[],
): PayoffResult {
  const { award, year } = expected;
  if (isInverted(condition, award, contest)) return 'contradicts';
  const parsed = parseOutright(condition);
  if (parsed === null) return 'not_found';
  const years = parseYears(condition, award);
  if (year !== null && years !== null && !years.may.has(year)) return 'contradicts';
  return worstOf([
    checkRunner(parsed.runner, one, expected, contest, field),
    checkAward(parsed.asks, one.question, expected, contest),
  ]);
}

/**
 * Whether question or label of a contract ask for the opposite, or question and label name
 * different runners.
 */
function isQuestionInverted(
  one: RunnerText,
  expected: ExpectedAward,
  contest: Contest,
  field: readonly string[],
): boolean {
  const { question, runner } = one;
  if (runner.label !== null && findInvertedLabel(runner.label.replace(OWN_WORDS, ' ')) !== null) return true;
  if (question === null) return false;
  if (isInverted(question, expected.award, contest)) return true;
  const parsed = parseOutright(question);
  return (
    parsed !== null &&
    runner.label !== null &&
    checkRunner(parsed.runner, one, expected, contest, field) === 'contradicts'
  );
}

/**
 * Combines the results of all contracts of a season-long listing. A contract without a text gives
 * no result.
 */
export function payoffOfRace(expected: ExpectedAward, contracts: readonly RunnerText[]): PayoffResult {
  const contest = contestsById().get(expected.award.competition);
  if (contest === undefined) return 'not_found';
  if (expected.title !== null && isInverted(expected.title, expected.award, contest)) return 'contradicts';
  const field = contracts.map(({ runner }) => normalize(runner.label ?? '')).filter((label) => label !== '');
  const results = contracts.flatMap((one): PayoffResult[] => {
    const label = clean(one.runner.label);
    if (label !== null && isPlaceholder(label)) return [];
    if (isQuestionInverted(one, expected, contest, field)) return ['contradicts'];
    return one.text === null
      ? []
      : [payoffOfText(one.text, (condition) => checkCondition(condition, one, expected, contest, field))];
  });
  return worstOf(results);
}
