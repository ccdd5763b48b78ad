import { parseDate } from '../text/eastern.ts';
import { normalize } from '../text/text.ts';

/**
 * What a title of a chart asks, by a closed grammar: the chart, its region, what it ranks, the
 * place, and the week, month or year. Every word of a title must be known.
 */

export type Chart = { key: string; day: string | null };

const CHARTS: readonly (readonly [string, string, string | null])[] = [
  ['billboard hot 100', 'billboard-hot-100', 'song'],
  ['billboard 200', 'billboard-200', 'album'],
  ['netflix', 'netflix', null],
  ['spotify', 'spotify', null],
  ['apple music', 'apple-music', null],
];
const KINDS = ['movie', 'show', 'song', 'album', 'artist'];
const FILLER = new Set('what which who will be is the on chart for of in a'.split(' '));
const WEEK_OF = /\bweek of ([a-z]+ \d{1,2}(?:,? 20\d\d)?)/i;
const PERIOD =
  /\bthis week\b(?: ?\([a-z]+ \d{1,2}\))?|\bthis month\b|\bin (?:january|february|march|april|may|june|july|august|september|october|november|december)\b/i;

/**
 * Parses a title of a chart.
 * @param day day in the fields of the listing, which gives the year of "Week of May 23"
 */
export function parseChart(title: string, day: string | null): Chart | null {
  const place = /#(\d{1,3})\b/.exec(title)?.[1] ?? (/\btop\b/i.test(title) ? '1' : null);
  const weekOf = WEEK_OF.exec(title);
  const week = weekOf === null ? null : parseDate(weekOf[1] ?? '', day);
  if (place === null || (weekOf !== null && week === null)) return null;
  const period =
    PERIOD.exec(title)?.[0]
      .toLowerCase()
      .replace(/ ?\(.*/, '') ?? '';
  const plain = title
    .replace(weekOf?.[0] ?? '', ' ')
    .replace(PERIOD, ' ')
    .replace(/#\d{1,3}\b|\btop\b|\b20\d\d\b/gi, ' ');
  let words = ` ${normalize(plain)} `;
  const chart = CHARTS.find(([name]) => words.includes(` ${name} `));
  if (chart === undefined) return null;
  words = words.replace(` ${chart[0]} `, ' ');
  const left = words.split(' ').filter((word) => word !== '' && !FILLER.has(word));
  const kinds = left.filter((word) => KINDS.includes(word));
  const regions = left.filter((word) => word === 'us' || word === 'global');
  if (left.length !== kinds.length + regions.length || kinds.length > 1 || regions.length > 1) return null;
  const kind = kinds[0] ?? chart[2];
  if (kind === null || (chart[2] !== null && kind !== chart[2])) return null;
  return { key: ['chart', chart[1], regions[0] ?? '', kind, place, week ?? period].join('|'), day: week };
}

/** A song or album without the artist, whom only one venue prints: "Drop Dead - Olivia Rodrigo". */
export const titleOnly = (label: string): string => label.split(' - ')[0] ?? label;
