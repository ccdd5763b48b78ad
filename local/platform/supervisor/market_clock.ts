import { type ClockSegment, marketTimeAt } from '../../../functions/ingest/clock.ts';
import type { Sql } from '../postgres/template.ts';
import { setClock } from './database.ts';
import type { StartOptions } from './options.ts';
import {
  fastForwardUntil,
  pausedClock,
  recordingSpan,
  releaseReplay,
  releaseSimulated,
  replayStart,
  simulatedStart,
} from './timeline.ts';

/**
 * All processes read the clock once a second, so a change is announced this long before it takes
 * effect.
 */
const REREAD_MS = 1_300;

/**
 * Market time of this run: paused at its start, and released once listings and books have been
 * read. With real venues it is real time.
 */
export class MarketClock {
  segments: readonly ClockSegment[];
  readonly #options: StartOptions;

  constructor(options: StartOptions, lastMarketMs: number | undefined) {
    this.#options = options;
    const { source, replay, restDelaySeconds } = options;
    if (source === 'live') this.segments = [];
    else {
      const marketMs = replay
        ? replayStart(recordingSpan(replay), lastMarketMs, restDelaySeconds)
        : simulatedStart(Date.now(), lastMarketMs, restDelaySeconds);
      this.segments = pausedClock(Date.now(), marketMs);
    }
  }

  /** Market time now, epoch milliseconds. */
  now(): number {
    return marketTimeAt(this.segments, Date.now());
  }

  /**
   * Real time (epoch ms) at which market time reaches its normal speed; 0 when it always has it.
   */
  get normalSpeedFromMs(): number {
    return fastForwardUntil(this.segments);
  }

  /**
   * Releases the clock, first in the database and then through `setVenueClock`. Does nothing with
   * real venues.
   */
  async release(sql: Sql, setVenueClock: (segments: readonly ClockSegment[]) => void): Promise<void> {
    const { source, replay, speed, restDelaySeconds } = this.#options;
    if (source === 'live') return;
    const atMs = Date.now() + REREAD_MS;
    this.segments = replay
      ? releaseReplay(this.segments, atMs, speed, recordingSpan(replay), restDelaySeconds)
      : releaseSimulated(this.segments, atMs, speed);
    await setClock(sql, this.segments);
    setVenueClock(this.segments);
  }
}
