import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type WebSocket, WebSocketServer } from 'ws';
import { sendHostile } from '../faults/hostile_answer.ts';
import type { HttpResponse } from './http.ts';
import type { Runtime } from './runtime.ts';
import type { Venue, VenueRequest, VenueSocket } from './venue.ts';

const MAX_BODY_BYTES = 4 * 1024 * 1024;

/** Serves a venue over HTTP and WebSocket. */
export function serveVenue(venue: Venue, { clock, log }: Runtime): { server: Server; stop(): void } {
  const server = createServer(async (request, response) => {
    const answer = await venue.respond(requestOf(request));
    if (answer === 'cut') request.socket.destroy();
    else if ('hostile' in answer) sendHostile(response, answer.hostile, clock);
    else send(response, answer);
  });
  const sockets = new WebSocketServer({ noServer: true, perMessageDeflate: false });
  server.on('upgrade', (request, socket, head) => {
    const refusal = venue.refusal(requestOf(request));
    if (refusal !== null) {
      if (refusal !== 'cut') socket.write(`HTTP/1.1 ${refusal}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`);
      socket.destroy();
      return;
    }
    sockets.handleUpgrade(request, socket, head, (ws) => {
      const client = venue.connect(socketOf(ws));
      ws.on('message', (frame) => client.command(String(frame)));
      ws.on('error', (error) => log(`${venue.name} socket: ${error.message}`));
      ws.on('close', () => client.close());
    });
  });
  return {
    server,
    stop() {
      for (const client of sockets.clients) client.terminate();
      server.close();
      server.closeAllConnections();
    },
  };
}

function requestOf(request: IncomingMessage): VenueRequest {
  return {
    method: request.method ?? 'GET',
    url: new URL(request.url ?? '/', 'http://venue'),
    headers: request.headers,
    body: () => bodyOf(request),
  };
}

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    size += (chunk as Buffer).length;
    if (size > MAX_BODY_BYTES) return undefined;
    chunks.push(chunk as Buffer);
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString('utf8'));
  } catch {
    return undefined;
  }
}

function send(response: ServerResponse, answer: HttpResponse): void {
  response.writeHead(answer.status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(answer.body),
    ...answer.headers,
  });
  response.end(answer.body);
}

function socketOf(ws: WebSocket): VenueSocket {
  return {
    get isOpen() {
      return ws.readyState === ws.OPEN;
    },
    get bufferedAmount() {
      return ws.bufferedAmount;
    },
    send: (text) => ws.send(text),
    ping: () => ws.ping('heartbeat'),
    terminate: () => ws.terminate(),
  };
}
