import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Mutant } from './mutant.ts';

/** What a test file ran (tests/support/coverage.ts). */
type Ran = { test: string; ms: number; functions: ReadonlyMap<string, ReadonlySet<string>>; sql: ReadonlySet<string> };

/** What each test file ran, as the last run with PARALLAX_COVERAGE wrote it. */
export class RanTests {
  readonly #tests: Ran[];

  private constructor(tests: Ran[]) {
    this.#tests = tests;
  }

  /** Null where no run has written it. */
  static read(root: string): RanTests | null {
    const folder = join(root, 'test-results/coverage');
    if (!existsSync(folder)) return null;
    const read = <T>(name: string) => JSON.parse(readFileSync(join(folder, name), 'utf8')) as T;
    const files = readdirSync(folder);
    const sql = new Map(
      files
        .filter((name) => name.endsWith('.sql.json'))
        .map((name) => read<{ test: string; functions: string[] }>(name))
        .map(({ test, functions }) => [test, new Set(functions)]),
    );
    const tests = files
      .filter((name) => name.endsWith('.typescript.json'))
      .map((name) => read<{ test: string; ms: number; functions: Record<string, string[]> }>(name))
      .filter(({ test }) => existsSync(join(root, test)))
      .map(({ test, ms, functions }) => ({
        ...{ test, ms, sql: sql.get(test) ?? new Set<string>() },
        functions: new Map(Object.entries(functions).map(([file, names]) => [file, new Set(names)])),
      }));
    return new RanTests(tests);
  }

  /** The tests that ran the function of a mutant of TypeScript. */
  ofTypescript({ file, within }: Mutant): { test: string; ms: number }[] {
    return this.#tests.filter(({ functions }) => functions.get(file)?.has(within) === true);
  }

  /** The tests that ran one of these SQL functions. */
  ofSql(names: readonly string[]): { test: string; ms: number }[] {
    return this.#tests.filter(({ sql }) => names.some((name) => sql.has(name)));
  }
}
