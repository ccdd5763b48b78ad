import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { writtenFiles } from './plain_language.ts';

// Biome holds the other conventions. Its rule for accessibility has no exception for constructors.

const root = join(import.meta.dirname, '../..');
const ACCESSIBILITY = /^\s*(?:private(?! constructor\b)|protected|public) [\w#]+/gm;

const modifiersOf = (text: string) => [...text.matchAll(ACCESSIBILITY)].map(([line]) => line.trim());

test('members are private by # and carry no accessibility keyword, except private constructors', () => {
  const found = writtenFiles(root)
    .filter((file) => /\.tsx?$/.test(file))
    .flatMap((file) => modifiersOf(readFileSync(join(root, file), 'utf8')).map((line) => `${file}: ${line}`));
  expect(found).toEqual([]);
});

test('an accessibility keyword is found, and a private constructor is allowed', () => {
  expect(
    modifiersOf('class A {\n  private name = 1;\n  protected read() {}\n  public constructor() {}\n}'),
  ).toHaveLength(3);
  expect(modifiersOf('class A {\n  private constructor() {}\n  #name = 1;\n}')).toEqual([]);
});

// Files of a layer share a process. vi.mock does nothing there where another file has loaded the
// module: reset the modules, and mock with vi.doMock before an import (tests/client/recovery).
test('no test mocks a module that another file may have loaded', () => {
  const found = writtenFiles(root)
    .filter(
      (file) => file.startsWith('tests/') && file.endsWith('.ts') && file !== 'tests/repository/conventions.test.ts',
    )
    .filter((file) => /\bvi\.(?:mock|hoisted)\(/.test(readFileSync(join(root, file), 'utf8')));
  expect(found).toEqual([]);
});
