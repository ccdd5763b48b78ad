import { existsSync } from 'node:fs';
import { join, relative } from 'node:path';
import { expect, test } from 'vitest';
import { reachedFrom } from '../support/imports.ts';

const functions = join(import.meta.dirname, '../../functions');

/**
 * Modules that a function loads at their first use. The platform counts the CPU of each start
 * (docs/measurements/2026-11-26-startup.md).
 */
test.each([
  ['ingest', 'ingest/identity/names/registry.ts'],
  ['api', 'api/mcp/serve.ts'],
  ['api', 'api/contract/document.ts'],
  ['api', 'api/public_address.ts'],
])('%s starts without loading %s, and loads it on demand', (name, late) => {
  const [index, file] = [join(functions, name, 'index.ts'), join(functions, late)];
  expect(existsSync(file)).toBe(true);
  expect(reachedFrom(index).has(file)).toBe(true);
  const way = reachedFrom(index, 'static').get(file) ?? [];
  expect(way.map((step) => relative(functions, step))).toEqual([]);
});
