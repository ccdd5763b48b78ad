import { defineConfig } from 'vitest/config';
import { filesOf } from '../layers.ts';

/** The unit tests alone, for Stryker; without those that take seconds for a whole recorded world. */
const slow = ['tests/fuzz/texts.test.ts', 'tests/fuzz/listings.test.ts', 'tests/ingest/recorded.test.ts'];

export default defineConfig({
  test: { include: filesOf('unit').filter((file) => !slow.includes(file)), pool: 'threads' },
});
