import { readConfig } from '../config.ts';
import { type Providers, providersOf, type Settings } from './auth_methods.ts';

/** Reads the enabled sign-in methods from the settings of Supabase Auth. */
export async function readProviders(): Promise<Providers> {
  const { supabaseUrl, publishableKey } = await readConfig();
  const response = await fetch(`${supabaseUrl}/auth/v1/settings`, {
    headers: { apikey: publishableKey },
    signal: AbortSignal.timeout(8000),
  });
  if (!response.ok) throw new Error(`Supabase Auth returned ${response.status}.`);
  return providersOf((await response.json()) as Settings);
}
