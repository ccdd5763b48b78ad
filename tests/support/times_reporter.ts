import { relative } from 'node:path';
import type { Reporter, TestCase, TestModule, Vitest } from 'vitest/node';

/** What a unit test, and a file of the other layers, may take on two idle cores. */
const BUDGETS_MS: Record<string, number> = { unit: 1_000, db: 20_000, system: 60_000 };
/** The time of `trial` on an idle core of the machine whose budgets these are (2026-11-28). */
const REFERENCE_MS = 50;
const TRIAL_EVERY_MS = 5_000;
/** The slowness of a busy machine is known to about a half, from a trial every five seconds. */
const BUSY_FROM = 1.2;
const BUSY_TOLERANCE = 1.5;
const SLOWEST = 20;

/** Work of a fixed size. Its wall time grows as other processes take the cores. */
function trial(): number {
  const startedAt = performance.now();
  let value = 1;
  for (let round = 0; round < 3_000_000; round += 1) value = (value * 16_807) % 2_147_483_647;
  return value > 0 ? performance.now() - startedAt : 0;
}

type Sample = { at: number; slowness: number };

/** The median slowness of the machine from `from` to `to`; at least 1. */
function slownessBetween(samples: readonly Sample[], from: number, to: number): number {
  const near = samples
    .filter(({ at }) => at >= from - TRIAL_EVERY_MS && at <= to + TRIAL_EVERY_MS)
    .map(({ slowness }) => slowness)
    .sort((a, b) => a - b);
  return Math.max(1, near[near.length >> 1] ?? 1);
}

/**
 * Prints the slowest files and the time of each layer, and fails the run for a unit test, or a file
 * of another layer, that is over its budget. A budget grows with the slowness of the machine, which
 * is timed during the run, and by half as much again where it is busy, so that a busy machine fails
 * no test.
 */
export class TimesReporter implements Reporter {
  readonly #samples: Sample[] = [];
  readonly #startedAt = new Map<string, number>();
  readonly #rows: { layer: string; file: string; ms: number }[] = [];
  readonly #over: string[] = [];
  #root = '';
  #timer: NodeJS.Timeout | undefined;

  onInit(vitest: Vitest): void {
    this.#root = vitest.config.root;
  }

  onTestRunStart(): void {
    const sample = (): void => void this.#samples.push({ at: performance.now(), slowness: trial() / REFERENCE_MS });
    sample();
    this.#timer = setInterval(sample, TRIAL_EVERY_MS).unref();
  }

  onTestModuleQueued(module: TestModule): void {
    this.#startedAt.set(module.id, performance.now());
  }

  onTestCaseResult(test: TestCase): void {
    if (test.project.name !== 'unit') return;
    const { startTime = 0, duration = 0 } = test.diagnostic() ?? {};
    const from = startTime - performance.timeOrigin;
    this.#hold('unit', `${this.#nameOf(test.module)} > ${test.fullName}`, duration, from, from + duration);
  }

  onTestModuleEnd(module: TestModule): void {
    const { duration, collectDuration, prepareDuration, setupDuration } = module.diagnostic();
    const now = performance.now();
    const layer = module.project.name;
    const ms = duration + collectDuration + prepareDuration + setupDuration;
    this.#rows.push({ layer, file: this.#nameOf(module), ms });
    if (layer !== 'unit') this.#hold(layer, this.#nameOf(module), ms, this.#startedAt.get(module.id) ?? now, now);
  }

  onTestRunEnd(): void {
    clearInterval(this.#timer);
    const slowest = [...this.#rows].sort((a, b) => b.ms - a.ms).slice(0, SLOWEST);
    console.log(`\nThe ${slowest.length} slowest files, in seconds:`);
    for (const { file, ms } of slowest) console.log(`${seconds(ms)}  ${file}`);
    console.log('The files of each layer, in seconds of file time:');
    for (const layer of new Set(this.#rows.map((row) => row.layer))) {
      const files = this.#rows.filter((row) => row.layer === layer);
      console.log(`${seconds(files.reduce((sum, { ms }) => sum + ms, 0))}  ${layer}, ${files.length} files`);
    }
    for (const line of this.#over) console.log(`over its budget: ${line}`);
    if (this.#over.length > 0) process.exitCode = 1;
  }

  #nameOf(module: TestModule): string {
    return relative(this.#root, module.moduleId);
  }

  #hold(layer: string, name: string, ms: number, from: number, to: number): void {
    const measured = slownessBetween(this.#samples, from, to);
    const slowness = measured < BUSY_FROM ? measured : measured * BUSY_TOLERANCE;
    const budgetMs = (BUDGETS_MS[layer] ?? Number.POSITIVE_INFINITY) * slowness;
    if (ms <= budgetMs) return;
    const factor = slowness > 1 ? ` (x ${slowness.toFixed(1)}, because the machine is slow)` : '';
    this.#over.push(`${name} took ${seconds(ms).trim()} s of ${seconds(budgetMs).trim()} s${factor}`);
  }
}

const seconds = (ms: number): string => (ms / 1_000).toFixed(1).padStart(7);
