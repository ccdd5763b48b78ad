/** What the platform allows one worker of a function (limits.mdx, as of 2026-11-20). */
export type Limits = {
  cpuMs: number;
  memoryMb: number;
  wallSeconds: number;
};

/** The Free plan's; a paid one has 400 s of wall clock and the same of everything else. */
export const platformLimits: Limits = { cpuMs: 2_000, memoryMb: 256, wallSeconds: 150 };

export type LimitName = 'cpu' | 'memory' | 'wall';

/** Where the runtime says so once: its own default (`dispatch-beforeunload-*-ratio` of supabase/edge-runtime), and the word for it. */
const NEAR_SHARE = 0.9;
const limitText = { cpu: 'cpu', memory: 'memory', wall: 'wall_clock' } as const;

/** What one worker has used. */
export type ResourceUse = { cpuMs: number; memoryMb: number; wallSeconds: number };

/** The limit that is passed, if any. */
export function exceededLimit(use: ResourceUse, limits: Limits): LimitName | undefined {
  return firstAbove(use, limits, 1)[0];
}

/** Limits that are nearly used up, in the words that `beforeunload` has for them in `detail.reason`. */
export function nearLimit(use: ResourceUse, limits: Limits): string[] {
  return firstAbove(use, limits, NEAR_SHARE).map((name) => limitText[name]);
}

function firstAbove(use: ResourceUse, limits: Limits, share: number): LimitName[] {
  const shares = {
    cpu: use.cpuMs / limits.cpuMs,
    memory: use.memoryMb / limits.memoryMb,
    wall: use.wallSeconds / limits.wallSeconds,
  };
  return (['cpu', 'memory', 'wall'] as const).filter((name) => shares[name] > share);
}
