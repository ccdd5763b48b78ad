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

/** Everybody reads the clock once a second: a change is announced so long before it happens. */
const REREAD_MS = 1_300;

/** Market time of this run: held at its start, released once the readers have read. With real venues it is real time throughout. */
export class MarketClock {
  segments: readonly ClockSegment[];
  readonly #options: StartOptions;

  constructor(options: StartOptions, lastShownMs: number | undefined) {
    this.#options = options;
    const { source, replay, restDelaySeconds } = options;
    if (source === 'live') this.segments = [];
    else {
      const shown = replay
        ? replayStart(recordingSpan(replay), lastShownMs, restDelaySeconds)
        : simulatedStart(Date.now(), lastShownMs, restDelaySeconds);
      this.segments = pausedClock(Date.now(), shown);
    }
  }

  /** Market time now, epoch milliseconds. */
  now(): number {
    return marketTimeAt(this.segments, Date.now());
  }

  /** Real time (epoch milliseconds) from which market time no longer hurries; 0 when it never does. */
  get calmFromMs(): number {
    return fastForwardUntil(this.segments);
  }

  /** Lets time go on, for the database first and then through `tell` for the venues. Nothing to do with real venues. */
  async release(sql: Sql, tell: (segments: readonly ClockSegment[]) => void): Promise<void> {
    const { source, replay, speed, restDelaySeconds } = this.#options;
    if (source === 'live') return;
    const atMs = Date.now() + REREAD_MS;
    this.segments = replay
      ? releaseReplay(this.segments, atMs, speed, recordingSpan(replay), restDelaySeconds)
      : releaseSimulated(this.segments, atMs, speed);
    await setClock(sql, this.segments);
    tell(this.segments);
  }
}
