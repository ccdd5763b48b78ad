import { ownKeyOf } from '../_shared/http/cron_key.ts';
import { type Environment, positiveOf } from '../_shared/settings.ts';
import { type StorageAccess, storageAccessOf } from '../_shared/storage.ts';

/** The environment of the export function. */
export type Settings = {
  databaseUrl: string;
  storage: StorageAccess;
  /** CPU that one call may use, seconds; null without a limit. */
  cpuSeconds: number | null;
  /** CRON_KEY. Null when it is not set; then no caller is accepted. */
  cronKey: string | null;
};

/** @throws Error that names the variable and what it should be */
export function settingsOf(env: Environment): Settings {
  const databaseUrl = env('DB_URL_EXPORT');
  if (!databaseUrl) throw new Error('DB_URL_EXPORT is missing: the postgres URL of the role parallax_export.');
  const storage = storageAccessOf(env);
  if (!storage) throw new Error('SUPABASE_URL or SUPABASE_SECRET_KEYS is missing: the platform sets both.');
  return {
    databaseUrl,
    storage,
    cpuSeconds: positiveOf(env, 'EXPORT_CPU_SECONDS'),
    cronKey: ownKeyOf(env, 'CRON_KEY'),
  };
}
