import type { Environment } from './settings.ts';

/** The bucket of exports (export.create_bucket). */
export const EXPORT_BUCKET = 'exports';

/** Storage of the platform: its address, and the secret key that may write and sign. */
export type StorageAccess = { url: string; secretKey: string };

/** From the environment of the function; null where it names no secret key. */
export function storageAccessOf(env: Environment): StorageAccess | null {
  const url = env('SUPABASE_URL')?.replace(/\/$/, '');
  const keys = env('SUPABASE_SECRET_KEYS');
  if (!url || !keys) return null;
  const { default: secretKey } = JSON.parse(keys) as { default?: unknown };
  return typeof secretKey === 'string' ? { url: `${url}/storage/v1`, secretKey } : null;
}
