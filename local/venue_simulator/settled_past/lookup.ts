import { easternInstant, MONTHS } from '../core/eastern.ts';
import type { SettledPast } from './settled_past.ts';
import type { SettledQuestion } from './settled_question.ts';
import { STRANDS } from './strand.ts';

/** Finds a past event by its name. The name contains the date, so only that day is generated. */

export function findOnA(past: SettledPast, ticker: string): SettledQuestion | undefined {
  const series = ticker.slice(0, ticker.indexOf('-'));
  const date = /^-(\d{2})([A-Z]{3})(\d{2})/.exec(ticker.slice(series.length));
  const strand = STRANDS.findIndex((one) => one.seriesA.has(series));
  if (!date || strand < 0) return undefined;
  const month = MONTHS.findIndex((name) => name.toUpperCase() === date[2]);
  const at = easternInstant(2000 + Number(date[1]), month + 1, Number(date[3]), 0);
  return find(past, 'a', strand, at, ({ a }) => a?.ticker === ticker);
}

export function findMarketOnA(past: SettledPast, ticker: string): SettledQuestion | undefined {
  return findOnA(past, ticker.slice(0, ticker.lastIndexOf('-')));
}

/** By the slug of an event or of one of its markets. */
export function findOnB(past: SettledPast, slug: string): SettledQuestion | undefined {
  const strand = STRANDS.findIndex((one) => one.slugStart.test(slug));
  const at = dateIn(slug, past.now());
  if (strand < 0 || at === null) return undefined;
  return find(
    past,
    'b',
    strand,
    at,
    ({ b }) => b?.slug === slug || (b?.markets.some((market) => market.slug === slug) ?? false),
  );
}

/** "…-2026-08-05…", "…-on-august-5-2026…" or "…-on-august-5": the latest such day. */
function dateIn(slug: string, now: number): number | null {
  const iso = /-(\d{4})-(\d{2})-(\d{2})(?:-|$)/.exec(slug);
  if (iso) return easternInstant(Number(iso[1]), Number(iso[2]), Number(iso[3]), 0);
  const words = /-on-([a-z]{3})[a-z]*-(\d{1,2})(?:-(\d{4}))?(?:-|$)/.exec(slug);
  const month = MONTHS.findIndex((name) => name.toLowerCase() === words?.[1]);
  if (!words || month < 0) return null;
  const inYear = (year: number) => easternInstant(year, month + 1, Number(words[2]), 0);
  if (words[3]) return inYear(Number(words[3]));
  const thisYear = new Date(now).getUTCFullYear();
  return inYear(thisYear) <= now ? inYear(thisYear) : inYear(thisYear - 1);
}

/**
 * Searches the days around a date of New York. A postponed game has the date of the day before, and
 * some slugs have the date of the next day.
 */
function find(
  past: SettledPast,
  venue: 'a' | 'b',
  strand: number,
  midnight: number,
  isWanted: (settled: SettledQuestion) => boolean,
): SettledQuestion | undefined {
  const first = past.dayOf(midnight);
  for (const day of [first, first + 1, first - 1, first + 2]) {
    const found = past.settledDay(venue, strand, day)?.questions.find(isWanted);
    if (found) return found;
  }
  return undefined;
}
