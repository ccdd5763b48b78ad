import WebSocket from 'ws';
import { waitUntil } from '../support/wait_until.ts';
import type { Stage } from './fixture.ts';

export type Frame = { joinRef: string | null; ref: string | null; topic: string; event: string; payload: unknown };
type Reply = { status: string; response: Record<string, unknown> };

/** A client without a library: the frames as they are. */
export class RawClient {
  readonly socket: WebSocket;
  readonly frames: Frame[] = [];
  readonly #version: '1.0.0' | '2.0.0';
  #next = 1;

  private constructor(socket: WebSocket, version: '1.0.0' | '2.0.0') {
    this.socket = socket;
    this.#version = version;
    socket.on('error', () => {});
    socket.on('message', (message, binary) => {
      if (binary) return;
      const read = JSON.parse(message.toString());
      const [joinRef, ref, topic, event, payload] =
        version === '2.0.0' ? read : [read.join_ref, read.ref, read.topic, read.event, read.payload];
      this.frames.push({ joinRef, ref, topic, event, payload });
    });
  }

  static async open(
    stage: Pick<Stage, 'port'>,
    key: string,
    version: '1.0.0' | '2.0.0' = '2.0.0',
    headers: Record<string, string> = {},
  ): Promise<RawClient> {
    const query = version === '2.0.0' ? '&vsn=2.0.0' : '';
    const socket = new WebSocket(`ws://127.0.0.1:${stage.port}/realtime/v1/websocket?apikey=${key}${query}`, {
      headers,
    });
    const client = new RawClient(socket, version);
    await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
    return client;
  }

  /** Sends a message and gives its ref. */
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
  async ask(topic: string, event: string, payload: unknown, joinRef: string | null = null): Promise<Reply> {
    const ref = this.push(topic, event, payload, joinRef);
    const reply = await waitUntil(
      () => this.frames.find((frame) => frame.event === 'phx_reply' && frame.ref === ref && frame.topic === topic),
      { what: `a reply to ${event} on ${topic}` },
    );
    return reply.payload as Reply;
  }
}

/** A connection that is refused: its status and body. */
export function refusedConnection(
  stage: Pick<Stage, 'port'>,
  query: string,
): Promise<{ status: number; body: unknown }> {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(`ws://127.0.0.1:${stage.port}/realtime/v1/websocket${query}`);
    socket.once('open', () => reject(new Error('it was let in')));
    socket.on('error', () => {});
    socket.once('unexpected-response', async (_, answer) => {
      let text = '';
      for await (const chunk of answer) text += chunk;
      resolve({ status: answer.statusCode ?? 0, body: JSON.parse(text) });
    });
  });
}
