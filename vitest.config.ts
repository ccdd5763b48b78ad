import { defineConfig } from 'vitest/config';
import { filesOf } from './tests/layers.ts';

// A busy machine of CI takes three times as long as a quiet one.
const withPostgres = { globalSetup: ['tests/support/global.ts'], testTimeout: 90_000, hookTimeout: 150_000 };

export default defineConfig({
  test: {
    // Two cores: one file next to another is what the machine holds while real servers run.
    maxWorkers: 2,
    projects: [
      // Unit tests share nothing that one could leave to the next, so that a module loads once.
      { test: { name: 'unit', include: filesOf('unit'), pool: 'threads', isolate: false, testTimeout: 30_000 } },
      // Each database test clones its own database, so that its files may share a process.
      { test: { name: 'database', include: filesOf('database'), isolate: false, ...withPostgres } },
      { test: { name: 'system', include: filesOf('system'), ...withPostgres } },
      { test: { name: 'long', include: filesOf('long'), ...withPostgres } },
      { test: { name: 'alone', include: filesOf('alone'), maxWorkers: 1, ...withPostgres } },
    ],
  },
});
