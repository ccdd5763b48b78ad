import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { shuffled } from '../soak/random.ts';
import { seededRandom } from '../support/virtual_time.ts';
import { type Mistake, mistakeMutant, mistakes } from './mistakes.ts';
import { describeMutant, type Mutant } from './mutant.ts';
import { NearestTests } from './nearest_tests.ts';
import { sampleOf } from './sample.ts';
import type { Result } from './score.ts';
import { Workshop } from './workshop.ts';

export type Options = {
  root: string;
  seed: string;
  /** Beginning of the paths of the files, such as `functions/api`. */
  only: string;
  minutes: number;
  /** At most so many mutants. */
  count: number;
  /** Only these mutants. */
  ids?: readonly string[] | null;
  /** Whether the handwritten mistakes are among them. */
  handwritten: boolean;
  print(line: string): void;
};

/** Two cores: one file of tests next to another is what the machine holds. */
const WORKERS = 2;
/** Of the time, the handwritten mistakes have at most this share. */
const HANDWRITTEN_SHARE = 0.25;

/** The date of the newest commit: a new sample with each commit, and the same one for it. */
export const seedOfCommit = (root: string): string =>
  execFileSync('git', ['log', '-1', '--format=%cI'], { cwd: root, encoding: 'utf8' }).trim();

type Job = { mutant: Mutant; stages: string[][]; name: string | null };

/** Runs mutants until the time is over or all are decided. */
export async function runMutants(options: Options): Promise<Result[]> {
  const { root, seed, only, minutes, count, print } = options;
  const endsAt = performance.now() + minutes * 60_000;
  const isChosen = (file: string) => file.startsWith(only);
  const nearest = new NearestTests(root);
  const sample = sampleOf(root, seed, isChosen)
    .filter(({ id }) => !options.ids || options.ids.includes(id))
    .slice(0, count)
    .map((mutant): Job => ({ mutant, stages: nearest.stagesFor(mutant), name: null }));
  const written = options.handwritten ? shuffled(mistakes, seededRandom(seed)) : [];
  const regressions = written.map((mistake) => toJob(root, mistake)).filter(({ mutant }) => isChosen(mutant.file));
  const results: Result[] = [];
  const startedAt = performance.now();
  const { workshops, stop } = await Workshop.open(root, WORKERS);
  // Ends what runs when the time is over. It is undecided.
  const timer = setTimeout(() => {
    for (const workshop of workshops) workshop.abort();
  }, endsAt - performance.now());
  const next = (): Job | undefined => {
    if (performance.now() >= endsAt) return undefined;
    const share = (performance.now() - startedAt) / (endsAt - startedAt);
    const isWritten =
      sample.length === 0 ||
      (share > 0.02 && writtenMs / (endsAt - startedAt) / WORKERS < Math.min(HANDWRITTEN_SHARE, share));
    return (isWritten ? regressions.shift() : undefined) ?? sample.shift() ?? regressions.shift();
  };
  let writtenMs = 0;
  try {
    await checkWithoutMistake(workshops);
    await Promise.all(
      workshops.map(async (workshop) => {
        for (let job = next(); job !== undefined; job = next()) {
          const begunAt = performance.now();
          const verdict = await workshop.test(job.mutant, job.stages);
          const ms = performance.now() - begunAt;
          if (job.name !== null) writtenMs += ms;
          results.push({ mutant: job.mutant, verdict, seconds: Math.round(ms / 100) / 10, name: job.name });
          if (process.env.MUTANTS_TRACE)
            print(`${verdict.state} ${Math.round(ms / 1000)} s ${describeMutant(job.mutant)} | ${verdict.by}`);
          if (verdict.state === 'survived')
            print(`SURVIVED ${job.mutant.id} ${job.name ?? describeMutant(job.mutant)}`);
        }
      }),
    );
  } finally {
    clearTimeout(timer);
    await stop();
  }
  return results;
}

/** A test that fails without a mistake would notice every mistake. */
async function checkWithoutMistake(workshops: readonly Workshop[]): Promise<void> {
  const files = ['tests/engine/fees.test.ts', 'tests/price/fence.db.test.ts'];
  for (const workshop of workshops) {
    const { state, by } = await workshop.runTests(files);
    if (state !== 'survived') throw new Error(`The tests fail without a mistake: ${by}`);
  }
}

function toJob(root: string, mistake: Mistake): Job {
  return {
    mutant: mistakeMutant(root, mistake),
    stages: [mistake.tests.map((name) => `tests/${name}.test.ts`)],
    name: mistake.name,
  };
}

export function writeReport(root: string, results: readonly Result[]): string {
  const folder = join(root, 'test-results/mutants');
  mkdirSync(folder, { recursive: true });
  const path = join(folder, 'report.json');
  const rows = results.map(({ mutant, verdict, seconds, name }) => ({ ...mutant, ...verdict, seconds, name }));
  writeFileSync(path, `${JSON.stringify(rows, null, 1)}\n`);
  return path;
}
