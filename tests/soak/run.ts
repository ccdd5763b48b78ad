// npm run soak -- --minutes N: the whole stack under load and faults, with what must hold looked at all the while. Exit 1: it did not.
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
// Postgres is among what is killed; its driver rejects where nobody can catch it.
ignoreKnownDriverCrash();
console.log(`seed ${options.seed}, ${options.minutes} minutes, ${options.clients} stream clients`);
const result = await soak(options, (line) => console.log(line));
writeFileSync(join(options.out, 'soak.json'), `${JSON.stringify(result)}\n`);
writeFileSync(join(options.out, 'soak.html'), pageOf(result));
for (const { name, looked, violations } of result.invariants) {
  console.log(`${violations.length === 0 ? 'holds   ' : 'VIOLATED'}  ${name} (${looked} looked at)`);
  for (const { at, what } of violations.slice(0, 5)) console.log(`          ${new Date(at).toISOString()} ${what}`);
}
console.log(`${join(options.out, 'soak.html')}`);
if (!result.passed) {
  console.error(
    `not passed; again: npm run soak -- --minutes ${options.minutes} --clients ${options.clients} --seed ${options.seed}`,
  );
}
process.exit(result.passed ? 0 : 1);
