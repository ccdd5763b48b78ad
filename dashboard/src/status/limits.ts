import { readConfig } from '../config.ts';

/** The 50th and 99th of a hundred calls that have ended; the most of those that live, too. */
type Spread = { max: number; p50: number | null; p99: number | null };

/** One function of `/limits.json`: what its calls used, and what the platform allows each. */
export type FunctionUse = {
  function: string;
  calls: number;
  cpu_ms: Spread | null;
  memory_mb: Spread | null;
  wall_s: Spread | null;
  limits: { cpu_ms: number; memory_mb: number; wall_s: number };
  killed: { cpu: number; memory: number; wall: number };
};

/** What functions use of the platform's limits; null where nobody measures it, which is everywhere but under --hosted-limits. */
export async function readLimits(): Promise<FunctionUse[] | null> {
  if (!(await readConfig()).limits) return null;
  const answer = await fetch('/limits.json', { signal: AbortSignal.timeout(4_000) });
  if (!answer.ok) throw new Error(`/limits.json answered ${answer.status}.`);
  return ((await answer.json()) as { functions: FunctionUse[] }).functions;
}

/** Killed calls in words; empty when there were none. */
export function killsOf({ killed }: FunctionUse): string {
  const some = (['cpu', 'memory', 'wall'] as const).filter((limit) => killed[limit] > 0);
  return some.map((limit) => `${killed[limit]} by ${words[limit]}`).join(', ');
}

const words = { cpu: 'CPU', memory: 'memory', wall: 'wall clock' } as const;
