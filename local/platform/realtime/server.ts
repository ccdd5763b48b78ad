import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import { toLogText } from '../user_error.ts';
import type { ChannelContext } from './channel.ts';
import { Connection } from './connection.ts';
import type { Version } from './frames.ts';
import { ownHeaders, serveRest } from './rest.ts';
import { swapPlatformKey, TokenRejected, verifyToken } from './token.ts';

export type RejectionDelays = {
  /** Delay of the response to a rejected connection in ms; 2 s on the platform. */
  connectionMs: number;
  /** The same for a channel; 5 s on the platform. */
  channelMs: number;
};

/** The credentials of a connection. */
type Admission = { version: Version; token: string; headers: Record<string, string> };

const MAX_FRAME_BYTES = 5_000_000;

/** A connection that is rejected with an HTTP status. */
class ConnectRejected extends Error {
  readonly status: 401 | 404 | 429;

  constructor(status: 401 | 404 | 429, text: string) {
    super(text);
    this.status = status;
  }
}

/**
 * The server: WebSockets at …/websocket, broadcasts over HTTP below …/api/. The prefix does not
 * matter, because the gateway forwards paths unchanged.
 */
export class RealtimeServer {
  readonly http: Server;
  readonly #context: ChannelContext;
  readonly #delays: RejectionDelays;
  readonly #sockets = new WebSocketServer({ noServer: true, maxPayload: MAX_FRAME_BYTES, perMessageDeflate: false });
  readonly #connections = new Map<WebSocket, Connection>();

  constructor(context: ChannelContext, refusals: RejectionDelays) {
    this.#context = context;
    this.#delays = refusals;
    this.http = createServer({ keepAliveTimeout: 65_000 }, (request, response) => {
      const path = (request.url ?? '/').replace(/^\/realtime\/v1/, '');
      void serveRest(context, request, response, path);
    });
    this.http.on('upgrade', (request, socket, head) => {
      void this.#upgrade(request, socket, head);
    });
  }

  async #upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    socket.on('error', () => socket.destroy());
    try {
      const plan = this.#admit(request);
      this.#sockets.handleUpgrade(request, socket, head, (opened) => this.#open(opened, plan));
    } catch (error) {
      if (!(error instanceof ConnectRejected)) console.error(`A connection failed: ${toLogText(error)}`);
      const [status, text] =
        error instanceof ConnectRejected ? [error.status, error.message] : [500, 'Error connecting to Realtime'];
      await new Promise((resolve) => setTimeout(resolve, this.#delays.connectionMs));
      rejectUpgrade(socket, status, text);
    }
  }

  /** Throws ConnectRejected. */
  #admit(request: IncomingMessage): Admission {
    const [path = '', query] = (request.url ?? '').split('?');
    if (!path.endsWith('/websocket')) throw new ConnectRejected(404, 'Not Found');
    const asked = new URLSearchParams(query);
    const header = request.headers['x-api-key'];
    const key = typeof header === 'string' ? header : asked.get('apikey');
    if (!key) throw new ConnectRejected(401, 'API key is missing');
    const token = swapPlatformKey(key, this.#context.keyring);
    try {
      verifyToken(token, this.#context.keyring);
    } catch (error) {
      if (!(error instanceof TokenRejected)) throw error;
      throw new ConnectRejected(401, error.expired ? 'Token has expired' : error.message);
    }
    const { quotas, joins } = this.#context.allowance;
    if (this.#connections.size >= (quotas.connections ?? Number.POSITIVE_INFINITY))
      throw new ConnectRejected(429, 'Too many connected users');
    if (joins.isExceeded) throw new ConnectRejected(429, 'Too many joins per second');
    const version = asked.get('vsn')?.startsWith('2.') ? '2.0.0' : '1.0.0';
    return { version, token, headers: ownHeaders(request.headers) };
  }

  #open(socket: WebSocket, plan: Admission): void {
    const connection = new Connection(this.#context, { socket, ...plan, rejectionDelayMs: this.#delays.channelMs });
    this.#connections.set(socket, connection);
    this.#context.replication.acquire(true);
    socket.once('close', () => {
      this.#connections.delete(socket);
      if (this.#connections.size === 0) this.#context.replication.acquire(false);
    });
  }

  /** Ends all connections, and resolves when the server is closed. */
  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.http.close(() => resolve()));
    for (const connection of this.#connections.values()) connection.closeByServer();
    const patience = setTimeout(() => {
      for (const socket of this.#connections.keys()) socket.terminate();
      this.http.closeAllConnections();
    }, 1_000);
    this.http.closeIdleConnections();
    await closed;
    clearTimeout(patience);
  }
}

function rejectUpgrade(socket: Duplex, status: number, text: string): void {
  const body = JSON.stringify({ error: text });
  socket.end(
    `HTTP/1.1 ${status} ${text}\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
  );
}
