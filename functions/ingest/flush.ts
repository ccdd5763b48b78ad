import { describeError } from '../_shared/pool/error_fields.ts';
import { backoffDelay, type Runtime } from '../_shared/runtime.ts';
import type { IngestQueries } from './database.ts';
import type { PriceUpdateQueue } from './engine/price_update_queue.ts';
import type { QuoteQueue } from './engine/quote_queue.ts';
import type { LeaseKeeper } from './lease_keeper.ts';

/** Updates, and quotes, per call: about half a megabyte of JSON each. */
const MAX_PER_FLUSH = 2_000;

export type FlushStats = {
  applied: number;
  updates: number;
  calls: number;
  failures: number;
  /** Since when updates wait for a flush that succeeds, real epoch ms. Null: none waits. */
  pendingSince: number | null;
};

/**
 * Writes price updates and quotes to the database, one call after the other, until the signal and
 * then once more.
 */
export async function flushUpdates(options: {
  queue: PriceUpdateQueue;
  quotes: QuoteQueue;
  queries: Pick<IngestQueries, 'apply' | 'broadcastPending' | 'relayPending'>;
  leases: Pick<LeaseKeeper, 'tokens' | 'forgetLost'>;
  runtime: Runtime;
  log(line: string): void;
  signal: AbortSignal;
  /** Called before each flush, for updates that no book change leads to. */
  beforeFlush?(): void;
  /** Longest wait of an update for its flush. */
  flushMs: number;
  /** The database rejected the updates of these shards: the worker has lost their leases. */
  onLost(names: string[]): void;
  stats: FlushStats;
}): Promise<void> {
  const { queue, quotes, queries, leases, runtime, log, signal, stats } = options;
  for (let failures = 0; ; ) {
    const isLast = signal.aborted;
    options.beforeFlush?.();
    const changedQuotes = quotes.take(MAX_PER_FLUSH, runtime.now());
    if (queue.length + changedQuotes.length > 0) {
      stats.pendingSince ??= runtime.now();
      const updates = queue.take(MAX_PER_FLUSH);
      const tokens = leases.tokens('books:');
      try {
        const { applied, held } = await queries.apply(tokens, updates, changedQuotes);
        queue.done();
        quotes.done(runtime.now());
        failures = 0;
        stats.applied += applied;
        stats.updates += updates.length;
        stats.calls += 1;
        stats.pendingSince = null;
        await broadcast(queries, log);
        const lost = leases.forgetLost(tokens, held);
        if (lost.length > 0) options.onLost(lost);
      } catch (error) {
        queue.failed();
        quotes.failed();
        stats.failures += 1;
        log(
          `a flush of ${updates.length} updates and ${changedQuotes.length} quotes failed and is retried: ${describeError(error)}`,
        );
        if (isLast) return;
        await runtime.sleep(backoffDelay(failures++, 100, 2_000, runtime.random), signal);
        continue;
      }
      if (Math.max(queue.length, quotes.length) >= MAX_PER_FLUSH) continue;
    }
    if (isLast) return;
    await runtime.sleep(options.flushMs, signal);
  }
}

/**
 * Each call runs in its own transaction after the commit. An error is logged; the next flush or
 * pg_cron publishes the frames.
 */
async function broadcast(
  queries: Pick<IngestQueries, 'broadcastPending' | 'relayPending'>,
  log: (line: string) => void,
): Promise<void> {
  try {
    await queries.broadcastPending();
  } catch (error) {
    log(`the broadcast failed, the next flush repeats it: ${describeError(error)}`);
  }
  try {
    await queries.relayPending();
  } catch (error) {
    log(`Centrifugo did not get the frames, the next flush repeats it: ${describeError(error)}`);
  }
}
