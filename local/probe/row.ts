import type { z } from 'zod';
import { UnknownValues } from '../../functions/ingest/feeds/unknown.ts';
import type { RejectedRow, VenueCode } from '../../functions/ingest/listing.ts';
import type { Wire } from './wire.ts';

/** One line of the table: an endpoint or a socket, and how its answer compares with the schemas. */
export type Row = {
  venue: VenueCode;
  endpoint: string;
  /** HTTP status, `open`, `refused 401`, `no answer`, or `not tried`. */
  status: string;
  /** What was read: `100 events, 812 markets`. */
  rows: string;
  /** Unknown fields and values, with their number. */
  unknown: string[];
  /** Required fields that are absent or null, with their number. */
  missing: string[];
  /** Codes of rejected rows, with their number. */
  rejected: string[];
  /** Why the row fails. Null when it does not. */
  failure: string | null;
};

/** Takes each row as soon as its endpoint was read. */
export type Table = { push(row: Row): void };

/** Collects what the rows of one endpoint show. */
export class Findings {
  readonly unknown: UnknownValues;
  readonly #missing = new Map<string, number>();
  readonly #rejected = new Map<string, number>();
  rows = '';

  constructor(venue: VenueCode) {
    this.unknown = new UnknownValues(venue);
  }

  /** Compares records with their schema. Counts required fields that are absent or null. */
  check(record: string, schema: z.ZodType, values: readonly unknown[]): void {
    for (const value of values) {
      const result = schema.safeParse(value);
      for (const issue of result.success ? [] : result.error.issues) {
        const field = `${record}.${issue.path.filter((part) => typeof part === 'string').join('.') || '(whole)'}`;
        if (isAbsent(value, issue.path)) increment(this.#missing, field);
        else increment(this.#rejected, `wrong type: ${field}`);
      }
    }
  }

  /** Takes the rows that the parsers reject. Missing fields are in `check` already. */
  reject(rows: readonly RejectedRow[]): void {
    for (const { code } of rows)
      if (!code.endsWith('.missing_field') && !code.endsWith('.wrong_type')) increment(this.#rejected, code);
  }

  /** Takes the rejected messages of a socket, which are checked nowhere else. */
  rejectMessage({ code, detail }: RejectedRow): void {
    if (code.endsWith('.missing_field')) increment(this.#missing, detail);
    else increment(this.#rejected, code);
  }

  get columns(): Pick<Row, 'rows' | 'unknown' | 'missing' | 'rejected'> {
    return {
      rows: this.rows,
      unknown: this.unknown.rows.map(({ what, occurrences }) => counted(what, occurrences)),
      missing: [...this.#missing].map(([field, count]) => counted(field, count)),
      rejected: [...this.#rejected].map(([code, count]) => counted(code, count)),
    };
  }
}

/**
 * Reads one endpoint and adds its line. Returns what was read, or null when it failed. A missing
 * required field fails the line; an unknown one does not.
 */
export async function readEndpoint<T>(
  table: Table,
  venue: VenueCode,
  endpoint: string,
  wire: Wire,
  read: (findings: Findings) => Promise<T>,
): Promise<T | null> {
  const findings = new Findings(venue);
  wire.lastStatus = null;
  let value: T | null = null;
  let failure: string | null = null;
  try {
    value = await read(findings);
  } catch (error) {
    if (wire.signal.aborted) throw error;
    failure = error instanceof Error ? error.message : String(error);
  }
  const { columns } = findings;
  if (failure === null && columns.missing.length > 0) failure = 'A required field is missing.';
  if (failure === null && columns.rejected.some((code) => code.startsWith('wrong type')))
    failure = 'A required field has another type.';
  table.push({ venue, endpoint, status: String(wire.lastStatus ?? 'no answer'), ...columns, failure });
  return value;
}

/** `4 events`, `1 event`. */
export const counting = (count: number, noun: string): string =>
  `${count.toLocaleString('en-US')} ${count === 1 ? noun : `${noun}s`}`;

const counted = (name: string, count: number): string => (count === 1 ? name : `${name} (${count})`);

function increment(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

function isAbsent(value: unknown, path: readonly PropertyKey[]): boolean {
  let found = value;
  for (const part of path) {
    if (found === null || typeof found !== 'object') return false;
    found = (found as Record<PropertyKey, unknown>)[part];
  }
  return found === undefined || found === null;
}
