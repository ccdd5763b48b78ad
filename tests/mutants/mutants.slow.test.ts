import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { applyMutant, folderOf } from './mutant.ts';
import { mutantsOf, sampleOf, sourceFiles } from './sample.ts';
import { sqlMutants } from './sql_mutants.ts';
import { typescriptMutants } from './typescript_mutants.ts';

const root = join(import.meta.dirname, '../..');

/** What each mutant of a text makes of it, without what is the same around it. */
const changesOf = (mutants: ReturnType<typeof sqlMutants>) =>
  mutants.map(({ from, to }) => `${from} > ${to}`.replace(/\s+/g, ' '));

const body = (text: string) => `create function a.b() returns integer language sql as $$ ${text} $$;`;

describe('the mutants of SQL', () => {
  test.each<[string, string[]]>([
    ['select 1 from a.t t where t.x <= 5', ['1 > 2', 't.x <= 5 > true', '<= > <', '5 > 6']],
    [
      'select t.x from t where t.a = b and not t.c',
      ['t.a = b > true', '= > <>', 'and > or', 'not > ', 'not t.c > true'],
    ],
    ['select x where t between 1 and 2', ['t between 1 and 2 > true', '1 > 2', '2 > 3']],
    [
      "update a.t set x = y where now() - interval '5 minutes' > z",
      ["now() - interval '5 minutes' > z > true", '- > +', '5 > 10', '> > >='],
    ],
    ['select coalesce(t.a, t.b) from t order by t.c', [', t.b > ', ' > desc']],
    ['select min(t.a) from t order by t.c desc, t.d', ['min > max', 'desc > asc']],
    ['select * from a left join b on true', ['left > ', 'true > false']],
    ['select * from a join b on a.x is not null', ['join > left join', 'is not > is']],
    ["select case when x in ('a', 'b') then y = z end", [", 'b' > ", '= > <>']],
    ["raise exception 'it is % = 5', x using hint = 'a > b'; return x < y", ['< > <=']],
  ])('%s', (text, expected) => {
    expect(changesOf(sqlMutants('sql/1_a.sql', body(text)))).toEqual(expected);
  });

  test('are none in comments, rights and texts', () => {
    const text = `-- 1 < 2
      comment on table a.t is 'x < 5';
      grant select on a.t to b;
      create index on a.t (x) where y = 1;
      ${body("select 'where a = 1' -- and b = 2")}`;
    expect(changesOf(sqlMutants('sql/1_a.sql', text))).toEqual([]);
  });

  test('name the statement that they are in', () => {
    const text = `create table a.t (x integer check (x > 0));\n${body('select 1')}`;
    expect(
      sqlMutants('sql/1_a.sql', text).map(({ statement, line }) => [statement?.kind, statement?.name, line]),
    ).toEqual([
      ['table', 'a.t', 1],
      ['table', 'a.t', 1],
      ['function', 'a.b', 2],
    ]);
  });
});

describe('the mutants of TypeScript', () => {
  test.each<[string, string[]]>([
    ['const f = (a: number) => a <= 5 && !g(a);', ['<= > <', '5 > 6', '&& > ||', '!g(a) > g(a)']],
    ['if (a === b) c.push(d);', ['a === b > true', 'a === b > false', '=== > !==', 'c.push(d); > ;', 'push > unshift']],
    ['const a = b ? 1 : 2n;', ['b > true', 'b > false', '1 > 2', '2n > 3n']],
    ["const LIST = ['a', 'b'] as const;", [", 'b' > "]],
    [
      'const a = list.filter((one) => one.some(isTrue));',
      ['list.filter((one) => one.some(isTrue)) > list', 'some > every'],
    ],
    ["throw new Error('it is ' + (a < b)); log('a' + 1); const t = 'a' + b;", []],
    ["import { a } from 'b'; type A = 1 | 2; const x: 3 = y as 4;", []],
  ])('%s', (text, expected) => {
    expect(changesOf(typescriptMutants('functions/x.ts', text))).toEqual(expected);
  });
});

test('a mutant changes one place of its file, and keeps its id when lines move', () => {
  const text = body('select 1 < 2');
  const mutants = sqlMutants('sql/1_a.sql', text);
  expect(mutants.map((mutant) => applyMutant(text, mutant).replace(/^.*select | \$\$.*$/g, ''))).toEqual([
    '2 < 2',
    '1 <= 2',
    '1 < 3',
  ]);
  expect(sqlMutants('sql/1_a.sql', `\n\n${text}`).map(({ id }) => id)).toEqual(mutants.map(({ id }) => id));
  expect(new Set(mutants.map(({ id }) => id)).size).toBe(3);
});

test('every file of functions/ and of sql/ is in a folder, and nearly every one has mutants', () => {
  const files = sourceFiles(root);
  const without = files.filter((file) => mutantsOf(root, file).length === 0);
  expect(files.length).toBeGreaterThan(400);
  expect(without.length).toBeLessThan(files.length / 5);
  const folders = new Set(files.map(folderOf));
  for (const folder of ['functions/api', 'functions/deliver', 'functions/ingest/engine', 'sql/stream', 'sql/catalog'])
    expect(folders).toContain(folder);
});

test('a seed chooses the same sample again, from every folder, and another seed another one', () => {
  const isChosen = (file: string) => /^(?:functions\/(?:deliver|export|stream)|sql\/[67])/.test(file);
  const idsOf = (seed: string) =>
    sampleOf(root, seed, isChosen)
      .slice(0, 100)
      .map(({ id }) => id);
  const one = idsOf('a');
  expect(idsOf('a')).toEqual(one);
  expect(idsOf('b').filter((id) => one.includes(id)).length).toBeLessThan(30);
  const folders = new Set(
    sampleOf(root, 'a', isChosen)
      .slice(0, 100)
      .map(({ file }) => folderOf(file)),
  );
  expect([...folders].sort()).toEqual(
    expect.arrayContaining(['functions/deliver', 'functions/export', 'functions/stream', 'sql/export', 'sql/webhook']),
  );
});
