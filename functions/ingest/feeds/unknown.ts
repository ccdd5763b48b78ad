import type { VenueCode } from '../listing.ts';
import { cleanJson, cleanText } from './clean.ts';

/** The fields of a record, or the values of a field, that are documented or recorded. */
export type Known = ReadonlySet<string>;

export const knownNames = (names: string): Known => new Set(names.trim().split(/\s+/));

/** A row of venue.record_unknown_values. */
export type UnknownRow = { what: string; occurrences: number; sample: string };

/** Counts what a venue sends and the adapters do not know. A venue adds fields without notice. */
export type UnknownCounter = {
  /**
   * Counts the fields of a record that are not in `known`. `id` names the record in the sample.
   */
  countFields(record: string, value: object, known: Known, id?: unknown): void;
  /** Counts a value that is not in `known`. An absent value and null are not counted. */
  countValue(field: string, value: unknown, known: Known, id?: unknown): void;
};

/**
 * Checks every message of a rare type and one of 32 of a frequent one. A check of each would cost a
 * sixth of parsing it (measured: 0.2 of 1.3 µs).
 */
const SAMPLED = 32;

export function messageSampler(isFrequent: (message: unknown) => boolean, check: (message: unknown) => void) {
  let frequent = 0;
  return (message: unknown): void => {
    if (!isFrequent(message) || frequent++ % SAMPLED === 0) check(message);
  };
}

/** Names per venue until a flush. Postgres holds as many. Further ones count as `other`. */
export const MAX_NAMES = 200;
export const OTHER = 'other';
/** The longest documented field has 32 characters. */
const MAX_NAME_CHARS = 60;
const MAX_SAMPLE_CHARS = 300;
const MAX_SAMPLE_DEPTH = 6;

type Writer = { recordUnknownValues(venue: VenueCode, rows: readonly UnknownRow[]): Promise<void> };

/** The counts of one venue in memory until the next flush. */
export class UnknownValues implements UnknownCounter {
  readonly #counts = new Map<string, { occurrences: number; sample: string }>();
  readonly #venue: VenueCode;

  constructor(venue: VenueCode) {
    this.#venue = venue;
  }

  countFields(record: string, value: object, known: Known, id?: unknown): void {
    for (const name of Object.keys(value))
      if (!known.has(name)) this.#add(`${record}.field:${safeName(name)}`, () => sampleOf(valueAt(value, name), id));
  }

  countValue(field: string, value: unknown, known: Known, id?: unknown): void {
    if (value === undefined || value === null) return;
    const name = typeof value === 'string' ? value : typeof value === 'number' ? String(value) : `(${typeof value})`;
    if (!known.has(name)) this.#add(`${field}=${safeName(name)}`, () => sampleOf(value, id));
  }

  get rows(): UnknownRow[] {
    return [...this.#counts].map(([what, count]) => ({ what, ...count }));
  }

  /** Writes the counts. After a failed write they are kept for the next one. */
  async flush(writer: Writer): Promise<void> {
    const rows = this.rows;
    if (rows.length === 0) return;
    await writer.recordUnknownValues(this.#venue, rows);
    for (const { what, occurrences } of rows) {
      const count = this.#counts.get(what);
      if (count && count.occurrences > occurrences) count.occurrences -= occurrences;
      else this.#counts.delete(what);
    }
  }

  #add(what: string, sample: () => string): void {
    const key = this.#counts.has(what) || this.#counts.size < MAX_NAMES ? what : OTHER;
    const count = this.#counts.get(key);
    if (count) count.occurrences += 1;
    else this.#counts.set(key, { occurrences: 1, sample: key === OTHER ? '' : sample() });
  }
}

/** A name becomes a label of a metric: printable ASCII without quotes, cut. */
function safeName(name: string): string {
  const safe = name.slice(0, MAX_NAME_CHARS).replace(/[^\w.:@/()-]/g, '?');
  return safe === '' ? '(empty)' : safe;
}

function sampleOf(value: unknown, id: unknown): string {
  const named = typeof id === 'string' ? `${cleanText(id.slice(0, 100))}: ` : '';
  return `${named}${JSON.stringify(cleanJson(value, MAX_SAMPLE_DEPTH))}`.slice(0, MAX_SAMPLE_CHARS);
}

const valueAt = (value: object, name: string): unknown => (value as Record<string, unknown>)[name];
