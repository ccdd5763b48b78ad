import { secretKeysOf } from '../_shared/http/cron_key.ts';
import { countOf, type Environment, positiveOf } from '../_shared/settings.ts';

/** The environment of the stream function. */
export type Settings = {
  databaseUrl: string;
  /** Maximum number of connections to the database. */
  databaseConnections: number;
  /**
   * Address of Realtime and the key that may join all its private topics. Null: everything is read
   * from the log.
   */
  realtime: { url: string; apikey: string } | null;
  /** Maximum lifetime of one worker, seconds; null without a limit. */
  wallClockSeconds: number | null;
  /** CPU that one worker may use, seconds; null without a limit. */
  cpuSeconds: number | null;
  /** Interval of the checks of plans and keys, seconds. They also renew the leases of 40 s. */
  recheckSeconds: number;
  maxConnections: number;
  /** Port of the container. */
  port: number;
};

/** @throws Error that names the variable and what it should be */
export function settingsOf(env: Environment): Settings {
  const databaseUrl = env('DB_URL_STREAM');
  if (!databaseUrl) throw new Error('DB_URL_STREAM is missing: the postgres URL of the role parallax_stream.');
  const url = env('SUPABASE_URL');
  const apikey = secretKeysOf(env('SUPABASE_SECRET_KEYS')).get('default');
  const recheckSeconds = positiveOf(env, 'STREAM_RECHECK_SECONDS') ?? 15;
  if (recheckSeconds > 20) throw new Error('STREAM_RECHECK_SECONDS must be at most 20: a lease is 40 s long.');
  return {
    databaseUrl,
    databaseConnections: countOf(env, 'DB_CONNECTIONS_STREAM') ?? 4,
    realtime: url && apikey ? { url, apikey } : null,
    wallClockSeconds: positiveOf(env, 'STREAM_WALL_CLOCK_SECONDS'),
    cpuSeconds: positiveOf(env, 'STREAM_CPU_SECONDS'),
    recheckSeconds,
    maxConnections: positiveOf(env, 'STREAM_MOST_CONNECTIONS') ?? 5_000,
    port: positiveOf(env, 'PORT') ?? 8_000,
  };
}
