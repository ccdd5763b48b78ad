import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { WebSocketServer } from 'ws';
import { bodyOf, json, send } from '../core/http.ts';
import { log } from '../core/log.ts';
import type { Faults } from '../faults/faults.ts';
import { sendHostile } from '../faults/hostile_answer.ts';
import { PastRestB } from '../settled_past/rest_b.ts';
import type { SettledPast } from '../settled_past/settled_past.ts';
import { Clob } from './clob.ts';
import { Data } from './data.ts';
import { MarketFeed } from './feed.ts';
import { Gamma } from './gamma.ts';
import { SocketB } from './socket.ts';
import type { SourceB } from './source.ts';

export const WS_PATH = '/ws/market';

export type VenueB = { server: Server; feed: MarketFeed; stop(): void };

/** Venue B's four hosts (metadata, order books, market channel, data) as paths of one server. */
export function venueB(source: SourceB, settledPast: SettledPast | null, faults: Faults): VenueB {
  const gamma = new Gamma(source, faults);
  const past = settledPast ? new PastRestB(settledPast, (path, query) => gamma.answer(path, query), faults) : gamma;
  const clob = new Clob(source, faults);
  const data = new Data(source, faults);
  const feed = new MarketFeed(source, faults);
  const server = createServer((request, response) => {
    respond(request, response).catch((error: unknown) => {
      log(`venue_b ${request.url}: ${String(error)}`);
      if (!response.headersSent) send(response, json({ error: 'internal error' }, 500));
    });
  });

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://venue');
    const method = request.method ?? 'GET';
    const hostile = faults.takeHostileAnswer('b');
    if (hostile !== undefined) {
      sendHostile(response, hostile);
      return;
    }
    if (url.pathname.startsWith('/gamma/')) {
      if (method !== 'GET') {
        send(response, json({ error: 'method not allowed' }, 405));
        return;
      }
      const answer = await past.answer(url.pathname.slice('/gamma'.length), url.searchParams);
      if (answer === 'cut') request.socket.destroy();
      else send(response, answer);
      return;
    }
    if (url.pathname.startsWith('/data/') && method === 'GET') {
      send(response, data.answer(url.pathname.slice('/data'.length), url.searchParams));
      return;
    }
    if (url.pathname.startsWith('/clob/')) {
      const body = method === 'POST' ? await bodyOf(request) : undefined;
      send(response, clob.answer(method, url.pathname.slice('/clob'.length), url.searchParams, body));
      return;
    }
    send(response, json({ error: 'not found' }, 404));
  }

  const sockets = new WebSocketServer({ noServer: true, perMessageDeflate: false });
  server.on('upgrade', (request, socket, head) => {
    const { pathname } = new URL(request.url ?? '/', 'http://venue');
    if (pathname !== WS_PATH || faults.isDown('b')) {
      socket.write(
        `HTTP/1.1 ${pathname === WS_PATH ? '425 Too Early' : '404 Not Found'}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`,
      );
      socket.destroy();
      return;
    }
    sockets.handleUpgrade(request, socket, head, (ws) => {
      const session = new SocketB(ws, source, feed);
      feed.sessions.add(session);
      faults.connections.add(session);
      if (faults.silentMs() > 0) session.inject('silence', faults.silentMs());
      ws.on('message', (frame) => session.command(String(frame)));
      ws.on('error', (error) => log(`venue_b socket: ${error.message}`));
      ws.on('close', () => {
        session.close();
        feed.leave(session);
        faults.connections.delete(session);
      });
    });
  });
  return {
    server,
    feed,
    stop() {
      for (const client of sockets.clients) client.terminate();
      server.close();
      server.closeAllConnections();
    },
  };
}
