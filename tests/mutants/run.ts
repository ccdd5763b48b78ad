import { parseArgs } from 'node:util';
import { readSql } from './apply_mistake.ts';
import { runStryker, testMistake } from './run_mistakes.ts';
import { sqlMistakes } from './sql_mistakes.ts';

// `npm run mutants` tests all mistakes. `-- --sql` or `-- --typescript` tests one kind. `--only
// TEXT` tests the SQL mistakes whose names contain the text.
const { values } = parseArgs({
  options: { sql: { type: 'boolean' }, typescript: { type: 'boolean' }, only: { type: 'string', default: '' } },
});
let detected = 0;
let all = 0;
if (values.sql || !values.typescript) {
  const sql = readSql();
  for (const mistake of sqlMistakes.filter(({ name }) => name.includes(values.only))) {
    const verdict = await testMistake(mistake, sql);
    all += 1;
    detected += verdict.detected ? 1 : 0;
    console.log(verdict.detected ? `detected: ${verdict.name} (${verdict.by})` : `NOT DETECTED: ${verdict.name}`);
  }
}
if (values.typescript || !values.sql) {
  const result = await runStryker([]);
  console.log(`Stryker: ${result.detected} of ${result.mutants} detected (test-results/mutants/stryker.json)`);
  all += result.mutants;
  detected += result.detected;
}
console.log(`${detected} of ${all} mistakes detected (${((100 * detected) / Math.max(all, 1)).toFixed(1)} %)`);
