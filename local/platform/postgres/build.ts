import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import postgres from 'postgres';
import { collectOutput } from '../child_output.ts';
import { UserError } from '../user_error.ts';
import { repository, supabaseCommand } from './binaries.ts';

/** The SQL files of the current schema, in load order. */
export const sqlFolder = join(repository, 'sql');
/** The migrations that `supabase db push` applies. */
export const migrationsFolder = join(repository, 'supabase', 'migrations');

/** Names of the .sql files in `folder`, in order; none when the folder does not exist. */
export function sqlFiles(folder: string): string[] {
  return existsSync(folder)
    ? readdirSync(folder)
        .filter((name) => name.endsWith('.sql'))
        .sort()
    : [];
}

/**
 * Loads `sql/*.sql` in order into the database at `url` (role `postgres`, a fresh clone of the
 * template). Each file is one transaction. Throws an Error with the file and the line.
 */
export async function buildFromSql(url: string, folder = sqlFolder): Promise<void> {
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  try {
    for (const name of sqlFiles(folder)) {
      const text = readFileSync(join(folder, name), 'utf8');
      try {
        await sql.unsafe(text).simple();
      } catch (error) {
        // Without the original error, which contains the whole file and would hide the relevant
        // line.
        throw new Error(describe(name, text, error));
      }
    }
  } finally {
    await sql.end();
  }
}

function describe(name: string, text: string, error: unknown): string {
  if (!(error instanceof postgres.PostgresError)) return `${name}: ${error}`;
  const line = error.position ? [...text].slice(0, Number(error.position)).join('').split('\n').length : undefined;
  const rest = [error.detail, error.hint, error.where].filter(Boolean).join('; ');
  return `sql/${name}${line ? `:${line}` : ''}: ${error.message} (${error.code})${rest ? `. ${rest}` : ''}`;
}

/** Environment of every tool that we start: disables telemetry. */
export const quietTools = { DO_NOT_TRACK: '1', SUPABASE_TELEMETRY_DISABLED: '1', LITE_TELEMETRY: '0' };

/**
 * Applies pending files of `supabase/migrations` (and `supabase/seed.sql`) with `db push` of the
 * Supabase CLI, as for a hosted project. Returns the names of the applied migrations. Throws
 * UserError with the output of the CLI.
 */
export async function buildFromMigrations(
  url: string,
  { workdir = repository, signal }: { workdir?: string; signal?: AbortSignal } = {},
): Promise<string[]> {
  const [program, ...first] = supabaseCommand();
  const target = `${url}${url.includes('?') ? '&' : '?'}sslmode=disable`;
  const seed = existsSync(join(workdir, 'supabase', 'seed.sql')) ? ['--include-seed'] : [];
  const args = [
    ...first,
    'db',
    'push',
    '--yes',
    '--include-all',
    ...seed,
    '--skip-vault',
    '--agent',
    'no',
    '--db-url',
    target,
  ];
  const child = spawn(program, [...args, '--workdir', workdir], {
    env: { ...process.env, ...quietTools, NO_COLOR: '1', CI: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(signal ? { signal } : {}),
  });
  const { status, output } = await collectOutput(child);
  if (status !== 0) {
    const plain = output.replaceAll(target, 'the database').trim();
    throw new UserError(`The migrations could not be applied (supabase db push):\n${plain}`);
  }
  return [...output.matchAll(/Applying migration (\S+?\.sql)/g)].map((match) => match[1] ?? '');
}
