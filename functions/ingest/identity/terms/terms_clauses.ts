import { daysBetween, parseDate } from '../text/eastern.ts';
import { remembered } from '../text/remembered.ts';

/**
 * Splits the text of a contract into clauses: the odd case that a sentence is about, and what it
 * pays then. Two venues word the same case in many ways, so a clause is parsed by its condition and
 * its consequence, never compared with a whole known sentence.
 */

/**
 * What a contract pays in an odd case. `winner`: by the official result or the team that advances.
 */
export type Payout =
  | 'fair_price'
  | 'split'
  | 'no'
  | 'yes'
  | 'winner'
  | 'if_decided'
  | 'first_by_name'
  | 'shared'
  | 'no_change'
  /** One of the two teams by name: "or if the score is level, … resolves to \"Bears\"". */
  | 'one_side';

export type Case =
  | 'cancelled'
  | 'late'
  | 'abandoned'
  | 'tie'
  | 'walkover'
  | 'retirement'
  | 'forfeit'
  | 'no_contest'
  | 'dead_heat'
  | 'push';

export type Clause = {
  cases: Case[];
  pays: Payout | null;
  /**
   * How long the contract waits for a late game, in hours from its scheduled start. Null when the
   * sentence names no time.
   */
  window_hours: number | null;
  /** True when it stays open until the game is played, however late. */
  waits: boolean;
};

/**
 * Splits a text into sentences. A dot after "vs", "St" or an initial ("T.J. Watt") does not end
 * one. The blank after a sentence may be missing. Six readers split the same text of an event, and
 * its markets share it: without memory, splitting was a tenth of the time of a backtest.
 */
export const splitSentences: (text: string) => readonly string[] = remembered(sentencesOf);

function sentencesOf(text: string): string[] {
  return text
    .replace(/([a-z0-9.”"!?)])(?=If (?:the|a|an|this|any|[A-Z]))|(["”]\.)(?=[A-Z])/g, '$1$2\n')
    .split(
      /\n+|(?<!\b(?:vs|Vs|St|Jr|Sr|Mt|Ft|U\.S|D\.C))(?:(?<!\b[A-Z])|(?=\.\s+(?:If|This|The|In|Otherwise|Any|For|Should|When|All|It|Not|Note|Update)\b))\.["”’')\]]*\s+(?=["“'(]?[A-Z])|(?<=[!?])\s+(?=[^a-z])/,
    )
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence !== '');
}

const SETTLES = /\b(?:resolv|settl)(?:es?|ed|ing)\b/gi;

/** Splits a sentence into condition and consequence, in either order. */
function splitClause(sentence: string): { condition: string; consequence: string } {
  const at = [...sentence.matchAll(SETTLES)].at(-1)?.index;
  if (at === undefined) {
    // "If a player retires, the player who advances wins.": a consequence without the verb.
    const match = /^(if\b.*), (?:then )?(.*)$/i.exec(sentence);
    return { condition: match?.[1] ?? sentence, consequence: match?.[2] ?? '' };
  }
  const after = sentence.slice(at);
  const trailingIf = /\b(?:if|in the event|should)\b/i.exec(after);
  return trailingIf && !/\b(?:if|in the event|should)\b/i.test(sentence.slice(0, at))
    ? { condition: after.slice(trailingIf.index), consequence: after.slice(0, trailingIf.index) }
    : { condition: sentence.slice(0, at), consequence: after };
}

const SPLIT = /\b50\s?[-–/]?\s?50\b|\$?\.50?\b(?!\d)|fifty[- ]fifty|\b50 cents\b/i;

function parsePayout(condition: string, consequence: string): Payout | null {
  if (/fair (?:market )?(?:price|value)|last (?:traded |fair )?price/i.test(consequence)) return 'fair_price';
  if (SPLIT.test(consequence)) return 'split';
  if (/alphabetical/i.test(consequence)) return 'first_by_name';
  if (/\b(?:divided|shared|proportional|1\/n)\b/i.test(consequence)) return 'shared';
  if (/accordingly/i.test(consequence)) return 'if_decided';
  if (
    /official (?:final )?(?:result|winner)|whoever|advanc|\b(?:who|that|which) (?:wins?|won|is declared)/i.test(
      consequence,
    )
  )
    return 'winner';
  // "That player will resolve to No": the player who gives up loses, so the other one wins.
  if (/\bthat (?:player|team|fighter|side|participant)(?: will)? ?$/i.test(condition) && /\bno\b/i.test(consequence))
    return 'winner';
  if (/\b(?:to|as)? ?["“']?(?:no|short)\b/i.test(consequence)) return 'no';
  if (/["“']?\b(?:yes|long)\b/i.test(consequence)) return 'yes';
  return TIE.test(condition) && ONE_SIDE.test(consequence) ? 'one_side' : null;
}

const COUNT: Record<string, number> = {
  one: 1,
  two: 2,
  three: 3,
  four: 4,
  five: 5,
  six: 6,
  seven: 7,
  ten: 10,
  fourteen: 14,
};
const LATE =
  /postpon|delay|reschedul|\b(?:not|never|isn't|hasn't)\b[^,;]{0,40}\b(?:start|began|begin|begun|played|completed?|held|finish|finished|decided|determined|declared|known|finali[sz]ed)|without a winner/i;

/**
 * "within 48 hours", "beyond 7 days", "over two weeks", "(14 days after the scheduled start)".
 * Otherwise a date, compared with the scheduled day.
 */
function parseWindowHours(sentence: string, on_date: string | null): number | null {
  if (!LATE.test(sentence)) return null;
  const count = /\b(\d{1,3}|one|two|three|four|five|six|seven|ten|fourteen)[- ](hour|day|week)s?\b/i.exec(sentence);
  if (count) {
    const units = COUNT[(count[1] ?? '').toLowerCase()] ?? Number(count[1]);
    const hours = { hour: 1, day: 24, week: 168 }[(count[2] ?? '').toLowerCase()] ?? 24;
    return units * hours;
  }
  const until = /\b(?:by|beyond|before|after|until|past) ([^.;]{0,80}\d[^.;]{0,80})/i.exec(sentence);
  const date = until && on_date !== null ? parseDate(until[1] ?? '', on_date) : null;
  if (date === null || on_date === null) return null;
  const days = daysBetween(on_date, date);
  return days > 0 && days <= 120 ? days * 24 : null;
}

const GIVEN_UP = /\b(?:walkovers?|forfeit\w*|withdraw\w*|withdrew|retire\w*|disqualif\w*|defaults?|no-show)\b/i;
const BEGUN =
  /\bretire|\b(?:begins|began|has (?:begun|started)|is underway|starts) (?:but|and)\b|\b(?:after|once) (?:the|a|play|any) ?(?:match|fight|bout|game|series|play)?\s*(?:has |have )?(?:start|begun|begin|commenc)|\bsubsequently\b|mid-match|during the (?:match|fight|game)/i;
/** A label that is paid, and that is no price and no share. */
const ONE_SIDE =
  /\b(?:resolv|settl)\w*(?: to| as| in favou?r of)? ["“](?!\$|\d+ ?[-–/%]|tie|draw|other)[^"“”]{1,120}["”]/i;
const TIE =
  /\b(?:ends? in|ends? as|declared|ruled|called|scored|judged|event of|there is|there's|is|results? in|or|finish(?:es)? in|technical|majority|split|case of) (?:as )?(?:a |an )?(?:tie|draw)\b|\b(?:is|are|remains?|stays?|ends?|finish(?:es)?) (?:all |still )?(?:tied|drawn|level|square|even|equal)\b|\b(?:scores?|teams|sides) (?:are|is) (?:the same|equal)\b|\bif (?:the )?(?:tie|draw)\b (?:is|wins)|\b(?:tie|draw) is the result/i;

function parseCases(condition: string): Case[] {
  const cases: Case[] = [];
  const begun = BEGUN.test(condition);
  const add = (one: Case, applies: boolean) => {
    if (applies) cases.push(one);
  };
  if (GIVEN_UP.test(condition)) {
    add(/\b(?:players?|fighters?|retire\w*)\b/i.test(condition) ? 'retirement' : 'forfeit', begun);
    add('walkover', !begun);
  }
  add(
    'cancelled',
    !begun &&
      /\bcancel|does not (?:occur|take place)|\bnot (?:be )?played\b|\bno (?:ball|play) (?:is|has been|was) \w+|never (?:be )?(?:played|takes place)|called off/i.test(
        condition,
      ),
  );
  add('abandoned', /\babandon/i.test(condition));
  add('tie', TIE.test(condition));
  add('no_contest', /\bno[- ](?:contest|result)\b|without a result/i.test(condition));
  add(
    'dead_heat',
    /dead heat|\bco-?(?:winners?|champions?|recipients?)\b|\b(?:two or more|multiple|more than one) [^,;]{0,120}\b(?:tie|tied|share|win|winners?|recipients?|finish)/i.test(
      condition,
    ),
  );
  add(
    'push',
    /\bpush\b|\bexactly (?:equals?|\d|the (?:line|spread|total))|\b(?:equals?|is equal to|lands? (?:exactly )?on) the (?:line|spread|total|listed)/i.test(
      condition,
    ),
  );
  return cases;
}

/**
 * Parses the odd case of a sentence. Null when it is about none. `on_date` gives the year of "by
 * July 21".
 */
export function parseClause(sentence: string, on_date: string | null): Clause | null {
  const window_hours = parseWindowHours(sentence, on_date);
  const stays = /\b(?:remains?|stays?|be kept) open\b/i.test(sentence);
  if (stays) {
    // "Postponed but begins within 48 hours: remains open" is a time limit without a payout.
    const waits = window_hours === null && LATE.test(sentence) && /until|completed|finished|played/i.test(sentence);
    return window_hours === null && !waits ? null : { cases: [], pays: null, window_hours, waits };
  }
  const { condition, consequence } = splitClause(sentence);
  const cases = parseCases(condition);
  if (window_hours !== null && consequence !== '') cases.push('late');
  else if (
    /\b(?:is|are) not (?:completed|finished|played to (?:completion|a finish))\b/i.test(condition) &&
    cases.length === 0
  )
    cases.push('abandoned');
  const pays = consequence === '' ? null : parsePayout(condition, consequence);
  if (cases.length === 0 || pays === null) return null;
  return { cases, pays, window_hours, waits: false };
}
