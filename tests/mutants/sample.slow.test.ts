import { expect, test } from 'vitest';
import { repository } from '../../local/platform/postgres/binaries.ts';
import { runMutants, seedOfCommit, writeReport } from './run_mutants.ts';
import { intervalOf, LEAST, printScores, scoresOf, total } from './score.ts';

/** With its start and its end, the file takes seven minutes (.ci/slow.ts). */
const MINUTES = 6;

test('a sample of mistakes in functions/ and sql/ does not show that tests notice fewer than 85 %', {
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
  expect(intervalOf(total(scores))[1]).toBeGreaterThanOrEqual(LEAST);
});
