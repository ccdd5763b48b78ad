import type { Environment } from '../_shared/settings.ts';

/** The platform's address and the publishable key that its own services ask for. */
export type Platform = { url: string; apikey: string };

/** From the function's environment; null where the platform names no publishable key. */
export function platformOf(env: Environment): Platform | null {
  const url = env('SUPABASE_URL')?.replace(/\/$/, '');
  const apikey = publishableKey(env('SUPABASE_PUBLISHABLE_KEYS'));
  return url && apikey ? { url, apikey } : null;
}

function publishableKey(keys: string | undefined): string | undefined {
  if (!keys) return undefined;
  const { default: usual } = JSON.parse(keys) as { default?: unknown };
  return typeof usual === 'string' ? usual : undefined;
}
