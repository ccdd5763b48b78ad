import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { UserError } from '../../user_error.ts';

/** The environment variable with the path of the program. */
export const BINARY_VARIABLE = 'SUPABASE_AUTH_BINARY';

export type AuthBinary = { path: string; version: string };

/**
 * The Supabase Auth program (GoTrue) of this machine, or a sentence that states why there is none.
 * No package registry that this project uses has it, so the user names a program of their own.
 */
export function findAuthBinary(
  env: Readonly<Record<string, string | undefined>> = process.env,
): AuthBinary | { missing: string } {
  const path = env[BINARY_VARIABLE];
  if (!path) return { missing: `${BINARY_VARIABLE} does not name a Supabase Auth program` };
  if (!existsSync(path)) return { missing: `${BINARY_VARIABLE} names ${path}, which does not exist` };
  const asked = spawnSync(path, ['version'], { encoding: 'utf8', env: {}, timeout: 10_000 });
  if (asked.status !== 0) {
    const why = asked.error?.message ?? `"version" ended with exit ${asked.status ?? asked.signal}`;
    return { missing: `${BINARY_VARIABLE} names ${path}, which is not Supabase Auth: ${why}` };
  }
  return { path, version: asked.stdout.trim() || 'without a version' };
}

/** As findAuthBinary, for `npm start -- --auth gotrue`. Throws UserError. */
export function requireAuthBinary(): AuthBinary {
  const found = findAuthBinary();
  if (!('missing' in found)) return found;
  throw new UserError(
    `--auth gotrue runs Supabase Auth, but ${found.missing}. Set ${BINARY_VARIABLE} to the path of the program, or omit --auth.`,
  );
}
