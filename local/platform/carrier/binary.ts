import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { UserError } from '../user_error.ts';

/** The environment variable with the path of the program. */
export const BINARY_VARIABLE = 'CENTRIFUGO_BINARY';

export type CentrifugoBinary = { path: string; version: string };
type Environment = Readonly<Record<string, string | undefined>>;

const here = (name: string) => fileURLToPath(new URL(name, import.meta.url));

/** The version of go.mod. Its PostgreSQL broker is experimental, so no other version will do. */
export function centrifugoVersion(): string {
  const [, version] = /centrifugo\/v6 v(\S+)/.exec(readFileSync(here('go.mod'), 'utf8')) ?? [];
  if (version === undefined) throw new Error('local/platform/carrier/go.mod does not name Centrifugo.');
  return version;
}

/** Where build.sh puts the program. */
function cachedPath(env: Environment): string {
  const cache = env.XDG_CACHE_HOME || join(homedir(), '.cache');
  return join(cache, 'parallax', `centrifugo-${centrifugoVersion()}`, 'centrifugo');
}

/** The Centrifugo program of this machine, or why there is none. Builds nothing. */
export function findCentrifugo(env: Environment = process.env): CentrifugoBinary | { missing: string } {
  const named = env[BINARY_VARIABLE];
  const path = named || cachedPath(env);
  if (!existsSync(path)) {
    return { missing: named ? `${BINARY_VARIABLE} names ${path}, which does not exist` : `${path} is missing` };
  }
  const asked = spawnSync(path, ['version'], { encoding: 'utf8', env: {}, timeout: 10_000 });
  const [, version] = /^Centrifugo v(\S+)/.exec(asked.stdout ?? '') ?? [];
  if (version === undefined) {
    const why = asked.error?.message ?? `"version" ended with exit ${asked.status ?? asked.signal}`;
    return { missing: `${path} is not Centrifugo: ${why}` };
  }
  const wanted = centrifugoVersion();
  if (version !== wanted) return { missing: `${path} is version ${version}, but this project runs ${wanted}` };
  return { path, version };
}

/**
 * As findCentrifugo, for `npm start -- --carrier centrifugo`. Builds a missing program. Throws
 * UserError.
 */
export function requireCentrifugo(printLine: (line: string) => void, env: Environment = process.env): CentrifugoBinary {
  const found = findCentrifugo(env);
  if (!('missing' in found)) return found;
  if (!env[BINARY_VARIABLE] && !existsSync(cachedPath(env))) {
    printLine(`building Centrifugo ${centrifugoVersion()} with Go; the first time, this takes some minutes`);
    const built = spawnSync('sh', [here('build.sh')], { encoding: 'utf8', env, stdio: ['ignore', 'pipe', 'pipe'] });
    const again = findCentrifugo(env);
    if (!('missing' in again)) return again;
    const why = built.error?.message ?? built.stderr.trim().split('\n').slice(-3).join('\n');
    throw new UserError(
      `Centrifugo could not be built. Install Go 1.26 or later, or set ${BINARY_VARIABLE} to the path of the program, or omit --carrier.\n${why}`,
    );
  }
  throw new UserError(
    `--carrier centrifugo runs Centrifugo, but ${found.missing}. Set ${BINARY_VARIABLE} to the path of the program, or unset it and install Go.`,
  );
}
