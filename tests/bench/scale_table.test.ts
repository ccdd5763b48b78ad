import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { scaleTables } from './scale_table.ts';

const page = readFileSync(new URL('../../docs/scale.md', import.meta.url), 'utf8');

describe('docs/scale.md', () => {
  test('has the inputs that scale_table.ts prints from the last measurement', () => {
    expect(page).toContain(scaleTables().inputs);
  });

  test('has the sizes that scale_table.ts computes from these inputs', () => {
    expect(page).toContain(scaleTables().sizes);
  });
});
