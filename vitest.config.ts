import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['tests/**/*.test.ts'],
    // A whole stack under the platform's limits, for some six minutes: asked for alone (docs/deploy.md).
    exclude: process.env.HOSTED_STACK ? [] : ['tests/hosted/stack.test.ts'],
    globalSetup: ['tests/support/global.ts'],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // Two cores: one file beside another is what the machine holds while real servers run.
    maxWorkers: 2,
  },
});
