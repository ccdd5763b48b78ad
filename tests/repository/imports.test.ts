import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '../..');
const parts = ['functions', 'local', 'dashboard/src'];

/** The files that each file imports by a relative path, types included. */
function importsOf(files: ReadonlyMap<string, string>): Map<string, string[]> {
  return new Map(
    [...files].map(([file, text]) => [
      file,
      [...text.matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g)]
        .map(([, path = '']) => normalize(join(dirname(file), path)))
        .filter((path) => files.has(path)),
    ]),
  );
}

/** The first cycle found from each file: its files in order. */
function circles(files: ReadonlyMap<string, string>): string[][] {
  const imports = importsOf(files);
  const done = new Set<string>();
  const found: string[][] = [];
  const visit = (file: string, way: string[]) => {
    const at = way.indexOf(file);
    if (at >= 0) found.push(way.slice(at));
    if (at >= 0 || done.has(file)) return;
    for (const other of imports.get(file) ?? []) visit(other, [...way, file]);
    done.add(file);
  };
  for (const file of files.keys()) visit(file, []);
  return found;
}

test('no TypeScript file imports itself through others, types included', () => {
  const files = new Map(
    parts.flatMap((part) =>
      readdirSync(join(root, part), { recursive: true, encoding: 'utf8' })
        .filter((name) => /\.tsx?$/.test(name) && !name.includes('node_modules'))
        .map((name): [string, string] => [join(part, name), readFileSync(join(root, part, name), 'utf8')]),
    ),
  );
  expect(files.size).toBeGreaterThan(300);
  expect(circles(files)).toEqual([]);
});

test('the check finds a cycle of three files', () => {
  const files = new Map([
    ['a.ts', "import { b } from './b.ts';"],
    ['b.ts', "import type { C } from './c.ts';"],
    ['c.ts', "export type { A } from './a.ts';"],
  ]);
  expect(circles(files)).toEqual([['a.ts', 'b.ts', 'c.ts']]);
});
