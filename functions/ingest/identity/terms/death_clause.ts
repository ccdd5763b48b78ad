import { splitSentences } from './terms_clauses.ts';

/**
 * Finds what a contract about a person pays when that person dies. venue_a settles such a contract
 * at the last price before the death, venue_b resolves it, so holders of both sides lose money
 * (docs/trading.md). The caller passes texts of questions that name a person only.
 */

/** One text of a contract, and the field of the listing that holds it. */
export type ContractText = { field: string; text: string };

/**
 * What a text pays after a death. `any_last_price`: the text names a last price without naming a
 * death. `not_counted`: the death is not the event. `unclear`: a settlement clause names a death,
 * and its payout could not be parsed.
 */
export type DeathPayout =
  | 'last_price'
  | 'fair_price'
  | 'any_last_price'
  | 'split'
  | 'no'
  | 'yes'
  | 'counted'
  | 'not_counted'
  | 'unclear';

export type DeathClause = { pays: DeathPayout; field: string };

/** If a contract has several clauses, the first payout of this list is kept. */
const ORDER: readonly DeathPayout[] = [
  'last_price',
  'fair_price',
  'any_last_price',
  'split',
  'no',
  'yes',
  'counted',
  'not_counted',
  'unclear',
];

/** Characters of one text that are read. The adapter cuts texts at the same length. */
const MAX_TEXT_LENGTH = 24_000;

const MAY_NAME_DEATH =
  /\b(?:deaths?|dead|die[sd]?|dying|deceased?|decedents?|demise|killed|slain|assassinat\w*|pass(?:es|ed|ing)?[- ]away|alive|living|li(?:fe|ves))\b|\blast[- ][a-z -]{0,30}(?:price|value)/i;

const DEATH =
  /\b(?:deaths?|demise|decedents?|dies|died|dying|deceased?|assassinat(?:ed|ion)|pass(?:es|ed|ing)?[- ]away|no longer (?:alive|living)|los(?:es?|ing|t) (?:his|her|their) li(?:fe|ves)|(?:is|are|was|were|be|been|being|found|declared|pronounced|confirmed|presumed) (?:dead|killed|slain)(?![- ](?:heats?|even|level|last|ball|rubber))|(?:to|will|would|should|does|did|may|might|must|shall|can|could|they|who|or|and|not|players?|persons?|people|nominees?|candidates?|competitors?|fighters?|drivers?|individuals?) die)\b/gi;

/** Terms of sports and fixed phrases that contain such a word and mean no death of a person. */
const FIXED_PHRASES =
  /\b(?:sudden|near|black|wrongful)[- ]deaths?\b|\b(?:life[- ](?:and|or)|groups? of|kiss of) ?-?death\b|\bdeath[- ](?:overs?|bowl\w*|metal|match(?:es)?|row|valley|star|note|stranding|penalt(?:y|ies)|tolls?|spirals?|race|march|grip|blow|squads?|zone|trap|stare|knell)\b|\b(?:dies|died|dying|die) (?:down|out|hard)\b|\bdying (?:minutes|seconds|moments|stages|embers)\b|\bdie[- ](?:hards?|cast)\b/gi;
/** "a player who died in 2020": the past, not a case of the contract. */
const PAST =
  /\b(?:died|death|killed|passed away) (?:in|on) (?:[A-Za-z]{3,9} )?(?:\d{1,2}(?:st|nd|rd|th)?,? )?(?:1[89]|20)\d{2}\b/gi;
/** The title of a song or play in quotation marks. Labels such as "Yes" are quoted as well. */
const QUOTED = /["“](?! )[^"“”]{1,60}(?<! )["”]/g;

/** Words before a death that make it a case of the contract, also in capitals ("due to Death"). */
const CASE_OF_DEATH =
  /\b(?:(?:event|case|because|result|reason|account|consequence|time|date) of|due to|owing to|caused by|resulting from) (?:[\w’'.-]+ ){0,4}(?:deaths?|demise)\b/i;
const EXCEPT_DEATH =
  /\b(?:exclud(?:es?|ed|ing)|includ(?:es?|ed|ing)|except(?:ing)?|other than|barring) (?:(?:for|by|in|case|of|the|his|her|their|any|a) ){0,4}(?:deaths?|demise)\b/i;

/** A clause that settles, counts or excludes something. */
const SETTLES =
  /\b(?:resolv|settl)(?:es?|ed|ing|ement)\b|\bresolution (?:price|value)\b|\bpayouts?\b|\bpays? out\b|\bcriteri(?:on|a)\b|\bvoid(?:ed)?\b|\brefund|\bencompass|\bnot (?:be )?(?:counted|qualif|includ|eligib|consider)|\b(?:will|shall|does|do|would)(?: not)? (?:also )?(?:count|qualify|satisfy)\b|\bcounts? (?:as|towards?)\b|\bfair (?:market )?(?:price|value)\b|\bprices?\b/i;

const LAST_PRICE =
  /\blast[- ](?:(?:fair|traded|trading|trade|executed|market|available|quoted)[- ]){1,3}(?:price|value)s?\b|\blast prices? \(?(?:before|prior to|preceding|ahead of)\b/i;
const PRICE_BEFORE = /\b(?:price|value)s?\b[^.;]{0,40}\b(?:before|prior to|preceding)\b/i;
const FAIR_PRICE = /\bfair (?:market )?(?:price|value)\b/i;
const SPLIT = /\b50\s?[-–/]\s?50\b|\$?0?\.50\b|\b50 cents\b/i;
const NOT_COUNTED =
  /\b(?:not|never)\b[^.;]{0,50}\b(?:satisf|count|encompass|qualif|constitut|includ|eligib|consider|resign|resolve)|\b(?:exclud|except|disregard)|\bother than\b/i;
const PAYS_LABEL = /\b(?:resolv|settl)\w* [^.;]{0,40}?["“'‘]?\b(yes|no)\b/i;
const COUNTED = /\b(?:counts?|qualif(?:y|ies)|satisf(?:y|ies)|includ)/i;

/** A case of a match that has a term and a risk of its own. */
const CASE_OF_MATCH =
  /\b(?:postpon|delay|resched|cancel|walk-?over|withdr[ae]w|retire|forfeit|disqualif|default|abandon|no[- ](?:contest|result|show)|called off|ties?\b|tied\b|draws?\b|drawn\b|(?:not|never)\b[^.;]{0,30}\b(?:play|held|start|begin|begun|complet|finish|occur|take place)|no (?:ball|play)\b)/i;

/** The sentence continues the case of the sentence before it. */
const CONTINUES =
  /^(?:in (?:that|this|such|which|these|those)(?: an?)? (?:case|event|circumstance|scenario)|if so|then)\b/i;

/** Returns the sentences of a text, each with the sentences that continue its case. */
function clausesOf(text: string): string[] {
  const clauses: string[] = [];
  for (const sentence of splitSentences(text)) {
    const before = clauses.at(-1);
    if (before !== undefined && (before.endsWith(':') || CONTINUES.test(sentence))) {
      clauses[clauses.length - 1] = `${before} ${sentence}`;
    } else clauses.push(sentence);
  }
  return clauses;
}

const isCapitalized = (word: string): boolean => /^[A-Z][a-z]/.test(word);

/**
 * Whether the word at `from` belongs to a name, such as "Death Valley" or "The Summer Hikaru Died":
 * it is capitalized like its neighbour. The first word of a clause is always capitalized.
 */
function isInName(clause: string, from: number, word: string): boolean {
  if (!isCapitalized(word)) return false;
  const before = clause.slice(Math.max(0, from - 60), from);
  const next = /^[ -](?:(?:of|in|on|to|by|with|at) (?:(?:the|an?) )?)?(\S+)/.exec(
    clause.slice(from + word.length, from + word.length + 60),
  );
  const first = !/[a-z0-9]/i.test(before);
  if (first) return next !== null && isCapitalized(next[1] ?? '') && !/^[ -](?:of|in|on|to|by|with|at) /.test(next[0]);
  const previous = /(\S+) $/.exec(before);
  const opensClause = previous !== null && previous.index === 0 && from <= 60;
  return (
    (next !== null && isCapitalized(next[1] ?? '')) ||
    (previous !== null && !opensClause && isCapitalized((previous[1] ?? '').replace(/^[("“‘]/, '')))
  );
}

function namesDeath(clause: string): boolean {
  const plain = clause.replace(QUOTED, ' ').replace(FIXED_PHRASES, ' ').replace(PAST, ' ');
  if (EXCEPT_DEATH.test(plain)) return true;
  if (!SETTLES.test(clause)) return false;
  if (CASE_OF_DEATH.test(plain)) return true;
  return [...plain.matchAll(DEATH)].some((match) => !isInName(plain, match.index, match[0]));
}

function payoutAfterDeath(clause: string): DeathPayout {
  if (LAST_PRICE.test(clause) || PRICE_BEFORE.test(clause)) return 'last_price';
  if (FAIR_PRICE.test(clause)) return 'fair_price';
  if (NOT_COUNTED.test(clause)) return 'not_counted';
  if (SPLIT.test(clause)) return 'split';
  const label = PAYS_LABEL.exec(clause)?.[1]?.toLowerCase();
  if (label === 'yes' || label === 'no') return label;
  return COUNTED.test(clause) ? 'counted' : 'unclear';
}

function payoutOfClause(clause: string, ofMatch: boolean): DeathPayout | null {
  if (namesDeath(clause)) return payoutAfterDeath(clause);
  return LAST_PRICE.test(clause) && !(ofMatch && CASE_OF_MATCH.test(clause)) ? 'any_last_price' : null;
}

/**
 * Returns the death clause of a contract, or null when no text has one. `ofMatch`: the persons play
 * a match. A last price for a walkover or a cancelled match is then the term of that case.
 */
export function findDeathClause(texts: readonly ContractText[], ofMatch: boolean): DeathClause | null {
  let found: DeathClause | null = null;
  for (const { field, text } of texts) {
    const read = text.slice(0, MAX_TEXT_LENGTH);
    if (!MAY_NAME_DEATH.test(read)) continue;
    for (const clause of clausesOf(read)) {
      const pays = payoutOfClause(clause, ofMatch);
      if (pays !== null && (found === null || ORDER.indexOf(pays) < ORDER.indexOf(found.pays))) found = { pays, field };
    }
  }
  return found;
}
