import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = join(import.meta.dirname, '../..');
const page = readFileSync(join(root, 'SECURITY.md'), 'utf8');
/** The entries of the section on threats: a bold sentence, the defence, and its test files. */
const threats = page
  .slice(page.indexOf('## Threats'), page.indexOf('## Accepted risks'))
  .split(/\n(?=- \*\*|#)/)
  .filter((entry) => entry.startsWith('- **'))
  .map((entry) => entry.replace(/\s+/g, ' '));

/** The test files that an entry names after its last "Tests:". */
const testsOf = (threat: string): string[] =>
  [...(threat.split(' Tests: ').at(-1) ?? '').matchAll(/`(tests\/[\w/]+\.test\.ts)`/g)].map(([, file = '']) => file);

describe('SECURITY.md', () => {
  it('names at least one test file for each threat', () => {
    expect(threats.length).toBeGreaterThan(50);
    const untested = threats.filter((threat) => !threat.includes(' Tests: ') || testsOf(threat).length === 0);
    expect(untested).toEqual([]);
  });

  it('names files and folders that exist', () => {
    const paths = [...page.matchAll(/`((?:functions|sql|local|dashboard|docs|tests)\/[\w./]+)`/g)].map(
      ([, path = '']) => path,
    );
    expect(paths.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  });
});
