import { readConfig } from '../config.ts';
import { type Providers, providersOf, type Settings } from './auth_methods.ts';

/** Asks the project's Auth which ways in it has on. */
export async function readProviders(): Promise<Providers> {
  const { supabaseUrl, publishableKey } = await readConfig();
  const answer = await fetch(`${supabaseUrl}/auth/v1/settings`, {
    headers: { apikey: publishableKey },
    signal: AbortSignal.timeout(8000),
  });
  if (!answer.ok) throw new Error(`Sign-in answered ${answer.status}.`);
  return providersOf((await answer.json()) as Settings);
}
