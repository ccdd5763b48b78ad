import { QUIET_MS } from '../_shared/wire/audit.ts';

/** What one shift may take on. */
export type Budget = {
  /** How long it may read before its CPU is spent, seconds. */
  seconds: number;
  /** Slices of the catalog whose books it reads. */
  bookSlices: number;
  /** How many pages of listings it reads of both venues together; events read by name count as a page. */
  pages: number;
  /** Events awaiting their result that it reads at once. */
  unsettled: number;
  /** How often it looks at the watch list, writes frames, and says that the venues live, ms. */
  watchMs: number;
  flushMs: number;
  heartbeatMs: number;
  statusesMs: number;
  /** How often it looks whether a slice is warm, ms. */
  handOverMs: number;
  /** Silence of a contract after which its book is compared with REST, ms. */
  quietMs: number;
};

/**
 * What things cost, ms of CPU, measured with Deno 2.9.5 on two cores (2026-11-20) over the simulator's 282 pairs. The message alone, without
 * socket and database, is checked by tests/ingest/throughput.test.ts.
 */
export const MEASURED = {
  /** Modules and the first connections: 250 on a machine that does nothing else, 500 on one with a load of 16 (2026-11-22). */
  bootMs: 400,
  /** One page of 100 events: JSON, schemas, cleaning, parsing, JSON again. */
  pageMs: 80,
  /** A slice's books when it is taken: their snapshots, the first frames. */
  warmMs: 150,
  /** Standing by for one second in a limited shift: some two calls of the database, timers, pings. */
  secondMs: 2.5,
  /**
   * One slice for one second: sockets, messages, frames, a flush. `npm start -- --hosted-limits`, four slices of the simulator's 282 pairs in
   * its lively first minutes, load 20 (2026-11-22): 40 ms. A message alone is 0.03 ms (tests/ingest/throughput.test.ts); most is around it.
   */
  sliceMs: 12,
  /** Of that, one book message: off the socket, parsed, applied, its frame written. */
  messageMs: 0.03,
};

/** Of the CPU that may be used, a tenth goes to listings. */
const LISTINGS_SHARE = 0.1;
/** A shorter shift would be nothing but its warm-up and its end. */
const LEAST_SECONDS = 10;

/**
 * The arithmetic of a limited call. Hosted, a call has 2 s of CPU for up to 400 s of wall clock, and what it uses beyond kills it in mid-air;
 * so a fifth stays unused, and where books cost more than the wall clock's share a shift ends early, announced, with a successor beside it. For
 * 2 s and 385 s:
 *
 *   usable   = 0.8 · 2000 ms                         1600 ms
 *   listings = a tenth of it / 80 ms                  160 ms: 2 pages; the next call goes on with them at once
 *   boot and warm-up                                  550 ms
 *   seconds  = the rest / (2.5 ms + 12 ms a slice)    890 ms: one slice for 61 s
 *
 * Called every 10 s, six such calls live at once, two thirds of their time without a successor beside them: four slices. That is what the
 * platform's limit allows, and little: who wants all prices as they move runs the container (`deno task ingest`).
 * Comparing quiet books with REST after 10 s, as one does where nobody counts, would be a request every 2.5 s for each venue; after 60 s it
 * is one every 15 s and comes out of the fifth that stays unused.
 * Flushing twenty times a second, as one does where nobody counts, would cost more than all of that: a limited shift flushes once a second.
 * Frames keep their own times and their order, they only arrive later; REST is two minutes behind and shows no difference.
 */
export function budgetOf(cpuSeconds: number | null, wallSeconds: number): Budget {
  if (cpuSeconds === null) {
    return {
      seconds: Number.POSITIVE_INFINITY,
      bookSlices: 64,
      pages: Number.POSITIVE_INFINITY,
      unsettled: 200,
      watchMs: 500,
      flushMs: 50,
      heartbeatMs: 1_000,
      statusesMs: 2_000,
      handOverMs: 200,
      quietMs: QUIET_MS,
    };
  }
  const { bootMs, pageMs, warmMs, secondMs, sliceMs } = MEASURED;
  const usable = 0.8 * cpuSeconds * 1_000;
  const pages = Math.max(1, Math.floor((LISTINGS_SHARE * usable) / pageMs));
  const rest = usable - bootMs - warmMs - pages * pageMs;
  const bookSlices = Math.max(1, Math.floor((rest / wallSeconds - secondMs) / sliceMs));
  return {
    seconds: Math.max(LEAST_SECONDS, Math.min(wallSeconds, Math.floor(rest / (secondMs + bookSlices * sliceMs)))),
    bookSlices,
    pages,
    unsettled: 50,
    watchMs: 10_000,
    flushMs: 1_000,
    heartbeatMs: 5_000,
    statusesMs: 10_000,
    handOverMs: 1_000,
    quietMs: 60_000,
  };
}
