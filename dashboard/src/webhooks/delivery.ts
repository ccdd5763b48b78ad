import type { IconName } from '../components/icon.tsx';

/** A row of `api.list_webhook_deliveries`: the event and the result of its last attempt. */
export type Delivery = {
  delivery_id: string;
  event: string;
  pair_id: string | null;
  /** The exact request body. */
  body: string;
  state: 'waiting' | 'delivered' | 'failed' | 'dropped';
  attempts: number;
  last_status: number | null;
  last_error: string | null;
  /** The beginning of the receiver's response. Untrusted text. */
  last_answer: string | null;
  last_took_ms: number | null;
  created_at: string;
  /** Null during an attempt and after the last one. */
  next_attempt_at: string | null;
  finished_at: string | null;
};

/** Rows that the RPC returns at once. */
export const PAGE_ROWS = 100;
export const MAX_ATTEMPTS = 4;

export const deliveryStates: Record<Delivery['state'], { icon: IconName; word: string; kind: string }> = {
  waiting: { icon: 'rotate', word: 'Waiting', kind: 'is-stale' },
  delivered: { icon: 'check', word: 'Delivered', kind: 'is-up' },
  failed: { icon: 'warning', word: 'Failed', kind: 'is-down' },
  dropped: { icon: 'revoke', word: 'Dropped', kind: 'muted' },
};

const errorTexts: Record<string, string> = {
  timeout: 'No complete response within five seconds',
  'dns.failed': 'The DNS lookup failed',
  'dns.nothing': 'The host has no IP address',
  'address.private': 'The host resolves to an address that is not public',
  'address.refused': 'The address is not allowed',
  'tls.failed': 'The TLS handshake failed, or the certificate is not trusted',
  'connection.failed': 'There was no connection to the host and port',
  'connection.lost': 'The connection was lost',
  'answer.malformed': 'The response is not valid HTTP',
  'endpoint.disabled': 'Not sent: the endpoint was disabled',
  'endpoint.paused': 'Not sent: the endpoint was paused',
  backlog: 'Not sent: 1,000 newer deliveries were pending',
};

/** The response status of the receiver, or why there was none; null before the first attempt. */
export function resultText({ last_status, last_error }: Delivery): string | null {
  // A known error wins: a delivery dropped after an attempt keeps the status of that attempt.
  if (last_error && errorTexts[last_error]) return errorTexts[last_error];
  if (last_status !== null) return `HTTP ${last_status}`;
  return last_error;
}

export const canReplay = ({ state }: Delivery): boolean => state === 'failed' || state === 'dropped';
