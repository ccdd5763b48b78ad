import { type SpawnOptions, spawnSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, lstatSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { UserError } from './user_error.ts';

/**
 * PostgreSQL refuses to run as root. As whom it runs instead:
 * - `self`: we are an ordinary user.
 * - `namespace`: root, and Linux lets us give the child a user namespace in which it is user 1000 (same pid, same files, no OS user).
 * - `drop`: root where that is refused (many containers) or does not exist (macOS): the child becomes another user for real.
 */
export type Identity = { kind: 'self' } | { kind: 'namespace' } | { kind: 'drop'; uid: number; gid: number };

const unshareProgram = ['--user', '--map-user=1000', '--map-group=1000'];
let found: Identity | undefined;

export function identityFor(): Identity {
  if (found) return found;
  if (process.getuid?.() !== 0) found = { kind: 'self' };
  else if (process.platform === 'linux' && spawnSync('unshare', [...unshareProgram, 'true']).status === 0)
    found = { kind: 'namespace' };
  else found = { kind: 'drop', ...ordinaryUser() };
  return found;
}

/** A user that owns little: `postgres` where one exists, else `nobody`. */
function ordinaryUser(): { uid: number; gid: number } {
  const users = existsSync('/etc/passwd') ? readFileSync('/etc/passwd', 'utf8').split('\n') : [];
  for (const name of ['postgres', 'nobody']) {
    const fields = users.find((line) => line.startsWith(`${name}:`))?.split(':');
    const [uid, gid] = [Number(fields?.[2]), Number(fields?.[3])];
    // macOS writes nobody as -2, which spawn does not take.
    if (uid > 0 && gid >= 0) return { uid, gid };
  }
  return { uid: 65_534, gid: 65_534 };
}

/** How to start `native/bin/<name>` as that identity. */
export function asOwner(
  identity: Identity,
  native: string,
  name: 'initdb' | 'postgres',
  args: string[],
): { program: string; args: string[]; options: SpawnOptions } {
  // Our own locale and PG* variables would reach into the cluster.
  const env = { PATH: process.env.PATH ?? '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' };
  if (identity.kind === 'self') return { program: join(native, 'bin', name), args, options: { env } };
  if (identity.kind === 'namespace') {
    return { program: 'unshare', args: [...unshareProgram, join(native, 'bin', name), ...args], options: { env } };
  }
  const reachable = copyFor(identity, native);
  // cwd: libuv changes folder before it drops the user, and a folder below /root would stop initdb.
  return {
    program: join(reachable, 'bin', name),
    args,
    options: { env, cwd: '/', uid: identity.uid, gid: identity.gid },
  };
}

/** The programs may lie below a folder that only root enters (/root is 0700): that user gets a copy (61 MB, 0.1 s). */
function copyFor(identity: { uid: number }, native: string): string {
  const folder = join(tmpdir(), `parallax-postgres-${identity.uid}-${Math.trunc(statSync(native).mtimeMs)}`);
  mkdirSync(folder, { recursive: true });
  // A stranger could have put programs of their own there first.
  if (lstatSync(folder).uid !== 0)
    throw new UserError(`${folder} belongs to somebody else: remove it and start again.`);
  if (existsSync(join(folder, 'complete'))) return folder;
  chmodSync(folder, 0o755);
  cpSync(native, folder, { recursive: true, verbatimSymlinks: true });
  mkdirSync(join(folder, 'complete'), { recursive: true });
  return folder;
}
