import type { Context } from 'hono';
import type { z } from 'zod';
import type { Resolve } from '../_shared/dns.ts';
import type { Log } from '../_shared/log.ts';
import type { AnswerCache, Held } from './cache.ts';
import type { About } from './contract/route_docs.ts';
import type { Database } from './database.ts';
import type { Platform } from './platform.ts';
import type { StreamSettings } from './stream_token.ts';

export const apiVersion = '2.0.0';

/** What routes share within one isolate. */
export type Services = {
  database: Database;
  cache: AnswerCache;
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
  ask(request: Request): Response | Promise<Response>;
  /** The bytes of /openapi.json. */
  document(): Promise<Held>;
};

export type AppEnv = { Variables: { requestId: string; services: Services } };

/** One path and method. HEAD comes with GET. `open`: answers without a key. */
export type Route = {
  method: 'GET' | 'POST' | 'DELETE';
  path: string;
  open?: boolean;
  /** What the reference says of it; without, it is not in there. */
  about?: About;
  /** The schemas that validate its query and its body, which the reference is made of. */
  query?: z.ZodObject;
  body?: z.ZodType;
  handle(c: Context<AppEnv>): Response | Promise<Response>;
};
