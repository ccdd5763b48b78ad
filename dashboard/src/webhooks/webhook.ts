export const eventLabels = {
  'pair.created': { name: 'Market paired', why: 'Sent once for each new pair.' },
  'spread.threshold': {
    name: 'Spread reaches your threshold',
    why: 'Sent again only after the spread was below the threshold, at most once in 30 minutes per pair.',
  },
  'opportunity.opened': {
    name: 'Opportunity opens',
    why: 'Sent once for each opportunity that reaches both minimums.',
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

/** What a registration and a change send. A threshold without its event is null. */
export type EndpointFields = {
  url: string;
  events: readonly WebhookEvent[];
  min_spread_pts: number | null;
  min_edge_pct: number | null;
  min_profit_usd: number | null;
};

/** The response of `POST /v1/webhooks`. Only this response contains the secret. */
export type Registered = Pick<Webhook, 'id' | 'url' | 'events' | 'min_spread_pts' | 'created_at'> & { secret: string };

/** The result of `roll_webhook`. Only this result contains the new secret. */
export type NewSecret = { id: string; secret: string; previous_secret_until: string };

export const MAX_ENDPOINTS = 3;
export const MAX_FAILURES = 20;
export const MAX_PENDING = 1_000;

/** The number fields of the form, each with the event that it filters. */
export const thresholds = [
  {
    name: 'min_spread_pts',
    event: 'spread.threshold',
    label: 'Threshold in points, 0.5 to 50',
    problem: 'The threshold must be from 0.5 to 50 points.',
    bounds: { min: 0.5, max: 50 },
    isRequired: true,
  },
  {
    name: 'min_edge_pct',
    event: 'opportunity.opened',
    label: 'Smallest edge in %, optional',
    problem: 'The smallest edge must be from 0 to 100 %.',
    bounds: { min: 0, max: 100 },
    isRequired: false,
  },
  {
    name: 'min_profit_usd',
    event: 'opportunity.opened',
    label: 'Smallest profit in USD, optional',
    problem: 'The smallest profit must be from $0 to $1,000,000.',
    bounds: { min: 0, max: 1_000_000 },
    isRequired: false,
  },
] as const;

/** The fields as they are sent: a threshold of an event that is not chosen is null. */
export function withoutUnused(fields: EndpointFields): EndpointFields {
  const sent = { ...fields };
  for (const { name, event } of thresholds) if (!fields.events.includes(event)) sent[name] = null;
  return sent;
}

/**
 * Checks the fields before they are sent; null when valid. The service validates them again.
 * `inbox`: the one address without TLS, if there is one.
 */
export function validateEndpoint(fields: EndpointFields, inbox: string | null): string | null {
  const { url, events: chosen } = fields;
  const isInInbox = inbox !== null && url.startsWith(inbox);
  if (!URL.canParse(url) || !(url.startsWith('https://') || isInInbox)) return 'The URL must use https.';
  if (chosen.length === 0) return 'Choose at least one event.';
  const wrong = thresholds.find(({ name, event, bounds, isRequired }) => {
    if (!chosen.includes(event)) return false;
    const value = fields[name];
    return value === null ? isRequired : !(value >= bounds.min && value <= bounds.max);
  });
  return wrong?.problem ?? null;
}

/** Whether the RPC or view does not exist: the codes of PostgREST and Postgres for that. */
export function isNotFound(error: Error & { code?: string }): boolean {
  return ['PGRST202', 'PGRST205', '42883', '42P01'].includes(error.code ?? '');
}
