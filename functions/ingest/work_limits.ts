import { QUIET_MS } from './feeds/audit.ts';

/** Work that one worker takes on. */
export type WorkLimits = {
  /** Maximum number of shards whose books it reads. */
  bookShards: number;
  /** Maximum number of venues whose listings it reads. */
  listingVenues: number;
  /**
   * Whether it reads either books or listings. The listing parsers alone take a third of a call's
   * CPU.
   */
  singleRole: boolean;
  /** Events of one page of open listings. */
  pageEvents: number;
  /** Events of one page of settled listings. */
  settledEvents: number;
  /** Events awaiting their result that it reads at once. */
  maxUnsettled: number;
  /** Intervals in ms: of the watch list, the flush, the heartbeat and the status refresh. */
  watchMs: number;
  flushMs: number;
  heartbeatMs: number;
  statusesMs: number;
  /** Interval of the best quotes, ms. Null: only pg_cron publishes them, every five seconds. */
  bestMs: number | null;
  /** Interval of the takeover of warm shards, ms. */
  handoverMs: number;
  /** A worker without leases stops after this time, ms: other workers read everything. */
  idleMs: number;
  /** A contract without changes for this long is compared with REST, ms. */
  quietMs: number;
};

/**
 * CPU costs in ms. A call uses them where its CPU cannot be measured, as on the hosted runtime.
 * Calibrated with Deno 2.1.4 under `npm start -- --hosted-limits` on two cores (2026-11-26,
 * docs/measurements/2026-11-26-hosted-cpu.md).
 */
export const MEASURED_CPU_MS = {
  /** Modules without the parsers, and the first connections. */
  bootMs: 250,
  /**
   * The parsers with their registries, and the extra cost of the first page, whose code is not
   * compiled yet.
   */
  parsersMs: 450,
  /** One page of listings, without its length. */
  pageMs: 40,
  /** The first read of a shard's books: snapshots and first updates. */
  warmMs: 150,
  /** A query, with its answer. */
  queryMs: 0.7,
  /** A message of a venue's stream, and each kilobyte of it. */
  messageMs: 0.03,
  kilobyteMs: 0.02,
  /** A kilobyte of a response: parsed, checked, and the listings written. */
  bodyKilobyteMs: 0.5,
  /** One second of a worker without work: timers, pings. */
  secondMs: 2,
  /** One second of a shard without its messages and queries: the engine and the updates. */
  shardMs: 11,
  /** One second of a shard of the simulator's 282 pairs, with its messages and queries. */
  busyShardMs: 14,
};

/**
 * A worker without limits takes everything. A limited call has 2 s of CPU for up to 400 s of wall
 * clock on the hosted platform, which kills it beyond that. It takes one shard of books or the
 * listings of one venue, for as long as its CPU lasts (cpu_budget.ts). Of the 2 s, 1,440 ms are
 * used:
 * - books: (1,440 ms − 400 ms for the boot and the first books) / 16 ms a second = about 65 s, of
 *   which the last 20 s are the handover
 * - listings: 1,360 ms − 700 ms for the boot and the parsers leave 660 ms for pages. Pages are
 *   small because the first one is the dearest: venue_b lists its largest events first, ten of them
 *   with 243 contracts on 2026-11-26, and no code is compiled yet. These ten took 540 ms, the first
 *   100 events a second, which with the boot is more than a call has. A page that a call did not
 *   finish is halved (listing_sweep.ts).
 *
 * Calls start every 10 s, and a worker that is about to end has its successor called at once. So
 * four calls read four shards and two read the listings. The platform's limit allows no more. For
 * all price changes run the container (`deno task ingest`).
 *
 * A worker without limits compares quiet books with REST after 10 s. In a limited call that would
 * be a request every 2.5 s for each venue; after 60 s it is one every 15 s.
 *
 * A worker without limits flushes twenty times a second. In a limited call that would cost more
 * than everything else, so it flushes once a second. Updates keep their times and their order and
 * only arrive later. The REST snapshot is two minutes behind and does not change.
 */
export function workLimitsFor(limited: boolean): WorkLimits {
  if (!limited) {
    return {
      bookShards: 64,
      listingVenues: 2,
      singleRole: false,
      pageEvents: 100,
      settledEvents: 100,
      maxUnsettled: 200,
      watchMs: 500,
      flushMs: 50,
      heartbeatMs: 1_000,
      statusesMs: 2_000,
      bestMs: 1_000,
      handoverMs: 200,
      idleMs: 30_000,
      quietMs: QUIET_MS,
    };
  }
  return {
    bookShards: 1,
    listingVenues: 1,
    singleRole: true,
    pageEvents: 20,
    settledEvents: 20,
    maxUnsettled: 50,
    watchMs: 10_000,
    flushMs: 1_000,
    heartbeatMs: 5_000,
    statusesMs: 10_000,
    bestMs: null,
    handoverMs: 1_000,
    idleMs: 8_000,
    quietMs: 60_000,
  };
}
