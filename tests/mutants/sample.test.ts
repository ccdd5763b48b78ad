import { expect, test } from 'vitest';
import { seededRandom, shuffled } from '../soak/random.ts';
import { runStryker, tryMistake } from './plant.ts';
import { readSql } from './planted.ts';
import { sqlMistakes } from './sql_mistakes.ts';

/** Another week, another sample: MUTANTS_SEED=n. */
const seed = Number(process.env.MUTANTS_SEED ?? 19);

test('tests notice at least nine of ten mistakes in a sample of those in SQL', { timeout: 900_000 }, async () => {
  const sql = readSql();
  const verdicts = [];
  for (const mistake of shuffled(sqlMistakes, seededRandom(seed)).slice(0, 12)) verdicts.push(await tryMistake(mistake, sql));
  const missed = verdicts.filter(({ noticed }) => !noticed).map(({ name }) => name);
  console.log(`seed ${seed}: ${verdicts.length - missed.length} of ${verdicts.length} SQL mistakes noticed`);
  expect(missed.length / verdicts.length, missed.join('\n')).toBeLessThanOrEqual(0.1);
});

test('unit tests notice at least nine of ten mistakes that Stryker plants in the fees', {
  timeout: 600_000,
}, async () => {
  const { noticed, planted } = await runStryker(['functions/ingest/engine/fees.ts']);
  console.log(`Stryker: ${noticed} of ${planted} mistakes in the fees noticed`);
  expect(noticed / planted).toBeGreaterThanOrEqual(0.9);
});
