// The slow tests of a CI run: the files whose subject changed, then others for ten minutes, in an
// order that the date of the newest commit chooses. Prints what was not run.
//
// Run it with tsx. It writes the results to the file that PARALLAX_TEST_REPORT names. `CI_BASE` is
// the commit before the change; without it, the last commits count as the change.
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { createVitest, JsonReporter, type TestSpecification } from 'vitest/node';
import { reachedFrom } from '../tests/support/imports.ts';
import { TimesReporter } from '../tests/support/times_reporter.ts';

const report = process.env.PARALLAX_TEST_REPORT ?? 'test-results/ci/slow.json';
const root = join(import.meta.dirname, '..');
const CHANGED_LIMIT_S = 600;
const ROTATION_LIMIT_S = 600;
/** Files that run between two looks at the clock. Two run at a time. */
const BATCH = 4;
/** How far back a change reaches: for most subjects, and for stand-ins and tools. */
const COMMITS = 20;
const TOOL_COMMITS = 60;

/** What a test starts as a process, and what it reads, without an import of it. */
const STARTED: [support: RegExp, subject: RegExp][] = [
  [/^tests\/support\/(stack|lonely_stack)\.ts$/, /^(functions|sql|dashboard|local\/(cli|commands|platform))\b/],
  [/^tests\/support\/function_process\.ts$/, /^functions\//],
  [/^tests\/support\/(database|global)\.ts$/, /^sql\//],
  [/^tests\/(containers|deploy|repository)\//, /^(Dockerfile|compose\.yaml|deploy\.env\.example|\.github\/)/],
];
/** Stand-ins and tools: a test of this folder has a subject in that one. */
const TOOLS: [tests: RegExp, folder: RegExp][] = [
  [/^tests\/(platform|realtime|carrier|auth)\//, /^local\/platform\//],
  [/^tests\/venue_simulator\//, /^local\/venue_simulator\//],
  [/^tests\/(probe|deploy|repository)\//, /^local\/(probe|deploy|commands)\//],
  [/^tests\/(bench|soak)\//, /^tests\/(bench|soak)\//],
];

const git = (...args: string[]): string => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim();

const hasCommit = (name: string): boolean => spawnSync('git', ['cat-file', '-e', name], { cwd: root }).status === 0;
const ago = (commits: number): string => `HEAD~${Math.min(commits, Number(git('rev-list', '--count', 'HEAD')) - 1)}`;
const changedSince = (base: string): string[] => git('diff', '--name-only', base, 'HEAD').split('\n');
const given = process.env.CI_BASE ?? '';
const changed = changedSince(/^[0-9a-f]{40}$/.test(given) && hasCommit(given) ? given : ago(COMMITS));
const changedTools = changedSince(ago(TOOL_COMMITS));

/** Whether something that the file tests has changed. */
function hasChangedSubject(file: string, related: ReadonlySet<string>): boolean {
  if (related.has(file)) return true;
  const reached = [...reachedFrom(join(root, file)).keys()].map((path) => relative(root, path));
  const started = STARTED.filter(([support]) => reached.some((path) => support.test(path)));
  if (started.some(([, subject]) => changed.some((path) => subject.test(path)))) return true;
  return TOOLS.some(([tests, folder]) => tests.test(file) && changedTools.some((path) => folder.test(path)));
}

/** The files, beginning at the share of the day at which the newest commit was made. */
function rotated(files: readonly TestSpecification[]): TestSpecification[] {
  const ordered = [...files].sort((a, b) => a.moduleId.localeCompare(b.moduleId));
  const ofDay = (Number(git('log', '-1', '--format=%ct')) % 86_400) / 86_400;
  const first = Math.floor(ofDay * ordered.length);
  return [...ordered.slice(first), ...ordered.slice(0, first)];
}

const times = new TimesReporter();
const vitest = await createVitest('test', { watch: false, project: ['slow'], reporters: ['default', times] });
await vitest.standalone();
const all = rotated(await vitest.globTestSpecifications());
// Vitest follows the imports of each file.
vitest.config.related = changed.map((path) => join(root, path));
const nameOf = (one: TestSpecification): string => relative(root, one.moduleId);
const related = new Set((await vitest.getRelevantTestSpecifications()).map(nameOf));
const first = all.filter((one) => hasChangedSubject(nameOf(one), related));
const rest = all.filter((one) => !first.includes(one));
const done: TestSpecification[] = [];

/** Runs files in their order until `limitS` have passed. */
async function run(files: readonly TestSpecification[], limitS: number): Promise<void> {
  const startedAt = performance.now();
  for (let at = 0; at < files.length && performance.now() - startedAt < limitS * 1_000; at += BATCH) {
    const batch = files.slice(at, at + BATCH);
    await vitest.runTestSpecifications(batch);
    done.push(...batch);
  }
}
console.log(`${first.length} of ${all.length} slow files have a changed subject`);
await run(first, CHANGED_LIMIT_S);
await run(rest, ROTATION_LIMIT_S);

const json = new JsonReporter({ outputFile: report });
json.onInit(vitest);
await json.onTestRunEnd(vitest.state.getTestModules());
const { success } = JSON.parse(readFileSync(report, 'utf8')) as { success: boolean };
for (const one of all)
  if (!done.includes(one)) console.log(`not run: ${nameOf(one)}${first.includes(one) ? ' (changed)' : ''}`);
await vitest.close();
if (!success) process.exitCode = 1;
