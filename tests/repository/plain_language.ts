/**
 * Counts what docs/glossary.md rules out: words of the old dialect, wide comments and Markdown, long
 * `comment on` texts, and test titles that are no sentence. plain_language.test.ts holds the tree to
 * these counts; `npx tsx tests/repository/plain_language.ts [DIR]` prints them for any checkout.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

export const PROSE_WIDTH = 100;
export const COMMENT_ON_LINES = 2;
/** Words of the dialect that may remain in the whole tree, such as in a quotation. */
export const DIALECT_ALLOWANCE = 20;

/** Each word with the forms of it that are counted. A word counts inside an identifier as well. */
const DIALECT = [
  'tell tells told telling',
  'says said saying',
  'nobody somebody whoever whatever',
  'anew beside thereof',
  'farewell farewells',
  'surroundings',
  'shelf shelves',
  'door doors',
  'deed deeds',
  'doubt doubts doubted',
  'aside asides',
  'hear hears heard hearing',
  'stand stands stood standing',
  'brought bringer',
  'shown',
].join(' ');
const dialect = new Set(DIALECT.split(' '));

/**
 * A page shows things, so "shown" is a plain word in the dashboard and in its tests. It is also a
 * field of GET /v2/track-record.
 */
const ABOUT_PAGES = /^dashboard\/|^tests\/(dashboard|live)\/|track_record|^functions\/api\/contract\/examples\.json$/;

/** English that is no dialect, such as the local stand-ins for the platform. */
const PLAIN = [/\bstand(?:s)?[-_ ]?ins?\b/gi, /\bstandin\w*/gi, /\bstandalone\b/gi, /\bstanding orders?\b/gi];

export type Place = { file: string; line: number; text: string };

const TEXT = /\.(ts|tsx|mjs|js|sql|md|css|html|yml|json)$|^\.ci\/run$/;
/** Folders without files of the project, also where a checkout has no .gitignore. */
const SKIPPED = ['node_modules', '.git', 'dist'];
/** Data of the venues and of packages, generated files, and the list of the words themselves. */
const LEFT_OUT = [
  /^client\/src\/api_types\.ts$/,
  /^package-lock\.json$|^deno\.lock$|^docs\/licences\.md$/,
  /^supabase\/migrations\/|^sql\/31_catalog_registry_names\.sql$/,
  /^functions\/ingest\/identity\/registry\/|^functions\/_shared\/identity\/registry\//,
  /^tests\/.*\.json$|^tests\/mutants\/titles/,
  /^docs\/glossary\.md$|^tests\/(house|repository)\/plain_language(\.test)?\.ts$/,
];

/** Whether .gitignore names a path: entries are the name of a file or folder, a path, or `*.ending`. */
function ignoredBy(gitignore: string): (path: string) => boolean {
  const entries = gitignore.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return (path) =>
    entries.some((entry) => {
      const name = entry.replace(/\/$/, '');
      if (name.includes('/')) return path === name.replace(/^\//, '');
      return name.startsWith('*') ? path.endsWith(name.slice(1)) : basename(path) === name;
    });
}

/** The files of a checkout that people write and read, relative to it, except those that it ignores. */
export function writtenFiles(root: string): string[] {
  const gitignore = join(root, '.gitignore');
  const isIgnored = ignoredBy(existsSync(gitignore) ? readFileSync(gitignore, 'utf8') : '');
  const filesIn = (folder: string): string[] =>
    readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (SKIPPED.includes(entry.name) || isIgnored(path)) return [];
      if (entry.isDirectory()) return filesIn(path);
      return entry.isFile() ? [path] : [];
    });
  return filesIn('')
    .filter((file) => TEXT.test(file) && !LEFT_OUT.some((pattern) => pattern.test(file)))
    .sort();
}

const wordsOf = (text: string) =>
  text
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z]+/);

/** One place for each word of the dialect, also in the names of files. */
export function dialectWords(file: string, text: string): (Place & { word: string })[] {
  const inLine = (line: string) => wordsOf(PLAIN.reduce((rest, plain) => rest.replace(plain, ''), line));
  return [file, ...text.split('\n')].flatMap((line, at) =>
    inLine(line)
      .filter((word) => dialect.has(word) && !(word === 'shown' && ABOUT_PAGES.test(file)))
      .map((word) => ({ file, line: at, text: line.trim(), word })),
  );
}

/** Comments of code and of SQL, and lines of Markdown outside of tables, fences and bare links. */
export function wideProse(file: string, text: string): Place[] {
  const lines = text.split('\n');
  const wide = (keep: (line: string, at: number) => boolean): Place[] =>
    lines.flatMap((line, at) =>
      [...line].length > PROSE_WIDTH && keep(line, at) ? [{ file, line: at + 1, text: line.trim() }] : [],
    );
  if (file.endsWith('.md')) {
    let fenced = false;
    const inFence = lines.map((line) => {
      if (/^\s*```/.test(line)) fenced = !fenced;
      return fenced;
    });
    return wide((line, at) => !inFence[at] && !/^\s*\||^\s*\S*(https?:|\]\()\S*\s*$/.test(line));
  }
  if (file.endsWith('.sql')) {
    const inCommentOn = new Set(
      commentsOn(text).flatMap(({ line, written }) => written.split('\n').map((_, at) => line - 1 + at)),
    );
    return wide((line, at) => /^\s*--/.test(line) || inCommentOn.has(at));
  }
  if (/\.(ts|tsx|mjs|js|css)$/.test(file))
    return wide((line) => /^\s*(\/\/|\/?\*)/.test(line) && !/https?:\S{60}|biome-ignore/.test(line));
  return file === '.ci/run' ? wide((line) => /^\s*#/.test(line)) : [];
}

type CommentOn = { line: number; written: string; literals: string };

/** Each `comment on` of a file of SQL: the statement and the literals of its text. */
const commentsOn = (text: string): CommentOn[] =>
  [...text.matchAll(/^comment on [^']*?\bis\s+((?:'(?:[^']|'')*'\s*)+);/gm)].map((match) => ({
    line: text.slice(0, match.index).split('\n').length,
    written: match[0],
    literals: (match[1] ?? '').trim(),
  }));

/** `comment on` texts of more than two lines. */
export function longComments(file: string, text: string): Place[] {
  if (!file.endsWith('.sql')) return [];
  return commentsOn(text)
    .filter(({ literals }) => {
      const length = literals.replace(/'\s*\n\s*'/g, '').length - 2;
      return literals.split('\n').length > COMMENT_ON_LINES || length > COMMENT_ON_LINES * PROSE_WIDTH;
    })
    .map(({ line, written }) => ({ file, line, text: written.slice(0, 120) }));
}

const TITLE = /^\s*(?:await )?(?:it|test)(?:\.\w+(?:\([^)]*\))?)*\(\s*(?:\n\s*)?(['"`])((?:\\.|(?!\1).)*)\1/gm;
/** Beginnings of a clause or of an answer, not of a sentence. */
const NO_SENTENCE =
  /^(what|who|whom|whose|whoever|which|that|of|and|or|but|nor|than|where|whether|because|so|neither)\b/i;
const VERB = /^(is|are|has|have|do|does|can|cannot|may|must|will|was|were|keep|agree|give|throw|\w+s|\w+ed)$/i;

/** Titles of fewer than three words, that begin like a clause, or without a verb. */
export function brokenTitles(file: string, text: string): Place[] {
  if (!/\.(test|suite)\.tsx?$/.test(file)) return [];
  return [...text.matchAll(TITLE)].flatMap((match) => {
    const title = match[2] ?? '';
    const words = title.split(/\s+/);
    const isSentence =
      words.length >= 3 && !NO_SENTENCE.test(title) && words.some((word) => VERB.test(word.replace(/[^\w]/g, '')));
    return isSentence ? [] : [{ file, line: text.slice(0, match.index).split('\n').length, text: title }];
  });
}

export type Counts = {
  dialect: (Place & { word: string })[];
  wide: Place[];
  comments: Place[];
  titles: Place[];
};

export function countsOf(root: string): Counts {
  const counts: Counts = { dialect: [], wide: [], comments: [], titles: [] };
  for (const file of writtenFiles(root)) {
    const text = readFileSync(join(root, file), 'utf8');
    counts.dialect.push(...dialectWords(file, text));
    counts.wide.push(...wideProse(file, text));
    counts.comments.push(...longComments(file, text));
    counts.titles.push(...brokenTitles(file, text));
  }
  return counts;
}

function report(root: string): string {
  const { dialect: found, wide, comments, titles } = countsOf(root);
  const byWord = new Map<string, number>();
  for (const { word } of found) byWord.set(word, (byWord.get(word) ?? 0) + 1);
  const words = [...byWord].sort((a, b) => b[1] - a[1]).map(([word, count]) => `${word} ${count}`);
  return [
    `words of the dialect         ${found.length} (${words.join(', ')})`,
    `lines of prose over ${PROSE_WIDTH}      ${wide.length}`,
    `"comment on" over ${COMMENT_ON_LINES} lines    ${comments.length}`,
    `titles that are no sentence  ${titles.length}`,
  ].join('\n');
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const [, , root = '.', ...show] = process.argv;
  process.stdout.write(`${report(resolve(root))}\n`);
  const counts = countsOf(resolve(root));
  const chosen = Object.entries(counts).filter(([name]) => show.includes(name));
  for (const { file, line, text } of chosen.flatMap(([, places]) => places)) {
    process.stdout.write(`${file}:${line}: ${text.slice(0, 160)}\n`);
  }
}
