import { checkDatabase, Health } from '../_shared/container/health.ts';
import { endsWithin, stopOnSignal } from '../_shared/container/stop.ts';
import { createLog, levelOf } from '../_shared/log.ts';
import { portOf, positiveOf } from '../_shared/settings.ts';
import { ApiQueries } from './database.ts';
import api, { leases, pool, replica } from './index.ts';

/**
 * `deno task api`: serves the function on a port of its own, at `/functions/v1/api/…` as the
 * platform does, and at `/api/…`. SIGTERM and SIGINT stop it in order.
 */

/** /readyz answers 503 for this long before the port closes, so that a proxy sends elsewhere. */
const NOTICE_MS = 2_000;
/** The database ends a call after 7 s. */
const FINISH_MS = 10_000;
/** The time to return request leases. What is not returned stays counted. */
const RETURN_MS = 2_000;
const PLATFORM_PREFIX = '/functions/v1';

const env = (name: string): string | undefined => Deno.env.get(name);
const log = createLog({ function: 'api', minLevel: levelOf(env('LOG_LEVEL')) });
const queries = new ApiQueries(pool);
const snapshot = { code: 'snapshot.unreadable', message: 'The snapshot of the markets cannot be read.' };

const health = new Health({
  service: 'api',
  failing: () => checkDatabase(() => queries.checkSnapshot(), snapshot),
  isDraining: () => stopping.isDraining,
  // Without the replica the container works: the primary renders.
  info: (): Record<string, string> =>
    replica === undefined ? {} : { replica: replica.isInUse ? 'in_use' : 'left_out' },
});
const port = portOf('PORT', positiveOf(env, 'PORT')) ?? 8_000;
const onListen = (): void => log.note(`Listening on port ${port}.`);
const server = Deno.serve({ port, onListen }, (request) => health.respond(request) ?? api.fetch(toFunction(request)));
const stopping = stopOnSignal({
  runtime: Deno,
  log,
  async stop() {
    await new Promise((resolve) => setTimeout(resolve, NOTICE_MS));
    await endsWithin(server.shutdown(), FINISH_MS);
    await endsWithin(leases.returnAll(), RETURN_MS);
    await Promise.all([pool.end(1_000), replica?.end(1_000)]);
  },
});

/** The request as the platform passes it to the function: without the prefix. */
function toFunction(request: Request): Request {
  const url = new URL(request.url);
  if (!url.pathname.startsWith(`${PLATFORM_PREFIX}/`)) return request;
  url.pathname = url.pathname.slice(PLATFORM_PREFIX.length);
  return new Request(url, request);
}
