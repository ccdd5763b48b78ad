import { createClient, type SupabaseClient } from '@supabase/supabase-js';
import { readConfig } from '../config.ts';

export type Client = SupabaseClient;

let made: Promise<Client> | undefined;

/**
 * The Supabase client of the page. It stores the session and renews the token for REST and
 * Realtime.
 */
export function getClient(): Promise<Client> {
  made ??= readConfig()
    .then(({ supabaseUrl, publishableKey }) => createClient(supabaseUrl, publishableKey))
    .catch((error) => {
      made = undefined;
      throw error;
    });
  return made;
}
