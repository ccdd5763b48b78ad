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

/** `health` is the last one that was read, at `readAt` of performance.now(); `error` says why the service does not answer now. */
export type HealthState = { health: Health | null; readAt: number | null; error: string | null };

const POLL_INTERVAL_MS = 3000;

/** Reads the service's health; throws an error in words when nothing answers within four seconds. */
async function readHealth(): Promise<Health> {
  const response = await fetch(`${API_URL}/health`, { signal: AbortSignal.timeout(4000) }).catch((error: Error) => {
    throw new Error(
      error.name === 'TimeoutError'
        ? 'The service did not answer within four seconds.'
        : 'The service cannot be reached.',
    );
  });
  if (!response.ok) throw new Error(`The service answered with an error (${response.status}).`);
  return (await response.json()) as Health;
}

/** The time of the service now, epoch ms: that of its last answer and what has passed since. NaN before an answer. */
export function serviceNow({ health, readAt }: HealthState): number {
  return health && readAt !== null ? Date.parse(health.time) + performance.now() - readAt : Number.NaN;
}

/** How long ago the last answer came, ms; null before there was one. */
export function answeredAgo({ readAt }: HealthState): number | null {
  return readAt === null ? null : performance.now() - readAt;
}

let reading: HealthState = { health: null, readAt: null, error: null };
let timer: ReturnType<typeof setTimeout> | undefined;
let asking = false;
const listeners = new Set<(reading: HealthState) => void>();

async function ask(): Promise<void> {
  clearTimeout(timer);
  if (asking) return;
  asking = true;
  try {
    const health = await readHealth();
    reading = { health, readAt: performance.now(), error: null };
  } catch (error) {
    // The last health is kept: what was known stays to be read beside the error.
    reading = { ...reading, error: (error as Error).message };
  }
  asking = false;
  for (const listener of listeners) listener(reading);
  if (listeners.size > 0 && document.visibilityState === 'visible') timer = setTimeout(ask, POLL_INTERVAL_MS);
}

const seen = () => {
  if (document.visibilityState === 'visible') void ask();
};

/** The service's health, read every three seconds by one reader for all of the page, while the page is seen. */
export function useHealth(): HealthState {
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
