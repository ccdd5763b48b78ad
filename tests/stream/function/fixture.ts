import type { ChildProcess } from 'node:child_process';
import { Centrifuge } from 'centrifuge';
import postgres from 'postgres';
import type WebSocket from 'ws';
import { NodeSocket } from '../../../client/src/node_socket.ts';
import { databaseUrl, freePort } from '../../../local/platform/postgres/postgres.ts';
import type { Sql } from '../../../local/platform/postgres/template.ts';
import { jwtSecret, keys, type RealtimeFixture, startRealtime } from '../../realtime/fixture.ts';
import { startFunction } from '../../support/function_process.ts';
import { TEST_TEMPLATE } from '../../support/names.ts';
import { waitUntil } from '../../support/wait_until.ts';
import { type Carrier, startCarrier } from '../carrier/nodes.ts';
import { mintTicket, type OrganizationKey } from './minted.ts';

/** One process of the stream function; the platform calls it an isolate. */
export type Isolate = {
  url: string;
  pid: number;
  /** The lines of its output. */
  lines: string[];
  kill(signal?: NodeJS.Signals): Promise<void>;
  restart(): Promise<void>;
};

export type StreamFixture = {
  realtime: RealtimeFixture;
  sql: Sql;
  /** Starts a process; `inspectPort` is the port of its inspector. */
  startIsolate(env?: Record<string, string>, inspectPort?: number): Promise<Isolate>;
  /** Appends frames to channels and broadcasts them, as ingest does. */
  publish(channel: string, ...frames: string[]): Promise<void>;
  stop(): Promise<void>;
};

/** What suites share: the fixture, and one isolate of it. */
export type StreamWorld = { fixture: StreamFixture; isolate: Isolate };

/**
 * Starts the real Realtime process, with isolates of the stream function, on a database of its own.
 * With `centrifugo`, nodes of Centrifugo take the place of the isolates.
 */
export async function startStream(carrier = process.env.STREAM_CARRIER): Promise<StreamFixture> {
  const realtime = await startRealtime({}, TEST_TEMPLATE);
  const sql = postgres(realtime.databaseUrl, { max: 8, onnotice: () => {} });
  const { scratch } = realtime;
  // The tests send more messages a second than a project on the Free plan may.
  await sql`update stream.settings set messages_a_second = 10000`;
  const overCentrifugo = carrier === 'centrifugo' ? await startCentrifugo(realtime, sql) : undefined;
  const isolates: Isolate[] = [];
  return {
    realtime,
    sql,
    async startIsolate(env = {}, inspectPort) {
      if (overCentrifugo) return await overCentrifugo.startNode();
      const settings = {
        DB_URL_STREAM: databaseUrl(scratch.cluster.port, 'parallax_stream', scratch.password, 'realtime_test'),
        SUPABASE_URL: realtime.url,
        SUPABASE_PUBLISHABLE_KEYS: JSON.stringify({ default: keys.publishable }),
        STREAM_SIGNING_SECRET: jwtSecret,
        ...env,
      };
      const isolate = await startIsolate(
        settings,
        inspectPort === undefined ? [] : [`--inspect=127.0.0.1:${inspectPort}`],
      );
      isolates.push(isolate);
      return isolate;
    },
    async publish(channel, ...frames) {
      await sql`select stream.append_publication(${channel}, ${frames})`;
      await sql`select stream.broadcast_pending()`;
    },
    async stop() {
      await overCentrifugo?.stop();
      for (const isolate of isolates) await isolate.kill('SIGKILL');
      await sql.end({ timeout: 2 });
      await realtime.stop();
    },
  };
}

/** With STREAM_CARRIER=centrifugo, the tests run over nodes of Centrifugo instead of isolates. */
async function startCentrifugo({ scratch }: RealtimeFixture, sql: Sql): Promise<Carrier> {
  const url = (role: string) => databaseUrl(scratch.cluster.port, role, scratch.password, 'realtime_test');
  return await startCarrier({ sql, broker: 'postgres', url });
}

async function startIsolate(env: Record<string, string>, flags: readonly string[]): Promise<Isolate> {
  const port = await freePort();
  const lines: string[] = [];
  let child: ChildProcess;
  const start = async () => {
    child = startFunction('stream', { ...env, PORT: String(port) }, ['--v8-flags=--max-old-space-size=256', ...flags]);
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on('data', (chunk) => {
        lines.push(...String(chunk).trimEnd().split('\n'));
        if (log !== undefined) process.stderr.write(chunk);
      });
    }
    await waitUntil(
      async () => {
        if (child.exitCode !== null) throw new Error(lines.join('\n'));
        const signal = AbortSignal.timeout(1_000);
        const response = await fetch(`http://127.0.0.1:${port}/stream`, { signal }).catch(() => undefined);
        return response?.status === 426;
      },
      { what: 'the isolate listens' },
    );
  };
  await start();
  return {
    url: `ws://127.0.0.1:${port}/stream`,
    get pid() {
      return child.pid ?? 0;
    },
    lines,
    async kill(signal = 'SIGKILL') {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
      child.kill(signal);
      await exited;
    },
    restart: start,
  };
}

const log = process.env.STREAM_TEST_LOG;

/** All that a client received on one channel. */
export type ReceivedFrames = {
  offsets: number[];
  frames: Record<string, unknown>[];
  recovered: boolean[];
  wasRecovering: boolean[];
};

export type Client = {
  centrifuge: Centrifuge;
  received(channel: string): ReceivedFrames;
  subscribed: string[];
  unsubscribed: string[];
  /** Codes and reasons of each disconnect and each reconnect. */
  ends: { code: number; reason: string }[];
  /** Close codes of its sockets, also of rejected ones, which the SDK does not report. */
  closes: number[];
  sockets: WebSocket[];
};

/** A client of the real SDK. It mints a new ticket for each connection. */
export function createStreamClient(
  url: string | (() => string),
  ticket: () => Promise<string>,
  options: Record<string, unknown> = {},
): Client {
  const channels = new Map<string, ReceivedFrames>();
  const received = (channel: string): ReceivedFrames => {
    const found = channels.get(channel) ?? { offsets: [], frames: [], recovered: [], wasRecovering: [] };
    channels.set(channel, found);
    return found;
  };
  const closes: number[] = [];
  const sockets: WebSocket[] = [];
  const endpoint = typeof url === 'string' ? url : 'ws://unused';
  class RedirectedSocket extends NodeSocket {
    constructor(address: string) {
      super(typeof url === 'string' ? address : url());
      this.on('close', (code) => closes.push(code));
      sockets.push(this);
    }
  }
  const centrifuge = new Centrifuge(endpoint, {
    websocket: RedirectedSocket,
    getData: async () => ({ t: await ticket() }),
    minReconnectDelay: 20,
    maxReconnectDelay: 300,
    ...options,
  });
  const client: Client = { centrifuge, received, subscribed: [], unsubscribed: [], ends: [], closes, sockets };
  centrifuge.on('publication', ({ channel, data, offset }) => {
    const one = received(channel);
    one.offsets.push(offset ?? 0);
    one.frames.push(data);
  });
  centrifuge.on('subscribed', ({ channel, recovered, wasRecovering }) => {
    client.subscribed.push(channel);
    received(channel).recovered.push(recovered);
    received(channel).wasRecovering.push(wasRecovering);
  });
  centrifuge.on('unsubscribed', ({ channel }) => client.unsubscribed.push(channel));
  centrifuge.on('connecting', ({ code, reason }) => code !== 0 && client.ends.push({ code, reason }));
  centrifuge.on('disconnected', ({ code, reason }) => client.ends.push({ code, reason }));
  centrifuge.on('error', () => {});
  return client;
}

/** Connects the client and waits for its first subscription. */
export async function connectClient(client: Client): Promise<Client> {
  client.centrifuge.connect();
  await client.centrifuge.ready(15_000);
  await waitUntil(() => client.subscribed.length > 0, { what: 'subscribed' });
  return client;
}

export const ticketSource = (sql: Sql, org: OrganizationKey) => async () => (await mintTicket(sql, org)).ticket;
