import { parseArgs } from 'node:util';
import { repository } from '../../local/platform/postgres/binaries.ts';
import { runMutants, seedOfCommit, writeReport } from './run_mutants.ts';
import { isTooLow, printScores, scoresOf } from './score.ts';

// `npm run mutants` plants mistakes for ten minutes, and fails where a handwritten one survives or
// the tests notice too few of the others (score.ts). `-- --minutes 30`, `--seed TEXT` (another
// sample), `--only functions/api`, `--count 200` (that many, without the handwritten ones),
// `--ids ID,ID` (mutants that survived before), `--handwritten` (all of those, and no others),
// `--root FOLDER` (another work tree).
const { values } = parseArgs({
  options: {
    minutes: { type: 'string' },
    seed: { type: 'string' },
    only: { type: 'string', default: '' },
    count: { type: 'string' },
    ids: { type: 'string' },
    handwritten: { type: 'boolean', default: false },
    root: { type: 'string', default: repository.replace(/\/$/, '') },
  },
});
const { root, only, ids } = values;
const count = values.handwritten ? '0' : (values.count ?? (ids === undefined ? undefined : '1000000'));
const seed = values.seed ?? seedOfCommit(root);
const minutes = Number(values.minutes ?? (count === undefined ? 10 : 24 * 60));
console.log(`seed ${seed}, ${minutes} minutes`);
const results = await runMutants({
  ...{ root, seed, only, minutes },
  count: count === undefined ? Number.POSITIVE_INFINITY : Number(count),
  handwritten: values.handwritten || count === undefined,
  ids: ids?.split(',') ?? null,
  print: (line) => console.log(line),
});
const scores = scoresOf(results);
printScores(scores, (line) => console.log(line));
console.log(writeReport(root, results));
if (isTooLow(scores)) process.exitCode = 1;
