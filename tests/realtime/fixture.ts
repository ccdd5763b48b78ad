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
import type { TemporaryPostgres } from '../../local/platform/postgres/temporary_postgres.ts';
import { tsxArguments } from '../../local/platform/supervisor/venues.ts';
import { startOwnPostgres } from '../support/own_postgres.ts';
import { waitUntil } from '../support/wait_until.ts';

// Runs the real process behind the real gateway, on a Postgres of its own: a replication slot waits
// for every transaction of its cluster, and one of these tests stops the server.

export const jwtSecret = 'a-secret-of-at-least-thirty-two-letters';
export const keys = { publishable: 'sb_publishable_test', secret: 'sb_secret_test' };

export type RealtimeFixture = {
  scratch: TemporaryPostgres;
  /** Logs in as postgres. */
  databaseUrl: string;
  url: string;
  port: number;
  /** All clients of the test. `stop` disconnects them; they would reconnect without end. */
  clients: SupabaseClient[];
  /** `kill -9` */
  kill(): Promise<void>;
  restart(): Promise<void>;
  /** Ends the process with SIGTERM as the supervisor does, and returns its exit code. */
  terminate(): Promise<number | null>;
  stop(): Promise<void>;
};

/** `template`: the database to copy. Default: the platform without schemas of ours. */
export async function startRealtime(env: Record<string, string> = {}, template?: string): Promise<RealtimeFixture> {
  const scratch = await startOwnPostgres();
  const owner = await scratch.create('realtime_test', template);
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
        const response = await fetch(`http://127.0.0.1:${port}/realtime/v1/api/ping`, {
          signal: AbortSignal.timeout(1_000),
        }).catch(() => undefined);
        return response?.ok;
      },
      { what: 'Realtime serves' },
    );
  };
  const end = (signal: NodeJS.Signals) => {
    const exited = new Promise<number | null>((resolve) => child.once('exit', resolve));
    if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve(child.exitCode);
    child.kill(signal);
    return exited;
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
    restart: start,
    terminate: () => end('SIGTERM'),
    async stop() {
      for (const client of clients) client.realtime.disconnect();
      await end('SIGTERM');
      await gateway.close();
      await scratch.stop();
    },
  };
}

export const base64UrlJson = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

/** A user's token, signed with HS256 as the local Auth signs it. */
export function token(claims: Record<string, unknown>, seconds = 3600): string {
  const exp = Math.floor(Date.now() / 1000) + seconds;
  const text = `${base64UrlJson({ alg: 'HS256', typ: 'JWT' })}.${base64UrlJson({ role: 'authenticated', exp, ...claims })}`;
  return `${text}.${createHmac('sha256', jwtSecret).update(text).digest('base64url')}`;
}

/** A supabase-js client. Node 20 has no WebSocket, so the client gets one from `ws`. */
export function createTestClient(
  fixture: Pick<RealtimeFixture, 'url' | 'clients'>,
  options: Partial<RealtimeClientOptions> = {},
  { key = keys.publishable, accessToken }: { key?: string; accessToken?: () => Promise<string> } = {},
): SupabaseClient {
  const client = createClient(fixture.url, key, {
    auth: { persistSession: false, autoRefreshToken: false },
    realtime: { transport: WebSocket as never, ...options },
    ...(accessToken ? { accessToken } : {}),
  });
  fixture.clients.push(client);
  return client;
}

/**
 * A client that gets a user's token by callback, as the clients of this project do. supabase-js
 * forgets a token that is only set (`setAuth(token)`) at the next heartbeat or reconnection. A join
 * that does not wait for the first callback is sent without a token.
 */
export async function createUserClient(
  fixture: Pick<RealtimeFixture, 'url' | 'clients'>,
  claims: Record<string, unknown>,
  options: Partial<RealtimeClientOptions> & { seconds?: number } = {},
): Promise<SupabaseClient> {
  const { seconds, ...rest } = options;
  const userToken = token(claims, seconds);
  const client = createTestClient(fixture, rest, { accessToken: async () => userToken });
  await client.realtime.setAuth();
  return client;
}

export type ReceivedBroadcast = {
  event: string;
  payload: Record<string, unknown>;
  meta?: { id: string; replayed?: boolean };
};

/** A channel and everything that the client received on it. */
export type TestSubscription = {
  channel: RealtimeChannel;
  received: ReceivedBroadcast[];
  states: string[];
  systemMessages: string[];
};

/** Joins a channel and resolves at its first state. */
export async function subscribe(
  client: SupabaseClient | Promise<SupabaseClient>,
  topic: string,
  config: Record<string, unknown> = { private: true },
): Promise<TestSubscription> {
  const channel = (await client).channel(topic, { config });
  const subscription: TestSubscription = { channel, received: [], states: [], systemMessages: [] };
  channel.on('broadcast', { event: '*' }, (message) =>
    subscription.received.push(message as unknown as ReceivedBroadcast),
  );
  channel.on('system', {}, (message: { message: string }) => subscription.systemMessages.push(message.message));
  await new Promise<void>((resolve) => {
    channel.subscribe((state, error) => {
      subscription.states.push(error ? `${state} ${error.message}` : state);
      resolve();
    });
  });
  return subscription;
}

/** Joins a channel and waits until messages of the database are delivered to it, too. */
export async function subscribeToDatabase(
  client: SupabaseClient | Promise<SupabaseClient>,
  topic: string,
): Promise<TestSubscription> {
  const subscription = await subscribe(client, topic, { private: true, broadcast: { replication_ready: true } });
  await waitUntil(() => subscription.systemMessages.includes('Replication connection established'), {
    what: 'replication',
  });
  return subscription;
}
