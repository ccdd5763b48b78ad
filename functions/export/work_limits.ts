import type { CpuMeter } from '../_shared/cpu.ts';

/**
 * CPU in ms, used where it cannot be measured, as on the hosted runtime. Measured with Deno 2.1.4
 * (2026-11-28, docs/export.md), with a margin.
 */
export const MEASURED_CPU_MS = {
  /** Modules and the first connection. */
  bootMs: 250,
  /** A part of 20,000 rows: its text from Postgres, both files, their upload. */
  partMs: 700,
  /** Each second: timers. */
  secondMs: 1,
};

/** A call ends after this time, far below the 150 s of the Free plan. */
const MAX_CALL_MS = 60_000;

/** Returns a check whether a call that began now may make one more part. */
export function continuationCheck(
  meter: CpuMeter,
  cpuSeconds: number | null,
  now: () => number = Date.now,
): () => boolean {
  const [fromMs, startedAt] = [meter.usedMs, now()];
  let parts = 0;
  return () => {
    if (now() - startedAt > MAX_CALL_MS) return false;
    // The first part always fits, else none would ever be made.
    parts += 1;
    if (cpuSeconds === null || parts === 1) return true;
    return meter.usedMs - fromMs + MEASURED_CPU_MS.partMs < 0.8 * cpuSeconds * 1_000;
  };
}
