import type { Json } from '../listing.ts';
import { dateInText, daysBetween } from './eastern.ts';
import { isUnfilled } from './text.ts';

/**
 * What a sports contract's own text says about the cases in which two venues part: nothing is taken from the family. A term that
 * the text does not speak of is null, and null is not agreement.
 */
export type Terms = { [term: string]: Json };

/** How long a game may be late before the contract stops waiting for it (hours), or `forever`. */
function postponement(text: string): { window_hours: number | null; waits: boolean } | null {
  const within =
    /within (\d+|two|three|seven) (hours?|days?)/i.exec(text) ??
    /(?:over|more than|further than|beyond) (\d+|two|three|seven) (hours?|days?)/i.exec(text) ??
    /(?:up to) (\d+|two|three|seven) (hours?|days?|weeks?)/i.exec(text);
  if (within && /postpon|delay|reschedul|not started|not played/i.test(text)) {
    const words: Record<string, number> = { two: 2, three: 3, seven: 7 };
    const count = words[(within[1] ?? '').toLowerCase()] ?? Number(within[1]);
    const unit = (within[2] ?? '').toLowerCase();
    return { window_hours: count * (unit.startsWith('hour') ? 1 : unit.startsWith('week') ? 168 : 24), waits: false };
  }
  if (/postponed[^.]*remain open until the (?:game|match|fight|event) has been completed/i.test(text))
    return { window_hours: null, waits: true };
  return null;
}

/** What a contract pays when the game is never played. */
function onCancellation(text: string): string | null {
  if (/fair (?:market )?price/i.test(text)) return 'fair_price';
  const sentence = /[^.\n]*cancel+ed[^.\n]*[.\n]?/i.exec(text)?.[0] ?? '';
  if (/50[-/ ]50|\$?0\.50/.test(sentence)) return 'split';
  if (/resolves? to "?no\b/i.test(sentence)) return 'no';
  return null;
}

function onTie(text: string): string | null {
  if (
    /market called "tie" resolves|ends in a tie,? the (?:market|"?tie"?)[^.]*resolves to yes|end in a draw/i.test(text)
  )
    return 'own_outcome';
  const sentence = /[^.\n]*\b(?:tie|draw)\b[^.\n]*(?:\.\d+[^.\n]*)?/i.exec(text)?.[0] ?? '';
  if (/50[-/ ]50|\$?0\.50/.test(sentence)) return 'split';
  return null;
}

function overtime(text: string): string | null {
  if (
    /does not include (?:extra time|overtime)|90 minutes (?:plus|of regular)|regular play plus stoppage|regulation (?:time )?only/i.test(
      text,
    )
  )
    return 'regulation';
  if (/includ(?:es|ing) (?:any )?(?:overtime|extra)/i.test(text)) return 'included';
  return null;
}

/** Terms of a sports listing. `on_date` is the day that the listing's own fields name. */
export function sportsTerms(text: string | null, sources: readonly string[], on_date: string | null): Terms {
  if (text === null) return { rules: 'none', sources: [...sources] };
  const late = postponement(text);
  const scheduledText = /(?:originally |initially )?scheduled for [^.\n]*/i.exec(text)?.[0] ?? null;
  const scheduled = scheduledText === null ? null : dateInText(scheduledText, on_date);
  return {
    rules: isUnfilled(text) ? 'unfilled' : 'read',
    postponement_hours: late?.window_hours ?? null,
    waits: late?.waits ?? null,
    cancelled: onCancellation(text),
    tie: onTie(text),
    overtime: overtime(text),
    scheduled_date: scheduled,
    // A text that speaks of another day than the listing's own fields is a text of another game, or a field that was moved.
    fields_agree: scheduled === null || on_date === null ? null : Math.abs(daysBetween(scheduled, on_date)) <= 1,
    sources: [...sources],
  };
}
