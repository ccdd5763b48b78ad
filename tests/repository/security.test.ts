import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = join(import.meta.dirname, '../..');
const page = readFileSync(join(root, 'SECURITY.md'), 'utf8');
/** The entries of the section on threats: a bold sentence, the defence, and its tests. */
const threats = page
  .slice(page.indexOf('## Threats'), page.indexOf('## Accepted risks'))
  .split(/\n(?=- \*\*|#)/)
  .filter((entry) => entry.startsWith('- **'))
  .map((entry) => entry.replace(/\s+/g, ' ').trim());

/** The tests that an entry names: `tests/….test.ts` “title”, or `tests/….suite.ts`. */
const testsOf = (threat: string) =>
  [...threat.matchAll(/`(tests\/[\w/.]+\.(?:test|suite)\.ts)` “([^“”]+)”/g)].map(([, file = '', title = '']) => ({
    file,
    title,
  }));

/**
 * Returns whether code defines a test with this title: as the first argument of `it`, `test` or
 * `campaign`, or of the call that follows `it.each(…)`. A commented or skipped test does not count.
 */
function definesTest(code: string, title: string): boolean {
  const called = code.replace(/^ *\/\/.*$/gm, '').split(/(?:\b(?:it|test|campaign)|\))\(\s*(?=['"`])/);
  return called.some((text) => ["'", '"', '`'].some((quote) => text.startsWith(`${quote}${title}${quote},`)));
}

/** Whether npm test runs it: a suite runs where a file of a layer next to it imports it. */
const isRun = (file: string): boolean =>
  file.endsWith('.test.ts') ||
  readdirSync(dirname(join(root, file)))
    .filter((name) => /\.(db|system)\.test\.ts$/.test(name))
    .some((name) => readFileSync(join(root, dirname(file), name), 'utf8').includes(`'./${basename(file)}'`));

describe('SECURITY.md', () => {
  it('names only tests that exist in their file by their title', () => {
    const named = threats.flatMap(testsOf);
    expect(named.length).toBeGreaterThan(50);
    const gone = named.filter(({ file, title }) => {
      const path = join(root, file);
      return !existsSync(path) || !isRun(file) || !definesTest(readFileSync(path, 'utf8'), title);
    });
    expect(gone).toEqual([]);
  });

  it('names at least one test for each threat', () => {
    expect(threats.length).toBeGreaterThan(50);
    expect(threats.filter((threat) => testsOf(threat).length === 0)).toEqual([]);
  });

  it('names each test in the form that these checks read', () => {
    const mention = '`tests/[\\w/.]+\\.(?:test|suite)\\.ts` “[^“”]+”';
    const form = new RegExp(`^[^“”]+ Tests: ${mention}(?:; ${mention})*\\.$`);
    expect(threats.filter((threat) => !form.test(threat))).toEqual([]);
    // A title outside of an entry would not be checked.
    expect(page.match(/“/g)).toHaveLength(threats.flatMap(testsOf).length);
  });

  it('names files and folders that exist', () => {
    const paths = [...page.matchAll(/`((?:functions|sql|local|dashboard|docs|tests)\/[\w./]+)`/g)].map(
      ([, path = '']) => path,
    );
    expect(paths.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  });
});

describe('the check of a title', () => {
  const title = 'rejects a key';

  it.each([
    `it('rejects a key', () => {});`,
    `test("rejects a key", async () => {});`,
    `campaign(\n  'rejects a key',\n  () => property, 10);`,
    `  it.each([1, 2])('rejects a key', (n) => {});`,
  ])('finds the test in %j', (code) => {
    expect(definesTest(code, title)).toBe(true);
  });

  it.each([
    `// it('rejects a key', () => {});`,
    `it.skip('rejects a key', () => {});`,
    `it.todo('rejects a key');`,
    `it('rejects a key twice', () => {});`,
    `it('always rejects a key', () => {});`,
    `expect(title).toBe('rejects a key');`,
  ])('finds no test in %j', (code) => {
    expect(definesTest(code, title)).toBe(false);
  });
});
