import type { AddressInfo } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';
import { waitUntil } from '../../support/wait_until.ts';

/** As much of Realtime as the stream function asks for, so that nothing but the function is measured. */
export type StubRealtime = {
  url: string;
  /** Resolves when the topic has been joined. */
  joined(topic: string): Promise<void>;
  /** One broadcast, as the database sends it. */
  broadcast(channel: string, epoch: string, offset: number, frames: readonly string[]): void;
  close(): Promise<void>;
};

type Inbound = { topic: string; event: string; ref: string };

export async function stubRealtime(): Promise<StubRealtime> {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  const topics = new Set<string>();
  let line: WebSocket | undefined;
  server.on('connection', (socket) => {
    line = socket;
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
      line?.send(
        `{"topic":"realtime:${channel}","event":"broadcast","payload":{"event":"frames","payload":${payload},"type":"broadcast"},"ref":null}`,
      );
    },
    async close() {
      line?.terminate();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
