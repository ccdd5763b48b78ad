import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { packageFolder } from '../postgres/binaries.ts';

/** The version of Deno that the hosted edge runtime is built on (supabase/edge-runtime 1.74.0). */
export const HOSTED_DENO_VERSION = '2.1.4';

/**
 * The program of that version. npm installs it on Linux with an x64 processor; elsewhere this is
 * null.
 */
export function hostedDeno(): string | null {
  const folder = packageFolder('deno-hosted-linux-x64');
  const program = folder && join(folder, 'deno');
  return program && existsSync(program) ? program : null;
}
