import { createClient, type SupabaseClient } from '@supabase/supabase-js';
import { readConfig } from '../config.ts';

export type Client = SupabaseClient;

let made: Promise<Client> | undefined;

/** The user whose recovery link opened this tab. The mark survives a reload of the page. */
const RECOVERY_KEY = 'parallax.recovery';

/**
 * The Supabase client of the page. It stores the session and renews the token for REST and
 * Realtime.
 */
export function getClient(): Promise<Client> {
  made ??= readConfig()
    .then(({ supabaseUrl, publishableKey }) => {
      const client = createClient(supabaseUrl, publishableKey);
      client.auth.onAuthStateChange((event, session) => {
        if (event === 'PASSWORD_RECOVERY' && session) sessionStorage.setItem(RECOVERY_KEY, session.user.id);
        if (event === 'SIGNED_OUT') sessionStorage.removeItem(RECOVERY_KEY);
      });
      return client;
    })
    .catch((error) => {
      made = undefined;
      throw error;
    });
  return made;
}

/** Whether a recovery link opened this tab for this user, who has not set a password since. */
export const isRecovering = (userId: string): boolean => sessionStorage.getItem(RECOVERY_KEY) === userId;

export const endRecovery = (): void => sessionStorage.removeItem(RECOVERY_KEY);

/**
 * A client with a session of its own, which no page sees and nothing stores: to check a password,
 * or to act within minutes of a sign-in. Sign it out in the end.
 */
export async function createSeparateClient(): Promise<Client> {
  const { supabaseUrl, publishableKey } = await readConfig();
  return createClient(supabaseUrl, publishableKey, {
    auth: {
      persistSession: false,
      autoRefreshToken: false,
      detectSessionInUrl: false,
      storageKey: 'parallax.separate',
    },
  });
}
