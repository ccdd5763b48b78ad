import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { EXPORT_DATASETS } from '../../functions/api/vocabulary.ts';
import { COLUMNS, type ColumnType, type Dataset } from '../../functions/export/columns.ts';

const page = readFileSync(join(import.meta.dirname, '../../docs/export.md'), 'utf8');

/** The columns and types of the table below a heading of docs/export.md. */
function documented(dataset: Dataset): [string, string][] {
  const [, below = ''] = page.split(`### ${dataset}\n`);
  const table = below.split('\n#')[0] ?? '';
  return table.split('\n').flatMap((line) => {
    const [, names = '', type = ''] = /^\| (`[^|]+`) \| (\w+) \|/.exec(line) ?? [];
    return [...names.matchAll(/`(\w+)`/g)].map(([, name = '']): [string, string] => [name, type]);
  });
}

const word = (type: ColumnType): string => (type === 'json' ? 'JSON' : type);

test('the contract of the API names the data sets that the function writes', () => {
  expect([...EXPORT_DATASETS]).toEqual(Object.keys(COLUMNS));
});

test.each([...EXPORT_DATASETS])('docs/export.md has each column of %s with its type', (dataset) => {
  const columns = Object.entries(COLUMNS[dataset]).map(([name, type]) => [name, word(type)]);
  expect(documented(dataset).sort()).toEqual(columns.sort());
});
