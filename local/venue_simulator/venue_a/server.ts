import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { WebSocketServer } from 'ws';
import { TokenBucket } from '../core/bucket.ts';
import { bodyOf, type HttpResponse, json, send } from '../core/http.ts';
import { log } from '../core/log.ts';
import type { Faults } from '../faults/faults.ts';
import { sendHostile } from '../faults/hostile_answer.ts';
import { PastRestA } from '../settled_past/rest_a.ts';
import type { SettledPast } from '../settled_past/settled_past.ts';
import { authErrorOf } from './handshake.ts';
import { Hub } from './hub.ts';
import type { AccessKey } from './keys.ts';
import { batchOf, invalidQuery, READ_COST, RestA } from './rest.ts';
import { SocketA } from './socket.ts';
import type { SourceA } from './source.ts';

export const REST_PATH = '/trade-api/v2';
export const WS_PATH = '/trade-api/ws/v2';
const HEARTBEAT_MS = 10_000;

/** Answers paths below /_sim; null for an unknown path. */
export type Control = (
  method: string,
  path: string,
  query: URLSearchParams,
  body: unknown,
) => HttpResponse | Promise<HttpResponse> | null;

export type VenueA = { server: Server; hub: Hub; stop(): void };

/** Venue A's REST and WebSocket on one server, with the control endpoints of the simulator. */
export function venueA(
  source: SourceA,
  settledPast: SettledPast | null,
  faults: Faults,
  key: AccessKey,
  tokensPerSecond: number,
  control: Control,
): VenueA {
  const rest = new RestA(source, faults);
  const past = settledPast ? new PastRestA(settledPast, (path, query) => rest.answer(path, query), faults) : rest;
  const hub = new Hub(source, faults);
  const bucket = new TokenBucket(tokensPerSecond);
  const server = createServer((request, response) => {
    respond(request, response).catch((error: unknown) => {
      log(`venue_a ${request.url}: ${String(error)}`);
      if (!response.headersSent)
        send(response, json({ error: { code: 'internal_error', message: 'internal error' } }, 500));
    });
  });

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://venue');
    const method = request.method ?? 'GET';
    if (url.pathname.startsWith('/_sim/')) {
      const body = method === 'POST' ? await bodyOf(request) : undefined;
      send(
        response,
        (await control(method, url.pathname.slice('/_sim/'.length), url.searchParams, body)) ??
          json({ error: 'page not found' }, 404),
      );
      return;
    }
    const hostile = faults.takeHostileAnswer('a');
    if (hostile !== undefined) {
      sendHostile(response, hostile);
      return;
    }
    if (!url.pathname.startsWith(`${REST_PATH}/`)) {
      send(response, json({ error: 'not found' }, 404));
      return;
    }
    if (method !== 'GET') {
      send(response, json({ error: 'method not allowed' }, 405));
      return;
    }
    const path = url.pathname.slice(REST_PATH.length);
    if (!bucket.take(costOf(path, url.searchParams))) {
      send(response, json({ error: 'too many requests' }, 429));
      return;
    }
    const refusal = refusalOf(request, url.pathname, path);
    if (refusal !== null) {
      send(response, invalidQuery(401, refusal));
      return;
    }
    const answer = await past.answer(path, url.searchParams);
    if (answer === 'cut') request.socket.destroy();
    else send(response, answer);
  }

  /** Tokens of a request. A batch of books may be billed book by book (venues.md G5). */
  function costOf(path: string, query: URLSearchParams): number {
    const perBook = faults.venueA.tokensPerBook();
    return path === '/markets/orderbooks' && perBook !== null ? perBook * batchOf(query).length : READ_COST;
  }

  /**
   * Why a request is unauthorized, or null. Market data needs no key, but a signature that is there
   * is checked.
   */
  function refusalOf(request: IncomingMessage, pathname: string, path: string): string | null {
    if (request.headers['kalshi-access-key'] === undefined)
      return path === '/account/limits' ? 'authentication required' : null;
    return faults.venueA.isActive('expired_key') ? 'expired key' : authErrorOf(request.headers, pathname, key);
  }

  const sockets = new WebSocketServer({ noServer: true, perMessageDeflate: false });
  server.on('upgrade', (request, socket, head) => {
    const { pathname } = new URL(request.url ?? '/', 'http://venue');
    const refuse = (status: string) => {
      socket.write(`HTTP/1.1 ${status}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`);
      socket.destroy();
    };
    if (pathname !== WS_PATH) {
      refuse('404 Not Found');
      return;
    }
    if (faults.isDown('a')) {
      refuse('503 Service Unavailable');
      return;
    }
    const isExpired = faults.venueA.isActive('expired_key');
    if (isExpired && faults.venueA.resetsHandshakes()) {
      socket.destroy();
      return;
    }
    const refusal = isExpired ? 'expired key' : authErrorOf(request.headers, pathname, key);
    if (refusal) {
      log(`venue_a handshake rejected: ${refusal}`);
      refuse('401 Unauthorized');
      return;
    }
    sockets.handleUpgrade(request, socket, head, (ws) => {
      const session = new SocketA(ws, hub);
      hub.sessions.add(session);
      faults.connections.add(session);
      ws.on('message', (frame) => session.command(String(frame)));
      ws.on('error', (error) => log(`venue_a socket: ${error.message}`));
      ws.on('close', () => {
        session.close();
        hub.sessions.delete(session);
        faults.connections.delete(session);
      });
    });
  });
  const heartbeat = setInterval(() => {
    for (const session of hub.sessions) session.heartbeat();
  }, HEARTBEAT_MS);
  return {
    server,
    hub,
    stop() {
      clearInterval(heartbeat);
      for (const client of sockets.clients) client.terminate();
      server.close();
      server.closeAllConnections();
    },
  };
}
