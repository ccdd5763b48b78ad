import type { CpuMeter } from '../_shared/cpu.ts';

/**
 * What things cost, ms of CPU, where it cannot be measured: with Deno 2.9.5 under `npm start -- --hosted-limits` (2026-11-22) a worker with one
 * client of plan pro needs two thirds of what these say.
 */
export const MEASURED_CPU_MS = {
  /** Modules and the first connections. */
  bootMs: 250,
  /** Each second: ticks, looks at the log, renewals. */
  secondMs: 6,
  /** A frame, off Realtime or out of the log, made into text once for all. */
  frameMs: 0.25,
  /** A message to one client. */
  messageMs: 0.01,
};

/** Of its CPU, a worker hands over with so much used, and takes so much for it. What is left is for slower processors and for whoever is late. */
const BEGINS_AT = 0.7;
const HAND_OVER = 0.1;
const MOST_SPREAD_MS = 10_000;

/** What a worker has done so far. */
export type WorkCounts = { frames: number; messages: number };

/** When a limited worker must hand its connections over, by its CPU. */
export class CpuBudget {
  readonly #meter: CpuMeter;
  readonly #limitMs: number;
  readonly #now: () => number;
  readonly #beganAt: number;
  readonly #beganMs: number;
  #done: WorkCounts = { frames: 0, messages: 0 };

  constructor(options: { meter: CpuMeter; cpuSeconds: number; now: () => number }) {
    this.#meter = options.meter;
    this.#limitMs = options.cpuSeconds * 1_000;
    this.#now = options.now;
    this.#beganAt = options.now();
    this.#beganMs = options.meter.usedMs;
  }

  /** Over how many ms connections may be handed over from now on; null while there is CPU to go on with. */
  handOver(work: WorkCounts): number | null {
    const { frameMs, messageMs } = MEASURED_CPU_MS;
    const { frames, messages } = this.#done;
    this.#meter.did((work.frames - frames) * frameMs + (work.messages - messages) * messageMs);
    this.#done = { ...work };
    const { usedMs } = this.#meter;
    if (usedMs < BEGINS_AT * this.#limitMs) return null;
    const pace = (usedMs - this.#beganMs) / Math.max(1, this.#now() - this.#beganAt);
    return Math.min(MOST_SPREAD_MS, (HAND_OVER * this.#limitMs) / pace);
  }
}
