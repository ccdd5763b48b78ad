import type { Environment } from './settings.ts';

/** Address of the platform, and the publishable key that its services require. */
export type Platform = { url: string; apikey: string };

/** From the environment of the function; null where it names no publishable key. */
export function platformOf(env: Environment): Platform | null {
  const url = env('SUPABASE_URL')?.replace(/\/$/, '');
  const apikey = publishableKey(env('SUPABASE_PUBLISHABLE_KEYS'));
  return url && apikey ? { url, apikey } : null;
}

function publishableKey(keys: string | undefined): string | undefined {
  if (!keys) return undefined;
  const { default: key } = JSON.parse(keys) as { default?: unknown };
  return typeof key === 'string' ? key : undefined;
}
