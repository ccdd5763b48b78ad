import { ownKeyOf } from '../_shared/http/cron_key.ts';
import { countOf, type Environment, portOf, positiveOf } from '../_shared/settings.ts';

/** The environment of the deliver function. */
export type Settings = {
  databaseUrl: string;
  /** Maximum number of connections to the database. */
  databaseConnections: number;
  /**
   * PEM of a CA that is trusted in addition to the public ones, for receivers on this machine.
   * Empty when hosted.
   */
  ca: string | null;
  /** Maximum lifetime of one call of the function, seconds. */
  wallClockSeconds: number;
  /** CPU that one call may use, seconds; null without a limit. */
  cpuSeconds: number | null;
  /** CRON_KEY. Null when it is not set; then no caller is accepted. */
  cronKey: string | null;
  /** Port of /healthz and /readyz in a container. Null: they are not served. */
  healthPort: number | null;
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
    cronKey: ownKeyOf(env, 'CRON_KEY'),
    healthPort: portOf('HEALTH_PORT', positiveOf(env, 'HEALTH_PORT')),
  };
}
