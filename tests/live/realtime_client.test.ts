import { once } from 'node:events';
import { createClient } from '@supabase/supabase-js';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { RealtimeSource } from '../../dashboard/src/live/realtime_source.ts';
import { waitUntil } from '../support/wait_until.ts';

type Frame = [
  joinRef: string | null,
  ref: string | null,
  topic: string,
  event: string,
  payload: Record<string, unknown>,
];

/** The least of Realtime's protocol (vsn 2.0.0): joins are granted, and the test says what else the server says. */
class Server {
  readonly joins: { private: unknown; say(event: string, payload: object): void }[] = [];
  readonly sockets: WebSocket[] = [];
  readonly #server = new WebSocketServer({ port: 0, host: '127.0.0.1' });

  constructor() {
    this.#server.on('connection', (socket) => {
      this.sockets.push(socket);
      socket.on('message', (text) => this.#heard(socket, JSON.parse(String(text)) as Frame));
    });
  }

  async listen(): Promise<string> {
    if (!this.#server.address()) await once(this.#server, 'listening');
    const address = this.#server.address();
    return `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
  }

  close(): void {
    for (const socket of this.sockets) socket.terminate();
    this.#server.close();
  }

  #heard(socket: WebSocket, [joinRef, ref, topic, event, payload]: Frame): void {
    const say = (said: string, answer: object, to: string | null = joinRef) =>
      socket.send(JSON.stringify([joinRef, to, topic, said, answer]));
    say('phx_reply', { status: 'ok', response: event === 'phx_join' ? { postgres_changes: [] } : {} }, ref);
    if (event !== 'phx_join') return;
    const { private: hidden } = (payload.config ?? {}) as { private?: unknown };
    this.joins.push({ private: hidden, say });
  }
}

let server: Server;
let told: string[];
let heard: unknown[];
let end: () => void;
beforeEach(async () => {
  server = new Server();
  told = [];
  heard = [];
  const client = createClient(await server.listen(), 'sb_publishable_x', {
    auth: { persistSession: false, autoRefreshToken: false },
    realtime: { transport: WebSocket as never },
  });
  const stop = new RealtimeSource(client).subscribe('markets:all', {
    onBroadcast: (message) => heard.push(message),
    onStatus: (hearing) => told.push(hearing),
  });
  end = () => {
    stop();
    void client.realtime.disconnect();
  };
});
afterEach(() => {
  end();
  server.close();
});

const broadcast = (offset: number) => ({ event: 'frames', type: 'broadcast', payload: { offset } });

test('with the real client: joins privately, hands on broadcasts, and comes back after the server closed the channel', async () => {
  await waitUntil(() => told.includes('subscribed'));
  expect(server.joins[0]?.private).toBe(true);
  server.joins[0]?.say('broadcast', broadcast(1));
  await waitUntil(() => heard.length === 1);
  expect(heard).toEqual([{ offset: 1 }]);

  // An expired token: the platform says so and closes the channel; the library leaves it at that.
  server.joins[0]?.say('phx_close', {});
  await waitUntil(() => server.joins.length === 2 && told.at(-1) === 'subscribed');
  expect(told).toEqual(['connecting', 'subscribed', 'lost', 'connecting', 'subscribed']);
  server.joins[1]?.say('broadcast', broadcast(2));
  await waitUntil(() => heard.length === 2);
});

test('with the real client: a socket that breaks is told as lost, and joined again', async () => {
  await waitUntil(() => told.includes('subscribed'));
  server.sockets[0]?.terminate();
  await waitUntil(() => server.joins.length === 2 && told.at(-1) === 'subscribed');
  expect(told).toContain('lost');
  server.joins[1]?.say('broadcast', broadcast(7));
  await waitUntil(() => heard.length === 1);
});
