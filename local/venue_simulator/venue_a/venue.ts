import { TokenBucket } from '../core/bucket.ts';
import { type HttpResponse, json } from '../core/http.ts';
import type { Runtime } from '../core/runtime.ts';
import type { Venue, VenueAnswer, VenueRequest } from '../core/venue.ts';
import type { Faults } from '../faults/faults.ts';
import { PastRestA } from '../settled_past/rest_a.ts';
import type { SettledPast } from '../settled_past/settled_past.ts';
import { authErrorOf } from './handshake.ts';
import { Hub } from './hub.ts';
import type { PublicAccessKey } from './keys.ts';
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

/** Venue A's REST and WebSocket, with the control endpoints of the simulator. */
export function venueA(
  source: SourceA,
  settledPast: SettledPast | null,
  faults: Faults,
  key: PublicAccessKey,
  tokensPerSecond: number,
  control: Control,
  { clock, log }: Runtime,
): Venue & { stop(): void } {
  const rest = new RestA(source, faults);
  const past = settledPast ? new PastRestA(settledPast, (path, query) => rest.answer(path, query), faults) : rest;
  const hub = new Hub(source, faults);
  const bucket = new TokenBucket(tokensPerSecond, clock);

  async function answer({ method, url, headers, body }: VenueRequest): Promise<VenueAnswer> {
    const { pathname, searchParams } = url;
    if (pathname.startsWith('/_sim/')) {
      const sent = method === 'POST' ? await body() : undefined;
      const answered = await control(method, pathname.slice('/_sim/'.length), searchParams, sent);
      return answered ?? json({ error: 'page not found' }, 404);
    }
    const hostile = faults.takeHostileAnswer('a');
    if (hostile !== undefined) return { hostile };
    if (!pathname.startsWith(`${REST_PATH}/`)) return json({ error: 'not found' }, 404);
    if (method !== 'GET') return json({ error: 'method not allowed' }, 405);
    const path = pathname.slice(REST_PATH.length);
    if (!bucket.take(costOf(path, searchParams))) return json({ error: 'too many requests' }, 429);
    const refusal = refusalOf(headers, pathname, path);
    return refusal === null ? await past.answer(path, searchParams) : invalidQuery(401, refusal);
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
  function refusalOf(headers: VenueRequest['headers'], pathname: string, path: string): string | null {
    if (headers['kalshi-access-key'] === undefined)
      return path === '/account/limits' ? 'authentication required' : null;
    return keyErrorOf(headers, pathname);
  }

  const keyErrorOf = (headers: VenueRequest['headers'], pathname: string): string | null =>
    faults.venueA.isActive('expired_key') ? 'expired key' : authErrorOf(headers, pathname, key, clock.now());

  const stopHeartbeat = clock.every(HEARTBEAT_MS, () => {
    for (const session of hub.sessions) session.heartbeat();
  });
  return {
    name: 'venue_a',
    respond: (request) =>
      answer(request).catch((error: unknown) => {
        log(`venue_a ${request.url.pathname}${request.url.search}: ${String(error)}`);
        return json({ error: { code: 'internal_error', message: 'internal error' } }, 500);
      }),
    refusal({ url, headers }) {
      if (url.pathname !== WS_PATH) return '404 Not Found';
      if (faults.isDown('a')) return '503 Service Unavailable';
      if (faults.venueA.resetsHandshakes()) return 'cut';
      const refusal = keyErrorOf(headers, url.pathname);
      if (refusal === null) return null;
      log(`venue_a handshake rejected: ${refusal}`);
      return '401 Unauthorized';
    },
    connect(socket) {
      const session = new SocketA(socket, hub, clock);
      hub.sessions.add(session);
      faults.connections.add(session);
      return {
        command: (text) => session.command(text),
        close() {
          session.close();
          hub.sessions.delete(session);
          faults.connections.delete(session);
        },
      };
    },
    stop: stopHeartbeat,
  };
}
