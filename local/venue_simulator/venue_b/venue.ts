import { json } from '../core/http.ts';
import type { Runtime } from '../core/runtime.ts';
import type { Venue, VenueAnswer, VenueRequest } from '../core/venue.ts';
import type { Faults } from '../faults/faults.ts';
import { PastRestB } from '../settled_past/rest_b.ts';
import type { SettledPast } from '../settled_past/settled_past.ts';
import { Clob } from './clob.ts';
import { Data } from './data.ts';
import { MarketFeed } from './feed.ts';
import { Gamma } from './gamma.ts';
import { SocketB } from './socket.ts';
import type { SourceB } from './source.ts';

export const WS_PATH = '/ws/market';

/** Venue B's four hosts (metadata, order books, market channel, data) as paths of one venue. */
export function venueB(
  source: SourceB,
  settledPast: SettledPast | null,
  faults: Faults,
  { clock, log }: Runtime,
): Venue {
  const gamma = new Gamma(source, faults);
  const past = settledPast ? new PastRestB(settledPast, (path, query) => gamma.answer(path, query), faults) : gamma;
  const clob = new Clob(source, faults);
  const data = new Data(source, faults);
  const feed = new MarketFeed(source, faults);

  async function answer({ method, url, body }: VenueRequest): Promise<VenueAnswer> {
    const { pathname, searchParams } = url;
    const hostile = faults.takeHostileAnswer('b');
    if (hostile !== undefined) return { hostile };
    if (pathname.startsWith('/gamma/')) {
      if (method !== 'GET') return json({ error: 'method not allowed' }, 405);
      return await past.answer(pathname.slice('/gamma'.length), searchParams);
    }
    if (pathname.startsWith('/data/') && method === 'GET')
      return data.answer(pathname.slice('/data'.length), searchParams);
    if (pathname.startsWith('/clob/')) {
      const sent = method === 'POST' ? await body() : undefined;
      return clob.answer(method, pathname.slice('/clob'.length), searchParams, sent);
    }
    return json({ error: 'not found' }, 404);
  }

  return {
    name: 'venue_b',
    respond: (request) =>
      answer(request).catch((error: unknown) => {
        log(`venue_b ${request.url.pathname}${request.url.search}: ${String(error)}`);
        return json({ error: 'internal error' }, 500);
      }),
    refusal({ url }) {
      if (url.pathname !== WS_PATH) return '404 Not Found';
      return faults.isDown('b') ? '425 Too Early' : null;
    },
    connect(socket) {
      const session = new SocketB(socket, source, feed, clock);
      feed.sessions.add(session);
      faults.connections.add(session);
      if (faults.silentMs() > 0) session.inject('silence', faults.silentMs());
      return {
        command: (text) => session.command(text),
        close() {
          session.close();
          feed.leave(session);
          faults.connections.delete(session);
        },
      };
    },
  };
}
