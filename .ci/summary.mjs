// Ends a CI run: a table of what was skipped and why, from vitest's JSON reports and the logs next
// to them, and as the last line "N passed, N failed, N skipped" over all reports.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';

const folder = process.argv[2];
const expected = ['test', 'slow'];
const names = readdirSync(folder).filter((name) => name.endsWith('.json'));
const reports = names.map((name) => ({ name, ...JSON.parse(readFileSync(join(folder, name), 'utf8')) }));
const files = reports.flatMap((report) => report.testResults);

// A file that fails to load has no test of its own; it counts as one failure. So does a missing
// report.
const unloaded = files.filter((file) => file.status === 'failed' && file.assertionResults.length === 0);
const missing = expected.filter((name) => !names.includes(`${name}.json`));
for (const name of missing) console.log(`no report of the run "${name}": counted as one failure`);
const count = (...statuses) =>
  files.flatMap((file) => file.assertionResults).filter(({ status }) => statuses.includes(status)).length;
const passed = count('passed');
const failed = count('failed') + unloaded.length + missing.length;
const skipped = count('pending', 'skipped', 'todo');

// A test file prints `tests/… is skipped: why`; else the title of the test has the reason in
// brackets.
const logs = names.map((name) => join(folder, name.replace('.json', '.log'))).filter(existsSync);
const lines = logs.flatMap((log) => readFileSync(log, 'utf8').split('\n'));
const printed = lines.filter((line) => /skipped/.test(line));
const why = (file, title) => {
  const line = printed.find((text) => text.includes(file));
  return line?.split(/skipped[^:]*: /)[1] ?? /\((skipped [^)]*)\)/.exec(title)?.[1] ?? 'see the file';
};
// The slow files that had no time, and the files over their budget.
console.log(lines.filter((line) => /^(not run|over its budget): /.test(line)).join('\n'));
const rows = files.flatMap((file) => {
  const path = relative(process.cwd(), file.name);
  return file.assertionResults
    .filter(({ status }) => status === 'pending' || status === 'skipped' || status === 'todo')
    .map(({ fullName }) => `| ${path} | ${fullName.trim()} | ${why(path, fullName)} |`);
});
if (rows.length > 0) console.log(['| skipped in | test | why |', '|---|---|---|', ...new Set(rows)].join('\n'));

// A file that runs against Supabase Auth itself prints that, with the version of the program.
const versions = new Map(
  lines.flatMap((line) => {
    const [, file, version] = /(tests\/\S+) runs against Supabase Auth (.+)$/.exec(line) ?? [];
    return file === undefined ? [] : [[file, version.trim()]];
  }),
);
const onAuth = files
  .filter((file) => versions.has(relative(process.cwd(), file.name)))
  .flatMap((file) => file.assertionResults)
  .filter(({ status }) => status === 'passed').length;
const auth = [...new Set(versions.values())].join(', ');
console.log(`== ${onAuth} tests against Supabase Auth ${auth || '(its program is missing)'}`);

// The failed tests again, for a reader who sees only the end of the log.
function printFailed(file) {
  const path = relative(process.cwd(), file.name);
  if (file.assertionResults.length === 0) console.log(`failed: ${path}: ${file.message.split('\n')[0]}`);
  for (const { status, fullName, failureMessages } of file.assertionResults)
    if (status === 'failed')
      console.log(
        `failed: ${path}: ${fullName.trim()}: ${failureMessages.join(' ').replace(/\s+/g, ' ').slice(0, 900)}`,
      );
}
for (const file of files) if (file.status === 'failed') printFailed(file);
console.log(`${passed} passed, ${failed} failed, ${skipped} skipped`);
if (failed > 0) process.exitCode = 1;
