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

/**
 * A minimal Realtime server (protocol 2.0.0): accepts every join; the test sends all other
 * messages.
 */
class Server {
  readonly joins: { private: unknown; send(event: string, payload: object): void }[] = [];
  readonly sockets: WebSocket[] = [];
  readonly #server = new WebSocketServer({ port: 0, host: '127.0.0.1' });

  constructor() {
    this.#server.on('connection', (socket) => {
      this.sockets.push(socket);
      socket.on('message', (text) => this.#onMessage(socket, JSON.parse(String(text)) as Frame));
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

  #onMessage(socket: WebSocket, [joinRef, ref, topic, event, payload]: Frame): void {
    const send = (name: string, body: object, replyTo: string | null = joinRef) =>
      socket.send(JSON.stringify([joinRef, replyTo, topic, name, body]));
    send('phx_reply', { status: 'ok', response: event === 'phx_join' ? { postgres_changes: [] } : {} }, ref);
    if (event !== 'phx_join') return;
    const { private: hidden } = (payload.config ?? {}) as { private?: unknown };
    this.joins.push({ private: hidden, send });
  }
}

let server: Server;
let statuses: string[];
let received: unknown[];
let end: () => void;
beforeEach(async () => {
  server = new Server();
  statuses = [];
  received = [];
  const client = createClient(await server.listen(), 'sb_publishable_x', {
    auth: { persistSession: false, autoRefreshToken: false },
    realtime: { transport: WebSocket as never },
  });
  const stop = new RealtimeSource(client).subscribe('markets:all', {
    onBroadcast: (message) => received.push(message),
    onStatus: (status) => statuses.push(status),
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

test('the Realtime client joins privately, delivers broadcasts, and rejoins after the server closes the channel', async () => {
  await waitUntil(() => statuses.includes('subscribed'));
  expect(server.joins[0]?.private).toBe(true);
  server.joins[0]?.send('broadcast', broadcast(1));
  await waitUntil(() => received.length === 1);
  expect(received).toEqual([{ offset: 1 }]);

  // As for an expired token: the server closes the channel, and the library does not rejoin.
  server.joins[0]?.send('phx_close', {});
  await waitUntil(() => server.joins.length === 2 && statuses.at(-1) === 'subscribed');
  expect(statuses).toEqual(['connecting', 'subscribed', 'lost', 'connecting', 'subscribed']);
  server.joins[1]?.send('broadcast', broadcast(2));
  await waitUntil(() => received.length === 2);
});

test('the Realtime client reports a broken socket as lost and rejoins', async () => {
  await waitUntil(() => statuses.includes('subscribed'));
  server.sockets[0]?.terminate();
  await waitUntil(() => server.joins.length === 2 && statuses.at(-1) === 'subscribed');
  expect(statuses).toContain('lost');
  server.joins[1]?.send('broadcast', broadcast(7));
  await waitUntil(() => received.length === 1);
});
