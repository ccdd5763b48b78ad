import { useEffect, useState } from 'preact/hooks';
import { API_URL } from '../api_url.ts';
import type { FeedState } from './feed_state.ts';

export type Feed = { state: FeedState; source: 'live' | 'simulated' | 'replay' | null; last_message_at: string | null };

/** The response of `GET /health`. Times are ISO 8601 in market time. */
export type Health = {
  status: 'ok' | 'degraded';
  version: string;
  time: string;
  venues: { venue_a: Feed | null; venue_b: Feed | null };
};

/**
 * `health` is the last response, received at `readAt` (performance.now()). `error` is the error of
 * the last poll.
 */
export type HealthState = { health: Health | null; readAt: number | null; error: string | null };

const POLL_INTERVAL_MS = 3000;

/**
 * Fetches /health. Throws an Error with a message for the user after four seconds without a
 * response.
 */
async function readHealth(): Promise<Health> {
  const response = await fetch(`${API_URL}/health`, { signal: AbortSignal.timeout(4000) }).catch((error: Error) => {
    throw new Error(
      error.name === 'TimeoutError'
        ? 'The service did not respond within four seconds.'
        : 'The service cannot be reached.',
    );
  });
  if (!response.ok) throw new Error(`The service returned an error (${response.status}).`);
  return (await response.json()) as Health;
}

/**
 * The service's time now in epoch ms: the time of its last response plus the time since. NaN before
 * a response.
 */
export function serviceNow({ health, readAt }: HealthState): number {
  return health && readAt !== null ? Date.parse(health.time) + performance.now() - readAt : Number.NaN;
}

/** Milliseconds since the last response; null before the first. */
export function answeredAgo({ readAt }: HealthState): number | null {
  return readAt === null ? null : performance.now() - readAt;
}

let reading: HealthState = { health: null, readAt: null, error: null };
let timer: ReturnType<typeof setTimeout> | undefined;
let isPolling = false;
const listeners = new Set<(reading: HealthState) => void>();

async function poll(): Promise<void> {
  clearTimeout(timer);
  if (isPolling) return;
  isPolling = true;
  try {
    const health = await readHealth();
    reading = { health, readAt: performance.now(), error: null };
  } catch (error) {
    // Keeps the last response: the page shows it with its age next to the error.
    reading = { ...reading, error: (error as Error).message };
  }
  isPolling = false;
  for (const listener of listeners) listener(reading);
  if (listeners.size > 0 && document.visibilityState === 'visible') timer = setTimeout(poll, POLL_INTERVAL_MS);
}

const pollIfVisible = () => {
  if (document.visibilityState === 'visible') void poll();
};

/**
 * The health of the service, polled every three seconds while the page is visible. All components
 * share one poll.
 */
export function useHealth(): HealthState {
  const [state, setState] = useState(reading);
  useEffect(() => {
    if (listeners.size === 0) document.addEventListener('visibilitychange', pollIfVisible);
    listeners.add(setState);
    void poll();
    return () => {
      listeners.delete(setState);
      if (listeners.size > 0) return;
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', pollIfVisible);
    };
  }, []);
  return state;
}
