import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  brokenTitles,
  COMMENT_ON_LINES,
  countsOf,
  DIALECT_ALLOWANCE,
  dialectWords,
  longComments,
  PROSE_WIDTH,
  wideProse,
} from './plain_language.ts';

const counts = countsOf(join(import.meta.dirname, '../..'));
const placesOf = (places: readonly { file: string; line: number; text: string }[]) =>
  places.map(({ file, line, text }) => `${file}:${line}: ${text.slice(0, 120)}`);

describe('the language of the repository', () => {
  test(`uses at most ${DIALECT_ALLOWANCE} words of the old dialect in the whole tree`, () => {
    const found = counts.dialect.map(({ file, line, word, text }) => `${file}:${line}: ${word}: ${text.slice(0, 100)}`);
    expect(found.length, found.slice(0, 60).join('\n')).toBeLessThanOrEqual(DIALECT_ALLOWANCE);
  });

  test(`keeps comments, SQL comments and Markdown within ${PROSE_WIDTH} columns`, () => {
    expect(placesOf(counts.wide)).toEqual([]);
  });

  test(`has no "comment on" longer than ${COMMENT_ON_LINES} lines`, () => {
    expect(placesOf(counts.comments)).toEqual([]);
  });

  test('has test titles that are full sentences', () => {
    expect(placesOf(counts.titles)).toEqual([]);
  });
});

describe('the counting', () => {
  test('finds a word of the dialect in prose, in an identifier, in SQL and in a file name', () => {
    const words = (file: string, text: string) => dialectWords(file, text).map(({ word }) => word);
    expect(words('a.ts', '// Nobody was told.')).toEqual(['nobody', 'told']);
    expect(words('a.ts', 'const whatWasSaid = shelf_of(book);')).toEqual(['said', 'shelf']);
    expect(words('a.sql', 'select t.told_at from stream.told_markets t')).toEqual(['told', 'told']);
    expect(words('tests/webhook/doors.test.ts', '')).toEqual(['doors']);
    expect(words('a.md', 'The stand-in of the platform is a standalone program.')).toEqual([]);
  });

  test('finds comments and Markdown over the width, and leaves code, tables and fences alone', () => {
    const long = 'word '.repeat(21).trim();
    expect(wideProse('a.ts', `// ${long}\n * ${long}\nconst text = '${long}';`)).toHaveLength(2);
    expect(wideProse('a.sql', `-- ${long}\nselect '${long}';\ncomment on table a is '${long}';`)).toHaveLength(2);
    expect(wideProse('a.md', `${long}\n| ${long} |\n\`\`\`\n${long}\n\`\`\`\n${long}`)).toHaveLength(2);
  });

  test('finds a "comment on" of three lines and one of more than two lines of text', () => {
    const comment = (text: string) => `comment on table a is\n  ${text};\n`;
    expect(longComments('a.sql', comment("'one'\n  ' two'"))).toEqual([]);
    expect(longComments('a.sql', comment("'one'\n  ' two'\n  ' three'"))).toHaveLength(1);
    expect(longComments('a.sql', comment(`'${'x'.repeat(201)}'`))).toHaveLength(1);
    expect(longComments('a.sql', comment("'it''s one'"))).toEqual([]);
  });

  test('finds titles that are fragments or begin like a clause', () => {
    const titles = (title: string) => brokenTitles('a.test.ts', `it('${title}', () => {});`);
    expect(titles('does not fire for a spread already above the threshold')).toEqual([]);
    expect(titles('what was wide at registration is no crossing')).toHaveLength(1);
    expect(titles('whoever holds nothing')).toHaveLength(1);
    expect(titles('every page')).toHaveLength(1);
    expect(titles('the name of the other team')).toHaveLength(1);
  });
});
