import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { buildFromSql } from '../../local/platform/postgres/build.ts';
import { cloneDatabase, connectAdmin, dropDatabase } from '../../local/platform/postgres/template.ts';
import type { TemporaryPostgres } from '../../local/platform/postgres/temporary_postgres.ts';
import { startTestPostgres, type TestServer } from '../support/global.ts';
import { layerOf } from '../support/layer.ts';
import { TEST_TEMPLATE } from '../support/names.ts';
import { temporaryFolder } from '../support/temporary_folder.ts';
import { applyMutant, type Mutant } from './mutant.ts';
import type { Verdict } from './score.ts';

/** CPU seconds of one process that runs the tests of a stage. Only an endless loop needs them. */
const CPU_LIMIT_S = 150;

/**
 * A copy of the repository in which mutants are planted, and a Postgres with the template of its
 * SQL. The work tree is not changed, and may change while mutants run.
 */
export class Workshop {
  readonly #folder: string;
  readonly #copy: string;
  readonly #server: TestServer;
  readonly #postgres: TemporaryPostgres;
  readonly #name: string;
  #running: ChildProcess | null = null;

  private constructor(folder: string, server: TestServer, postgres: TemporaryPostgres, name: string) {
    this.#folder = folder;
    this.#copy = join(folder, 'parallax');
    this.#server = server;
    this.#postgres = postgres;
    this.#name = name;
  }

  /** As many workshops as `count` on one server. `stop` removes them all. */
  static async open(root: string, count: number): Promise<{ workshops: Workshop[]; stop(): Promise<void> }> {
    const folder = temporaryFolder('mutants');
    const { server, postgres } = await startTestPostgres(join(root, 'sql'));
    const workshops = Array.from({ length: count }, (_, n) => {
      const own = join(folder, String(n));
      copyRepository(root, own);
      return new Workshop(own, server, postgres, `mutant_${n}`);
    });
    const stop = async () => {
      for (const workshop of workshops) workshop.abort();
      await postgres.stop();
      rmSync(folder, { recursive: true, force: true });
    };
    return { workshops, stop };
  }

  /** Plants a mutant, runs the stages of tests until one notices it, and takes it out again. */
  async test(mutant: Mutant, stages: readonly (readonly string[])[]): Promise<Verdict> {
    const path = join(this.#copy, mutant.file);
    const text = readFileSync(path, 'utf8');
    writeFileSync(path, applyMutant(text, mutant));
    try {
      const template = mutant.statement ? await this.#loadSql(mutant, text) : TEST_TEMPLATE;
      if (template === null) return { state: 'invalid', by: 'the statement does not load' };
      if (stages.length === 0) return { state: 'survived', by: 'no test' };
      for (const files of stages) {
        const verdict = await this.runTests(files, template);
        if (verdict.state !== 'survived') return verdict;
      }
      return { state: 'survived', by: '' };
    } finally {
      writeFileSync(path, text);
    }
  }

  /** Ends the tests that run now. */
  abort(): void {
    if (this.#running?.pid) process.kill(-this.#running.pid, 'SIGKILL');
  }

  /** Runs these test files one after the other until one fails. */
  async runTests(files: readonly string[], template = TEST_TEMPLATE): Promise<Verdict> {
    const report = join(this.#folder, 'report.json');
    rmSync(report, { force: true });
    const program = join(this.#copy, 'node_modules/vitest/vitest.mjs');
    const projects = [...new Set(files.map(layerOf))].flatMap((layer) => ['--project', layer]);
    const args = [program, 'run', ...projects, ...files, '--bail=1', '--no-file-parallelism', '--reporter=json'];
    const { VITEST: _, VITEST_WORKER_ID: __, VITEST_POOL_ID: ___, ...env } = process.env;
    const child = spawn(
      'bash',
      ['-c', `ulimit -t ${CPU_LIMIT_S}; exec "$0" "$@"`, process.execPath, ...args, `--outputFile=${report}`],
      {
        cwd: this.#copy,
        env: {
          ...{ ...env, NO_COLOR: '1' },
          PARALLAX_TEST_SERVER: JSON.stringify({ ...this.#server, template }),
        },
        stdio: 'ignore',
        detached: true,
      },
    );
    this.#running = child;
    const signal = await new Promise<string | null>((resolve) => child.once('close', (_code, by) => resolve(by)));
    this.#running = null;
    if (signal === 'SIGKILL') return { state: 'undecided', by: 'the time was over' };
    return verdictOf(report);
  }

  /**
   * Creates the template with the changed SQL. A function or a view replaces that of the template.
   * Anything else builds all files again. Null where the SQL does not load.
   */
  async #loadSql(mutant: Mutant, text: string): Promise<string | null> {
    const { statement } = mutant;
    await dropDatabase(this.#postgres.admin, this.#name);
    try {
      if (statement && (statement.kind === 'function' || statement.kind === 'view')) {
        const grown = mutant.to.length - (mutant.end - mutant.start);
        const changed = applyMutant(text, mutant).slice(statement.start, statement.end + grown);
        await cloneDatabase(this.#postgres.admin, this.#name, TEST_TEMPLATE);
        await this.#execute(changed.replace(/^create\b/, 'create or replace'));
      } else await buildFromSql(await this.#postgres.create(this.#name), join(this.#copy, 'sql'));
    } catch {
      return null;
    }
    await this.#postgres.admin.unsafe(`alter database ${this.#name} allow_connections false`);
    return this.#name;
  }

  async #execute(statement: string): Promise<void> {
    const sql = connectAdmin(this.#server.cluster, this.#name);
    try {
      // The function keeps its owner.
      await sql.unsafe(statement).simple();
    } finally {
      await sql.end();
    }
  }
}

/** Copies what tests read, without what is large, and lets `../shared` resolve as before. */
function copyRepository(root: string, folder: string): void {
  const copy = join(folder, 'parallax');
  mkdirSync(copy, { recursive: true });
  const without = ['node_modules', '.git', '.data', 'test-results', 'soak-report', 'dashboard/dist'].map(
    (name) => `--exclude=./${name}`,
  );
  const archive = execFileSync('tar', [...without, '-cf', '-', '.'], { cwd: root, maxBuffer: 1 << 30 });
  execFileSync('tar', ['-xf', '-'], { cwd: copy, input: archive });
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
  const shared = join(dirname(root), 'shared');
  if (existsSync(shared)) symlinkSync(shared, join(folder, 'shared'));
}

function verdictOf(report: string): Verdict {
  type Report = {
    success: boolean;
    testResults: { name: string; status: string; assertionResults: { status: string; fullName: string }[] }[];
  };
  // An endless loop used up its CPU time, and left no report.
  if (!existsSync(report)) return { state: 'noticed', by: 'no end within the CPU time' };
  const { success, testResults } = JSON.parse(readFileSync(report, 'utf8')) as Report;
  for (const { name, status, assertionResults } of testResults) {
    const failed = assertionResults.find((one) => one.status === 'failed');
    const file = name.slice(name.indexOf('/tests/') + 1);
    if (failed) return { state: 'noticed', by: `${file}: ${failed.fullName}` };
    if (status === 'failed') return { state: 'noticed', by: `${file} does not load` };
  }
  return success ? { state: 'survived', by: '' } : { state: 'noticed', by: 'a file that did not end' };
}
