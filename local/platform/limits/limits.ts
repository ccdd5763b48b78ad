/** The platform's limits for one worker of a function (limits.mdx, 2026-11-20). */
export type Limits = {
  cpuMs: number;
  memoryMb: number;
  wallSeconds: number;
};

/** The limits of the Free plan. Paid plans have 400 s of wall clock and the same other limits. */
export const platformLimits: Limits = { cpuMs: 2_000, memoryMb: 256, wallSeconds: 150 };

export type LimitName = 'cpu' | 'memory' | 'wall';

/**
 * Share at which the runtime warns once (the default of `dispatch-beforeunload-*-ratio` in
 * supabase/edge-runtime), and the name that it uses for each limit.
 */
const NEAR_SHARE = 0.9;
const limitText = { cpu: 'cpu', memory: 'memory', wall: 'wall_clock' } as const;

/** The resources that one worker has used. */
export type ResourceUse = { cpuMs: number; memoryMb: number; wallSeconds: number };

/** The limit that is exceeded, if any. */
export function exceededLimit(use: ResourceUse, limits: Limits): LimitName | undefined {
  return firstAbove(use, limits, 1)[0];
}

/** Limits that are nearly used up, by the names that `beforeunload` uses in `detail.reason`. */
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
