import { readConfig } from '../config.ts';

/** Percentiles of ended calls; `max` includes running calls. */
type CallStats = { max: number; p50: number | null; p99: number | null };

/**
 * One function of `/limits.json`: use of its calls and the limits of the platform for each call.
 */
export type FunctionUse = {
  function: string;
  calls: number;
  cpu_ms: CallStats | null;
  memory_mb: CallStats | null;
  wall_s: CallStats | null;
  limits: { cpu_ms: number; memory_mb: number; wall_s: number };
  killed: { cpu: number; memory: number; wall: number };
};

/**
 * Reads the use of the platform limits; null where the host does not measure it, that is without
 * --hosted-limits.
 */
export async function readLimits(): Promise<FunctionUse[] | null> {
  if (!(await readConfig()).limits) return null;
  const response = await fetch('/limits.json', { signal: AbortSignal.timeout(4_000) });
  if (!response.ok) throw new Error(`/limits.json returned ${response.status}.`);
  return ((await response.json()) as { functions: FunctionUse[] }).functions;
}

/** Describes the killed calls; empty when there were none. */
export function killsOf({ killed }: FunctionUse): string {
  const some = (['cpu', 'memory', 'wall'] as const).filter((limit) => killed[limit] > 0);
  return some.map((limit) => `${killed[limit]} by ${words[limit]}`).join(', ');
}

const words = { cpu: 'CPU', memory: 'memory', wall: 'wall clock' } as const;
