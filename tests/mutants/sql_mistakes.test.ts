import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { planted, readSql } from './planted.ts';
import { sqlMistakes } from './sql_mistakes.ts';

const sql = readSql();

test('there are at least 30 mistakes, each under a name of its own', () => {
  expect(sqlMistakes.length).toBeGreaterThanOrEqual(30);
  expect(new Set(sqlMistakes.map(({ name }) => name)).size).toBe(sqlMistakes.length);
});

test.each(sqlMistakes)('the mistake "$name" fits one place of sql/ and names tests that exist', (mistake) => {
  const changed = planted(mistake, sql).filter(({ name, text }) => sql.find((one) => one.name === name)?.text !== text);
  expect(changed).toHaveLength(1);
  for (const name of mistake.tests)
    expect(existsSync(join(import.meta.dirname, '..', `${name}.test.ts`)), name).toBe(true);
});
