import { splitSentences } from '../terms/terms_clauses.ts';

/**
 * Parses the payoff sentences of a contract's text: which outcome it pays, and on what condition.
 * "If Arsenal FC wins, this market will resolve to "Yes"" pays `yes` on "Arsenal FC wins". The
 * families compare the condition with the fields of the listing.
 */

/**
 * `agrees`: the text pays what the fields name. `contradicts`: it pays something else. `not_found`:
 * no sentence states what it pays.
 */
export type PayoffResult = 'agrees' | 'not_found' | 'contradicts';

export type Payoff = {
  /**
   * `named`: an outcome by its label. `described`: "to the team that wins …", where the condition
   * is the description.
   */
  pays: 'yes' | 'no' | 'named' | 'described';
  /** The label of a named outcome as printed. Null otherwise. */
  outcome: string | null;
  condition: string;
  sentence: string;
};

/**
 * Combines several results. A contradiction outweighs agreement, and one `not_found` makes the
 * whole `not_found`.
 */
export function worstOf(results: readonly PayoffResult[]): PayoffResult {
  if (results.includes('contradicts')) return 'contradicts';
  return results.length === 0 || results.includes('not_found') ? 'not_found' : 'agrees';
}

const VERB = /\b(?:resolv|settl)(?:es?|ed|ing)\b|\bpays?(?: out)?\b/gi;
const PAYS = new RegExp(VERB.source, 'i');
const IF = /\b(?:if|when|should|in the event(?: that)?|provided(?: that)?)\b/i;
/** "this market will", "then the market": the words between a condition and the verb. */
const ACTOR = /[\s,:–-]*(?:\bthen\b\s*)?\b(?:this|the|it|that|all|each|both)\b[^,.:]{0,60}$/i;
/**
 * 'the market called "Tie" resolves to Yes': a sentence about one of several markets, by its label.
 */
const CALLED = /\bmarket (?:called|titled|named|labell?ed) ["“]([^"“”]{1,120})["”]\s*$/i;
/** Characters. Longer sentences are skipped. No recorded one has 1,000 characters. */
const MAX_SENTENCE_LENGTH = 1_500;

/**
 * Returns every sentence that states on what an outcome pays. Sentences that pay a price or 50/50
 * are skipped. `names` are labels of the listing, whose dots and marks do not end a sentence ("1.
 * FC Magdeburg", "KaBuM! Ilha das Lendas").
 */
export function parsePayoffs(text: string, names: readonly string[] = []): Payoff[] {
  if (!PAYS.test(text)) return [];
  let masked = text;
  for (const name of new Set(names)) if (/[.!?]/.test(name)) masked = masked.replaceAll(name, mask(name));
  return splitSentences(masked).flatMap((sentence) =>
    sentence.length > MAX_SENTENCE_LENGTH
      ? []
      : parseSentence(sentence).map((payoff) => ({ ...payoff, ...unmaskPayoff(payoff) })),
  );
}

const MASKS: readonly [mark: string, mask: string][] = [
  ['.', '\uE000'],
  ['!', '\uE001'],
  ['?', '\uE002'],
];
const mask = (name: string): string => MASKS.reduce((text, [mark, as]) => text.replaceAll(mark, as), name);
const unmask = (text: string): string => MASKS.reduce((unmasked, [mark, as]) => unmasked.replaceAll(as, mark), text);
const unmaskPayoff = ({ outcome, condition, sentence }: Payoff) => ({
  outcome: outcome === null ? null : unmask(outcome),
  condition: unmask(condition),
  sentence: unmask(sentence),
});

function parseSentence(sentence: string): Payoff[] {
  const verbs = [...sentence.matchAll(VERB)];
  return verbs.flatMap((verb, at): Payoff[] => {
    const from = at === 0 ? 0 : (verbs[at - 1]?.index ?? 0) + (verbs[at - 1]?.[0].length ?? 0);
    const before = sentence.slice(from, verb.index);
    const after = sentence.slice(verb.index + verb[0].length, verbs[at + 1]?.index ?? sentence.length);
    const ahead = IF.exec(before);
    // "Otherwise, this market resolves to No" pays on the remaining cases of another sentence.
    if (/\botherwise\b/i.test(before) && ahead === null) return [];
    if (ahead === null) return parseTrailingConditions(after, sentence);
    const stated = before.slice(ahead.index + ahead[0].length);
    const paid = parseOutcome(after);
    if (paid === null) return [];
    const condition = tidy(stated.replace(ACTOR, ''));
    const label = paid.pays === 'yes' ? (CALLED.exec(stated)?.[1] ?? null) : null;
    return [label === null ? { ...paid, condition, sentence } : { pays: 'named', outcome: label, condition, sentence }];
  });
}

/** Parses 'to "A" if A wins, and to "B" if B wins', or "to the team that wins the game". */
function parseTrailingConditions(after: string, sentence: string): Payoff[] {
  const payoffs = after.split(/(?:[,;]| and)\s+(?:and )?(?=(?:to |as )?["“])/i).flatMap((part): Payoff[] => {
    const paid = parseOutcome(part);
    const trailingIf = IF.exec(part);
    if (paid === null || trailingIf === null) return [];
    const condition = part.slice(trailingIf.index + trailingIf[0].length).replace(/[;,.]?\s*\botherwise\b.*$/i, '');
    return [{ ...paid, condition: tidy(condition), sentence }];
  });
  if (payoffs.length > 0) return payoffs;
  const described =
    /^\s*(?:immediately )?(?:to|according to|based on|in favou?r of|for|as)\s+((?:the|whichever|whoever|whomever)\b.*)$/i.exec(
      after,
    );
  if (!described || IF.test(described[1] ?? '')) return [];
  return [{ pays: 'described', outcome: null, condition: tidy(described[1] ?? ''), sentence }];
}

const tidy = (condition: string): string => condition.replace(/^[\s,:]+|[\s,.:;]+$/g, '');

const OUTCOME =
  /^\s*(?:immediately |automatically )?(?:to|as|in favou?r of|for)?\s*(?:["“”]+([^"“”]{1,120}?)[.,]?["“”]+|['‘]?(yes|no)\b['’]?|(?:to|as|in favou?r of) ([A-Z0-9][^.,;]{0,80}))/i;
const NO_OUTCOME = /^(?:a |an |the |its |\$|\d+ ?[-–/%]|\d+$|fair\b|last\b)/i;

/**
 * Returns the outcome that a consequence pays. Null for a price, 50/50, or words that are no
 * outcome.
 */
function parseOutcome(consequence: string): { pays: 'yes' | 'no' | 'named'; outcome: string | null } | null {
  const [, quoted, plain, bare] = OUTCOME.exec(consequence) ?? [];
  const label = (quoted ?? plain ?? bare)?.replace(/\s+(?:if|when|should)\b.*$/i, '').trim();
  if (
    label === undefined ||
    label === '' ||
    NO_OUTCOME.test(quoted === undefined ? label : (/^\d+ ?[-–/%]/.exec(label)?.[0] ?? ''))
  )
    return null;
  const lower = label.toLowerCase();
  return lower === 'yes' || lower === 'no' ? { pays: lower, outcome: null } : { pays: 'named', outcome: label };
}

const RESULT =
  '(?:win|won|beat|defeat|advance|qualif|progress|go(?:es)? (?:on|through)|reach|cover|score|prevail|lead|finish|become|emerge|take|make|end|exceed|combine|record|have|be)';
/**
 * Words that invert a result, each bound to the verb of the result: "does not include overtime"
 * inverts nothing.
 */
const INVERTED_RESULTS = [
  new RegExp(
    String.raw`(?:\b(?:not|never|cannot)\b|n[’']t\b)(?: (?!includ|count|consider)[\w’'-]+){0,3} (?:to )?${RESULT}`,
    'i',
  ),
  /\bnot (?:the )?(?:winners?|champions?|victors?|victorious|successful)\b/i,
  /\bfail(?:s|ed|ing|ure)?\b(?: [\w’'-]+){0,2} (?:to|in)\b/i,
  /\b(?:unable to|without) (?:win|beat|advanc|qualif)/i,
  /\blos(?:e|es|ing|t)\b|\blosers?\b(?!['’]?s?['’]? (?:bracket|round|final|semi|quarter|match))/i,
  /\b(?:defeated|beaten) by\b|\b(?:is|are|gets?|be|being|was|were) (?:[\w-]+ )?(?:defeated|beaten|eliminated|relegated|knocked out)\b/i,
  /\b(?:eliminated|elimination of|knocked out)\b/i,
  /\brunners?[- ]?up\b|\b(?:second|2nd|last)[- ]place\b|\bcomes? (?:second|last)\b|\bfinish(?:es)? (?:second|last|2nd)\b/i,
  /\b(?:other than|anyone but|any(?:one|thing|body) (?:but|except|other)|neither|none of|no one|nobody|except)\b/i,
];
/**
 * A label or title that asks for the opposite by its first or last words: "Not Arsenal", "Arsenal:
 * No win".
 */
const INVERTED_LABEL = /^(?:not|no|never)\s+(?=\S)|\b(?:to|will) not\b|\bnot to\b|\bno win\b/i;

/**
 * Removes words in brackets. They explain and pay nothing: "(does not include extra time or
 * penalties)".
 */
export const withoutBrackets = (text: string): string =>
  text.replace(/\([^()]*\)|\[[^[\]]*\]/g, ' ').replace(/\s+/g, ' ');

/**
 * Returns the words of a condition, title or question that invert its result ("does not win",
 * "fails to", "who will lose"), or null.
 */
export function findInvertedResult(text: string): string | null {
  const plain = withoutBrackets(text);
  for (const pattern of INVERTED_RESULTS) {
    const found = pattern.exec(plain);
    if (found) return found[0].trim();
  }
  return null;
}

/**
 * The same for the label of an outcome or a group title, which is little more than a name: "Not
 * Arsenal", "Arsenal to lose".
 */
export const findInvertedLabel = (label: string): string | null =>
  [INVERTED_LABEL, /\b(?:to lose|loses|does not|do not|fails? to|not win|is eliminated|runner-up)\b/i]
    .map((pattern) => pattern.exec(label)?.[0].trim())
    .find((found) => found !== undefined) ?? null;

const NTH = '(?:first|second|third|fourth|opening|1st|2nd|3rd|4th|[1-4](?:st|nd|rd|th))';
const PARTS = [
  new RegExp(String.raw`\b${NTH}[ -](?:half|halves|quarter|period|set|map|innings?|frame|chukka)\b`, 'i'),
  /\b(?:first|opening|last|final) (?!90\b|ninety\b)(?:\d{1,2}|two|three|four|five|six|seven|ten|fifteen|twenty|thirty) (?:innings?|minutes?|overs?|maps?|sets?|games?|rounds?)\b/i,
  /\bhalf[- ]?time\b|\bat (?:the )?(?:half|break|interval|intermission)\b/i,
  /\b(?:half|quarter|period|set|map|inning|frame) (?:#? ?\d|one|two|three)\b/i,
  /\b(?:[1-4](?:h|q|p)|f5)\b/i,
  /\bafter (?:the )?(?:\d{1,2}|one|two|three|four|five|six|seven|eight) (?:innings?|quarters?|periods?|sets?|maps?|frames?)\b/i,
  /\b(?:first to score|scores? first|first (?:goal|point|basket|touchdown|run|try|blood|kill|wicket|tower|dragon|ace))\b/i,
  /\b(?:pistol round|power ?play|coin toss|the toss|opening (?:tip|face-?off|kick-?off|goal|bracket)|tip-?off|tie-?break)\b/i,
];

/**
 * Returns the part of a contest that a condition or a title names ("first half", "Map 1", "first to
 * score"). Null when it names none.
 */
export function findPart(text: string): string | null {
  for (const pattern of PARTS) {
    const found = pattern.exec(text);
    if (found) return found[0];
  }
  return null;
}

export type Result = 'win' | 'draw' | 'lose' | 'advance' | 'score' | 'lead' | 'cover' | 'finish' | 'other';
export type ConditionClause = { subject: string; result: Result; rest: string };

const RESULT_VERBS: readonly [Result, RegExp][] = [
  [
    'win',
    /\b(?:(?:is|are|was|were|has been|have been|be) (?:officially )?(?:declared|named|crowned|announced as|determined to be|confirmed as)(?: (?:as )?(?:the )?(?:official |sole |outright )?(?:winners?|champions?|victors?))?|(?:is|are) (?:the )?(?:official |outright )?(?:winners?|champions?)(?: of)?|wins?|won|beats?|defeats?|prevails?(?: over)?|emerges? victorious)\b/i,
  ],
  [
    'draw',
    /\b(?:ends? in|results? in|finish(?:es)? in|is|are|ends?|finish(?:es)?) (?:a |an )?(?:tie|tied|draw|drawn|level)\b/i,
  ],
  ['lose', /\b(?:loses?|fails?|does not|do not|doesn['’]t|don['’]t|will not|is eliminated|are eliminated)\b/i],
  ['advance', /\b(?:advances?|qualif(?:y|ies)|progress(?:es)?|goes? (?:on|through)|reach(?:es)?|moves? on)\b/i],
  ['cover', /\bcovers?\b/i],
  ['score', /\b(?:(?:collectively |combine to |together )?scores?|combines?|records?)\b/i],
  ['lead', /\b(?:leads?|leading|is ahead|are ahead)\b/i],
  ['finish', /\b(?:finish(?:es)?|ends? up|comes?|receives?)\b/i],
];

/**
 * Splits a condition at its earliest verb of a result: the words before it, the result, and the
 * words after it.
 */
export function parseCondition(text: string): ConditionClause {
  const condition = withoutBrackets(text);
  let best: { at: number; length: number; result: Result } | null = null;
  for (const [result, pattern] of RESULT_VERBS) {
    const found = pattern.exec(condition);
    if (found && (best === null || found.index < best.at)) best = { at: found.index, length: found[0].length, result };
  }
  if (best === null) return { subject: tidy(condition), result: 'other', rest: '' };
  return {
    subject: tidy(condition.slice(0, best.at)),
    result: best.result,
    rest: tidy(condition.slice(best.at + best.length)),
  };
}
