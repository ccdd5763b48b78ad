import { describeError } from '../_shared/pool/error_fields.ts';
import { backoffDelay, type Runtime } from '../_shared/runtime.ts';
import type { IngestQueries } from './database.ts';
import type { PriceUpdateQueue } from './engine/price_update_queue.ts';
import type { QuoteQueue } from './engine/quote_queue.ts';
import type { LeaseKeeper } from './lease_keeper.ts';

/** Frames, and quotes, in one call: about half a megabyte of JSON each. */
const MAX_PER_FLUSH = 2_000;

export type FlushStats = { applied: number; updates: number; calls: number; failures: number };

/** Carries frames and quotes to the database, one call after the other, until the signal; then once more. */
export async function flushUpdates(parts: {
  queue: PriceUpdateQueue;
  quotes: QuoteQueue;
  queries: IngestQueries;
  leases: LeaseKeeper;
  runtime: Runtime;
  log(line: string): void;
  signal: AbortSignal;
  /** A frame waits at most this long before its flush begins. */
  flushMs: number;
  /** The worker has lost these shards: the database refused their updates. */
  onLost(names: string[]): void;
  stats: FlushStats;
}): Promise<void> {
  const { queue, quotes, queries, leases, runtime, log, signal, stats } = parts;
  for (let failures = 0; ; ) {
    const last = signal.aborted;
    const told = quotes.take(MAX_PER_FLUSH, runtime.now());
    if (queue.length + told.length > 0) {
      const frames = queue.take(MAX_PER_FLUSH);
      const tokens = leases.tokens('books:');
      try {
        const { applied, held } = await queries.apply(tokens, frames, told);
        queue.done();
        quotes.done(runtime.now());
        failures = 0;
        stats.applied += applied;
        stats.updates += frames.length;
        stats.calls += 1;
        await broadcast(queries, log);
        const lost = leases.forgetLost(tokens, held);
        if (lost.length > 0) parts.onLost(lost);
      } catch (error) {
        queue.failed();
        quotes.failed();
        stats.failures += 1;
        log(
          `a flush of ${frames.length} frames and ${told.length} quotes failed, they go again: ${describeError(error)}`,
        );
        if (last) return;
        await runtime.sleep(backoffDelay(failures++, 100, 2_000, runtime.random), signal);
        continue;
      }
      if (Math.max(queue.length, quotes.length) >= MAX_PER_FLUSH) continue;
    }
    if (last) return;
    await runtime.sleep(parts.flushMs, signal);
  }
}

/** In a transaction of its own, after the commit. What fails here is in the log: the next call, or pg_cron's, sends it. */
async function broadcast(queries: IngestQueries, log: (line: string) => void): Promise<void> {
  try {
    await queries.broadcastPending();
  } catch (error) {
    log(`frames were written and not yet broadcast: ${describeError(error)}`);
  }
}
