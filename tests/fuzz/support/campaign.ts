import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { repository } from '../../../local/platform/postgres/binaries.ts';
import { runs } from '../../support/runs.ts';

// In CI each campaign runs the same cases each time. `FUZZ=10 npx vitest run tests/fuzz` runs other
// cases for some ten minutes. `FUZZ_SEED=n` repeats the cases of one seed.

const fuzzMinutes = process.env.FUZZ === undefined ? undefined : Number(process.env.FUZZ);
if (fuzzMinutes !== undefined && !(fuzzMinutes > 0)) throw new Error('FUZZ must be a positive number of minutes.');
const givenSeed = process.env.FUZZ_SEED === undefined ? undefined : Number(process.env.FUZZ_SEED);
const CI_SEED = 20_261_120;

/** Number of files with campaigns. Vitest runs two at a time (vitest.config.ts). */
const fileCount = readdirSync(join(repository, 'tests/fuzz')).filter(
  (name) => name.endsWith('.test.ts') && name !== 'regressions.test.ts',
).length;
let campaignCount = 0;
/** The part of the FUZZ minutes that one campaign of this file gets. */
const shareMs = () => ((fuzzMinutes ?? 0) * 60_000 * Math.min(2, fileCount)) / fileCount / campaignCount;

/**
 * Defines a test that checks a property against a third of `cases`, in the slow layer against
 * several times `cases`. With FUZZ it repeats this with other seeds until its share of the time has
 * passed. A failure reports the seed and the smallest failing case.
 */
export function campaign<Case>(name: string, property: () => fc.IRawProperty<Case>, cases: number): void {
  campaignCount += 1;
  test(name, { timeout: 120_000 + (fuzzMinutes ?? 0) * 120_000 }, async () => {
    const end = Date.now() + shareMs();
    do {
      const seed = givenSeed ?? (fuzzMinutes === undefined ? CI_SEED : Math.floor(Math.random() * 2 ** 31));
      await checkProperty(name, property(), seed, runs(cases / 3));
    } while (Date.now() < end && givenSeed === undefined);
  });
}

async function checkProperty<Case>(
  name: string,
  property: fc.IRawProperty<Case>,
  seed: number,
  numRuns: number,
): Promise<void> {
  const result = await fc.check(property, { seed, numRuns });
  if (!result.failed) return;
  const report = fc.defaultReportMessage(result) ?? 'failed';
  const command = `FUZZ_SEED=${seed} npx vitest run ${expect.getState().testPath ?? 'tests/fuzz'} -t ${JSON.stringify(name)}`;
  throw new Error(`${report}\nRepeat with: ${command}`, { cause: result.errorInstance });
}
