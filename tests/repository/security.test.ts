import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = join(import.meta.dirname, '../..');
const page = readFileSync(join(root, 'SECURITY.md'), 'utf8');
const named = [...page.matchAll(/`(tests\/[\w/]+\.test\.ts)` “([^”]+)”/g)].map(([, file = '', name = '']) => ({
  file,
  name,
}));
/** Rows of the threats: what stops each, and its tests. */
const threats = page
  .slice(page.indexOf('## Threats'), page.indexOf('## What is accepted'))
  .split('\n')
  .filter((line) => line.startsWith('| ') && !line.startsWith('| threat '));

describe('SECURITY.md', () => {
  it('names tests that are there, by their names', () => {
    expect(named.length).toBeGreaterThan(50);
    const gone = named.filter(({ file, name }) => {
      const path = join(root, file);
      return !existsSync(path) || !['(', ' '].some((before) => isNamed(readFileSync(path, 'utf8'), before, name));
    });
    expect(gone).toEqual([]);
  });

  it('has a test for each threat', () => {
    expect(threats.length).toBeGreaterThan(40);
    expect(threats.filter((line) => !/`tests\/[\w/]+\.test\.ts` “[^”]+” ?(?:;|\|)/.test(line))).toEqual([]);
    // One that is written otherwise would not be looked for.
    expect(page.match(/`tests\/[\w/]+\.test\.ts` “/g)).toHaveLength(named.length);
  });

  it('names files that are there', () => {
    const paths = [...page.matchAll(/`((?:functions|sql|local|dashboard|docs|tests)\/[\w./]+)`/g)].map(
      ([, path = '']) => path,
    );
    expect(paths.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  });
});

/** Whether a test of this name stands in the text: a quoted name after the parenthesis of `test(`, or alone on a line. */
const isNamed = (text: string, before: string, name: string): boolean =>
  ["'", '"', '`'].some((quote) => text.includes(`${before}${quote}${name}${quote},`));
