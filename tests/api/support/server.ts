import { Resolver } from 'node:dns/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import type { Resolve } from '../../../functions/_shared/dns.ts';
import { createLog, type Log } from '../../../functions/_shared/log.ts';
import type { Platform } from '../../../functions/_shared/platform.ts';
import type { Pool } from '../../../functions/_shared/pool/pool.ts';
import { createApi } from '../../../functions/api/app.ts';
import type { Route, Services } from '../../../functions/api/app_types.ts';
import type { CarrierSettings } from '../../../functions/api/carrier/settings.ts';
import { connect } from '../../../functions/api/database.ts';
import type { RequestLeases } from '../../../functions/api/leases/request_leases.ts';
import { ReplicaReader } from '../../../functions/api/replica.ts';
import type { StreamSettings } from '../../../functions/api/stream_token.ts';
import { listenOnFreePort } from '../../support/listening.ts';

export type RunningApi = {
  /** The `{base_url}` of callers. */
  base: string;
  pool: Pool;
  /** Its request leases, which `close` returns. */
  leases: RequestLeases;
  close(): Promise<void>;
};

/**
 * Serves the app of functions/api on a socket with its own pool. One of these equals one isolate.
 */
export async function serveApi(
  databaseUrl: string,
  options: {
    served?: readonly Route[];
    stream?: StreamSettings;
    resolve?: Resolve;
    platform?: Platform;
    log?: Log;
    metricsKeys?: readonly string[];
    carrier?: CarrierSettings;
    /** The time by which watches run. Default: real time. */
    runtime?: Services['runtime'];
    /** The URL of a read replica. */
    readUrl?: string;
  } = {},
): Promise<RunningApi> {
  const log = options.log ?? createLog({ function: 'api' });
  const pool = connect(databaseUrl, log.note);
  const replica = options.readUrl ? new ReplicaReader(connect(options.readUrl, log.note), log) : undefined;
  const resolve: Resolve = (name, type) => new Resolver().resolve(name, type);
  const api = createApi({ pool, replica, resolve, env: { FEED_SOURCE: 'simulated' }, ...options });
  // The default would close an idle connection after 5 s, just when a busy test may send its next
  // request.
  const server: Server = createServer({ keepAliveTimeout: 65_000 }, (incoming, outgoing) => {
    answer(incoming, outgoing, (request) => api.fetch(request)).catch((error) => outgoing.destroy(error));
  });
  const port = await listenOnFreePort(server);
  return {
    base: `http://127.0.0.1:${port}/api`,
    pool,
    leases: api.leases,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await api.leases.returnAll();
      await Promise.all([pool.end(1_000), replica?.end(1_000)]);
    },
  };
}

async function answer(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  fetch: (request: Request) => Response | Promise<Response>,
): Promise<void> {
  const method = incoming.method ?? 'GET';
  const hasBody = method !== 'GET' && method !== 'HEAD';
  const headers = new Headers();
  for (const [name, value] of Object.entries(incoming.headers)) {
    for (const one of [value ?? []].flat()) headers.append(name, one);
  }
  const gone = new AbortController();
  outgoing.on('close', () => gone.abort());
  const request = new Request(`http://${incoming.headers.host ?? '127.0.0.1'}${incoming.url}`, {
    method,
    headers,
    signal: gone.signal,
    ...(hasBody ? { body: Readable.toWeb(incoming) as ReadableStream<Uint8Array>, duplex: 'half' } : {}),
  } as RequestInit);
  const response = await fetch(request);
  outgoing.writeHead(response.status, Object.fromEntries(response.headers));
  if (method !== 'HEAD' && response.headers.get('Content-Type')?.startsWith('text/event-stream') && response.body) {
    for await (const chunk of response.body) outgoing.write(chunk);
    outgoing.end();
    return;
  }
  outgoing.end(method === 'HEAD' ? undefined : Buffer.from(await response.arrayBuffer()));
}
