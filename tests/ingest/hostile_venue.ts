import { createHash } from 'node:crypto';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { pause } from '../support/wait_until.ts';

const MEGABYTE = 1_048_576;
/** Bytes after which a test gives up on a client that reads without a limit. */
const ENDLESS_BYTES = 400 * MEGABYTE;

type Target = ServerResponse | Duplex;

function send(to: Target, piece: Buffer): Promise<void> {
  return new Promise((done) => {
    if (to.destroyed || to.write(piece)) return done();
    const next = (): void => {
      to.off('drain', next);
      to.off('close', next);
      done();
    };
    to.on('drain', next);
    to.on('close', next);
  });
}

/** Sends the same piece until the other side ends the connection. */
export async function sendEndlessly(to: Target, piece: Buffer): Promise<void> {
  for (let sent = 0; sent < ENDLESS_BYTES && !to.destroyed; sent += piece.length) await send(to, piece);
}

/** The answers of a hostile REST server, by path. */
const answers: Record<string, (response: ServerResponse, elsewhere: string) => void> = {
  '/brackets': (response) => response.end('['.repeat(5e6) + ']'.repeat(5e6)),
  '/values': (response) => response.end(`[${'{},'.repeat(5e6)}0]`),
  '/endless': (response) => void sendEndlessly(response, Buffer.alloc(MEGABYTE, 'x')),
  '/endless_error': (response) => {
    response.writeHead(500);
    void sendEndlessly(response, Buffer.alloc(MEGABYTE, 'x'));
  },
  '/gzip': (response) => {
    response.writeHead(200, { 'content-encoding': 'gzip' });
    response.end(gzipSync(Buffer.alloc(200 * MEGABYTE, 'x')));
  },
  '/announced': (response) => {
    response.writeHead(200, { 'content-length': String(1e12) });
    response.write('{');
  },
  '/drip': (response) => {
    const timer = setInterval(() => response.write(' '), 20);
    response.on('close', () => clearInterval(timer));
  },
  '/redirect': (response, elsewhere) => {
    response.writeHead(302, { location: `${elsewhere}/stolen` });
    response.end();
  },
  '/loop': (response) => {
    response.writeHead(307, { location: '/loop' });
    response.end();
  },
};

const frame = (opcode: number, isLast: boolean, length: number): Buffer => {
  const head = Buffer.alloc(10);
  head[0] = (isLast ? 0x80 : 0) | opcode;
  head[1] = 127;
  head.writeBigUInt64BE(BigInt(length), 2);
  return head;
};
const [CONTINUATION, TEXT] = [0, 1];
const PING = Buffer.from([0x89, 0]);

/** What a hostile socket sends after its handshake, by path. */
const messages: Record<string, (socket: Duplex) => Promise<void>> = {
  '/frame': async (socket) => {
    await send(socket, frame(TEXT, true, 10e9));
    await sendEndlessly(socket, Buffer.alloc(MEGABYTE, 'x'));
  },
  '/fragments': async (socket) => {
    await send(socket, frame(TEXT, false, 0));
    await sendEndlessly(socket, Buffer.concat([frame(CONTINUATION, false, MEGABYTE), Buffer.alloc(MEGABYTE, 'x')]));
  },
  '/brackets': async (socket) => {
    const text = Buffer.from('['.repeat(3e6) + ']'.repeat(3e6));
    await send(socket, Buffer.concat([frame(TEXT, true, text.length), text]));
  },
  '/values': async (socket) => {
    const text = Buffer.from(`[${'{},'.repeat(1e6)}0]`);
    await send(socket, Buffer.concat([frame(TEXT, true, text.length), text]));
  },
  /** A message that never ends and stays small, with pings between its fragments. */
  '/unfinished': async (socket) => {
    await send(socket, frame(TEXT, false, 0));
    while (!socket.destroyed) {
      await send(socket, Buffer.concat([PING, frame(CONTINUATION, false, 1), Buffer.from(' ')]));
      await pause(50);
    }
  },
};

export type HostileVenue = {
  base: string;
  ws: string;
  /** Headers of the requests that reached the host to which `/redirect` points. */
  stolen: unknown[];
  /** Paths of the handshakes. */
  opened: string[];
  close(): void;
};

/** A server that speaks in a venue's place, with a second host to which it redirects. */
export async function startHostileVenue(): Promise<HostileVenue> {
  const stolen: unknown[] = [];
  const opened: string[] = [];
  const sockets = new Set<Duplex>();
  const elsewhere = createServer((request, response) => {
    stolen.push(request.headers);
    response.end('{"stolen":true}');
  });
  const elsewhereBase = `http://127.0.0.1:${await listen(elsewhere)}`;
  const server = createServer((request, response) => {
    const answer = answers[request.url ?? ''];
    if (answer) answer(response, elsewhereBase);
    else response.end('{}');
  });
  server.on('upgrade', (request, socket) => {
    sockets.add(socket);
    opened.push(request.url ?? '');
    socket.on('error', () => socket.destroy());
    const accept = createHash('sha1')
      .update(`${request.headers['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`)
      .digest('base64');
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`,
    );
    void messages[request.url ?? '']?.(socket);
  });
  const port = await listen(server);
  return {
    base: `http://127.0.0.1:${port}`,
    ws: `ws://127.0.0.1:${port}`,
    stolen,
    opened,
    close() {
      for (const socket of sockets) socket.destroy();
      for (const one of [server, elsewhere]) {
        one.closeAllConnections();
        one.close();
      }
    },
  };
}

export async function listen(server: Server): Promise<number> {
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return (server.address() as AddressInfo).port;
}
