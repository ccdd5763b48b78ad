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
const nearShare = 0.9;
const wordFor = { cpu: 'cpu', memory: 'memory', wall: 'wall_clock' } as const;

/** What one worker has used. */
export type Use = { cpuMs: number; memoryMb: number; wallSeconds: number };

/** The limit that is passed, if any. */
export function passed(use: Use, limits: Limits): LimitName | undefined {
  return beyond(use, limits, 1)[0];
}

/** Limits that are nearly used up, in the words that `beforeunload` has for them in `detail.reason`. */
export function near(use: Use, limits: Limits): string[] {
  return beyond(use, limits, nearShare).map((name) => wordFor[name]);
}

function beyond(use: Use, limits: Limits, share: number): LimitName[] {
  const shares = {
    cpu: use.cpuMs / limits.cpuMs,
    memory: use.memoryMb / limits.memoryMb,
    wall: use.wallSeconds / limits.wallSeconds,
  };
  return (['cpu', 'memory', 'wall'] as const).filter((name) => shares[name] > share);
}
