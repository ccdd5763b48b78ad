import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { applyMistake, readSql } from './apply_mistake.ts';
import { sqlMistakes } from './sql_mistakes.ts';

const sql = readSql();

test('there are at least 30 mistakes with unique names', () => {
  expect(sqlMistakes.length).toBeGreaterThanOrEqual(30);
  expect(new Set(sqlMistakes.map(({ name }) => name)).size).toBe(sqlMistakes.length);
});

test.each(sqlMistakes)('the mistake "$name" matches one place of sql/ and names existing tests', (mistake) => {
  const changed = applyMistake(mistake, sql).filter(
    ({ name, text }) => sql.find((one) => one.name === name)?.text !== text,
  );
  expect(changed).toHaveLength(1);
  for (const name of mistake.tests)
    expect(existsSync(join(import.meta.dirname, '..', `${name}.test.ts`)), name).toBe(true);
});
