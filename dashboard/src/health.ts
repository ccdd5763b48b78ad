import { API_URL } from './api_url.ts';

export type FeedState = 'up' | 'stale' | 'down';

export type Feed = { state: FeedState; source: 'live' | 'simulated' | 'replay'; last_message_at: string | null };

/** The answer of `GET /health`. Times are ISO 8601 in market time. */
export type Health = {
  status: 'ok' | 'degraded';
  version: string;
  time: string;
  venues: { venue_a: Feed | null; venue_b: Feed | null };
};

/** Reads the service's health; throws when nothing answers within four seconds. */
export async function readHealth(): Promise<Health> {
  const response = await fetch(`${API_URL}/health`, { signal: AbortSignal.timeout(4000) });
  if (!response.ok) throw new Error(`The API answered ${response.status}.`);
  return (await response.json()) as Health;
}
