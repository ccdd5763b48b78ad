/**
 * The functions that read each variable: the table of docs/deploy.md. tests/platform compares both.
 * A variable that is not in it reaches no function of `npm start`.
 */
export const variableReaders: Readonly<Record<string, readonly string[]>> = {
  DB_URL_API: ['api'],
  DB_URL_API_READ: ['api'],
  DB_URL_INGEST: ['ingest'],
  DB_URL_STREAM: ['stream'],
  DB_URL_DELIVER: ['deliver'],
  DB_URL_EXPORT: ['export'],
  INGEST_CPU_SECONDS: ['ingest'],
  DELIVER_CPU_SECONDS: ['deliver'],
  EXPORT_CPU_SECONDS: ['export'],
  WALL_CLOCK_SECONDS: ['deliver', 'ingest'],
  STREAM_WALL_CLOCK_SECONDS: ['stream'],
  STREAM_CPU_SECONDS: ['stream'],
  CRON_KEY: ['api', 'deliver', 'export', 'ingest'],
  METRICS_KEY: ['api'],
  STREAM_SIGNING_KEY: ['api', 'stream'],
  STREAM_SIGNING_SECRET: ['api', 'stream'],
  DB_CONNECTIONS_API: ['api'],
  DB_CONNECTIONS_INGEST: ['ingest'],
  DB_CONNECTIONS_STREAM: ['stream'],
  DB_CONNECTIONS_DELIVER: ['deliver'],
  PUBLIC_URL: ['api'],
  STREAM_URL: ['api'],
  STREAM_MOST_CONNECTIONS: ['stream'],
  STREAM_MOST_PER_ADDRESS: ['stream'],
  STREAM_ADDRESS_HEADER: ['stream'],
  STREAM_SOCKET: ['stream'],
  STREAM_RECHECK_SECONDS: ['stream'],
  STREAM_PROXY_SECRET: ['api'],
  CENTRIFUGO_API_KEY: ['api'],
  CENTRIFUGO_NODES: ['api'],
  PORT: ['stream'],
  HEALTH_PORT: ['deliver', 'ingest'],
  VENUE_A_KEY_ID: ['ingest'],
  VENUE_A_PRIVATE_KEY: ['ingest'],
  FEED_SOURCE: ['api', 'ingest'],
  LISTINGS_SECONDS: ['ingest'],
  VENUE_A_REST_URL: ['ingest'],
  VENUE_A_WS_URL: ['ingest'],
  VENUE_B_GAMMA_URL: ['ingest'],
  VENUE_B_CLOB_URL: ['ingest'],
  VENUE_B_DATA_URL: ['ingest'],
  VENUE_B_WS_URL: ['ingest'],
  WEBHOOK_CA: ['deliver'],
  SUPABASE_URL: ['api', 'export', 'stream'],
  SUPABASE_SECRET_KEYS: ['api', 'export'],
  SUPABASE_PUBLISHABLE_KEYS: ['api', 'stream'],
  LOG_LEVEL: ['api', 'deliver', 'export', 'ingest', 'stream'],
};

/** The part of `all` that a function reads. */
export function environmentOf(name: string, all: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(all).filter(([variable]) => variableReaders[variable]?.includes(name)));
}

/** What Deno lets a function read and reach. Without `net` it reaches every host. */
export type Permissions = { env: readonly string[]; net: readonly string[] | undefined };

/** Variables of the packages pg and ws, and those of our own main module. */
const OTHER_VARIABLES = ['PG*', 'WS_*', 'DENO_SERVE_ADDRESS', 'FUNCTION_ENTRYPOINT'];

/** The address in a value, or those in a list `name=address,…`. */
function addressesIn(value: string): string[] {
  if (URL.canParse(value)) return [value];
  return value
    .split(',')
    .map((entry) => entry.replace(/^[\w-]+=/, ''))
    .filter((address) => URL.canParse(address));
}

/**
 * The variables that a function may read, and the hosts of the addresses among them. `deliver`
 * reaches every host, because a customer names the receiver of a webhook.
 */
export function permissionsOf(name: string, env: Readonly<Record<string, string>>): Permissions {
  const variables = Object.keys(variableReaders).filter((variable) => variableReaders[variable]?.includes(name));
  const hosts = Object.values(env)
    .flatMap(addressesIn)
    .flatMap((address) => new URL(address).host || []);
  return { env: [...variables, ...OTHER_VARIABLES], net: name === 'deliver' ? undefined : [...new Set(hosts)] };
}
