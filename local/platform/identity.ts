import { type SpawnOptions, spawnSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, lstatSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { UserError } from './user_error.ts';

/**
 * PostgreSQL refuses to run as root. The identity that it runs as:
 * - `self`: we are an ordinary user.
 * - `namespace`: we are root, and Linux allows a user namespace in which the child is user 1000
 *   (same pid, same files, no OS user).
 * - `drop`: we are root without such a namespace (many containers, macOS), so the child runs as
 *   another user.
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

/** An unprivileged user: `postgres` if it exists, else `nobody`. */
function ordinaryUser(): { uid: number; gid: number } {
  const users = existsSync('/etc/passwd') ? readFileSync('/etc/passwd', 'utf8').split('\n') : [];
  for (const name of ['postgres', 'nobody']) {
    const fields = users.find((line) => line.startsWith(`${name}:`))?.split(':');
    const [uid, gid] = [Number(fields?.[2]), Number(fields?.[3])];
    // macOS writes nobody as -2, which spawn does not accept.
    if (uid > 0 && gid >= 0) return { uid, gid };
  }
  return { uid: 65_534, gid: 65_534 };
}

/** Program and options that start `native/bin/<name>` as that identity. */
export function asOwner(
  identity: Identity,
  native: string,
  name: 'initdb' | 'postgres',
  args: string[],
): { program: string; args: string[]; options: SpawnOptions } {
  // Our own locale and PG* variables would change the cluster.
  const env = { PATH: process.env.PATH ?? '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' };
  if (identity.kind === 'self') return { program: join(native, 'bin', name), args, options: { env } };
  if (identity.kind === 'namespace') {
    return { program: 'unshare', args: [...unshareProgram, join(native, 'bin', name), ...args], options: { env } };
  }
  const reachable = copyFor(identity, native);
  // cwd is / because libuv changes the folder before it drops the user, and a folder below /root
  // would stop initdb.
  return {
    program: join(reachable, 'bin', name),
    args,
    options: { env, cwd: '/', uid: identity.uid, gid: identity.gid },
  };
}

/**
 * The programs may be in a folder that only root may enter (/root is 0700), so the other user gets
 * a copy (61 MB, 0.1 s).
 */
function copyFor(identity: { uid: number }, native: string): string {
  const folder = join(tmpdir(), `parallax-postgres-${identity.uid}-${Math.trunc(statSync(native).mtimeMs)}`);
  mkdirSync(folder, { recursive: true });
  // Another user could have put programs there first.
  if (lstatSync(folder).uid !== 0) throw new UserError(`${folder} belongs to another user. Remove it and start again.`);
  if (existsSync(join(folder, 'complete'))) return folder;
  chmodSync(folder, 0o755);
  cpSync(native, folder, { recursive: true, verbatimSymlinks: true });
  mkdirSync(join(folder, 'complete'), { recursive: true });
  return folder;
}
