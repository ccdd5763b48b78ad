import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { type Layer, layerOf } from './tests/layers.ts';

const folder = join(import.meta.dirname, 'tests');
const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.test.ts'));
const of = (layer: Layer) => files.filter((name) => layerOf(name) === layer).map((name) => `tests/${name}`);
const withPostgres = { globalSetup: ['tests/support/global.ts'], testTimeout: 30_000, hookTimeout: 60_000 };

export default defineConfig({
  test: {
    // Two cores: one file next to another is what the machine holds while real servers run.
    maxWorkers: 2,
    projects: [
      // Unit tests share nothing that one could leave to the next, so that a module loads once.
      { test: { name: 'unit', include: of('unit'), pool: 'threads', isolate: false, testTimeout: 30_000 } },
      { test: { name: 'database', include: of('database'), ...withPostgres } },
      { test: { name: 'system', include: of('system'), ...withPostgres } },
      { test: { name: 'long', include: of('long'), ...withPostgres } },
    ],
  },
});
