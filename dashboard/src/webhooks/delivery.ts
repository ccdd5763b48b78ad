import type { IconName } from '../components/icon.tsx';

/** A row of `api.list_webhook_deliveries`: what was decided, and what came of its last attempt. */
export type Delivery = {
  delivery_id: string;
  event: string;
  pair_id: string | null;
  /** The bytes that are sent. */
  body: string;
  state: 'waiting' | 'delivered' | 'failed' | 'dropped';
  attempts: number;
  last_status: number | null;
  last_error: string | null;
  /** How the receiver's answer began: foreign text. */
  last_answer: string | null;
  last_took_ms: number | null;
  created_at: string;
  /** Null while an attempt is being made, and when there is none to come. */
  next_attempt_at: string | null;
  finished_at: string | null;
};

/** How many rows the database gives at once. */
export const PAGE_ROWS = 100;
export const MAX_ATTEMPTS = 4;

export const deliveryStates: Record<Delivery['state'], { icon: IconName; word: string; kind: string }> = {
  waiting: { icon: 'rotate', word: 'Waiting', kind: 'is-stale' },
  delivered: { icon: 'check', word: 'Delivered', kind: 'is-up' },
  failed: { icon: 'warning', word: 'Failed', kind: 'is-down' },
  dropped: { icon: 'revoke', word: 'Dropped', kind: 'muted' },
};

const errorTexts: Record<string, string> = {
  timeout: 'No whole answer in five seconds',
  'dns.failed': 'The DNS did not answer',
  'dns.nothing': 'The DNS knows no address of the host',
  'address.private': 'The host resolves to an address that is not public',
  'address.refused': 'The address may not be delivered to any more',
  'tls.failed': 'The certificate is not trusted, or TLS broke off',
  'connection.refused': 'Nobody accepts connections there',
  'connection.lost': 'The connection broke',
  'answer.malformed': 'What came back is no HTTP',
  'endpoint.disabled': 'Not sent: the endpoint was disabled',
  'endpoint.paused': 'Not sent: the plan was paused',
  backlog: 'Not sent: 1,000 newer deliveries were waiting',
};

/** What the receiver answered, or why it did not; null before the first attempt. */
export function resultText({ last_status, last_error }: Delivery): string | null {
  // Dropped since: the answer before is not the reason.
  if (last_error && errorTexts[last_error]) return errorTexts[last_error];
  if (last_status !== null) return `HTTP ${last_status}`;
  return last_error;
}

export const canReplay = ({ state }: Delivery): boolean => state === 'failed' || state === 'dropped';
