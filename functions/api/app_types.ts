import type { Context } from 'hono';
import type { z } from 'zod';
import type { Resolve } from '../_shared/dns.ts';
import type { Log } from '../_shared/log.ts';
import type { CachedBody, ResponseCache } from './cache.ts';
import type { RouteDocs } from './contract/route_docs.ts';
import type { ApiQueries } from './database.ts';
import type { Platform } from './platform.ts';
import type { StreamSettings } from './stream_token.ts';

export const API_VERSION = '2.0.0';

/** What routes share within one isolate. */
export type Services = {
  queries: ApiQueries;
  cache: ResponseCache;
  log: Log;
  /** The platform's secret keys that may read /metrics; none: nobody may. */
  metricsKeys: readonly string[];
  feedSource: string | undefined;
  stream: StreamSettings;
  /** Where Auth checks the session of a signed-in person; null: no session is accepted. */
  platform: Platform | null;
  /** The DNS, for hosts that webhooks are to go to. */
  resolve: Resolve;
  /** Asks the app itself, as a caller would: MCP's tools are faces of its routes. */
  dispatch(request: Request): Response | Promise<Response>;
  /** The bytes of /openapi.json. */
  openApiBytes(): Promise<CachedBody>;
};

export type AppEnv = { Variables: { requestId: string; services: Services } };

/** One path and method. HEAD comes with GET. `open`: answers without a key. */
export type Route = {
  method: 'GET' | 'POST' | 'DELETE';
  path: string;
  isPublic?: boolean;
  /** What the reference says of it; without, it is not in there. */
  docs?: RouteDocs;
  /** The schemas that validate its query and its body, which the reference is made of. */
  query?: z.ZodObject;
  body?: z.ZodType;
  handle(c: Context<AppEnv>): Response | Promise<Response>;
};
