import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { mistakeMutant, mistakes } from './mistakes.ts';
import { intervalOf } from './score.ts';

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

test.each([
  [85, 15, 0.767, 0.907],
  [10, 0, 0.722, 1],
  [0, 0, 0, 1],
])('%i noticed and %i survivors have the interval of Wilson', (noticed, survived, low, high) => {
  const interval = intervalOf({ folder: '', noticed, survived, rest: 0 });
  expect(interval.map((end) => Math.round(1_000 * end) / 1_000)).toEqual([low, high]);
});
