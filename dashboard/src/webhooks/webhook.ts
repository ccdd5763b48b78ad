export const eventLabels = {
  'pair.created': { name: 'Market paired', why: 'Sent once for each new pair.' },
  'spread.threshold': {
    name: 'Spread reaches your threshold',
    why: 'Sent again only after the spread was below the threshold, at most once in 30 minutes per pair.',
  },
  'opportunity.opened': {
    name: 'Opportunity opens',
    why: 'Sent once for each opportunity. The API takes a smallest edge and a smallest profit.',
  },
} as const;

export type WebhookEvent = keyof typeof eventLabels;
export const events = Object.keys(eventLabels) as WebhookEvent[];

/**
 * A row of view `api.my_webhooks`: an endpoint as `GET /v1/webhooks` returns it, with its
 * organization.
 */
export type Webhook = {
  org_id: string;
  id: string;
  url: string;
  events: WebhookEvent[];
  min_spread_pts: number | null;
  min_edge_pct: number | null;
  min_profit_usd: number | null;
  secret_preview: string;
  /** Until then deliveries are signed with the secret before the last roll too. */
  previous_secret_until: string | null;
  status: 'enabled' | 'disabled' | 'paused';
  disabled_reason: string | null;
  failure_count: number;
  /** Deliveries that wait for an attempt or for its result. */
  pending: number;
  last_success_at: string | null;
  last_failure_at: string | null;
  created_at: string;
};

/** The response of `POST /v1/webhooks`. Only this response contains the secret. */
export type Registered = Pick<Webhook, 'id' | 'url' | 'events' | 'min_spread_pts' | 'created_at'> & { secret: string };

export const MAX_ENDPOINTS = 3;
export const MAX_FAILURES = 20;
export const MAX_PENDING = 1_000;

/** Checks a registration before it is sent; null when valid. The service validates it again. */
export function validateRegistration(url: string, chosen: readonly WebhookEvent[], threshold: number): string | null {
  if (!URL.canParse(url) || !url.startsWith('https://')) return 'The URL must use https.';
  if (chosen.length === 0) return 'Choose at least one event.';
  if (chosen.includes('spread.threshold') && !(threshold >= 0.5 && threshold <= 50)) {
    return 'The threshold must be from 0.5 to 50 points.';
  }
  return null;
}

/** Whether the RPC or view does not exist: the codes of PostgREST and Postgres for that. */
export function isNotFound(error: Error & { code?: string }): boolean {
  return ['PGRST202', 'PGRST205', '42883', '42P01'].includes(error.code ?? '');
}
