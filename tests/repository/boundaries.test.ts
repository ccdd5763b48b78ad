import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, test } from 'vitest';

const root = join(import.meta.dirname, '../..');

type Files = ReadonlyMap<string, string>;

function filesUnder(...parts: string[]): Files {
  const names = parts.flatMap((part) =>
    readdirSync(join(root, part), { recursive: true, encoding: 'utf8' }).map((name) => join(part, name)),
  );
  const code = names.filter((name) => /\.tsx?$/.test(name) && !name.includes('node_modules'));
  return new Map(code.map((name) => [name, readFileSync(join(root, name), 'utf8')]));
}

/**
 * The imports of a file, types included: paths from the root of the repository, and package
 * specifiers.
 */
function importsOf(file: string, text: string): string[] {
  const named = [...text.matchAll(/\b(?:from|import)\s*\(?\s*['"]([^'"]+)['"]/g)].map(([, what = '']) => what);
  return named.map((what) => (what.startsWith('.') ? normalize(join(dirname(file), what)) : what));
}

/** Imports of `files` that `forbidden` matches, as "file imports path". */
function breaches(files: Files, forbidden: (what: string, file: string) => boolean): string[] {
  return [...files].flatMap(([file, text]) =>
    importsOf(file, text)
      .filter((what) => forbidden(what, file))
      .map((what) => `${file} imports ${what}`),
  );
}

const isIn = (path: string, ...parts: string[]) => parts.some((part) => path === part || path.startsWith(`${part}/`));

const functionOf = (file: string): string => file.split('/')[1] ?? '';

/** The functions that load each file of `_shared`, including through other files of `_shared`. */
function usersOfShared(files: Files): Map<string, Set<string>> {
  const users = new Map<string, Set<string>>();
  const visit = (file: string, user: string) => {
    for (const what of importsOf(file, files.get(file) ?? '')) {
      if (!isIn(what, 'functions/_shared') || users.get(what)?.has(user)) continue;
      users.set(what, (users.get(what) ?? new Set()).add(user));
      visit(what, user);
    }
  };
  for (const file of files.keys()) if (functionOf(file) !== '_shared') visit(file, functionOf(file));
  return users;
}

/**
 * Files of `_shared` that fewer than two functions load, and exports that only one function uses.
 */
function notShared(files: Files): string[] {
  const users = usersOfShared(files);
  const shared = [...files].filter(([file]) => functionOf(file) === '_shared');
  const rarelyLoaded = shared.map(([file]) => file).filter((file) => (users.get(file)?.size ?? 0) < 2);
  const uses = new Map<string, Set<string>>();
  for (const [file, text] of files) {
    for (const [, names = '', what = ''] of text.matchAll(/import\s+(?:type\s+)?\{([^}]*)\}\s*from\s*'(\.[^']+)'/g)) {
      for (const name of names.split(',').map((one) => one.trim().replace(/^type\s+|\s+as .*/g, ''))) {
        const key = `${normalize(join(dirname(file), what))} ${name}`;
        uses.set(key, (uses.get(key) ?? new Set()).add(functionOf(file)));
      }
    }
  }
  const rarelyUsed = shared.flatMap(([file, text]) =>
    [...text.matchAll(/^export (?:async )?(?:const|function|class) (\w+)/gm)]
      .map(([, name = '']) => name)
      .filter((name) => {
        const isUsedInside = (text.match(new RegExp(`\\b${name}\\b`, 'g'))?.length ?? 0) > 1;
        const functions = uses.get(`${file} ${name}`) ?? new Set();
        return !isUsedInside && !functions.has('_shared') && functions.size < 2;
      })
      .map((name) => `${file} ${name}`),
  );
  return [...rarelyLoaded, ...rarelyUsed];
}

describe('functions/', () => {
  const files = filesUnder('functions');

  test('functions import nothing of local, tests, sql or the dashboard, because those are not uploaded', () => {
    expect(files.size).toBeGreaterThan(200);
    expect(breaches(files, (what) => isIn(what, 'local', 'tests', 'sql', 'dashboard'))).toEqual([]);
  });

  test('a function imports nothing of another function', () => {
    const ofAnother = (what: string, file: string) =>
      isIn(what, 'functions') && !['_shared', functionOf(file)].includes(functionOf(what));
    expect(breaches(files, ofAnother)).toEqual([]);
  });

  test('functions/_shared contains only code that at least two functions use', () => {
    expect(usersOfShared(files).size).toBeGreaterThan(10);
    expect(notShared(files)).toEqual([]);
  });

  test('the check finds a file and an export of functions/_shared that only one function uses', () => {
    const planted = new Map([
      [
        'functions/_shared/both.ts',
        "import { deep } from './deep.ts';\nexport const both = deep;\nexport function one() {}",
      ],
      ['functions/_shared/deep.ts', 'export const deep = 1;'],
      ['functions/_shared/single.ts', 'export const single = () => single;'],
      ['functions/api/a.ts', "import { both, one } from '../_shared/both.ts';"],
      ['functions/stream/b.ts', "import { both } from '../_shared/both.ts';\nimport '../_shared/single.ts';"],
    ]);
    expect(notShared(planted)).toEqual(['functions/_shared/single.ts', 'functions/_shared/both.ts one']);
  });
});

describe('local/venue_simulator/', () => {
  const folder = 'local/venue_simulator';
  const files = filesUnder(folder);
  const manifest = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8')) as {
    dependencies: Record<string, string>;
    devDependencies: Record<string, string>;
  };
  const isForeign = (what: string) =>
    what.startsWith('node:') || what in manifest.dependencies ? false : !isIn(what, folder);
  /** A path into the product in a text, such as that of a registry file. */
  const productPath =
    /['"`][^'"`\n]*\b(?:functions|sql|supabase|dashboard|local\/(?!venue_simulator\b)\w+)\/[^'"`\n]*['"`]/;

  test('the simulator imports its own files, Node and its own packages only', () => {
    expect(files.size).toBeGreaterThan(100);
    expect(breaches(files, isForeign)).toEqual([]);
  });

  test('the simulator names no file of the product', () => {
    expect([...files].filter(([, text]) => productPath.test(text)).map(([file]) => file)).toEqual([]);
  });

  test('the simulator is imported only by its starter and by tests', () => {
    const product = filesUnder('functions', 'local', 'dashboard/src');
    const rest = new Map([...product].filter(([file]) => !isIn(file, folder)));
    const mayStart = (file: string) => isIn(file, 'local/platform/supervisor', 'local/commands');
    expect(breaches(rest, (what, file) => isIn(what, folder) && !mayStart(file))).toEqual([]);
  });

  /** Time and chance that are not an argument: a test could not choose them. */
  const ambient =
    /\b(?:Date\.now|performance\.now|set(?:Timeout|Interval|Immediate)|Math\.random|random(?:Bytes|UUID|Int))\b|new Date\(\)|node:timers/;

  test('the simulator takes its clock and its randomness as arguments', () => {
    const defaults = ['core/clock.ts', 'core/runtime.ts'].map((name) => join(folder, name));
    const found = [...files].filter(([, text]) => ambient.test(text)).map(([file]) => file);
    expect(found.sort()).toEqual(defaults);
  });

  test.each(['now = Date.now()', 'setInterval(step, 50)', 'new Date().toISOString()', 'Math.random()'])(
    'the check finds ambient time and chance: %s',
    (text) => expect(text).toMatch(ambient),
  );

  test('the simulator has its packages in the versions of this repository', () => {
    const { dependencies, devDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    expect({ ...dependencies, ...devDependencies }).toMatchObject({
      ...manifest.dependencies,
      ...manifest.devDependencies,
    });
  });

  test('the check finds imports and paths of the product in the simulator', () => {
    const planted = new Map([
      ['local/venue_simulator/serve.ts', "import { marketTimeAt } from '../../functions/ingest/clock.ts';"],
      ['local/venue_simulator/core/http.ts', "import type { Plan } from '../../platform/supervisor/venues.ts';"],
      [
        'local/venue_simulator/core/log.ts',
        "import { z } from 'zod';\nimport { join } from 'node:path';\nimport './http.ts';",
      ],
    ]);
    expect(breaches(planted, isForeign)).toEqual([
      'local/venue_simulator/serve.ts imports functions/ingest/clock.ts',
      'local/venue_simulator/core/http.ts imports local/platform/supervisor/venues.ts',
      'local/venue_simulator/core/log.ts imports zod',
    ]);
    expect(productPath.test("readFileSync('functions/ingest/identity/registry/nba.json')")).toBe(true);
    expect(productPath.test("spawn('local/platform/x.ts')")).toBe(true);
    expect(productPath.test("'local/venue_simulator/README.md'")).toBe(false);
  });
});
