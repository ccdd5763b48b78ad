import { expect, test } from 'vitest';
import { repository } from '../../local/platform/postgres/binaries.ts';
import { printScores, runMutants, scoresOf, seedOfCommit, shareOf, total, writeReport } from './run_mutants.ts';

/** With its start and its end, the file takes less than ten minutes. */
const MINUTES = 9;
/** A share of fewer mutants proves little. A machine that is this slow proves nothing. */
const FEWEST = 60;

test('tests notice at least 85 % of a sample of mistakes in functions/ and sql/', { timeout: 900_000 }, async () => {
  const root = repository.replace(/\/$/, '');
  const seed = process.env.MUTANTS_SEED ?? seedOfCommit(root);
  const print = (line: string) => console.log(line);
  const results = await runMutants({
    ...{ root, seed, print, only: '', minutes: MINUTES },
    ...{ count: Number.POSITIVE_INFINITY, handwritten: true },
  });
  const scores = scoresOf(results);
  printScores(scores, print);
  print(writeReport(root, results));
  const all = total(scores);
  if (all.noticed + all.survived >= FEWEST) expect(shareOf(all)).toBeGreaterThanOrEqual(0.85);
});
