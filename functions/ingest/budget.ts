/** What one shift may take on. */
export type Budget = {
  /** Slices of the catalog whose books it reads. */
  bookSlices: number;
  /** Venues whose listings it walks, and how many pages it reads of them in all. */
  listings: number;
  pages: number;
  /** How often the watch list and the statuses are looked at, ms. */
  watchMs: number;
};

/** Measured by tests/ingest/throughput.test.ts on two cores under Node 20; see that test for today's figures. */
export const MEASURED = {
  /** CPU to read, apply and turn one book message into a frame, and to flush it, ms. */
  messageMs: 0.03,
  /** CPU of one page of 100 events: JSON, schemas, cleaning, parsing, JSON again, ms. */
  pageMs: 60,
  /** CPU of standing by for one second: lease, heartbeat, watch list, timers, ms. */
  secondMs: 1.2,
};

/**
 * The arithmetic of a limited call. Hosted, a call has 2 s of CPU for up to 400 s of wall clock; what it uses beyond kills it in mid-air, so
 * a fifth stays unused.
 *
 *   usable  = 0.8 · cpu                                     2 s → 1.6 s
 *   standby = wall · secondMs                               385 s · 1.2 ms = 0.46 s
 *   pages   = half of the rest / pageMs                     0.57 s / 60 ms = 9 pages, the cursor carries on in the next call
 *   books   = the other half / messageMs                    0.57 s / 0.03 ms = 19,000 messages, about 49 a second
 *
 * A slice of a quiet catalog (a quarter of some hundred pairs) stays below that, so one slice a call is what fits; who needs more runs the
 * container. Where nobody counts CPU, a shift takes all it can get.
 */
export function budgetOf(cpuSeconds: number | null, wallSeconds: number): Budget {
  if (cpuSeconds === null) {
    return { bookSlices: 64, listings: 2, pages: Number.POSITIVE_INFINITY, watchMs: 2_000 };
  }
  const usable = 0.8 * cpuSeconds * 1_000;
  const rest = Math.max(0, usable - wallSeconds * MEASURED.secondMs);
  return {
    bookSlices: Math.max(1, Math.floor(rest / 2 / MEASURED.messageMs / (wallSeconds * 40))),
    listings: 1,
    pages: Math.max(1, Math.floor(rest / 2 / MEASURED.pageMs)),
    watchMs: 10_000,
  };
}
