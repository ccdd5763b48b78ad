import { errorWords } from '../_shared/pool/error_fields.ts';
import { backOff, type Surroundings } from '../_shared/surroundings.ts';
import type { IngestQueries } from './database.ts';
import type { FrameQueue } from './engine/price_update_queue.ts';
import type { QuoteQueue } from './engine/quote_queue.ts';
import type { LeaseKeeper } from './lease_keeper.ts';

/** Frames, and quotes, in one call: about half a megabyte of JSON each. */
const MOST_IN_FLUSH = 2_000;

export type FlushStats = { applied: number; frames: number; calls: number; failures: number };

/** Carries frames and quotes to the database, one call after the other, until the signal; then once more. */
export async function flushUpdates(parts: {
  queue: FrameQueue;
  quotes: QuoteQueue;
  queries: IngestQueries;
  leases: LeaseKeeper;
  around: Surroundings;
  log(line: string): void;
  signal: AbortSignal;
  /** A frame waits at most this long before its flush begins. */
  flushMs: number;
  /** The worker has lost these shards: the database refused their updates. */
  lost(names: string[]): void;
  count: FlushStats;
}): Promise<void> {
  const { queue, quotes, queries, leases, around, log, signal, count } = parts;
  for (let failures = 0; ; ) {
    const last = signal.aborted;
    const told = quotes.take(MOST_IN_FLUSH, around.now());
    if (queue.length + told.length > 0) {
      const frames = queue.take(MOST_IN_FLUSH);
      const tokens = leases.tokens('books:');
      try {
        const { applied, held } = await queries.apply(tokens, frames, told);
        queue.done();
        quotes.done(around.now());
        failures = 0;
        count.applied += applied;
        count.frames += frames.length;
        count.calls += 1;
        await broadcast(queries, log);
        const lost = leases.forgetLost(tokens, held);
        if (lost.length > 0) parts.lost(lost);
      } catch (error) {
        queue.failed();
        quotes.failed();
        count.failures += 1;
        log(`a flush of ${frames.length} frames and ${told.length} quotes failed, they go again: ${errorWords(error)}`);
        if (last) return;
        await around.sleep(backOff(failures++, 100, 2_000, around.random), signal);
        continue;
      }
      if (Math.max(queue.length, quotes.length) >= MOST_IN_FLUSH) continue;
    }
    if (last) return;
    await around.sleep(parts.flushMs, signal);
  }
}

/** In a transaction of its own, after the commit. What fails here is in the log: the next call, or pg_cron's, sends it. */
async function broadcast(queries: IngestQueries, log: (line: string) => void): Promise<void> {
  try {
    await queries.broadcast();
  } catch (error) {
    log(`frames were written and not yet broadcast: ${errorWords(error)}`);
  }
}
