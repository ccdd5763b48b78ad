import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import postgres from 'postgres';
import type { CentrifugoBinary } from '../../../local/platform/carrier/binary.ts';
import { type Broker, nodeEnvironment, nodeOptions, WEBSOCKET_PATH } from '../../../local/platform/carrier/config.ts';
import { untilNodeServes, writeConfig } from '../../../local/platform/carrier/nodes.ts';
import { type RedisBinary, spawnRedis, untilRedisServes } from '../../../local/platform/carrier/redis.ts';
import { databaseUrl, freePort } from '../../../local/platform/postgres/postgres.ts';
import type { TemporaryPostgres } from '../../../local/platform/postgres/temporary_postgres.ts';
import { startFunction } from '../../support/function_process.ts';
import { waitUntil } from '../../support/wait_until.ts';
import { mintTickets } from '../stream/tickets.ts';
import type { ListenerTarget } from './listener_process.ts';

export type BenchNode = { name: string; wsPort: number; internalPort: number; pid: number; kill(): Promise<void> };

/** Nodes of Centrifugo over a database of their own, and the API as a process of Deno. */
export type BenchCluster = {
  sql: postgres.Sql;
  /** The `{base_url}` of callers. */
  api: string;
  apiPid: number;
  nodes: BenchNode[];
  stop(): Promise<void>;
};

export type ClusterOptions = {
  scratch: TemporaryPostgres;
  template: string;
  database: string;
  binary: CentrifugoBinary;
  nodes: number;
  /** Without it, the PostgreSQL broker. */
  redis?: RedisBinary;
};

export const PROXY_SECRET = 'the secret of the nodes in the bench, long enough';
const SECRETS = {
  proxySecret: PROXY_SECRET,
  apiKey: 'the key of the server API in the bench, long enough',
};

export async function startCluster(options: ClusterOptions): Promise<BenchCluster> {
  const { scratch, redis } = options;
  const broker: Broker = redis ? 'redis' : 'postgres';
  const owner = await scratch.create(options.database, options.template);
  const database = new URL(owner).pathname.slice(1);
  const sql = postgres(owner, { max: 4, onnotice: () => {} });
  const children: ChildProcess[] = [];
  const folder = mkdtempSync(join(tmpdir(), 'carriers-'));
  const stop = async () => {
    await Promise.all(children.map(endProcess));
    await sql.end({ timeout: 1 });
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    for (const role of ['parallax_api', 'parallax_carrier'])
      await scratch.admin.unsafe(`alter role ${role} login password '${scratch.password}'`);
    await sql`select stream.use_carrier(${broker})`;
    const places = [];
    for (let n = 1; n <= options.nodes; n += 1)
      places.push({ name: `node-${n}`, wsPort: await freePort(), internalPort: await freePort() });
    const url = (role: string) => databaseUrl(scratch.cluster.port, role, scratch.password, database);
    const api = await startApi(url('parallax_api'), places);
    children.push(api.child);
    const server = redis && (await startRedis(redis, join(folder, 'redis'), children));
    const configFile = writeConfig(folder, { broker, apiUrl: api.base });
    withoutPings(configFile);
    const cluster = { databaseUrl: url('parallax_carrier'), ...SECRETS, redis: server };
    const nodes: BenchNode[] = [];
    for (const node of places) {
      const child = spawn(options.binary.path, ['--config', configFile, ...nodeOptions(node)], {
        cwd: folder,
        stdio: ['ignore', 'ignore', 'inherit'],
        env: { PATH: process.env.PATH ?? '', ...settingsOfTrial(), ...nodeEnvironment(node, cluster) },
      });
      children.push(child);
      await untilNodeServes(child, node);
      nodes.push({ ...node, pid: child.pid ?? 0, kill: () => endProcess(child) });
    }
    return { sql, api: api.base, apiPid: api.child.pid ?? 0, nodes, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** The minimal clients do not answer pings (listener_process.ts). */
function withoutPings(configFile: string): void {
  const config = JSON.parse(readFileSync(configFile, 'utf8'));
  config.client.ping_interval = '3600s';
  config.log = { level: 'fatal' };
  writeFileSync(configFile, JSON.stringify(config));
}

/** A setting that the caller tries: `CENTRIFUGO_WEBSOCKET_WRITE_BUFFER_SIZE=… npm run bench …`. */
function settingsOfTrial(): Record<string, string> {
  const isSetting = ([name]: [string, unknown]) => /^(CENTRIFUGO_(?!BINARY)|GOMAXPROCS$|GOGC$|GODEBUG$)/.test(name);
  return Object.fromEntries(Object.entries(process.env).filter(isSetting)) as Record<string, string>;
}

async function startApi(
  databaseUrl: string,
  places: readonly { name: string; wsPort: number; internalPort: number }[],
): Promise<{ child: ChildProcess; base: string }> {
  const port = await freePort();
  const child = startFunction('api', {
    DB_URL_API: databaseUrl,
    PORT: String(port),
    LOG_LEVEL: 'error',
    STREAM_URL: `ws://127.0.0.1:${places[0]?.wsPort}${WEBSOCKET_PATH}`,
    STREAM_PROXY_SECRET: SECRETS.proxySecret,
    CENTRIFUGO_API_KEY: SECRETS.apiKey,
    CENTRIFUGO_NODES: places.map(({ name, internalPort }) => `${name}=http://127.0.0.1:${internalPort}`).join(','),
  });
  // A pipe that is not read would stop the process.
  child.stdout?.resume();
  child.stderr?.pipe(process.stderr);
  await waitUntil(() => fetch(`http://127.0.0.1:${port}/healthz`), {
    what: 'functions/api answers',
    timeoutMs: 60_000,
    failed: () => child.exitCode !== null && 'functions/api does not run',
  });
  return { child, base: `http://127.0.0.1:${port}/api` };
}

async function startRedis(binary: RedisBinary, folder: string, children: ChildProcess[]) {
  const server = { folder, port: await freePort(), password: 'a password of Redis in the bench' };
  const child = spawnRedis(binary, server, 'pipe');
  child.stdout?.resume();
  child.stderr?.resume();
  children.push(child);
  await untilRedisServes(child, server);
  return { url: `redis://127.0.0.1:${server.port}`, password: server.password };
}

/** Gives the log to the broker. Returns the time right before the commit, epoch ms. */
export async function relay(sql: postgres.Sql): Promise<number> {
  const [row] = await sql<{ at: number }[]>`
    select stream.relay_pending(), (extract(epoch from clock_timestamp()) * 1000)::float8 as at`;
  return row?.at ?? Number.NaN;
}

export async function endProcess(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  child.kill('SIGKILL');
  await exited;
}

/** New clients of a cluster, in turn at its nodes. */
export async function mintTargets({ sql, nodes }: BenchCluster, clients: number): Promise<ListenerTarget[]> {
  const { commands } = await mintTickets(sql, clients);
  // The frames about the new key, which would else arrive with the first measurement.
  await sql`select stream.relay_pending()`;
  return commands.map((message, n) => ({
    port: nodes[n % nodes.length]?.wsPort ?? 0,
    path: WEBSOCKET_PATH,
    message,
    acceptedBy: '"connect":',
    pongs: false,
  }));
}
