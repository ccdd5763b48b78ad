import { cronKeyOf } from '../_shared/http/cron_key.ts';
import { countOf, type Environment, positiveOf } from '../_shared/settings.ts';

/** What the deliver function is told by its environment. */
export type Settings = {
  databaseUrl: string;
  /** Connections of its own to the database, at most. */
  databaseConnections: number;
  /** PEM of a CA that is trusted beside the public ones: receivers on this machine. Empty when hosted. */
  ca: string | null;
  /** How long one call of the function may live, seconds. */
  wallClockSeconds: number;
  /** CPU that one call may use, seconds; null where nobody counts. */
  cpuSeconds: number | null;
  /** The platform's secret key named `cron`; null where none is set, and then nobody may call. */
  cronKey: string | null;
};

/** @throws Error that names the variable and what it should be */
export function settingsOf(env: Environment): Settings {
  const databaseUrl = env('DB_URL_DELIVER');
  if (!databaseUrl) throw new Error('DB_URL_DELIVER is missing: the postgres URL of the role parallax_deliver.');
  return {
    databaseUrl,
    databaseConnections: countOf(env, 'DB_CONNECTIONS_DELIVER') ?? 2,
    ca: env('WEBHOOK_CA') || null,
    wallClockSeconds: positiveOf(env, 'WALL_CLOCK_SECONDS') ?? 150,
    cpuSeconds: positiveOf(env, 'DELIVER_CPU_SECONDS'),
    cronKey: cronKeyOf(env('SUPABASE_SECRET_KEYS')),
  };
}
