/** Arithmetic and pacing that every measurement shares. */

/** The middle one; of an even number the mean of the two in the middle. NaN of none. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length / 2;
  return sorted.length % 2 === 1
    ? (sorted[Math.floor(middle)] ?? Number.NaN)
    : ((sorted[middle - 1] ?? Number.NaN) + (sorted[middle] ?? Number.NaN)) / 2;
}

/** Milliseconds that `work` took. */
export async function timed(work: () => unknown): Promise<number> {
  const from = performance.now();
  await work();
  return performance.now() - from;
}

/**
 * Medians of several rounds, in each of which everything is measured once: whatever else the machine does meets all of them alike. The
 * first round warms up and does not count.
 */
export async function inTurns<Name extends string>(
  rounds: number,
  measures: Readonly<Record<Name, () => Promise<number> | number>>,
): Promise<Record<Name, number>> {
  const names = Object.keys(measures) as Name[];
  const found = Object.fromEntries(names.map((name) => [name, [] as number[]])) as Record<Name, number[]>;
  for (let round = 0; round <= rounds; round += 1) {
    for (const name of names) {
      const value = await measures[name]();
      if (round > 0) found[name].push(value);
    }
  }
  return Object.fromEntries(names.map((name) => [name, median(found[name])])) as Record<Name, number>;
}

/** Says on stderr what is being done, so that nobody takes a long run for a dead one. */
export function progress(words: string): void {
  console.error(`… ${words}`);
}
