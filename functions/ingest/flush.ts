import { errorWords } from '../_shared/pool/error_fields.ts';
import { backOff } from '../_shared/surroundings.ts';
import type { Doors } from './database.ts';
import type { FrameQueue } from './engine/price_update_queue.ts';
import type { QuoteQueue } from './engine/quote_queue.ts';
import type { Leases } from './leases.ts';
import type { FeedSurroundings } from './wire/feed.ts';

/** Frames, and quotes, in one call: about half a megabyte of JSON each. */
const MOST_IN_FLUSH = 2_000;

export type Flushed = { applied: number; frames: number; calls: number; failures: number };

/** Carries frames and quotes to the database, one call after the other, until the signal; then once more. */
export async function flushFrames(parts: {
  queue: FrameQueue;
  quotes: QuoteQueue;
  doors: Doors;
  leases: Leases;
  around: FeedSurroundings;
  signal: AbortSignal;
  /** A frame waits at most this long before its flush begins. */
  flushMs: number;
  /** Slices that the database no longer takes from us. */
  lost(names: string[]): void;
  count: Flushed;
}): Promise<void> {
  const { queue, quotes, doors, leases, around, signal, count } = parts;
  for (let failures = 0; ; ) {
    const last = signal.aborted;
    const told = quotes.take(MOST_IN_FLUSH, around.now());
    if (queue.length + told.length > 0) {
      const frames = queue.take(MOST_IN_FLUSH);
      const asked = leases.tokens('books:');
      try {
        const { applied, held } = await doors.apply(asked, frames, told);
        queue.done();
        quotes.done(around.now());
        failures = 0;
        count.applied += applied;
        count.frames += frames.length;
        count.calls += 1;
        await broadcast(doors, around);
        const still = new Set(held);
        const lost = leases.lose((name) => asked[name] === leases.held.get(name) && name in asked && !still.has(name));
        if (lost.length > 0) parts.lost(lost);
      } catch (error) {
        queue.failed();
        quotes.failed();
        count.failures += 1;
        around.log(
          `a flush of ${frames.length} frames and ${told.length} quotes failed, they go again: ${errorWords(error)}`,
        );
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
async function broadcast(doors: Doors, around: FeedSurroundings): Promise<void> {
  try {
    await doors.broadcast();
  } catch (error) {
    around.log(`frames were written and not yet broadcast: ${errorWords(error)}`);
  }
}
