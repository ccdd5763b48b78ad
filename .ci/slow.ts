// The slow tests. With `all`, every file: `npm run test:slow`. Without it, those of a CI run: the
// files whose subject changed, then others for ten minutes, in an order that the date of the newest
// commit chooses. Prints what was not run.
//
// Run it with tsx. It writes the results to the file that PARALLAX_TEST_REPORT names. `CI_BASE` is
// the commit before the change; without it, the last commits count as the change.
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { createVitest, JsonReporter, type TestSpecification } from 'vitest/node';
import { reachedFrom } from '../tests/support/imports.ts';
import { TimesReporter } from '../tests/support/times_reporter.ts';

const report = process.env.PARALLAX_TEST_REPORT ?? 'test-results/slow.json';
const root = join(import.meta.dirname, '..');
const takesAll = process.argv[2] === 'all';
const CHANGED_LIMIT_S = 600;
const ROTATION_LIMIT_S = 600;
/** Files that run at a time, and between two looks at the clock. */
const WORKERS = 2;
const BATCH = 4;
/** Files whose subject needs both cores: no other one runs at the same time. */
const ALONE = new Set(['tests/hosted/stack', 'tests/stack/arbitrage', 'tests/stream/function/quotes']);
/** The seconds that a file takes on two idle cores, where they are more than a minute. */
const USUAL_S = 60;
const LONG_S: Record<string, number> = {
  'tests/dashboard/layout': 120,
  'tests/hosted/stack': 450,
  'tests/machines/cut': 120,
  'tests/match/evidence_tier': 120,
  'tests/mutants/sample': 420,
  'tests/platform/damaged_folder': 180,
  'tests/probe/probe': 120,
  'tests/soak/run': 240,
  'tests/stack/arbitrage': 300,
  'tests/stack/client_pandas': 180,
  'tests/stack/kills': 110,
  'tests/stream/carrier/redis_failover': 140,
  'tests/stream/function/quotes': 120,
};
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
  [/^tests\/(bench|soak|mutants)\//, /^tests\/(bench|soak|mutants)\//],
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
const vitest = await createVitest('test', {
  ...{ watch: false, project: ['slow'], maxWorkers: WORKERS, reporters: ['default', times] },
});
await vitest.standalone();
const all = rotated(await vitest.globTestSpecifications());
// Vitest follows the imports of each file.
vitest.config.related = changed.map((path) => join(root, path));
const nameOf = (one: TestSpecification): string => relative(root, one.moduleId);
const titleOf = (one: TestSpecification): string => nameOf(one).replace('.slow.test.ts', '');
const isAlone = (one: TestSpecification): boolean => ALONE.has(titleOf(one));
const related = new Set(takesAll ? [] : (await vitest.getRelevantTestSpecifications()).map(nameOf));
const first = all.filter((one) => takesAll || hasChangedSubject(nameOf(one), related));
const rest = all.filter((one) => !first.includes(one));
const done: TestSpecification[] = [];

/** How long files take, two at a time. */
function secondsOf(files: readonly TestSpecification[]): number {
  const each = files.map((one) => LONG_S[titleOf(one)] ?? USUAL_S);
  return Math.max(...each, each.reduce((sum, one) => sum + one, 0) / WORKERS);
}

/** The next files that fit into `leftS`, in their order: up to BATCH, or one that runs alone. */
function nextBatch(files: readonly TestSpecification[], leftS: number): TestSpecification[] {
  const batch: TestSpecification[] = [];
  for (const one of files) {
    if (batch.length === BATCH) break;
    if (secondsOf([...batch, one]) > leftS) continue;
    if (isAlone(one)) {
      if (batch.length === 0) return [one];
    } else batch.push(one);
  }
  return batch;
}

/** Runs those of the files that fit into `limitS`, on a machine as fast as it has been so far. */
async function run(files: readonly TestSpecification[], limitS: number): Promise<void> {
  const startedAt = performance.now();
  const elapsedS = (): number => (performance.now() - startedAt) / 1_000;
  let left = files;
  let expectedS = 0;
  for (;;) {
    const slowness = expectedS === 0 ? 1 : elapsedS() / expectedS;
    const batch = nextBatch(left, (limitS - elapsedS()) / slowness);
    if (batch.length === 0) return;
    await vitest.runTestSpecifications(batch);
    expectedS += secondsOf(batch);
    done.push(...batch);
    left = left.filter((one) => !batch.includes(one));
  }
}
if (!takesAll) console.log(`${first.length} of ${all.length} slow files have a changed subject`);
await run(first, takesAll ? Number.POSITIVE_INFINITY : CHANGED_LIMIT_S);
await run(rest, ROTATION_LIMIT_S);

const json = new JsonReporter({ outputFile: report });
json.onInit(vitest);
await json.onTestRunEnd(vitest.state.getTestModules());
const { success } = JSON.parse(readFileSync(report, 'utf8')) as { success: boolean };
for (const one of all)
  if (!done.includes(one)) console.log(`not run: ${nameOf(one)}${first.includes(one) ? ' (changed)' : ''}`);
await vitest.close();
if (!success) process.exitCode = 1;
