import { defineConfig } from 'vitest/config';
import { filesOf } from '../layers.ts';

/** The unit tests for Stryker, without those that need seconds. */
const SLOW = ['tests/fuzz/texts.test.ts', 'tests/fuzz/listings.test.ts', 'tests/ingest/recorded.test.ts'];

export default defineConfig({
  test: { include: filesOf('unit').filter((file) => !SLOW.includes(file)), pool: 'threads' },
});
