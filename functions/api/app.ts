import { type Context, Hono } from 'hono';
import type { Resolve } from '../_shared/dns.ts';
import { requestIdOf } from '../_shared/http/request_id.ts';
import { createLog, type Log } from '../_shared/log.ts';
import { createLogBrake } from '../_shared/log_brake.ts';
import type { Platform } from '../_shared/platform.ts';
import { errorFields } from '../_shared/pool/error_fields.ts';
import type { Pool } from '../_shared/pool/pool.ts';
import { systemRuntime } from '../_shared/system_runtime.ts';
import type { AppEnv, Route, Services } from './app_types.ts';
import { ResponseCache } from './cache.ts';
import { CarrierNodes } from './carrier/nodes.ts';
import type { CarrierSettings } from './carrier/settings.ts';
import { ApiQueries } from './database.ts';
import type { ExportLinks } from './export_links.ts';
import { rejectLongBody } from './http/body.ts';
import { commonHeaders } from './http/common_headers.ts';
import { preflight } from './http/cors.ts';
import { ApiError } from './http/errors.ts';
import { RefusalBrake } from './http/refusal_brake.ts';
import { RequestLeases } from './leases/request_leases.ts';
import { respondAtOnce } from './leases/respond_leased.ts';
import { cachedOpenApi } from './reference.ts';
import type { ReplicaReader } from './replica.ts';
import { deleteWebhook } from './routes/delete_webhook.ts';
import { getAccount } from './routes/get_account.ts';
import { getArbitrage } from './routes/get_arbitrage.ts';
import { getArbitrageHistory } from './routes/get_arbitrage_history.ts';
import { getCategories } from './routes/get_categories.ts';
import { getCoverage } from './routes/get_coverage.ts';
import { getDeliveries } from './routes/get_deliveries.ts';
import { getExplanation } from './routes/get_explanation.ts';
import { getExport } from './routes/get_export.ts';
import { getHealth } from './routes/get_health.ts';
import { getHistory } from './routes/get_history.ts';
import { getLeagues } from './routes/get_leagues.ts';
import { getLookup } from './routes/get_lookup.ts';
import { getMarkets } from './routes/get_markets.ts';
import { getMetrics } from './routes/get_metrics.ts';
import { getOpenapi } from './routes/get_openapi.ts';
import { getPair } from './routes/get_pair.ts';
import { getRules } from './routes/get_rules.ts';
import { getSample } from './routes/get_sample.ts';
import { getSearch } from './routes/get_search.ts';
import { getSpreads } from './routes/get_spreads.ts';
import { getStreamReplay } from './routes/get_stream_replay.ts';
import { getStreamState } from './routes/get_stream_state.ts';
import { getTrackRecord } from './routes/get_track_record.ts';
import { getWebhooks } from './routes/get_webhooks.ts';
import { patchWebhook } from './routes/patch_webhook.ts';
import { postCarrierConnect } from './routes/post_carrier_connect.ts';
import { postCarrierRefresh } from './routes/post_carrier_refresh.ts';
import { postDeliveryRetry } from './routes/post_delivery_retry.ts';
import { postMcp } from './routes/post_mcp.ts';
import { postReportBadArb } from './routes/post_report_bad_arb.ts';
import { postStreamToken } from './routes/post_stream_token.ts';
import { postWebhook } from './routes/post_webhook.ts';
import { postWebhookRoll } from './routes/post_webhook_roll.ts';
import { postWebhookTest } from './routes/post_webhook_test.ts';
import { type StreamSettings, streamSettingsOf } from './stream_token.ts';

export const routes: readonly Route[] = [
  getHealth,
  getMarkets,
  getPair,
  getExplanation,
  getHistory,
  getArbitrage,
  getArbitrageHistory,
  getSpreads,
  getRules,
  getTrackRecord,
  getSample,
  getSearch,
  getLookup,
  getCategories,
  getLeagues,
  getCoverage,
  getExport,
  postReportBadArb,
  postStreamToken,
  getStreamReplay,
  getStreamState,
  getAccount,
  postMcp,
  postWebhook,
  getWebhooks,
  patchWebhook,
  deleteWebhook,
  postWebhookRoll,
  postWebhookTest,
  getDeliveries,
  postDeliveryRetry,
  getOpenapi,
];

/**
 * Routes for operators and for Centrifugo, with secrets of their own. docs/operations.md and
 * docs/scale.md describe them; the reference does not.
 */
export const internalRoutes: readonly Route[] = [getMetrics, postCarrierConnect, postCarrierRefresh];

const MAX_URL_CHARACTERS = 8192;

/**
 * Creates the API over one connection pool with the role parallax_api. `env.FEED_SOURCE`: the
 * source that /health reports without a database. `env.SUPABASE_URL`: the server address in
 * /openapi.json.
 */
export function createApp(options: ApiOptions): Hono<AppEnv> {
  return createApi(options).app;
}

type ApiOptions = {
  pool: Pool;
  /** Renders data routes on a read replica of that database. */
  replica?: ReplicaReader | undefined;
  /** Default: real time. */
  runtime?: Services['runtime'];
  /** DNS resolver of the runtime. */
  resolve: Resolve;
  /** Address of Auth, which checks sessions. Without it the API accepts no session. */
  platform?: Platform | null;
  env: { FEED_SOURCE?: string | undefined; SUPABASE_URL?: string | undefined };
  /** The routes to serve, for tests with a route of their own. */
  served?: readonly Route[];
  /** Address and signing key of the stream for tickets. Default: without Realtime. */
  stream?: StreamSettings;
  /** Storage with the files of exports. Default: none, and their route answers 503. */
  exports?: ExportLinks | null;
  log?: Log;
  metricsKeys?: readonly string[];
  /** Default: Centrifugo does not carry the stream. */
  carrier?: CarrierSettings | null;
};

export type Api = {
  app: Hono<AppEnv>;
  /** Answers a request: by a request lease at once, else by the app. */
  fetch(request: Request): Response | Promise<Response>;
  /** Its request leases. A process returns them when it stops. */
  leases: RequestLeases;
};

export function createApi(options: ApiOptions): Api {
  const served = options.served ?? [...routes, ...internalRoutes];
  const log = options.log ?? createLog({ function: 'api' });
  const queries = new ApiQueries(options.pool, options.replica);
  const leases = new RequestLeases({
    lease: (...args) => queries.leaseRequests(...args),
    giveBack: (returned) => queries.returnRequests(returned),
  });
  const services: Services = {
    queries,
    cache: new ResponseCache(),
    leases,
    log,
    refusals: new RefusalBrake(),
    logUnavailable: createLogBrake(log),
    metricsKeys: options.metricsKeys ?? [],
    carrier: options.carrier
      ? { proxySecret: options.carrier.proxySecret, nodes: new CarrierNodes(options.carrier) }
      : null,
    runtime: options.runtime ?? systemRuntime,
    resolve: options.resolve,
    platform: options.platform ?? null,
    exports: options.exports ?? null,
    feedSource: options.env.FEED_SOURCE,
    stream:
      options.stream ?? streamSettingsOf((name) => (name === 'SUPABASE_URL' ? options.env.SUPABASE_URL : undefined)),
    dispatch: (request) => respondAtOnce(request, services) ?? app.fetch(request),
    openApiBytes: cachedOpenApi(served, options.env.SUPABASE_URL),
  };
  const app = new Hono<AppEnv>().basePath('/api');

  app.use('*', async (c, next) => {
    c.set('requestId', requestIdOf(c.req.raw.headers));
    c.set('arrivedAt', performance.now());
    c.set('services', services);
    if (c.req.method === 'OPTIONS') c.res = preflight();
    else {
      if (c.req.url.length > MAX_URL_CHARACTERS) throw new ApiError('url.too_long');
      rejectLongBody(c.req.raw.headers);
      await next();
      if (c.req.raw.method === 'HEAD') c.res = await toHeadResponse(c.res);
    }
    addCommonHeaders(c.res.headers, c);
    services.log.write(
      'debug',
      'request.completed',
      {
        method: c.req.method,
        route: c.req.routePath,
        status: c.res.status,
        ms: Math.round(performance.now() - c.var.arrivedAt),
      },
      c.var.requestId,
    );
  });

  for (const route of served) app.on(route.method, route.path, (c) => route.handle(c));
  for (const path of new Set(served.map((route) => route.path))) {
    const methods = served.filter((route) => route.path === path).map((route) => route.method);
    const allowed = [...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].join(', ');
    app.all(path, () => {
      throw new ApiError('method.not_allowed', {}, { Allow: allowed });
    });
  }

  app.notFound((c) => {
    // The path of MCP ends in a slash, which clients often leave out.
    const withSlash = `${c.req.path.replace(/^\/api/, '')}/`;
    const exists = served.some((route) => route.path === withSlash);
    const error = `There is no such path. Add the slash at the end: ${withSlash}`;
    return respondError(new ApiError('route.not_found', exists ? { error } : {}), c);
  });
  app.onError((error, c) => respondError(error, c));
  return { app, fetch: services.dispatch, leases };
}

async function respondError(error: unknown, c: Context<AppEnv>): Promise<Response> {
  const requestId = c.var.requestId ?? requestIdOf(c.req.raw.headers);
  const apiError = error instanceof ApiError ? error : new ApiError('internal');
  if (apiError.status >= 500) {
    const cause = errorFields(error instanceof ApiError ? error.cause : error);
    const fields = {
      method: c.req.method,
      route: c.req.routePath,
      status: apiError.status,
      code: apiError.code,
      ...cause,
    };
    const { services } = c.var;
    if (apiError.status === 503) {
      services?.logUnavailable(apiError.code, 'error', 'request.failed', fields, requestId);
    } else services?.log.write('error', 'request.failed', fields, requestId);
  }
  const isRefusal = apiError.status === 401 || apiError.code === 'admission.full';
  if (isRefusal) await c.var.services?.refusals.hold(c.var.arrivedAt);
  const response = apiError.toResponse(requestId);
  addCommonHeaders(response.headers, c);
  return response;
}

/**
 * Turns the response to GET into the response to HEAD: the same headers with Content-Length, no
 * body.
 */
async function toHeadResponse(response: Response): Promise<Response> {
  const { byteLength } = await response.arrayBuffer();
  const headers = new Headers(response.headers);
  if (response.status !== 304) headers.set('Content-Length', String(byteLength));
  return new Response(null, { status: response.status, headers });
}

function addCommonHeaders(headers: Headers, c: Context<AppEnv>): void {
  const common = commonHeaders(c.var.requestId ?? requestIdOf(c.req.raw.headers));
  for (const [name, value] of Object.entries(common)) headers.set(name, value);
}
