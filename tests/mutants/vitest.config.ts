import { defineConfig } from 'vitest/config';

/** The unit tests for Stryker, without those that need seconds. */
const SLOW = ['tests/fuzz/texts.test.ts', 'tests/fuzz/listings.test.ts', 'tests/ingest/recorded.test.ts'];

export default defineConfig({
  test: { include: ['tests/**/*.test.ts'], exclude: ['tests/**/*.{db,system,slow}.test.ts', ...SLOW], pool: 'threads' },
});
