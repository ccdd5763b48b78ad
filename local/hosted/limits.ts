/** What the platform allows one worker of a function (limits.mdx, as of 2026-11-20). */
export type Limits = {
  cpuMs: number;
  memoryMb: number;
  wallSeconds: number;
};

/** The Free plan's; a paid one has 400 s of wall clock and the same of everything else. */
export const platformLimits: Limits = { cpuMs: 2_000, memoryMb: 256, wallSeconds: 150 };

export type LimitName = 'cpu' | 'memory' | 'wall';

/** What one worker has used. */
export type Use = { cpuMs: number; memoryMb: number; wallSeconds: number };

/** The limit that is passed, if any. */
export function passed(use: Use, limits: Limits): LimitName | undefined {
  if (use.cpuMs > limits.cpuMs) return 'cpu';
  if (use.memoryMb > limits.memoryMb) return 'memory';
  if (use.wallSeconds > limits.wallSeconds) return 'wall';
  return undefined;
}
