// Names the test files that failed, for one more run without another file next to them: their times
// are those of two cores, and CI machines differ in speed by more than half. Exits with 1 and a
// reason where another run cannot decide: too many files, too little time, or a failure without a
// failed test.
import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';

const MAX_FILES = 5;
const [folder, secondsLeft, ...runs] = process.argv.slice(2);

function refuse(reason) {
  console.error(`failed tests are not run again: ${reason}`);
  process.exit(1);
}

const files = runs.flatMap((run) => {
  if (run !== 'test' && run !== 'long') refuse(`the run "${run}" failed`);
  const { testResults } = JSON.parse(readFileSync(join(folder, `${run}.json`), 'utf8'));
  const failed = testResults.filter((file) => file.status === 'failed');
  if (failed.length === 0) refuse(`the run "${run}" failed, but no file of it`);
  return failed;
});
if (files.length > MAX_FILES) refuse(`${files.length} files failed`);
const seconds = files.reduce((sum, { startTime, endTime }) => sum + (endTime - startTime) / 1_000 + 20, 0);
if (seconds > Number(secondsLeft)) refuse(`they took ${Math.round(seconds)} s, and ${secondsLeft} s are left`);
console.log(files.map((file) => relative(process.cwd(), file.name)).join('\n'));
