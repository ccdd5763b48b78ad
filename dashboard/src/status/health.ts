import { useEffect, useState } from 'preact/hooks';
import { API_URL } from '../api_url.ts';

export type FeedState = 'up' | 'stale' | 'down';

export type Feed = { state: FeedState; source: 'live' | 'simulated' | 'replay'; last_message_at: string | null };

/** The answer of `GET /health`. Times are ISO 8601 in market time. */
export type Health = {
  status: 'ok' | 'degraded';
  version: string;
  time: string;
  venues: { venue_a: Feed | null; venue_b: Feed | null };
};

export type HealthReading = { health: Health | null; error: string | null };

const everyMs = 3000;

/** Reads the service's health; throws when nothing answers within four seconds. */
async function readHealth(): Promise<Health> {
  const response = await fetch(`${API_URL}/health`, { signal: AbortSignal.timeout(4000) });
  if (!response.ok) throw new Error(`The API answered ${response.status}.`);
  return (await response.json()) as Health;
}

let reading: HealthReading = { health: null, error: null };
let timer: ReturnType<typeof setTimeout> | undefined;
let asking = false;
const listeners = new Set<(reading: HealthReading) => void>();

async function ask(): Promise<void> {
  clearTimeout(timer);
  if (asking) return;
  asking = true;
  try {
    reading = { health: await readHealth(), error: null };
  } catch (error) {
    // The last health is kept: what was known stays to be read beside the error.
    reading = { ...reading, error: (error as Error).message };
  }
  asking = false;
  for (const listener of listeners) listener(reading);
  if (listeners.size > 0 && document.visibilityState === 'visible') timer = setTimeout(ask, everyMs);
}

const seen = () => {
  if (document.visibilityState === 'visible') void ask();
};

/** The service's health, read every three seconds by one reader for all of the page, while the page is seen. */
export function useHealth(): HealthReading {
  const [shown, setShown] = useState(reading);
  useEffect(() => {
    if (listeners.size === 0) document.addEventListener('visibilitychange', seen);
    listeners.add(setShown);
    void ask();
    return () => {
      listeners.delete(setShown);
      if (listeners.size > 0) return;
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', seen);
    };
  }, []);
  return shown;
}
