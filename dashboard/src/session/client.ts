import { createClient, type SupabaseClient } from '@supabase/supabase-js';
import { readConfig } from '../config.ts';

export type Client = SupabaseClient;

let made: Promise<Client> | undefined;

/** The one client of this page: it keeps the session and renews its token, for REST and Realtime alike. */
export function getClient(): Promise<Client> {
  made ??= readConfig()
    .then(({ supabaseUrl, publishableKey }) => createClient(supabaseUrl, publishableKey))
    .catch((error) => {
      made = undefined;
      throw error;
    });
  return made;
}
