import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { UserError } from '../user_error.ts';

/** The environment variable with the path of the program; without it, PATH is searched. */
export const REDIS_VARIABLE = 'REDIS_SERVER';

export type RedisBinary = { path: string; version: string };

/** The Redis server of this machine, or why there is none. */
export function findRedis(
  env: Readonly<Record<string, string | undefined>> = process.env,
): RedisBinary | { missing: string } {
  const path = env[REDIS_VARIABLE] || 'redis-server';
  const asked = spawnSync(path, ['--version'], { encoding: 'utf8', env: { PATH: env.PATH }, timeout: 10_000 });
  const [, version] = /^(?:Redis|Valkey) server v=(\S+)/i.exec(asked.stdout ?? '') ?? [];
  return version === undefined ? { missing: `${path} is missing or no Redis server` } : { path, version };
}

/** As findRedis, for `npm start -- --broker redis`. Throws UserError. */
export function requireRedis(): RedisBinary {
  const found = findRedis();
  if (!('missing' in found)) return found;
  throw new UserError(
    `--broker redis runs a Redis server, but ${found.missing}. Install the Debian package redis-server, or set ${REDIS_VARIABLE} to the path of the program, or omit --broker.`,
  );
}

export type RedisServer = { folder: string; port: number; password: string };

/**
 * Starts a server on loopback that keeps everything in memory. After a restart, Centrifugo gives
 * its channels new epochs, so that no client takes lost frames for received ones. With a file that
 * is written once a second, a failure of the machine would lose frames under the same epoch.
 */
export function spawnRedis(binary: RedisBinary, server: RedisServer, output: number | 'pipe'): ChildProcess {
  mkdirSync(server.folder, { recursive: true, mode: 0o700 });
  // Not on the command line, which every user of this machine can read.
  const file = join(server.folder, 'redis.conf');
  const lines = [
    'bind 127.0.0.1',
    `port ${server.port}`,
    `requirepass ${JSON.stringify(server.password)}`,
    `dir ${JSON.stringify(server.folder)}`,
    'save ""',
    'appendonly no',
    'maxmemory-policy noeviction',
    'daemonize no',
  ];
  writeFileSync(file, `${lines.join('\n')}\n`, { mode: 0o600 });
  return spawn(binary.path, [file], {
    cwd: server.folder,
    detached: true,
    stdio: ['ignore', output, output],
    env: { PATH: process.env.PATH ?? '/usr/bin:/bin' },
  });
}

/** Resolves when the server answers. Throws when `child` ends first, or after `seconds`. */
export async function untilRedisServes(child: ChildProcess, server: RedisServer, seconds = 15): Promise<void> {
  const end = Date.now() + seconds * 1000;
  for (;;) {
    if (await answers(server)) return;
    if (child.exitCode !== null || child.signalCode !== null)
      throw new Error(`Redis ended during its start (${child.signalCode ?? `exit ${child.exitCode}`})`);
    if (Date.now() > end) throw new Error(`Redis did not answer within ${seconds} s`);
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}

function answers({ port, password }: RedisServer): Promise<boolean> {
  return new Promise((resolve) => {
    let text = '';
    const socket = connect(port, '127.0.0.1', () => socket.write(`AUTH ${JSON.stringify(password)}\r\nPING\r\n`));
    const done = (yes: boolean) => {
      socket.destroy();
      resolve(yes);
    };
    socket.setTimeout(2_000, () => done(false));
    socket.on('data', (bytes) => {
      text += bytes;
      if (text.includes('+PONG')) done(true);
      else if (text.includes('-')) done(false);
    });
    socket.on('error', () => done(false));
    socket.on('close', () => resolve(false));
  });
}
