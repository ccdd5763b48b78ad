import { expect, test } from 'vitest';
import { repository } from '../../local/platform/postgres/binaries.ts';
import { runMutants, seedOfCommit, writeReport } from './run_mutants.ts';
import { isTooLow, printScores, scoresOf } from './score.ts';

/** With its start and its end, the file takes seven minutes (.ci/slow.ts). */
const MINUTES = 6;

test('the tests notice each handwritten mistake, and enough of a sample of functions/ and sql/', {
  timeout: 900_000,
}, async () => {
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
  expect(isTooLow(scores)).toBe(false);
});
