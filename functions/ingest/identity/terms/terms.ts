import type { Json } from '../../listing.ts';
import { daysBetween, parseDate } from '../text/eastern.ts';
import { isUnfilled } from '../text/text.ts';
import { type Case, type Clause, type Payout, parseClause, splitSentences } from './terms_clauses.ts';

/**
 * Settlement terms of a sports contract on which two venues may differ. They come from the text
 * only, never from the family. A term that the text does not mention is null, and null is not
 * agreement.
 */
export type Terms = { [term: string]: Json };

/**
 * `none`: no text. `unfilled`: a template with open blanks. `unread`: a text without a statement
 * about its settlement.
 */
export function rulesStateOf(text: string | null): 'none' | 'unfilled' | 'unread' | 'read' {
  if (text === null || text.trim() === '') return 'none';
  if (isUnfilled(text)) return 'unfilled';
  return /\b(?:resolv|settl)(?:es?|ed|ing|ement|ution)?\b/i.test(text) ? 'read' : 'unread';
}

/** Returns the worst state of the texts of several contracts. */
export function worstRulesState(texts: readonly string[]): ReturnType<typeof rulesStateOf> {
  const states = new Set(texts.map(rulesStateOf));
  for (const state of ['unfilled', 'unread', 'read'] as const) if (states.has(state)) return state;
  return 'none';
}

/** Whether all checks with a result agree. Null when none has a result. */
export const allAgree = (checks: readonly (boolean | null)[]): boolean | null =>
  checks.includes(false) ? false : checks.includes(true) ? true : null;

const CASES: readonly Case[] = [
  'cancelled',
  'late',
  'abandoned',
  'tie',
  'walkover',
  'retirement',
  'forfeit',
  'no_contest',
  'dead_heat',
  'push',
];

/**
 * Returns the payout in a case. In the market of the draw itself, YES on a tie is the payment of
 * its own outcome, and YES on a cancelled game is the draw.
 */
function payoutInCase(one: Case, pays: Payout, ofTheDraw: boolean): string {
  if ((one === 'tie' || one === 'dead_heat') && pays === 'yes') return 'own_outcome';
  return one === 'cancelled' && pays === 'yes' && ofTheDraw ? 'draw' : pays;
}

function payoutsByCase(clauses: readonly Clause[]): { terms: Terms; conflicts: string[] } {
  const ofTheDraw = clauses.some((clause) => clause.cases.includes('tie') && clause.pays === 'yes');
  const terms: Terms = {};
  const conflicts: string[] = [];
  for (const one of CASES) {
    const payouts = new Set(
      clauses.flatMap((clause) =>
        clause.pays !== null && clause.cases.includes(one) ? [payoutInCase(one, clause.pays, ofTheDraw)] : [],
      ),
    );
    const [first, ...more] = payouts;
    // A text with two answers gives none.
    terms[one] = more.length > 0 ? null : (first ?? null);
    if (more.length > 0) conflicts.push(one);
  }
  return { terms, conflicts };
}

function overtimeScope(text: string): { scope: string | null; conflict: boolean } {
  const regulation =
    /(?:does|do|will) not include (?:any )?(?:extra time|overtime)|90 minutes (?:plus|of regular|of play)|regular play plus stoppage|regulation (?:time )?only|(?:overtime|extra time)[^.;]{0,30}(?:not count|not included|excluded)|excluding (?:any )?(?:overtime|extra time)/i.test(
      text,
    );
  const included =
    /(?<!not )\binclud(?:es|ing|e|ed) (?:any |all )?(?:potential )?(?:overtime|extra (?:time|innings)|shootout)|(?:overtime|extra innings) (?:is |are |will be )?(?:counts?|included)|regulation, stoppage and any extra time/i.test(
      text,
    );
  if (regulation && included) return { scope: null, conflict: true };
  return { scope: regulation ? 'regulation' : included ? 'included' : null, conflict: false };
}

/** Returns the hosts that the text names as its source. */
function parseSources(text: string): string[] {
  const hosts = splitSentences(text)
    .filter((sentence) => /resolution source|settlement source|official (?:information|statistics)/i.test(sentence))
    .flatMap((sentence) => [...sentence.matchAll(/https?:\/\/(?:www\.)?([a-z0-9.-]+)/gi)].map((host) => host[1] ?? ''));
  return hosts.map((host) => host.toLowerCase().replace(/\.$/, ''));
}

/**
 * Parses the terms of a sports listing.
 * @param text whole text of the contract, null when the listing has none
 * @param sources sources in the fields of the listing
 * @param on_date day in the fields of the listing, YYYY-MM-DD
 */
export function sportsTerms(text: string | null, sources: readonly string[], on_date: string | null): Terms {
  const rules = rulesStateOf(text);
  if (text === null || rules === 'none') return { rules: 'none', sources: [...sources] };
  const clauses = splitSentences(text).flatMap((sentence) => parseClause(sentence, on_date) ?? []);
  const { terms, conflicts } = payoutsByCase(clauses);
  const hours = clauses.find((clause) => clause.window_hours !== null)?.window_hours ?? null;
  const played = overtimeScope(text);
  if (played.conflict) conflicts.push('overtime');
  const scheduledText = /(?:originally |initially )?scheduled for [^.\n]*/i.exec(text)?.[0] ?? null;
  const scheduled = scheduledText === null ? null : parseDate(scheduledText, on_date);
  const { late = null, cancelled = null, ...others } = terms;
  return {
    rules,
    postponement_hours: hours,
    waits: hours !== null ? false : clauses.some((clause) => clause.waits) || null,
    // A game that is never played is also a game that is too late.
    cancelled: cancelled ?? (conflicts.includes('cancelled') ? null : late),
    ...others,
    overtime: played.scope,
    must_start:
      /ball (?:has been|having been|being|is) played|must (?:have )?(?:start|begin|begun)/i.test(text) || null,
    conflicts,
    scheduled_date: scheduled,
    // A text with another day than the fields is the text of another game, or the game was moved.
    fields_agree: scheduled === null || on_date === null ? null : Math.abs(daysBetween(scheduled, on_date)) <= 1,
    sources: [...new Set([...sources, ...parseSources(text)])],
  };
}
