import type { CpuMeter } from '../_shared/cpu.ts';
import type { WorkLimits } from './delivery_worker.ts';

/**
 * CPU in ms, used where it cannot be measured, as on the hosted runtime. Measured with Deno 2.1.4
 * under `npm start -- --hosted-limits` (2026-11-26,
 * docs/measurements/2026-11-26-hosted-cpu.md).
 */
export const MEASURED_CPU_MS = {
  /** Modules and the first connections. */
  bootMs: 250,
  /** One attempt, mostly the TLS handshake. */
  attemptMs: 1.5,
  /** A query, with its answer. */
  queryMs: 0.7,
  /** Each second: timers. */
  secondMs: 1,
};
/** Polls for due deliveries in one second, one query each. */
const POLLS_A_SECOND = 5;

/**
 * The longest wait between two attempts of a delivery is 25 s. A worker stays longer than that, so
 * that pg_cron does not start one for each.
 */
const IDLE_MS = 30_000;

/**
 * A run claims nothing beyond this share of its CPU: open attempts and the record of their results
 * still need some.
 */
const USABLE_SHARE = 0.75;

/** Returns a check whether a run that began at `fromMs` of the isolate's CPU has used its share. */
export function cpuExhaustedCheck(meter: CpuMeter, cpuSeconds: number | null, fromMs: number): () => boolean {
  if (cpuSeconds === null) return () => false;
  return () => meter.usedMs - fromMs > USABLE_SHARE * cpuSeconds * 1_000;
}

/**
 * The platform kills a call that uses more than its 2 s of CPU, so a fifth stays unused. For 2 s
 * and 150 s: 1600 ms, less 250 for the boot and 600 for polling, are 500 attempts. The next call
 * starts at once (webhook.release_sender).
 */
export function workLimitsFor(cpuSeconds: number | null, wallSeconds: number): WorkLimits {
  if (cpuSeconds === null)
    return { maxConcurrent: 256, maxPerEndpoint: 8, maxAttempts: Number.POSITIVE_INFINITY, idleMs: IDLE_MS };
  const { bootMs, attemptMs, queryMs, secondMs } = MEASURED_CPU_MS;
  const rest = 0.8 * cpuSeconds * 1_000 - bootMs - wallSeconds * (secondMs + POLLS_A_SECOND * queryMs);
  return {
    maxConcurrent: 64,
    maxPerEndpoint: 8,
    maxAttempts: Math.max(50, Math.floor(rest / attemptMs)),
    idleMs: IDLE_MS,
  };
}
