import { defineConfig } from 'vitest/config';
import { StackFirst } from './tests/support/stack_first.ts';
import { TimesReporter } from './tests/support/times_reporter.ts';

/** The layers of tests/README.md, by the name of the file. */
const named = ['db', 'system', 'slow'].map((layer) => `tests/**/*.${layer}.test.ts`);
const layer = (name: 'db' | 'system' | 'slow') => ({
  name,
  include: [`tests/**/*.${name}.test.ts`],
  globalSetup: ['tests/support/global.ts'],
  // How long a test may wait is no statement about the product: a busy machine takes many times as
  // long.
  testTimeout: 300_000,
  hookTimeout: 300_000,
});

/** CI reads the results from this file. */
const report = process.env.PARALLAX_TEST_REPORT;

export default defineConfig({
  test: {
    reporters: ['default', new TimesReporter(), ...(report ? ['json'] : [])],
    ...(report ? { outputFile: { json: report } } : {}),
    // Three for two cores: files wait for servers a third of the time.
    maxWorkers: 3,
    sequence: { sequencer: StackFirst },
    projects: [
      // Unit tests share nothing that one could leave to the next, so that a module loads once.
      {
        test: {
          name: 'unit',
          include: ['tests/**/*.test.ts'],
          exclude: named,
          pool: 'threads',
          isolate: false,
          testTimeout: 120_000,
        },
      },
      // Each file clones its own database and starts its own servers, so that files may share a
      // process.
      { test: { ...layer('db'), isolate: false } },
      { test: { ...layer('system'), isolate: false } },
      // Its properties and models run ten times as often as in npm test (tests/support/runs.ts).
      { test: { ...layer('slow'), env: { TEST_RUNS: '10' } } },
    ],
  },
});
