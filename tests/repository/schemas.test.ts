import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';

const folder = join(import.meta.dirname, '../../sql');

/**
 * The schemas that the files of a schema may use, which may also use those that they use in turn.
 */
const allowed: Record<string, readonly string[]> = {
  base: [],
  clock: ['base'],
  venue: ['base', 'clock'],
  catalog: ['venue'],
  price: ['catalog'],
  account: ['base'],
  arb: ['price', 'account'],
  census: ['catalog'],
  webhook: ['price', 'account'],
  export: ['arb'],
  stream: ['arb', 'account'],
  pipeline: ['arb', 'census', 'webhook', 'export', 'stream'],
  api: ['pipeline'],
  ops: ['api'],
  jobs: ['ops'],
};
/** A schema whose objects are in the files of another one. */
const roomOfSchema: Record<string, string> = { dashboard: 'api' };
const schemas = [...Object.keys(allowed), ...Object.keys(roomOfSchema)];

const usable = (room: string): Set<string> =>
  new Set([room, ...(allowed[room] ?? []).flatMap((other) => [...usable(other)])]);

const blank = (text: string) => text.replace(/[^\n]/g, ' ');
/** A string that the database reads as SQL: a statement, or the name of an object only. */
const isSql = (text: string) =>
  /^'\s*(?:(?:select|insert|update|delete|call|with|alter|create|drop|grant|analyze|truncate)\s|\w+\.\w+(?:\([^)]*\))?'$)/i.test(
    text,
  );
/** Without comments, the texts of `comment on` and other prose. Line numbers stay the same. */
const code = (text: string) =>
  text
    .replace(/^comment on [^']*'(?:[^']|'')*'(?:\s*'(?:[^']|'')*')*;/gm, blank)
    .replace(/'(?:[^']|'')*'|--[^\n]*/g, (part) => (isSql(part) ? part : blank(part)));

type File = { name: string; text: string };
const roomOf = (file: File) => /^\d+_([a-z]+)/.exec(file.name)?.[1] ?? '';

function objectsOf(files: readonly File[]): Map<string, string> {
  const found = new Map<string, string>();
  const pattern = new RegExp(
    `^create (?:or replace )?(?:function|view|table|type|sequence|unlogged table) ((?:${schemas.join('|')})\\.\\w+)`,
    'gm',
  );
  for (const file of files) {
    for (const [, name = ''] of code(file.text).matchAll(pattern)) found.set(name, file.name);
  }
  return found;
}

/** `file:line: name` of each reference that `allowed` does not contain. */
function forbiddenReferences(files: readonly File[]): string[] {
  const objects = objectsOf(files);
  const pattern = new RegExp(`\\b(${schemas.join('|')})\\.\\w+`, 'g');
  return files.flatMap((file) => {
    const may = usable(roomOf(file));
    return code(file.text)
      .split('\n')
      .flatMap((line, index) =>
        [...line.matchAll(pattern)]
          .filter(([name, schema = '']) => objects.has(name) && !may.has(roomOfSchema[schema] ?? schema))
          .map(([name]) => `${file.name}:${index + 1}: ${name}`),
      );
  });
}

/** Objects that are not in the files of their own schema. */
function misplacedObjects(files: readonly File[]): string[] {
  return [...objectsOf(files)]
    .filter(([name, file]) => {
      const schema = name.split('.')[0] ?? '';
      return (roomOfSchema[schema] ?? schema) !== roomOf({ name: file, text: '' });
    })
    .map(([name, file]) => `${file}: ${name}`);
}

const files = readdirSync(folder)
  .filter((name) => name.endsWith('.sql'))
  .sort()
  .map((name) => ({ name, text: readFileSync(join(folder, name), 'utf8') }));

describe('the schemas of sql/', () => {
  test('every file of sql/ belongs to a known schema, and the file numbers follow the order of the schemas', () => {
    const order = Object.keys(allowed);
    const rooms = files.map((file) => order.indexOf(roomOf(file)));
    expect(rooms).not.toContain(-1);
    expect(rooms).toEqual([...rooms].sort((a, b) => a - b));
  });

  test('no file of sql/ names an object of a schema that its own schema may not use', () => {
    expect(forbiddenReferences(files)).toEqual([]);
  });

  test('every object is created in the files of its schema', () => {
    expect(misplacedObjects(files)).toEqual([]);
  });

  test('every table enables and forces row security by plain statements, except partitions created at run time', () => {
    const text = files.map((file) => code(file.text)).join('\n');
    const tables = [...text.matchAll(/^create (?:unlogged )?table ((?:\w+)\.\w+)(?! partition of)/gm)].map(
      ([, name = '']) => name,
    );
    expect(tables.length).toBeGreaterThan(60);
    expect(
      tables.filter((name) =>
        ['enable', 'force'].some((what) => !text.includes(`alter table ${name} ${what} row level security;`)),
      ),
    ).toEqual([]);
    expect(
      files.filter((file) => /format\([^)]*enable row level security/.test(file.text)).map((file) => file.name),
    ).toEqual(['42_price_apply.sql', '75_stream.sql']);
  });

  test('the check finds a forbidden call, a misplaced function and dynamic SQL with file and line', () => {
    const planted = [
      ...files,
      {
        name: '49_price_planted.sql',
        text: "-- stream.publish_changes\nselect stream.publish_changes('{}');\nexecute 'select webhook.fire_pair_created()';\ncreate function api.planted() returns void",
      },
    ];
    expect(forbiddenReferences(planted)).toEqual([
      '49_price_planted.sql:2: stream.publish_changes',
      '49_price_planted.sql:3: webhook.fire_pair_created',
      '49_price_planted.sql:4: api.planted',
    ]);
    expect(misplacedObjects(planted)).toEqual(['49_price_planted.sql: api.planted']);
  });
});
