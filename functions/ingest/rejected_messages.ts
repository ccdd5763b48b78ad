import type { IngestQueries } from './database.ts';
import type { RejectedRow, VenueCode } from './listing.ts';

/** More kinds of errors than this have one cause. The first ones show it. */
const MAX_ROWS = 200;

/**
 * Messages that could not be parsed, one of each kind until the next flush. A venue that changes
 * its message shape sends thousands of them a second.
 */
export class RejectedMessages {
  readonly #rows = new Map<string, RejectedRow>();
  readonly #venue: VenueCode;
  dropped = 0;

  constructor(venue: VenueCode) {
    this.#venue = venue;
  }

  add(row: RejectedRow): void {
    const key = `${row.kind} ${row.native_id} ${row.code}`;
    if (this.#rows.size >= MAX_ROWS && !this.#rows.has(key)) this.dropped += 1;
    else this.#rows.set(key, row);
  }

  async flush(queries: IngestQueries): Promise<void> {
    if (this.#rows.size === 0) return;
    const rows = [...this.#rows.values()];
    await queries.recordRejectedRows(this.#venue, rows);
    for (const row of rows) this.#rows.delete(`${row.kind} ${row.native_id} ${row.code}`);
  }
}
