import { type ChildProcess, spawn } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { openSync } from 'node:fs';
import { join } from 'node:path';
import {
  createClient,
  type RealtimeChannel,
  type RealtimeClientOptions,
  type SupabaseClient,
} from '@supabase/supabase-js';
import WebSocket from 'ws';
import { Gateway } from '../../local/platform/gateway/gateway.ts';
import { repository } from '../../local/platform/postgres/binaries.ts';
import { databaseUrl, freePort } from '../../local/platform/postgres/postgres.ts';
import { type TemporaryPostgres, startTemporaryPostgres } from '../../local/platform/postgres/temporary_postgres.ts';
import { tsxArguments } from '../../local/platform/supervisor/venues.ts';
import { waitUntil } from '../support/wait_until.ts';

// The real process behind the real gateway, on a Postgres of its own: a slot waits for every transaction of its cluster, and a
// test here stops the server.

export const jwtSecret = 'a-secret-of-at-least-thirty-two-letters';
export const keys = { publishable: 'sb_publishable_test', secret: 'sb_secret_test' };

export type Stage = {
  scratch: TemporaryPostgres;
  /** Logs in as postgres. */
  databaseUrl: string;
  url: string;
  port: number;
  /** All that were made for it: they would try to reconnect for ever. */
  clients: SupabaseClient[];
  /** `kill -9` */
  kill(): Promise<void>;
  revive(): Promise<void>;
  /** Ends the process as the supervisor does; its exit code. */
  dismiss(): Promise<number | null>;
  stop(): Promise<void>;
};

export async function startStage(env: Record<string, string> = {}): Promise<Stage> {
  const scratch = await startTemporaryPostgres();
  const owner = await scratch.create('realtime_test');
  const socketPath = join(scratch.cluster.folder, '..', 'realtime');
  const port = await freePort();
  const clients: SupabaseClient[] = [];
  let child: ChildProcess;
  const log = process.env.REALTIME_TEST_LOG ? openSync(process.env.REALTIME_TEST_LOG, 'a') : 'ignore';
  const start = async () => {
    child = spawn(process.execPath, [...tsxArguments, join(repository, 'local/platform/realtime/main.ts')], {
      cwd: repository,
      stdio: ['ignore', log, log],
      env: {
        ...process.env,
        REALTIME_LISTEN: socketPath,
        REALTIME_DB_URL: databaseUrl(scratch.cluster.port, 'supabase_admin', scratch.password, 'realtime_test'),
        REALTIME_JWT_SECRET: jwtSecret,
        REALTIME_KEYS: JSON.stringify({ [keys.publishable]: 'anon', [keys.secret]: 'service_role' }),
        ...env,
      },
    });
    await waitUntil(
      async () => {
        const answer = await fetch(`http://127.0.0.1:${port}/realtime/v1/api/ping`, {
          signal: AbortSignal.timeout(1_000),
        }).catch(() => undefined);
        return answer?.ok;
      },
      { what: 'Realtime serves' },
    );
  };
  const end = (signal: NodeJS.Signals) => {
    const gone = new Promise<number | null>((resolve) => child.once('exit', resolve));
    if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve(child.exitCode);
    child.kill(signal);
    return gone;
  };
  const gateway = new Gateway({
    port,
    functions: new Map(),
    auth: undefined,
    realtime: { name: 'Realtime', address: { socketPath }, untilUp: async () => true },
    dashboard: '/nowhere',
    notice: '',
  });
  await gateway.listen();
  await start();
  return {
    scratch,
    databaseUrl: owner,
    url: `http://127.0.0.1:${port}`,
    port,
    clients,
    kill: async () => void (await end('SIGKILL')),
    revive: start,
    dismiss: () => end('SIGTERM'),
    async stop() {
      for (const client of clients) client.realtime.disconnect();
      await end('SIGTERM');
      await gateway.close();
      await scratch.stop();
    },
  };
}

export const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

/** A user's token; HS256 as Auth signs it here. */
export function token(claims: Record<string, unknown>, seconds = 3600): string {
  const exp = Math.floor(Date.now() / 1000) + seconds;
  const text = `${part({ alg: 'HS256', typ: 'JWT' })}.${part({ role: 'authenticated', exp, ...claims })}`;
  return `${text}.${createHmac('sha256', jwtSecret).update(text).digest('base64url')}`;
}

/** supabase-js as a user has it; on Node 20 it needs a WebSocket from elsewhere. */
export function clientOf(
  stage: Pick<Stage, 'url' | 'clients'>,
  options: Partial<RealtimeClientOptions> = {},
  { key = keys.publishable, accessToken }: { key?: string; accessToken?: () => Promise<string> } = {},
): SupabaseClient {
  const client = createClient(stage.url, key, {
    auth: { persistSession: false, autoRefreshToken: false },
    realtime: { transport: WebSocket as never, ...options },
    ...(accessToken ? { accessToken } : {}),
  });
  stage.clients.push(client);
  return client;
}

/**
 * A client with a user's token, as the project's own clients have it: by callback. A token that is only set (`setAuth(token)`) is
 * forgotten at the next heartbeat or reconnection; and a join that does not wait for the first call goes out without a token.
 */
export async function userOf(
  stage: Pick<Stage, 'url' | 'clients'>,
  claims: Record<string, unknown>,
  options: Partial<RealtimeClientOptions> & { seconds?: number } = {},
): Promise<SupabaseClient> {
  const { seconds, ...rest } = options;
  const held = token(claims, seconds);
  const client = clientOf(stage, rest, { accessToken: async () => held });
  await client.realtime.setAuth();
  return client;
}

export type Heard = { event: string; payload: Record<string, unknown>; meta?: { id: string; replayed?: boolean } };

/** A channel with everything that happens on it. */
export type Ear = { channel: RealtimeChannel; heard: Heard[]; states: string[]; system: string[] };

/** Joins and resolves at the first word about it. */
export async function listen(
  client: SupabaseClient | Promise<SupabaseClient>,
  topic: string,
  config: Record<string, unknown> = { private: true },
): Promise<Ear> {
  const channel = (await client).channel(topic, { config });
  const ear: Ear = { channel, heard: [], states: [], system: [] };
  channel.on('broadcast', { event: '*' }, (message) => ear.heard.push(message as unknown as Heard));
  channel.on('system', {}, (message: { message: string }) => ear.system.push(message.message));
  await new Promise<void>((resolve) => {
    channel.subscribe((state, error) => {
      ear.states.push(error ? `${state} ${error.message}` : state);
      resolve();
    });
  });
  return ear;
}

/** Joins and waits until what the database sends is delivered, too. */
export async function listenToDatabase(client: SupabaseClient | Promise<SupabaseClient>, topic: string): Promise<Ear> {
  const ear = await listen(client, topic, { private: true, broadcast: { replication_ready: true } });
  await waitUntil(() => ear.system.includes('Replication connection established'), { what: 'replication' });
  return ear;
}
