// npm run soak -- --minutes N: runs the whole stack under load and faults and checks its
// invariants. Exit 1: an invariant was violated.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ignoreKnownDriverCrash } from '../../local/platform/driver_crash.ts';
import { readSoakOptions, usage } from './options.ts';
import { pageOf } from './report/page.ts';
import { soak } from './soak.ts';

const options = readSoakOptions(process.argv.slice(2));
if (options === 'help') {
  console.log(usage);
  process.exit(0);
}
// The soak kills Postgres. The driver then throws where no caller can catch the error.
ignoreKnownDriverCrash();
console.log(`seed ${options.seed}, ${options.minutes} minutes, ${options.clients} stream clients`);
const result = await soak(options, (line) => console.log(line));
writeFileSync(join(options.out, 'soak.json'), `${JSON.stringify(result)}\n`);
writeFileSync(join(options.out, 'soak.html'), pageOf(result));
for (const { name, checked, violations } of result.invariants) {
  console.log(`${violations.length === 0 ? 'holds   ' : 'VIOLATED'}  ${name} (${checked} checks)`);
  for (const { at, what } of violations.slice(0, 5)) console.log(`          ${new Date(at).toISOString()} ${what}`);
}
console.log(`${join(options.out, 'soak.html')}`);
if (!result.passed) {
  console.error(
    `failed; repeat with: npm run soak -- --minutes ${options.minutes} --clients ${options.clients} --seed ${options.seed}`,
  );
}
process.exit(result.passed ? 0 : 1);
