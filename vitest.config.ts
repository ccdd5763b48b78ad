import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['tests/**/*.test.ts'],
    globalSetup: ['tests/support/global.ts'],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // Two cores: one file beside another is what the machine holds while real servers run.
    maxWorkers: 2,
  },
});
