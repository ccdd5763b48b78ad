import { expect, test } from 'vitest';
import { seededRandom, shuffled } from '../soak/random.ts';
import { readSql } from './apply_mistake.ts';
import { runStryker, testMistake } from './run_mistakes.ts';
import { sqlMistakes } from './sql_mistakes.ts';

/** MUTANTS_SEED selects another sample, MUTANTS_SQL its size. `npm run mutants` has all of them. */
const seed = Number(process.env.MUTANTS_SEED ?? 19);
const size = Number(process.env.MUTANTS_SQL ?? 7);

test('tests detect all but one of a sample of the SQL mistakes', { timeout: 900_000 }, async () => {
  const sql = readSql();
  const verdicts = [];
  for (const mistake of shuffled(sqlMistakes, seededRandom(seed)).slice(0, size))
    verdicts.push(await testMistake(mistake, sql));
  const missed = verdicts.filter(({ detected }) => !detected).map(({ name }) => name);
  console.log(`seed ${seed}: ${verdicts.length - missed.length} of ${verdicts.length} SQL mistakes detected`);
  expect(missed.length, missed.join('\n')).toBeLessThanOrEqual(1);
});

test('unit tests detect at least 90 % of the mutants of the fee functions', {
  timeout: 600_000,
}, async () => {
  const { detected, mutants } = await runStryker(['functions/ingest/engine/fees.ts']);
  console.log(`Stryker: ${detected} of ${mutants} mistakes in the fees detected`);
  expect(detected / mutants).toBeGreaterThanOrEqual(0.9);
});
