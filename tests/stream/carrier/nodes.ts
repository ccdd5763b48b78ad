import type { ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import postgres from 'postgres';
import type { CarrierSettings } from '../../../functions/api/carrier/settings.ts';
import { streamSettingsOf } from '../../../functions/api/stream_token.ts';
import { findCentrifugo } from '../../../local/platform/carrier/binary.ts';
import type { Broker } from '../../../local/platform/carrier/config.ts';
import { spawnNode, untilNodeServes, writeConfig } from '../../../local/platform/carrier/nodes.ts';
import { findRedis, type RedisServer, spawnRedis, untilRedisServes } from '../../../local/platform/carrier/redis.ts';
import { freePort } from '../../../local/platform/postgres/postgres.ts';
import type { Sql } from '../../../local/platform/postgres/template.ts';
import { type RunningApi, serveApi } from '../../api/support/server.ts';

export const centrifugo = findCentrifugo();
/** Why the tests over Centrifugo do not run here; empty if they do. */
export const missingCentrifugo = 'missing' in centrifugo ? centrifugo.missing : '';
export const redisBinary = findRedis();
export const missingRedis = 'missing' in redisBinary ? redisBinary.missing : '';

export type CentrifugoNode = {
  name: string;
  url: string;
  /** The address of the server API and of /metrics. */
  internal: string;
  pid: number;
  /** The lines of its output. */
  lines: string[];
  kill(signal?: NodeJS.Signals): Promise<void>;
  restart(): Promise<void>;
};

export type Carrier = {
  api: RunningApi;
  apiKey: string;
  /** `redis`: another Redis than that of the other nodes. */
  startNode(redis?: RedisAddress): Promise<CentrifugoNode>;
  /** Only with the broker `redis`. */
  redis: { server: RedisServer; kill(): Promise<void>; restart(): Promise<void> };
  stop(): Promise<void>;
};

export type RedisAddress = { url: string; password: string };

/** The roles that it logs in with. */
export const carrierRoles = ['parallax_api', 'parallax_carrier', 'parallax_ingest'] as const;
type CarrierRole = (typeof carrierRoles)[number];

type CarrierOptions = {
  sql: Sql;
  broker: Broker;
  /** The database URL of a role. */
  url(role: CarrierRole): string;
  /** Where tickets send their holders. Default: the first node. */
  wsUrl?: string;
  /** With the broker `redis`: a Redis of the test, instead of one that is started here. */
  redis?: RedisAddress;
  /** Whether the relay is called as ingest calls it. Default: yes. */
  relay?: boolean;
};

/** How often ingest calls the relay while it writes prices. */
const RELAY_MS = 50;

/** Nodes of Centrifugo over a test database, with the API that they ask, and a running relay. */
export async function startCarrier(options: CarrierOptions): Promise<Carrier> {
  const { sql, broker, url, wsUrl, redis, relay = true } = options;
  if ('missing' in centrifugo) throw new Error(centrifugo.missing);
  await sql`select stream.use_carrier(${broker})`;
  const folder = mkdtempSync(join(tmpdir(), 'centrifugo-'));
  const settings: CarrierSettings & { nodes: { name: string; url: string }[] } = {
    proxySecret: 'the secret of the nodes in the tests, long enough',
    apiKey: 'the key of the server API in the tests, long enough',
    nodes: [],
  };
  const firstPort = await freePort();
  const stream = streamSettingsOf((name) =>
    name === 'STREAM_URL' ? (wsUrl ?? `ws://127.0.0.1:${firstPort}/stream`) : undefined,
  );
  const api = await serveApi(url('parallax_api'), { carrier: settings, stream });
  const configFile = writeConfig(folder, { broker, apiUrl: api.base });
  const server = broker === 'redis' && !redis ? await startRedis(join(folder, 'redis')) : undefined;
  const cluster = {
    databaseUrl: url('parallax_carrier'),
    ...settings,
    redis: server ? { url: `redis://127.0.0.1:${server.server.port}`, password: server.server.password } : redis,
  };
  const nodes: CentrifugoNode[] = [];
  // Two nodes that make the tables at once disturb each other, and one ends.
  let starting: Promise<unknown> = Promise.resolve();
  const stopRelay = relay ? runRelay(url('parallax_ingest')) : async () => {};
  const addNode = async (redis?: RedisAddress) => {
    const node = {
      name: `node-${nodes.length + 1}`,
      wsPort: nodes.length === 0 ? firstPort : await freePort(),
      internalPort: await freePort(),
    };
    const ofNode = redis ? { ...cluster, redis } : cluster;
    const started = await startNode(
      () => spawnNode({ binary: centrifugo, configFile, node, cluster: ofNode }, 'pipe'),
      node,
    );
    nodes.push(started);
    settings.nodes.push({ name: node.name, url: started.internal });
    return started;
  };
  return {
    api,
    apiKey: settings.apiKey,
    startNode(redis) {
      const started = starting.then(() => addNode(redis));
      starting = started.catch(() => {});
      return started;
    },
    get redis() {
      if (!server) throw new Error('this carrier has no Redis');
      return server;
    },
    async stop() {
      await stopRelay();
      for (const node of nodes) await node.kill('SIGKILL');
      await server?.kill();
      await api.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function startNode(
  spawn: () => ChildProcess,
  node: { name: string; wsPort: number; internalPort: number },
): Promise<CentrifugoNode> {
  const lines: string[] = [];
  let child: ChildProcess;
  const start = async () => {
    child = spawn();
    for (const stream of [child.stdout, child.stderr])
      stream?.on('data', (chunk) => lines.push(...String(chunk).trimEnd().split('\n')));
    await untilNodeServes(child, node).catch((error: unknown) => {
      throw new Error(`${error}\n${lines.slice(-10).join('\n')}`);
    });
  };
  await start();
  return {
    name: node.name,
    url: `ws://127.0.0.1:${node.wsPort}/stream`,
    internal: `http://127.0.0.1:${node.internalPort}`,
    get pid() {
      return child.pid ?? 0;
    },
    lines,
    kill: (signal = 'SIGKILL') => endProcess(child, signal),
    restart: start,
  };
}

async function startRedis(folder: string): Promise<Carrier['redis']> {
  if ('missing' in redisBinary) throw new Error(redisBinary.missing);
  const server = { folder, port: await freePort(), password: 'a password of Redis in the tests' };
  let child: ChildProcess;
  const restart = async () => {
    child = spawnRedis(redisBinary, server, 'pipe');
    await untilRedisServes(child, server);
  };
  await restart();
  return { server, restart, kill: () => endProcess(child, 'SIGKILL') };
}

async function endProcess(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  child.kill(signal);
  await exited;
}

/** Calls the relay as ingest does. It returns how to stop it. */
function runRelay(databaseUrl: string): () => Promise<void> {
  const sql = postgres(databaseUrl, { max: 1, onnotice: () => {} });
  let isStopped = false;
  let last: Promise<unknown> = Promise.resolve();
  const timer = setInterval(() => {
    last = last.then(() => (isStopped ? undefined : sql`select stream.relay_pending()`)).catch(() => {});
  }, RELAY_MS);
  return async () => {
    isStopped = true;
    clearInterval(timer);
    await last;
    await sql.end({ timeout: 2 });
  };
}
