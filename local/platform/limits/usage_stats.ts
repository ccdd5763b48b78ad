import type { LimitName, Limits, ResourceUse } from './limits.ts';

type Spread = { max: number; p50: number | null; p99: number | null };

/** One function's line of /limits.json. Spreads are of calls that have ended, `max` also of those that live; null before the first. */
export type FunctionUsage = {
  function: string;
  /** Calls that have a worker, or had one. */
  calls: number;
  living: number;
  cpu_ms: Spread | null;
  memory_mb: Spread | null;
  wall_s: Spread | null;
  limits: { cpu_ms: number; memory_mb: number; wall_s: number };
  killed: Record<LimitName, number>;
  /** Workers that ended by themselves before their call was over. */
  broken: number;
};

/** Enough for the 99th of a hundred, and bounded. */
const MAX_SAMPLES = 1_000;

/** What the calls of one function have used. */
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

  began(): void {
    this.#calls++;
  }

  /** A reading of a worker that lives. */
  saw(use: ResourceUse): void {
    for (const key of ['cpuMs', 'memoryMb', 'wallSeconds'] as const)
      this.#max[key] = Math.max(this.#max[key], use[key]);
  }

  ended(use: ResourceUse, how: 'done' | 'broken' | LimitName): void {
    this.saw(use);
    this.#ended.push(use);
    if (this.#ended.length > MAX_SAMPLES) this.#ended.shift();
    if (how === 'broken') this.#broken++;
    else if (how !== 'done') this.#killed[how]++;
  }

  line(living: number): FunctionUsage {
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
