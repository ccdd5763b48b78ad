import { amount, type RawObject, text } from '../text/raw_object.ts';

/** A band of whole degrees, both ends included. Null is an open end. */
export type Unit = 'F' | 'C';
export type Band = { low: number | null; high: number | null; unit: Unit };

const DASHES = /[‐‑‒–—−]/g;
const WHOLE = '(-?\\d{1,3})';

/** Unifies dashes, degree signs and blanks. */
const plain = (label: string): string => label.replace(DASHES, '-').replace(/[º˚]/g, '°').replace(/\s+/g, ' ').trim();

/**
 * Returns the unit that a label prints: "84-85°F", "17c", "88f or higher". Null for a bare degree
 * sign.
 */
export function parseUnit(label: string): Unit | null {
  const match =
    /\d\s*(?:°|deg(?:rees)?)?\s*(f|c)(?![a-z])/i.exec(plain(label)) ?? /\b(f|c)(?:ahrenheit|elsius)\b/i.exec(label);
  return match ? ((match[1] ?? '').toUpperCase() as Unit) : null;
}

/** Parses numbers and comparison of a label, without its unit. */
function parseEdges(label: string): { low: number | null; high: number | null } | null {
  const text = plain(label)
    .replace(/°|\bdegrees?\b/gi, '')
    .replace(/(\d)\s*[fc](?![a-z])/gi, '$1')
    .replace(/^(?:be |between )+/i, '')
    .trim();
  const range = new RegExp(`^${WHOLE}\\s*(?:-|to|and)\\s*${WHOLE}$`, 'i').exec(text);
  if (range) {
    const [low, high] = [Number(range[1]), Number(range[2])];
    return low <= high ? { low, high } : null;
  }
  const tail = new RegExp(`^${WHOLE} ?(?:or|and) (above|higher|more|over|below|lower|less|under)$`, 'i').exec(text);
  if (tail) {
    const up = /above|higher|more|over/i.test(tail[2] ?? '');
    return up ? { low: Number(tail[1]), high: null } : { low: null, high: Number(tail[1]) };
  }
  const strict = new RegExp(`^([<>≤≥]=?) ?${WHOLE}$`).exec(text);
  if (strict) return strictEdges(strict[1] ?? '', Number(strict[2]));
  const one = new RegExp(`^${WHOLE}$`).exec(text);
  return one ? { low: Number(one[1]), high: Number(one[1]) } : null;
}

function strictEdges(sign: string, edge: number): { low: number | null; high: number | null } {
  const inclusive = sign.length > 1 || sign === '≤' || sign === '≥';
  return sign.startsWith('>') || sign === '≥'
    ? { low: inclusive ? edge : edge + 1, high: null }
    : { low: null, high: inclusive ? edge : edge - 1 };
}

/**
 * Parses "69° to 70°", "84-85°F", "73° or above", "55°F or below", "18°C" or ">79°". Null for
 * anything else.
 */
export function parseBand(label: string, fallback: Unit): Band | null {
  const edges = parseEdges(label);
  return edges === null ? null : { ...edges, unit: parseUnit(label) ?? fallback };
}

/**
 * Parses the band in a question: "Will the highest temperature in Austin be 88°F or higher on April
 * 18?", "… be <79° on Jun 8, 2026?".
 */
export function parseBandInQuestion(question: string, fallback: Unit): Band | null {
  const match = /\bbe (.+?) on [A-Z][a-z]{2,8}\.? \d{1,2}\b/.exec(question.replace(/\*/g, ''));
  return match ? parseBand(match[1] ?? '', fallback) : null;
}

/**
 * Parses the band in the text of a contract: "is between 85-86°", "is less than 89° fahrenheit",
 * "is greater than 60°".
 */
export function parseBandInRules(rules: string): Band | null {
  const match = /\bis (between|less than|greater than) (-?\d{1,3})°?(?: ?(?:-|–|to|and) ?(-?\d{1,3}))?°/i.exec(rules);
  if (!match) return null;
  const word = match[1]?.toLowerCase();
  if (word === 'between') return match[3] === undefined ? null : parseBand(`${match[2]} to ${match[3]}`, 'F');
  return match[3] === undefined ? parseBand(`${word === 'less than' ? '<' : '>'}${match[2]}`, 'F') : null;
}

/**
 * Parses the band at the end of a venue_b slug: "84-85f", "81forbelow", "30corhigher", "17-c",
 * "55-f-or-below".
 */
export function parseBandInSlug(end: string): Band | null {
  const match = /^(neg-?)?(\d{1,3})(?:-(\d{1,3}))?-?([fc])(?:-?or-?(below|lower|less|above|higher|more))?$/.exec(end);
  if (!match) return null;
  const unit = (match[4] ?? '').toUpperCase() as Unit;
  const first = Number(match[2]) * (match[1] ? -1 : 1);
  if (match[3] !== undefined) {
    const last = Number(match[3]);
    // The slug does not state which of two numbers a "neg" belongs to.
    return match[1] || match[5] || first > last ? null : { low: first, high: last, unit };
  }
  if (match[5] === undefined) return { low: first, high: first, unit };
  return /above|higher|more/.test(match[5]) ? { low: first, high: null, unit } : { low: null, high: first, unit };
}

/**
 * Parses the strike fields of venue_a, which are the most exact source: strict tails, whole
 * degrees.
 */
export function parseStrikeBand(market: RawObject): Band | null {
  const floor = amount(market.floor_strike);
  const cap = amount(market.cap_strike);
  const unit = 'F';
  switch (text(market.strike_type)) {
    case 'between':
      return floor === null || cap === null || floor > cap
        ? null
        : { low: Math.ceil(floor), high: Math.floor(cap), unit };
    case 'greater':
      return floor === null ? null : { low: Math.floor(floor) + 1, high: null, unit };
    case 'greater_or_equal':
      return floor === null ? null : { low: Math.ceil(floor), high: null, unit };
    case 'less':
      return cap === null ? null : { low: null, high: Math.ceil(cap) - 1, unit };
    case 'less_or_equal':
      return cap === null ? null : { low: null, high: Math.floor(cap), unit };
    default:
      return null;
  }
}

/**
 * Returns "below_71_f", "77_78_f" or "80_above_f": the same key on both venues for the same band.
 */
export const bandKey = (band: Band): string =>
  `${band.low ?? 'below'}_${band.high ?? 'above'}_${band.unit.toLowerCase()}`;

export const sameBand = (a: Band, b: Band): boolean => bandKey(a) === bandKey(b);

/** Sorts from the coldest band up. */
export const byDegrees = (a: Band, b: Band): number =>
  (a.low ?? Number.NEGATIVE_INFINITY) - (b.low ?? Number.NEGATIVE_INFINITY) ||
  (a.high ?? Number.POSITIVE_INFINITY) - (b.high ?? Number.POSITIVE_INFINITY);

/** Whether the bands hold every whole degree exactly once, from one open end to the other. */
export function coverEveryDegree(bands: readonly Band[]): boolean {
  const sorted = [...bands].sort(byDegrees);
  const open = sorted.at(0)?.low === null && sorted.at(-1)?.high === null;
  return (
    open &&
    sorted.slice(1).every((band, i) => {
      const below = sorted[i]?.high;
      return band.low !== null && below !== null && below !== undefined && band.low === below + 1;
    })
  );
}
