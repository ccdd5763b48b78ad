import WebSocket from 'ws';
import { waitUntil } from '../support/wait_until.ts';
import type { RealtimeFixture } from './fixture.ts';

export type Frame = { joinRef: string | null; ref: string | null; topic: string; event: string; payload: unknown };
type Reply = { status: string; response: Record<string, unknown> };

/** A client without a library; it keeps the frames as they arrive. */
export class RawClient {
  readonly socket: WebSocket;
  readonly frames: Frame[] = [];
  readonly #version: '1.0.0' | '2.0.0';
  #next = 1;

  private constructor(socket: WebSocket, version: '1.0.0' | '2.0.0') {
    this.socket = socket;
    this.#version = version;
    socket.on('error', () => {});
    socket.on('message', (data, binary) => {
      if (binary) return;
      const message = JSON.parse(data.toString());
      const [joinRef, ref, topic, event, payload] =
        version === '2.0.0' ? message : [message.join_ref, message.ref, message.topic, message.event, message.payload];
      this.frames.push({ joinRef, ref, topic, event, payload });
    });
  }

  static async open(
    fixture: Pick<RealtimeFixture, 'port'>,
    key: string,
    version: '1.0.0' | '2.0.0' = '2.0.0',
    headers: Record<string, string> = {},
  ): Promise<RawClient> {
    const query = version === '2.0.0' ? '&vsn=2.0.0' : '';
    const socket = new WebSocket(`ws://127.0.0.1:${fixture.port}/realtime/v1/websocket?apikey=${key}${query}`, {
      headers,
    });
    const client = new RawClient(socket, version);
    await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
    return client;
  }

  /** Sends a message and returns its ref. */
  push(topic: string, event: string, payload: unknown, joinRef: string | null = null): string {
    const ref = String(this.#next++);
    const frame =
      this.#version === '2.0.0'
        ? [joinRef ?? ref, ref, topic, event, payload]
        : { topic, event, payload, ref, join_ref: joinRef ?? ref };
    this.socket.send(JSON.stringify(frame));
    return ref;
  }

  /** Sends a message and waits for its reply. */
  async request(topic: string, event: string, payload: unknown, joinRef: string | null = null): Promise<Reply> {
    const ref = this.push(topic, event, payload, joinRef);
    const reply = await waitUntil(
      () => this.frames.find((frame) => frame.event === 'phx_reply' && frame.ref === ref && frame.topic === topic),
      { what: `a reply to ${event} on ${topic}` },
    );
    return reply.payload as Reply;
  }
}

/** Opens a connection that must be rejected, and returns the status and body of the response. */
export function rejectedConnection(
  fixture: Pick<RealtimeFixture, 'port'>,
  query: string,
): Promise<{ status: number; body: unknown }> {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(`ws://127.0.0.1:${fixture.port}/realtime/v1/websocket${query}`);
    socket.once('open', () => reject(new Error('the connection was accepted')));
    socket.on('error', () => {});
    socket.once('unexpected-response', async (_, response) => {
      let text = '';
      for await (const chunk of response) text += chunk;
      resolve({ status: response.statusCode ?? 0, body: JSON.parse(text) });
    });
  });
}
