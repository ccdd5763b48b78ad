import { API_VERSION, type Route, type Services } from '../app_types.ts';
import { healthDocs } from '../contract/docs.ts';
import type { Health } from '../database.ts';

type Feed = { state: string; source: string | null; last_message_at: string | null; detail: string | null };

// The route needs no key, so callers may send many requests. All of them share one query a second.
const HEALTH_CACHE_MS = 1_000;
const healthCache = new WeakMap<Services, { at: number; health: Promise<Health | undefined> }>();

/**
 * Liveness, without a key: always 200 while the process serves. `degraded`: the database does not
 * answer, or a venue is not up. `time` is market time, or real time without a database. `source`:
 * the venues are live, simulated or a replay.
 */
export const getHealth: Route = {
  method: 'GET',
  path: '/health',
  isPublic: true,
  docs: healthDocs,
  async handle(c) {
    const health = await cachedHealth(c.var.services);
    const source = c.var.services.feedSource ?? null;
    const venue_a = feedOf(health, 'venue_a', source);
    const venue_b = feedOf(health, 'venue_b', source);
    const areUp = venue_a.state === 'up' && venue_b.state === 'up';
    c.header('Cache-Control', 'no-store');
    return c.json({
      status: health && areUp ? 'ok' : 'degraded',
      version: API_VERSION,
      time: health?.now ?? new Date().toISOString(),
      venues: { venue_a, venue_b },
    });
  },
};

function cachedHealth(services: Services): Promise<Health | undefined> {
  const last = healthCache.get(services);
  if (last && performance.now() - last.at < HEALTH_CACHE_MS) return last.health;
  const health = services.queries.health();
  healthCache.set(services, { at: performance.now(), health });
  return health;
}

function feedOf(health: Health | undefined, venue: string, source: string | null): Feed {
  const feed = health?.venues?.[venue];
  if (typeof feed === 'object' && feed !== null && 'state' in feed && 'source' in feed && 'last_message_at' in feed) {
    return {
      state: String(feed.state),
      source: String(feed.source),
      last_message_at: feed.last_message_at as string | null,
      detail: 'detail' in feed && typeof feed.detail === 'string' && feed.detail !== '' ? feed.detail : null,
    };
  }
  return { state: health ? 'down' : 'unknown', source, last_message_at: null, detail: null };
}
