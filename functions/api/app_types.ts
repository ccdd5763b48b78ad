import type { Context } from 'hono';
import type { z } from 'zod';
import type { Resolve } from '../_shared/dns.ts';
import type { Log } from '../_shared/log.ts';
import type { createLogBrake } from '../_shared/log_brake.ts';
import type { Platform } from '../_shared/platform.ts';
import type { Runtime } from '../_shared/runtime.ts';
import type { CachedBody, ResponseCache } from './cache.ts';
import type { CarrierNodes } from './carrier/nodes.ts';
import type { RouteDocs } from './contract/route_docs.ts';
import type { ApiQueries } from './database.ts';
import type { ExportLinks } from './export_links.ts';
import type { RefusalBrake } from './http/refusal_brake.ts';
import type { RequestLeases } from './leases/request_leases.ts';
import type { StreamSettings } from './stream_token.ts';

export const API_VERSION = '2.0.0';

/** The cluster of Centrifugo. `proxySecret`: what its nodes send with each question. */
export type Carrier = { proxySecret: string; nodes: CarrierNodes };

/** Objects that the routes of one isolate share. */
export type Services = {
  queries: ApiQueries;
  cache: ResponseCache;
  leases: RequestLeases;
  log: Log;
  refusals: RefusalBrake;
  /** Logs a 503. It writes one line a second for each code. */
  logUnavailable: ReturnType<typeof createLogBrake>;
  /** Secret keys of the platform that may read /metrics. Empty: every request is rejected. */
  metricsKeys: readonly string[];
  /** Source that /health reports without a database: `live`, `simulated` or `replay`. */
  feedSource: string | undefined;
  stream: StreamSettings;
  /** Null: Centrifugo does not carry the stream. */
  carrier: Carrier | null;
  /**
   * Address of Auth, which checks the session of a signed-in person. Null: no session is accepted.
   */
  platform: Platform | null;
  /** Storage with the files of exports. Null: their route answers 503. */
  exports: ExportLinks | null;
  /** The clock by which a watch runs. */
  runtime: Pick<Runtime, 'now' | 'sleep'>;
  /** DNS resolver for the hosts of webhook endpoints. */
  resolve: Resolve;
  /** Sends a request to this app without a network. MCP tools call its routes with it. */
  dispatch(request: Request): Response | Promise<Response>;
  openApiBytes(): Promise<CachedBody>;
};

export type AppEnv = { Variables: { requestId: string; arrivedAt: number; services: Services } };

/** One path and method. GET serves HEAD as well. */
export type Route = {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  path: string;
  /** Answers without a key. */
  isPublic?: boolean;
  /** Entry in the reference. A route without it is not in the reference. */
  docs?: RouteDocs;
  /** Schemas that validate the query and the body. The reference is built from them. */
  query?: z.ZodObject;
  body?: z.ZodType;
  handle(c: Context<AppEnv>): Response | Promise<Response>;
};
