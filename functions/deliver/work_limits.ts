import type { CpuMeter } from '../_shared/cpu.ts';
import type { Budget } from './delivery_worker.ts';

/**
 * What things cost, ms of CPU, measured with Deno 2.9.5 on two cores (2026-11-20, tests/webhook/load.test.ts): modules and first
 * connections; one attempt, most of it the TLS handshake (0.7 measured; the platform's processors are not faster); one second of looking five times.
 */
export const MEASURED = { bootMs: 250, attemptMs: 1.5, secondMs: 4 };

/** The longest wait between two attempts is 25 s: a shift stays that long, so that pg_cron need not begin one for each. */
const QUIET_MS = 30_000;

/** Of its CPU a shift takes nothing new beyond so much: attempts that are under way and their reports are still to come. */
const USABLE = 0.75;

/** Whether a shift that began when the isolate had used `fromMs` has used up its CPU; where that is not measured, its attempts are counted. */
export function spentOf(meter: CpuMeter, cpuSeconds: number | null, fromMs: number): () => boolean {
  if (cpuSeconds === null || !meter.measures) return () => false;
  return () => meter.usedMs - fromMs > USABLE * cpuSeconds * 1_000;
}

/**
 * A call of the platform has 2 s of CPU, and what it uses beyond kills it in mid-air; so a fifth stays unused. For 2 s and 150 s:
 * 1600 ms, less 250 for the boot and 600 for looking, are 500 attempts. The next call is made at once (webhook.leave).
 */
export function budgetOf(cpuSeconds: number | null, wallSeconds: number): Budget {
  if (cpuSeconds === null) return { most: 256, each: 8, attempts: Number.POSITIVE_INFINITY, quietMs: QUIET_MS };
  const { bootMs, attemptMs, secondMs } = MEASURED;
  const rest = 0.8 * cpuSeconds * 1_000 - bootMs - wallSeconds * secondMs;
  return { most: 64, each: 8, attempts: Math.max(50, Math.floor(rest / attemptMs)), quietMs: QUIET_MS };
}
