// Functions for all measurements.

/** The median. NaN without values. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length / 2;
  return sorted.length % 2 === 1
    ? (sorted[Math.floor(middle)] ?? Number.NaN)
    : ((sorted[middle - 1] ?? Number.NaN) + (sorted[middle] ?? Number.NaN)) / 2;
}

/** The duration of `work` in milliseconds. */
export async function timed(work: () => unknown): Promise<number> {
  const from = performance.now();
  await work();
  return performance.now() - from;
}

/**
 * The medians over several rounds. Each round takes every measurement once, so that other work on
 * the machine affects all of them alike. The first round warms up and does not count.
 */
export async function interleaved<Name extends string>(
  rounds: number,
  measures: Readonly<Record<Name, () => Promise<number> | number>>,
): Promise<Record<Name, number>> {
  const names = Object.keys(measures) as Name[];
  const results = Object.fromEntries(names.map((name) => [name, [] as number[]])) as Record<Name, number[]>;
  for (let round = 0; round <= rounds; round += 1) {
    for (const name of names) {
      const value = await measures[name]();
      if (round > 0) results[name].push(value);
    }
  }
  return Object.fromEntries(names.map((name) => [name, median(results[name])])) as Record<Name, number>;
}

/** Prints the current step to stderr, because a run takes minutes. */
export function progress(step: string): void {
  console.error(`… ${step}`);
}
