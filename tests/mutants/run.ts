import { parseArgs } from 'node:util';
import { runStryker, tryMistake } from './plant.ts';
import { readSql } from './planted.ts';
import { sqlMistakes } from './sql_mistakes.ts';

// `npm run mutants`: every mistake. `-- --sql` or `-- --typescript` plants one kind; `--only TEXT`
// plants those SQL mistakes whose names hold the text.
const { values } = parseArgs({
  options: { sql: { type: 'boolean' }, typescript: { type: 'boolean' }, only: { type: 'string', default: '' } },
});
let noticed = 0;
let all = 0;
if (values.sql || !values.typescript) {
  const sql = readSql();
  for (const mistake of sqlMistakes.filter(({ name }) => name.includes(values.only))) {
    const verdict = await tryMistake(mistake, sql);
    all += 1;
    noticed += verdict.noticed ? 1 : 0;
    console.log(verdict.noticed ? `noticed: ${verdict.name} (${verdict.by})` : `NOT NOTICED: ${verdict.name}`);
  }
}
if (values.typescript || !values.sql) {
  const result = await runStryker([]);
  console.log(`Stryker: ${result.noticed} of ${result.planted} noticed (test-results/mutants/stryker.json)`);
  all += result.planted;
  noticed += result.noticed;
}
console.log(`${noticed} of ${all} mistakes noticed (${((100 * noticed) / Math.max(all, 1)).toFixed(1)} %)`);
