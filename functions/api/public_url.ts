import type { Environment } from '../_shared/settings.ts';

/**
 * The platform's address for clients: `PUBLIC_URL` where `SUPABASE_URL` is an address inside a
 * network of containers, as in the Supabase CLI's own stack. Undefined where neither is set.
 */
export function publicUrlOf(env: Environment): string | undefined {
  return (env('PUBLIC_URL') || env('SUPABASE_URL'))?.replace(/\/$/, '');
}
