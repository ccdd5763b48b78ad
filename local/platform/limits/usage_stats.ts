import type { LimitName, Limits, ResourceUse } from './limits.ts';

type Spread = { max: number; p50: number | null; p99: number | null };

/**
 * One function's entry of /limits.json. Spreads cover calls that have ended, `max` also running
 * ones; null before the first call.
 */
export type FunctionUsage = {
  function: string;
  /** Calls that have or had a worker. */
  calls: number;
  living: number;
  cpu_ms: Spread | null;
  memory_mb: Spread | null;
  wall_s: Spread | null;
  limits: { cpu_ms: number; memory_mb: number; wall_s: number };
  killed: Record<LimitName, number>;
  /** Workers that died before the end of their call. */
  broken: number;
};

/** Enough samples for a 99th percentile, and bounded. */
const MAX_SAMPLES = 1_000;

/** The resource use of one function's calls. */
export class UsageStats {
  readonly #name: string;
  readonly #limits: Limits;
  readonly #ended: ResourceUse[] = [];
  readonly #max: ResourceUse = { cpuMs: 0, memoryMb: 0, wallSeconds: 0 };
  readonly #killed: Record<LimitName, number> = { cpu: 0, memory: 0, wall: 0 };
  #calls = 0;
  #broken = 0;

  constructor(name: string, limits: Limits) {
    this.#name = name;
    this.#limits = limits;
  }

  recordStart(): void {
    this.#calls++;
  }

  /** Records the use of a running worker. */
  recordUse(use: ResourceUse): void {
    for (const key of ['cpuMs', 'memoryMb', 'wallSeconds'] as const)
      this.#max[key] = Math.max(this.#max[key], use[key]);
  }

  recordEnd(use: ResourceUse, how: 'done' | 'broken' | LimitName): void {
    this.recordUse(use);
    this.#ended.push(use);
    if (this.#ended.length > MAX_SAMPLES) this.#ended.shift();
    if (how === 'broken') this.#broken++;
    else if (how !== 'done') this.#killed[how]++;
  }

  report(living: number): FunctionUsage {
    const { cpuMs, memoryMb, wallSeconds } = this.#limits;
    return {
      function: this.#name,
      calls: this.#calls,
      living,
      cpu_ms: this.#spread('cpuMs', 0),
      memory_mb: this.#spread('memoryMb', 1),
      wall_s: this.#spread('wallSeconds', 2),
      limits: { cpu_ms: cpuMs, memory_mb: memoryMb, wall_s: wallSeconds },
      killed: { ...this.#killed },
      broken: this.#broken,
    };
  }

  #spread(key: keyof ResourceUse, digits: number): Spread | null {
    const values = this.#ended.map((use) => use[key]).sort((a, b) => a - b);
    if (values.length === 0 && this.#max[key] === 0) return null;
    const round = (value: number) => Number(value.toFixed(digits));
    const at = (share: number) => {
      const value = values[Math.min(values.length - 1, Math.floor(share * values.length))];
      return value === undefined ? null : round(value);
    };
    return { max: round(this.#max[key]), p50: at(0.5), p99: at(0.99) };
  }
}
