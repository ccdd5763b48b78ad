import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { repository } from '../../../local/platform/postgres/binaries.ts';

// In CI each campaign tries the same cases every time. `FUZZ=10 npx vitest run tests/fuzz` looks for others for some ten minutes;
// `FUZZ_SEED=n` tries those of one seed again.

const minutes = process.env.FUZZ === undefined ? undefined : Number(process.env.FUZZ);
if (minutes !== undefined && !(minutes > 0)) throw new Error('FUZZ takes a number of minutes.');
const givenSeed = process.env.FUZZ_SEED === undefined ? undefined : Number(process.env.FUZZ_SEED);
const seedOfCi = 20_261_120;

/** Files of campaigns; two run at a time (vitest.config.ts). */
const files = readdirSync(join(repository, 'tests/fuzz')).filter(
  (name) => name.endsWith('.test.ts') && name !== 'found.test.ts',
).length;
let campaigns = 0;
const shareMs = () => ((minutes ?? 0) * 60_000 * Math.min(2, files)) / files / campaigns;

/**
 * A test that holds a property against `runs` cases, or against as many as its share of the long mode has time for. What fails is shown
 * with its seed and the smallest case that fails.
 */
export function campaign<Case>(name: string, property: () => fc.IRawProperty<Case>, runs: number): void {
  campaigns += 1;
  test(name, { timeout: 120_000 + (minutes ?? 0) * 120_000 }, async () => {
    const end = Date.now() + shareMs();
    do {
      const seed = givenSeed ?? (minutes === undefined ? seedOfCi : Math.floor(Math.random() * 2 ** 31));
      await tryOut(name, property(), seed, runs);
    } while (Date.now() < end && givenSeed === undefined);
  });
}

async function tryOut<Case>(name: string, property: fc.IRawProperty<Case>, seed: number, runs: number): Promise<void> {
  const found = await fc.check(property, { seed, numRuns: runs });
  if (!found.failed) return;
  const words = fc.defaultReportMessage(found) ?? 'failed';
  const again = `FUZZ_SEED=${seed} npx vitest run ${expect.getState().testPath ?? 'tests/fuzz'} -t ${JSON.stringify(name)}`;
  throw new Error(`${words}\nAgain: ${again}`, { cause: found.errorInstance });
}
