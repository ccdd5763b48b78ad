import type { AddressInfo } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';
import { waitUntil } from '../../support/wait_until.ts';

/**
 * A stub of Realtime with the parts that the stream function uses, to measure only the function.
 */
export type StubRealtime = {
  url: string;
  /** Resolves when the function has joined the topic. */
  joined(topic: string): Promise<void>;
  /** Sends a broadcast in the format of the database. */
  broadcast(channel: string, epoch: string, offset: number, frames: readonly string[]): void;
  close(): Promise<void>;
};

type Inbound = { topic: string; event: string; ref: string };

export async function stubRealtime(): Promise<StubRealtime> {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  const topics = new Set<string>();
  let connection: WebSocket | undefined;
  server.on('connection', (socket) => {
    connection = socket;
    socket.on('message', (text) => {
      const { topic, event, ref }: Inbound = JSON.parse(String(text));
      const answer = (name: string, payload: object, to: string | null) =>
        socket.send(JSON.stringify({ topic, event: name, payload, ref: to }));
      answer('phx_reply', { status: 'ok', response: {} }, ref);
      if (event !== 'phx_join') return;
      answer('system', { status: 'ok', message: 'Replication connection established', extension: 'system' }, null);
      topics.add(topic.replace('realtime:', ''));
    });
  });
  return {
    url: `http://127.0.0.1:${port}`,
    async joined(topic) {
      await waitUntil(() => topics.has(topic), { what: `the function joins ${topic}`, timeoutMs: 60_000 });
    },
    broadcast(channel, epoch, offset, frames) {
      const payload = `{"epoch":"${epoch}","frames":[${frames.join(',')}],"offset":${offset},"channel":"${channel}"}`;
      connection?.send(
        `{"topic":"realtime:${channel}","event":"broadcast","payload":{"event":"frames","payload":${payload},"type":"broadcast"},"ref":null}`,
      );
    },
    async close() {
      connection?.terminate();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
