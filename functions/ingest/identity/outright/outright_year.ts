import type { Award } from './outright_awards.ts';

/**
 * The year in which an award is decided, from all texts of a listing. A season in a text decides.
 * The date in a slug and the end date are the weakest evidence. Texts that name different seasons
 * contradict.
 */

/**
 * Years that a text may mean: one, or two where a single year may be the start or the end of a
 * season.
 */
export type Years = { preferred: number; may: ReadonlySet<number> };

const SEASON = /\b(20\d{2})(?:[\s/-]+(20\d{2}|\d{2})\b(?!-\d))?/g;
/** A day is not a season: "by December 31, 2026". */
const DAY =
  /\b(?:jan|feb|mar|apr|may|jun|jul|aug|sept?|oct|nov|dec)[a-z]*\.? \d{1,2}(?:st|nd|rd|th)?,? 20\d{2}\b|\b20\d{2}-\d{2}-\d{2}\b/gi;

export function parseYears(text: string, award: Award): Years | null {
  const plain = text
    .replace(DAY, ' ')
    .replace(/[–—−]/g, '-')
    .replace(/\b(20\d{2})(\d{2})\b/g, '$1-$2');
  for (const match of plain.matchAll(SEASON)) {
    const first = Number(match[1]);
    const second = match[2] === undefined ? null : Number(match[2].length === 2 ? `20${match[2]}` : match[2]);
    if (second === first + 1) {
      const year = award.year === 'season_start_decides' ? first : second;
      return { preferred: year, may: new Set([year]) };
    }
    if (award.season !== 'crossing') return { preferred: first, may: new Set([first]) };
    const preferred = award.year === 'season_start' ? first + 1 : first;
    return { preferred, may: new Set([first, first + 1]) };
  }
  return null;
}

/**
 * Combines the years of several texts. `contradictory`: they name two seasons. Null when none names
 * one.
 */
export function mergeYears(parsed: readonly (Years | null)[]): Years | 'contradictory' | null {
  let all: Years | null = null;
  for (const one of parsed) {
    if (one === null) continue;
    if (all === null) {
      all = one;
      continue;
    }
    const may: ReadonlySet<number> = new Set([...all.may].filter((year) => one.may.has(year)));
    const [only] = may;
    if (only === undefined) return 'contradictory';
    all = { preferred: may.has(all.preferred) ? all.preferred : only, may };
  }
  return all;
}
