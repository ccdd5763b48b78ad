import { ownKeyOf } from '../_shared/http/cron_key.ts';
import { countOf, type Environment, portOf, positiveOf } from '../_shared/settings.ts';

/**
 * Settings of the ingest function, from its environment. Brand hosts occur only here, because the
 * real venues have them.
 */
export type Settings = {
  databaseUrl: string;
  /** Maximum number of its database connections. */
  databaseConnections: number;
  source: 'live' | 'simulated' | 'replay';
  venueA: VenueSettings['venueA'];
  venueB: VenueSettings['venueB'];
  /** How long one call of the function may live, seconds. */
  wallClockSeconds: number;
  /** CPU that one call may use, seconds. Null when it is not limited. */
  cpuSeconds: number | null;
  /** Pause between two sweeps of the listings, seconds. */
  listingsSeconds: number;
  /** CRON_KEY. Null when it is not set; then no caller is accepted. */
  cronKey: string | null;
  /** Port of /healthz and /readyz in a container. Null: they are not served. */
  healthPort: number | null;
};

/** The addresses of both venues, and the API key of venue_a. */
export type VenueSettings = {
  venueA: { rest: string; socket: string; keyId: string | null; privateKey: string | null };
  venueB: { gamma: string; clob: string; data: string; socket: string };
};

/** The real venues, unless the environment names other addresses. */
export function venueSettingsOf(env: Environment): VenueSettings {
  const text = (name: string, usual: string): string => env(name) || usual;
  return {
    venueA: {
      rest: text('VENUE_A_REST_URL', 'https://external-api.kalshi.com/trade-api/v2'),
      socket: text('VENUE_A_WS_URL', 'wss://external-api-ws.kalshi.com/trade-api/ws/v2'),
      keyId: env('VENUE_A_KEY_ID') || null,
      privateKey: env('VENUE_A_PRIVATE_KEY') || null,
    },
    venueB: {
      gamma: text('VENUE_B_GAMMA_URL', 'https://gamma-api.polymarket.com'),
      clob: text('VENUE_B_CLOB_URL', 'https://clob.polymarket.com'),
      data: text('VENUE_B_DATA_URL', 'https://data-api.polymarket.com'),
      socket: text('VENUE_B_WS_URL', 'wss://ws-subscriptions-clob.polymarket.com/ws/market'),
    },
  };
}

/** @throws Error that names the variable and its allowed values */
export function settingsOf(env: Environment): Settings {
  const source = env('FEED_SOURCE') ?? 'live';
  if (source !== 'live' && source !== 'simulated' && source !== 'replay') {
    throw new Error(`FEED_SOURCE is ${source}; it must be live, simulated or replay.`);
  }
  const databaseUrl = env('DB_URL_INGEST');
  if (!databaseUrl) throw new Error('DB_URL_INGEST is missing: the postgres URL of the role parallax_ingest.');
  return {
    databaseUrl,
    databaseConnections: countOf(env, 'DB_CONNECTIONS_INGEST') ?? 3,
    source,
    ...venueSettingsOf(env),
    wallClockSeconds: positiveOf(env, 'WALL_CLOCK_SECONDS') ?? 400,
    cpuSeconds: positiveOf(env, 'INGEST_CPU_SECONDS'),
    listingsSeconds: positiveOf(env, 'LISTINGS_SECONDS') ?? 60,
    cronKey: ownKeyOf(env, 'CRON_KEY'),
    healthPort: portOf('HEALTH_PORT', positiveOf(env, 'HEALTH_PORT')),
  };
}
