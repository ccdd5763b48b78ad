import { QUIET_MS } from './feeds/audit.ts';

/** What one worker may take on. */
export type WorkLimits = {
  /** Shards whose books it reads. */
  bookShards: number;
  /** Venues whose listings it reads. */
  listingVenues: number;
  /** Whether it reads books or listings and never both: the parsers of listings alone are a third of a call's CPU. */
  singleRole: boolean;
  /** Events awaiting their result that it reads at once. */
  maxUnsettled: number;
  /** How often it looks at the watch list, writes frames, and says that the venues live, ms. */
  watchMs: number;
  flushMs: number;
  heartbeatMs: number;
  statusesMs: number;
  /** How often it takes over the shards that are warm, ms. */
  handoverMs: number;
  /** With nothing to do for so long it goes home, ms: somebody else reads everything. */
  idleMs: number;
  /** Silence of a contract after which its book is compared with REST, ms. */
  quietMs: number;
};

/**
 * What things cost, ms of CPU, with Deno 2.9.5 under `npm start -- --hosted-limits` on two cores with a load of 5 (2026-11-22). A call goes by
 * them where its CPU cannot be measured (cpu_budget.ts); half as much again on a machine with a load of 16.
 */
export const MEASURED_CPU_MS = {
  /** Modules without the parsers, and the first connections. */
  bootMs: 350,
  /** The parsers with their registries of names, and what the first page costs more than the others: nothing is compiled yet. */
  parsersMs: 750,
  /** One page of 100 events: JSON, schemas, cleaning, parsing, JSON again. */
  pageMs: 80,
  /** A slice's books when it is taken: their snapshots, the first frames. */
  warmMs: 150,
  /** One second of a limited worker without work: some two calls of the database, timers, pings. */
  secondMs: 2.5,
  /**
   * One slice of the simulator's 282 pairs for one second: sockets, messages, frames, a flush. A message alone is 0.03 ms
   * (tests/ingest/throughput.test.ts); most is around it.
   */
  shardMs: 12,
};

/**
 * A worker without limits takes everything. A limited call (hosted: 2 s of CPU for up to 400 s of wall clock, and what it uses beyond kills it in
 * mid-air) takes one slice of books, or one venue's listings, for as long as its CPU lasts (cpu_budget.ts). For 2 s, of which 1440 ms are used:
 *
 *   books    = (1440 ms − 500 for the boot and the first books) / 14.5 ms a second: about 65 s, of which the last 20 beside a successor
 *   listings = (1240 ms − 1100 for the boot and the parsers) / 80 ms: a page, and six or more where they turn out to be cheaper
 *
 * Called every 10 s, and at once by whoever is about to end, four such calls read four slices and two the listings. That is what the platform's limit allows, and
 * little: who wants all prices as they move runs the container (`deno task ingest`).
 * Comparing quiet books with REST after 10 s, as one does where nobody counts, would be a request every 2.5 s for each venue; after 60 s it
 * is one every 15 s.
 * Flushing twenty times a second, as one does where nobody counts, would cost more than all of that: a limited worker flushes once a second.
 * Frames keep their own times and their order, they only arrive later; REST is two minutes behind and shows no difference.
 */
export function workLimitsFor(limited: boolean): WorkLimits {
  if (!limited) {
    return {
      bookShards: 64,
      listingVenues: 2,
      singleRole: false,
      maxUnsettled: 200,
      watchMs: 500,
      flushMs: 50,
      heartbeatMs: 1_000,
      statusesMs: 2_000,
      handoverMs: 200,
      idleMs: 30_000,
      quietMs: QUIET_MS,
    };
  }
  return {
    bookShards: 1,
    listingVenues: 1,
    singleRole: true,
    maxUnsettled: 50,
    watchMs: 10_000,
    flushMs: 1_000,
    heartbeatMs: 5_000,
    statusesMs: 10_000,
    handoverMs: 1_000,
    idleMs: 8_000,
    quietMs: 60_000,
  };
}
