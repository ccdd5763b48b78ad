import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { repository } from '../../../local/platform/postgres/binaries.ts';
import { freePort } from '../../../local/platform/postgres/postgres.ts';
import { waitUntil } from '../../support/wait_until.ts';
import { redisBinary } from './nodes.ts';

export type RedisProcess = {
  port: number;
  kill(): Promise<void>;
  /** Runs a command with redis-cli, and returns its output. */
  cli(...command: string[]): Promise<string>;
};

/** A master, its replicas, and a Sentinel that promotes one of them. */
export type RedisGroup = {
  /** The address for Centrifugo, which asks the Sentinel for the master. */
  url: string;
  password: string;
  master: RedisProcess;
  replicas: RedisProcess[];
  sentinel: RedisProcess;
  /** What the Sentinel wrote, and the script that it called. */
  lines: string[];
  /** Ends the replication to a replica, which cannot begin again. */
  cutReplication(replica: RedisProcess): Promise<void>;
  untilPromoted(replica: RedisProcess): Promise<void>;
  stop(): Promise<void>;
};

export type GroupOptions = {
  folder: string;
  replicas?: number;
  /** Called by the Sentinel after a promotion. */
  script?: string;
  /** Variables of the script. */
  env?: Record<string, string>;
  /** Lines of the configuration of each server. */
  settings?: string[];
};

/** The script that makes new epochs. */
export const afterFailover = join(repository, 'local/platform/carrier/after_failover.sh');
export const PASSWORD = 'a password of Redis in the tests';
const NAME = 'stream';

export async function startRedisGroup(options: GroupOptions): Promise<RedisGroup> {
  const { folder, replicas: count = 1, script, env = {}, settings = [] } = options;
  const common = ['requirepass', 'masterauth'].map((name) => `${name} "${PASSWORD}"`).concat('save ""', ...settings);
  const master = await startProcess(join(folder, 'master'), common);
  const replicas: RedisProcess[] = [];
  for (let n = 0; n < count; n += 1) {
    const lines = [...common, `replicaof 127.0.0.1 ${master.port}`, 'repl-diskless-sync-delay 0'];
    replicas.push(await startProcess(join(folder, `replica-${n}`), lines));
  }
  for (const replica of replicas) await untilReplicating(replica);
  const watch = [
    `sentinel monitor ${NAME} 127.0.0.1 ${master.port} 1`,
    `sentinel auth-pass ${NAME} "${PASSWORD}"`,
    `sentinel down-after-milliseconds ${NAME} 1000`,
    `sentinel failover-timeout ${NAME} 6000`,
    ...(script ? [`sentinel client-reconfig-script ${NAME} ${script}`] : []),
  ];
  const lines: string[] = [];
  const sentinel = await startProcess(join(folder, 'sentinel'), watch, { lines, env, isSentinel: true });
  await waitUntil(
    async () => (await sentinel.cli('SENTINEL', 'REPLICAS', NAME)).match(/^runid\n\w/gm)?.length === count,
    {
      what: 'the Sentinel knows all replicas',
      timeoutMs: 30_000,
      evidence: () => lines.join('\n'),
    },
  );
  return {
    url: `redis+sentinel://127.0.0.1:${sentinel.port}?sentinel_master_name=${NAME}`,
    password: PASSWORD,
    master,
    replicas,
    sentinel,
    lines,
    async cutReplication(replica) {
      await replica.cli('CONFIG', 'SET', 'masterauth', 'wrong');
      await replica.cli('CLIENT', 'KILL', 'TYPE', 'master');
    },
    async untilPromoted(replica) {
      await waitUntil(async () => (await replica.cli('ROLE')).startsWith('master'), {
        what: 'the replica is promoted',
        timeoutMs: 30_000,
        evidence: () => lines.join('\n'),
      });
    },
    async stop() {
      for (const one of [sentinel, ...replicas, master]) await one.kill();
    },
  };
}

const untilReplicating = (replica: RedisProcess) =>
  waitUntil(async () => (await replica.cli('INFO', 'replication')).includes('master_link_status:up'), {
    what: 'the replica is connected',
    timeoutMs: 30_000,
  });

type ProcessOptions = { lines?: string[]; env?: Record<string, string>; isSentinel?: boolean };

async function startProcess(folder: string, config: string[], options: ProcessOptions = {}): Promise<RedisProcess> {
  if ('missing' in redisBinary) throw new Error(redisBinary.missing);
  const { lines = [], env = {}, isSentinel = false } = options;
  mkdirSync(folder, { recursive: true });
  const port = await freePort();
  const file = join(folder, 'redis.conf');
  writeFileSync(file, `${['bind 127.0.0.1', `port ${port}`, `dir "${folder}"`, ...config].join('\n')}\n`);
  const child = spawn(redisBinary.path, [file, ...(isSentinel ? ['--sentinel'] : [])], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: process.env.PATH ?? '/usr/bin:/bin', REDISCLI_AUTH: PASSWORD, ...env },
  });
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => lines.push(...String(chunk).trimEnd().split('\n')));
  const cli = redisCli(port, isSentinel ? '' : PASSWORD);
  await waitUntil(async () => (await cli('PING')).startsWith('PONG'), {
    what: `Redis answers in ${folder}`,
    failed: () => child.exitCode !== null && `Redis ended with ${child.exitCode}: ${lines.join('\n')}`,
  });
  return { port, cli, kill: () => endChild(child) };
}

const run = promisify(execFile);

/** A function that runs a command with redis-cli, and returns its output. */
export function redisCli(port: number, password: string): RedisProcess['cli'] {
  const env = { PATH: process.env.PATH ?? '/usr/bin:/bin', ...(password ? { REDISCLI_AUTH: password } : {}) };
  return async (...command) => (await run('redis-cli', ['-p', String(port), ...command], { env })).stdout;
}

async function endChild(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  child.kill('SIGKILL');
  await exited;
}
