import type { CpuMeter } from '../_shared/cpu.ts';

/**
 * CPU in ms, used where it cannot be measured, as on the hosted runtime. Measured with Deno 2.1.4
 * under `npm start -- --hosted-limits` (2026-11-26,
 * docs/measurements/2026-11-26-hosted-cpu.md).
 */
export const MEASURED_CPU_MS = {
  /** Modules and the first connections. */
  bootMs: 250,
  /** Each second: timers, pings. */
  secondMs: 8,
  /** A query, with its answer. */
  queryMs: 0.7,
  /** A frame from Realtime or from the log, rendered once for all subscribers. */
  frameMs: 0.05,
  /** A message to one client. */
  messageMs: 0.005,
};

/**
 * A worker starts its handover at this share of its CPU limit, and spends that share on it. The
 * rest is a reserve for slower processors and late clients.
 */
const HANDOVER_AT_SHARE = 0.7;
const HANDOVER_SHARE = 0.1;
const MAX_SPREAD_MS = 10_000;

/** Frames and messages of a worker so far. */
export type WorkCounts = { frames: number; messages: number };

/** Decides by CPU when a limited worker must hand over its connections. */
export class CpuBudget {
  readonly #meter: CpuMeter;
  readonly #limitMs: number;
  readonly #now: () => number;
  readonly #startedAt: number;
  readonly #usedAtStartMs: number;
  #charged: WorkCounts = { frames: 0, messages: 0 };

  constructor(options: { meter: CpuMeter; cpuSeconds: number; now: () => number }) {
    this.#meter = options.meter;
    this.#limitMs = options.cpuSeconds * 1_000;
    this.#now = options.now;
    this.#startedAt = options.now();
    this.#usedAtStartMs = options.meter.usedMs;
  }

  /**
   * The time over which connections are to be handed over from now on, ms; null while enough CPU is
   * left.
   */
  handoverSpreadMs(work: WorkCounts): number | null {
    const { frameMs, messageMs } = MEASURED_CPU_MS;
    const { frames, messages } = this.#charged;
    this.#meter.charge((work.frames - frames) * frameMs + (work.messages - messages) * messageMs);
    this.#charged = { ...work };
    const { usedMs } = this.#meter;
    if (usedMs < HANDOVER_AT_SHARE * this.#limitMs) return null;
    const cpuShare = (usedMs - this.#usedAtStartMs) / Math.max(1, this.#now() - this.#startedAt);
    return Math.min(MAX_SPREAD_MS, (HANDOVER_SHARE * this.#limitMs) / cpuShare);
  }
}
