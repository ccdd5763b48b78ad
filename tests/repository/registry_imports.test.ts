import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { importsFile, importsText } from '../../local/registry/imports.ts';
import { namesFile, namesSql } from '../../local/registry/names_sql.ts';

test('the identity parsers import every registry file with pools of teams (npm run registry)', () => {
  expect(readFileSync(importsFile, 'utf8')).toBe(importsText());
});

test('the SQL file of the registry holds the names of the registry files (npm run registry)', () => {
  expect(readFileSync(namesFile, 'utf8')).toBe(namesSql());
});
