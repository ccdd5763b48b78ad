import type { ChildProcess } from 'node:child_process';
import { Centrifuge } from 'centrifuge';
import postgres from 'postgres';
import type WebSocket from 'ws';
import { buildFromSql } from '../../../local/platform/postgres/build.ts';
import { databaseUrl, freePort } from '../../../local/platform/postgres/postgres.ts';
import type { Sql } from '../../../local/platform/postgres/template.ts';
import { keys, type Stage, startStage } from '../../realtime/fixture.ts';
import { startFunction } from '../../support/function_process.ts';
import { NodeSocket } from '../../support/node_socket.ts';
import { waitUntil } from '../../support/wait_until.ts';
import { type Minted, ticketOf } from './minted.ts';

/** The stream function as a process of its own: one of these is one isolate. */
export type Isolate = {
  url: string;
  pid: number;
  /** What it has printed. */
  lines: string[];
  kill(signal?: NodeJS.Signals): Promise<void>;
  revive(): Promise<void>;
};

export type World = {
  realtime: Stage;
  sql: Sql;
  /** `inspectPort`: where its inspector listens. */
  isolate(env?: Record<string, string>, inspectPort?: number): Promise<Isolate>;
  /** Appends frames to channels and broadcasts them, as ingest does. */
  say(channel: string, ...frames: string[]): Promise<void>;
  stop(): Promise<void>;
};

/** The real Realtime process and isolates of the stream function on a database of their own. */
export async function startWorld(): Promise<World> {
  const realtime = await startStage();
  await buildFromSql(realtime.databaseUrl);
  const sql = postgres(realtime.databaseUrl, { max: 8, onnotice: () => {} });
  const { scratch } = realtime;
  await scratch.admin.unsafe(`alter role parallax_stream login password '${scratch.password}'`);
  // The tests say more in a second than a project on the Free plan may.
  await sql`update stream.settings set messages_a_second = 10000`;
  const isolates: Isolate[] = [];
  return {
    realtime,
    sql,
    async isolate(env = {}, inspectPort) {
      const settings = {
        DB_URL_STREAM: databaseUrl(scratch.cluster.port, 'parallax_stream', scratch.password, 'realtime_test'),
        SUPABASE_URL: realtime.url,
        SUPABASE_SECRET_KEYS: JSON.stringify({ default: keys.secret }),
        ...env,
      };
      const made = await startIsolate(
        settings,
        inspectPort === undefined ? [] : [`--inspect=127.0.0.1:${inspectPort}`],
      );
      isolates.push(made);
      return made;
    },
    async say(channel, ...frames) {
      await sql`select stream.append_publication(${channel}, ${frames})`;
      await sql`select stream.broadcast_pending()`;
    },
    async stop() {
      for (const isolate of isolates) await isolate.kill('SIGKILL');
      await sql.end({ timeout: 2 });
      await realtime.stop();
    },
  };
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
        const answer = await fetch(`http://127.0.0.1:${port}/stream`, { signal }).catch(() => undefined);
        return answer?.status === 426;
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
      const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()));
      child.kill(signal);
      await gone;
    },
    revive: start,
  };
}

const log = process.env.STREAM_TEST_LOG;

/** Everything that a client was told of one channel. */
export type Heard = {
  offsets: number[];
  frames: Record<string, unknown>[];
  recovered: boolean[];
  wasRecovering: boolean[];
};

export type Client = {
  centrifuge: Centrifuge;
  heard(channel: string): Heard;
  subscribed: string[];
  unsubscribed: string[];
  /** Codes and reasons with which it was disconnected or began to reconnect. */
  ends: { code: number; reason: string }[];
  /** Codes with which its sockets were closed, those too that were refused: of them the SDK says nothing. */
  closes: number[];
  sockets: WebSocket[];
};

/** The real SDK, with a fresh ticket for each connection. */
export function clientOf(
  url: string | (() => string),
  ticket: () => Promise<string>,
  options: Record<string, unknown> = {},
): Client {
  const channels = new Map<string, Heard>();
  const heard = (channel: string): Heard => {
    const found = channels.get(channel) ?? { offsets: [], frames: [], recovered: [], wasRecovering: [] };
    channels.set(channel, found);
    return found;
  };
  const closes: number[] = [];
  const sockets: WebSocket[] = [];
  const endpoint = typeof url === 'string' ? url : 'ws://unused';
  class Anywhere extends NodeSocket {
    constructor(address: string) {
      super(typeof url === 'string' ? address : url());
      this.on('close', (code) => closes.push(code));
      sockets.push(this);
    }
  }
  const centrifuge = new Centrifuge(endpoint, {
    websocket: Anywhere,
    getData: async () => ({ t: await ticket() }),
    minReconnectDelay: 20,
    maxReconnectDelay: 300,
    ...options,
  });
  const client: Client = { centrifuge, heard, subscribed: [], unsubscribed: [], ends: [], closes, sockets };
  centrifuge.on('publication', ({ channel, data, offset }) => {
    const one = heard(channel);
    one.offsets.push(offset ?? 0);
    one.frames.push(data);
  });
  centrifuge.on('subscribed', ({ channel, recovered, wasRecovering }) => {
    client.subscribed.push(channel);
    heard(channel).recovered.push(recovered);
    heard(channel).wasRecovering.push(wasRecovering);
  });
  centrifuge.on('unsubscribed', ({ channel }) => client.unsubscribed.push(channel));
  centrifuge.on('connecting', ({ code, reason }) => code !== 0 && client.ends.push({ code, reason }));
  centrifuge.on('disconnected', ({ code, reason }) => client.ends.push({ code, reason }));
  centrifuge.on('error', () => {});
  return client;
}

/** Connects and waits for it. */
export async function connected(client: Client): Promise<Client> {
  client.centrifuge.connect();
  await client.centrifuge.ready(15_000);
  await waitUntil(() => client.subscribed.length > 0, { what: 'subscribed' });
  return client;
}

export const ticketFor = (sql: Sql, org: Minted) => async () => (await ticketOf(sql, org)).ticket;
