import { createServer, type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { WebSocket, WebSocketServer } from 'ws';
import { closeCodes } from './close_codes.ts';
import { MAX_FRAME_LENGTH } from './protocol.ts';
import type { Upgrade } from './service.ts';

/** No SDK splits a command. Each fragment can keep a whole TCP read in memory. */
const MAX_FRAGMENTS = 16;
/**
 * How long a TCP connection may live that is no WebSocket. Every answer ends its connection, so
 * this is the time for one request and for reading its answer.
 */
const MAX_REQUEST_MS = 10_000;

export type WebSocketServerOptions = {
  /** Answers a request. `upgrade` is called at most once, for a request that becomes a socket. */
  fetch(request: Request, peer: string | null, upgrade: Upgrade<null>): Response | null | Promise<Response>;
};

/**
 * HTTP and WebSockets on one port of the container. Unlike Deno.upgradeWebSocket, `ws` limits a
 * message before it is complete, and can cut a connection.
 */
export class SocketServer {
  readonly #fetch: WebSocketServerOptions['fetch'];
  readonly #http: Server;
  readonly #webSockets = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload: MAX_FRAME_LENGTH,
    maxFragments: MAX_FRAGMENTS,
    WebSocket: ServerSocket as typeof WebSocket,
  });

  /** Connections that are WebSockets now. */
  readonly #accepted = new WeakSet<Duplex>();

  constructor({ fetch }: WebSocketServerOptions) {
    this.#fetch = fetch;
    // The caller answers an invalid handshake.
    this.#webSockets.on('wsClientError', () => {});
    this.#http = createServer();
    // The time-outs of node:http leave a connection half open where its client does not close it.
    this.#http.on('connection', (socket) => {
      const timer = setTimeout(() => !this.#accepted.has(socket) && socket.destroy(), MAX_REQUEST_MS);
      socket.once('close', () => clearTimeout(timer));
    });
    this.#http.on('request', (request, response) => void this.#respond(request, response));
    this.#http.on('upgrade', (request, socket, head) => void this.#upgrade(request, socket, head));
  }

  /** `at`: a port, or the path of a unix socket. */
  listen(at: number | string): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#http.once('error', reject);
      this.#http.listen(at, resolve);
    });
  }

  /** Resolves when all requests are answered and all sockets are gone. */
  close(): Promise<void> {
    return new Promise((resolve) => this.#http.close(() => resolve()));
  }

  async #respond(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const answer = await this.#answer(incoming, () => {
      throw new Error('The request is no upgrade.');
    });
    if (!answer) return;
    response.writeHead(answer.status, { ...Object.fromEntries(answer.headers), connection: 'close' });
    response.end(incoming.method === 'HEAD' ? undefined : await answer.text());
  }

  async #upgrade(incoming: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    socket.on('error', () => socket.destroy());
    const answer = await this.#answer(incoming, () => this.#accept(incoming, socket, head));
    if (answer) await writeAnswer(socket, answer);
  }

  #accept(incoming: IncomingMessage, socket: Duplex, head: Buffer): ReturnType<Upgrade<null>> {
    let accepted: WebSocket | undefined;
    // The Python SDK sends this header without a value, which `ws` refuses.
    if (incoming.headers['sec-websocket-protocol'] === '') delete incoming.headers['sec-websocket-protocol'];
    this.#webSockets.handleUpgrade(incoming, socket, head, (opened) => {
      accepted = opened;
    });
    if (!accepted) throw new Error('The handshake is invalid.');
    const opened = accepted;
    this.#accepted.add(socket);
    return {
      response: null,
      socket: opened,
      listen(events) {
        opened.on('message', (data, isBinary) => events.message(isBinary ? data : String(data)));
        opened.on('ping', () => events.control());
        opened.on('pong', () => events.control());
        opened.on('close', () => events.gone());
        opened.on('error', () => {
          events.failed();
          // The hub cuts the socket soon. Until then its bytes wait in the kernel: `ws` would read
          // and drop them.
          setImmediate(() => opened.pause());
        });
      },
    };
  }

  #answer(incoming: IncomingMessage, upgrade: Upgrade<null>): Response | null | Promise<Response> {
    let request: Request;
    try {
      request = toRequest(incoming);
    } catch {
      return new Response(null, { status: 400 });
    }
    return this.#fetch(request, (incoming.socket as Socket).remoteAddress ?? null, upgrade);
  }
}

/** `ws` closes with 1009 for a message above `maxPayload`. The contract has a code of its own. */
class ServerSocket extends WebSocket {
  override close(code?: number, reason?: string | Buffer): void {
    if (code === 1009) super.close(...closeCodes.tooLarge);
    else super.close(code, reason);
  }
}

/** @throws TypeError for a method or an address that fetch does not have */
function toRequest({ method = 'GET', url = '/', rawHeaders }: IncomingMessage): Request {
  const headers = new Headers();
  for (let n = 0; n + 1 < rawHeaders.length; n += 2) headers.append(rawHeaders[n] ?? '', rawHeaders[n + 1] ?? '');
  return new Request(new URL(url, 'http://stream'), { method, headers });
}

/** Answers an upgrade that becomes no socket, and ends the connection. */
async function writeAnswer(socket: Duplex, answer: Response): Promise<void> {
  const body = Buffer.from(await answer.arrayBuffer());
  const headers = { ...Object.fromEntries(answer.headers), connection: 'close', 'content-length': body.length };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.once('finish', () => socket.destroy());
  socket.end(
    Buffer.concat([
      Buffer.from(`HTTP/1.1 ${answer.status} ${STATUS_CODES[answer.status]}\r\n${lines.join('')}\r\n`),
      body,
    ]),
  );
}
