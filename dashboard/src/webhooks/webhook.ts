export const eventLabels = {
  'pair.created': { name: 'A market is paired', why: 'Once for each new pair.' },
  'spread.threshold': {
    name: 'A gap reaches your threshold',
    why: 'Again only after it has fallen below, and at most once in 30 minutes for a pair.',
  },
} as const;

export type WebhookEvent = keyof typeof eventLabels;
export const events = Object.keys(eventLabels) as WebhookEvent[];

/** A row of view `api.my_webhooks`: what `GET /v1/webhooks` tells, with the organization that it belongs to. */
export type Webhook = {
  org_id: string;
  id: string;
  url: string;
  events: WebhookEvent[];
  min_spread_pts: number | null;
  secret_preview: string;
  status: 'enabled' | 'disabled' | 'paused';
  disabled_reason: string | null;
  failure_count: number;
  /** Deliveries that wait for an attempt or for its result. */
  pending: number;
  last_success_at: string | null;
  last_failure_at: string | null;
  created_at: string;
};

/** What `POST /v1/webhooks` answers: the secret is in this answer alone. */
export type Registered = Pick<Webhook, 'id' | 'url' | 'events' | 'min_spread_pts' | 'created_at'> & { secret: string };

export const MAX_ENDPOINTS = 3;
export const MAX_FAILURES = 20;
export const MAX_PENDING = 1_000;

/** What is wrong with a registration before it is sent; the service decides, this only saves a question. */
export function validateRegistration(url: string, chosen: readonly WebhookEvent[], threshold: number): string | null {
  if (!URL.canParse(url) || !url.startsWith('https://')) return 'The address must begin with https.';
  if (chosen.length === 0) return 'Choose at least one event.';
  if (chosen.includes('spread.threshold') && !(threshold >= 0.5 && threshold <= 50)) {
    return 'The threshold is between 0.5 and 50 points.';
  }
  return null;
}

/** Whether the service has no such function or view yet: PostgREST says it in these codes. */
export function isNotFound(error: Error & { code?: string }): boolean {
  return ['PGRST202', 'PGRST205', '42883', '42P01'].includes(error.code ?? '');
}
