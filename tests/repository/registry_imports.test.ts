import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { importsFile, importsText } from '../../local/registry/imports.ts';

test('the identity parsers import every registry file with pools of teams (npm run registry)', () => {
  expect(readFileSync(importsFile, 'utf8')).toBe(importsText());
});
