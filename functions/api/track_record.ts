import type { CachedBody } from './cache.ts';
import type { ApiQueries, TrackRecordRow } from './database.ts';

/** One element of arb.track_record_state.rows. `tally`: fields of JSON text, without braces. */
type Tally = {
  level: number;
  month: string | null;
  family: string | null;
  competition: string | null;
  tally: string;
};

export type TrackRecord = Omit<TrackRecordRow, 'rows'> & { rows: readonly Tally[] };

export type TrackRecordFilters = {
  month?: string | undefined;
  family?: string | undefined;
  competition?: string | undefined;
};

const MAX_AGE_MS = 10_000;
const FAILURE_MS = 1_000;

/** Rows of each list in a response. The totals include all of them. */
const MAX_ROWS = 1_000;

/**
 * The tallies of the track record in this isolate. Everyone may request them, without a key. All
 * requests share one query in ten seconds, and filters are applied here, so a flood of requests
 * reaches the database no more often. Without a database the last tallies are served.
 */
export class TrackRecordReader {
  readonly #queries: ApiQueries;
  /** The source before the first message of a feed. */
  readonly #defaultSource: string | null;
  #held: TrackRecord | undefined;
  #unfiltered: CachedBody | undefined;
  #reading: Promise<TrackRecord> | undefined;
  #expiresAt = 0;
  /** A monotonic clock in milliseconds. */
  readonly #now: () => number;

  constructor(queries: ApiQueries, defaultSource: string | null, now: () => number = () => performance.now()) {
    this.#queries = queries;
    this.#defaultSource = defaultSource;
    this.#now = now;
  }

  /** The response for these filters. Throws ApiError 503 before the first successful query. */
  async read(filters: TrackRecordFilters, requestId: string): Promise<CachedBody> {
    if (this.#reading === undefined || this.#now() >= this.#expiresAt) {
      this.#expiresAt = this.#now() + MAX_AGE_MS;
      this.#reading = this.#load(requestId);
    }
    const record = await this.#reading;
    if (Object.values(filters).some((value) => value !== undefined)) return renderTrackRecord(record, filters);
    if (this.#unfiltered?.version !== record.version) this.#unfiltered = renderTrackRecord(record, {});
    return this.#unfiltered;
  }

  async #load(requestId: string): Promise<TrackRecord> {
    try {
      const { rows, ...row } = await this.#queries.trackRecord(requestId, this.#held?.version ?? null);
      const source = row.source ?? this.#defaultSource;
      this.#held = { ...row, source, rows: rows === null ? (this.#held?.rows ?? []) : JSON.parse(rows) };
      return this.#held;
    } catch (error) {
      this.#expiresAt = this.#now() + FAILURE_MS;
      if (this.#held) return this.#held;
      throw error;
    }
  }
}

// Bits of Tally.level: what a tally is summed over.
const ALL_MONTHS = 4;
const ALL_FAMILIES = 2;
const ALL_COMPETITIONS = 1;

const EMPTY_TALLY =
  '"shown":0,"markets":0,"settled":0,"paid_as_promised":0,"paid_less":0,"lost":0,"without_result":0,"worst_case_usd":null,"median_life_s":null,"cost_usd":0,"promised_usd":0,"paid_usd":0';

/** Renders the response. The tallies stay the text of the database, so that no decimal changes. */
export function renderTrackRecord(record: TrackRecord, filters: TrackRecordFilters): CachedBody {
  const { month, family } = filters;
  const competition = filters.competition?.toLowerCase();
  const matching = record.rows.filter(
    (row) =>
      (month === undefined || row.month === month) &&
      (family === undefined || row.family === family) &&
      (competition === undefined || row.competition?.toLowerCase() === competition),
  );
  const at = (level: number) => matching.filter((row) => row.level === level);
  const [totals] = at(
    (month === undefined ? ALL_MONTHS : 0) +
      (family === undefined ? ALL_FAMILIES : 0) +
      (competition === undefined ? ALL_COMPETITIONS : 0),
  );
  const competitions = at(month === undefined ? ALL_MONTHS : 0);
  const records = at(0);
  const isTruncated = Math.max(competitions.length, records.length) > MAX_ROWS;
  const keysOf = ({ family, competition }: Tally) =>
    `"family":${JSON.stringify(family)},"competition":${JSON.stringify(competition)}`;
  const text = `{"source":${JSON.stringify(record.source)},"since":${JSON.stringify(record.since)},"updated_at":${JSON.stringify(
    record.updated_at,
  )},"totals":{${totals?.tally ?? EMPTY_TALLY}},"competitions":[${competitions
    .slice(0, MAX_ROWS)
    .map((row) => `{${keysOf(row)},${row.tally}}`)
    .join()}],"records":[${records
    .slice(0, MAX_ROWS)
    .map((row) => `{"month":${JSON.stringify(row.month)},${keysOf(row)},${row.tally}}`)
    .join()}],"truncated":${isTruncated}}`;
  return { version: record.version, body: new TextEncoder().encode(text), gzipped: undefined };
}
