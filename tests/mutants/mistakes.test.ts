import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { mistakeMutant, mistakes } from './mistakes.ts';

const root = join(import.meta.dirname, '../..');

describe('the handwritten mistakes', () => {
  test('are many, with unique names', () => {
    expect(mistakes.length).toBeGreaterThanOrEqual(30);
    expect(new Set(mistakes.map(({ name }) => name)).size).toBe(mistakes.length);
  });

  test.each(mistakes)('the mistake "$name" matches one place and names existing tests', (mistake) => {
    const { from, to } = mistakeMutant(root, mistake);
    expect(to).not.toBe(from);
    for (const name of mistake.tests) expect(existsSync(join(root, 'tests', `${name}.test.ts`)), name).toBe(true);
  });
});
