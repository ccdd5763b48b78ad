import { z } from 'zod';
import { DELIVERY_STATES, WEBHOOK_EVENTS } from '../vocabulary.ts';
import { count, named, time } from './fields.ts';

const common = {
  id: z.uuid().describe('Stable. Each delivery contains it as `endpoint_id`.'),
  url: z.string().describe('URL of the receiver.'),
  events: z.array(z.enum(WEBHOOK_EVENTS)).describe('Events that are delivered.'),
  min_spread_pts: z.number().min(0.5).max(50).nullable().describe('Gap in points that fires `spread.threshold`.'),
  min_edge_pct: z.number().min(0).max(100).nullable().describe('Smallest `edge_pct` that fires `opportunity.opened`.'),
  min_profit_usd: z
    .number()
    .min(0)
    .max(1_000_000)
    .nullable()
    .describe('Smallest profit in USD at `max_contracts` that fires `opportunity.opened`.'),
  created_at: time.describe('Time of the registration.'),
};

export const webhookSecret = named(
  'WebhookSecret',
  z
    .strictObject({
      ...common,
      secret: z
        .string()
        .regex(/^whsec_/)
        .describe('Signs every delivery. Returned only once: store it now.'),
    })
    .describe('The registered endpoint with its secret.'),
);

export const webhook = named(
  'Webhook',
  z
    .strictObject({
      ...common,
      secret_preview: z.string().describe('First characters of the secret.'),
      previous_secret_until: time
        .nullable()
        .describe('Until then deliveries are signed with the secret before the last roll too.'),
      status: z
        .enum(['enabled', 'disabled', 'paused'])
        .describe('`paused`: the plan is inactive or does not include webhooks. Deliveries resume when it does again.'),
      disabled_reason: z
        .literal('delivery_failures')
        .nullable()
        .describe('`delivery_failures`: 20 deliveries in a row failed. Enable it with `PATCH`.'),
      failure_count: count.describe('Failed deliveries since the last success.'),
      pending: count.describe(
        'Deliveries that wait for an attempt or its result, at most 1,000. Older ones beyond that fail with `backlog`.',
      ),
      last_success_at: time.nullable().describe('Time of the last successful delivery.'),
      last_failure_at: time.nullable().describe('Time of the last failed delivery.'),
    })
    .describe('A webhook endpoint.'),
);

export const webhookDeliveryId = named(
  'WebhookDeliveryId',
  z
    .strictObject({ delivery_id: z.uuid().describe('The delivery, as in the header `X-Svc-Delivery`.') })
    .describe('A delivery that is due now.'),
);

const delivery = named(
  'WebhookDelivery',
  z
    .strictObject({
      delivery_id: z.uuid().describe('The same at each attempt, in the header `X-Svc-Delivery`.'),
      event: z.enum([...WEBHOOK_EVENTS, 'ping']).describe('The event. `ping` is a test.'),
      pair_id: z.string().nullable().describe('The market of the event; null for a test.'),
      body: z.string().describe('The body, byte for byte.'),
      state: z
        .enum(DELIVERY_STATES)
        .describe(
          '`waiting`: for an attempt or its result. `failed`: after four attempts, or beyond the backlog. `dropped`: the endpoint was disabled or paused meanwhile.',
        ),
      attempts: count.describe('Attempts with a result.'),
      last_status: z.int().nullable().describe('HTTP status of the last response. Null without a response.'),
      last_error: z.string().nullable().describe('Code of the last failure. Null after a success.'),
      last_answer: z.string().nullable().describe('First 200 characters of the last response body.'),
      last_took_ms: z.int().nullable().describe('Duration of the last attempt, ms.'),
      created_at: time.describe('When the event fired.'),
      next_attempt_at: time.nullable().describe('When the next attempt is due. Null during an attempt and at the end.'),
      finished_at: time.nullable().describe('When it was delivered, failed or dropped.'),
    })
    .describe('A delivery and the result of its last attempt.'),
);

export const webhookDeliveries = named(
  'WebhookDeliveries',
  z
    .strictObject({
      count: count.describe('Number of deliveries on this page.'),
      has_more: z.boolean().describe('Whether older ones follow.'),
      next_cursor: z.uuid().nullable().describe('`cursor` of the next page. Null at the end.'),
      deliveries: z.array(delivery).describe('Newest first.'),
    })
    .describe('A page of the delivery history of an endpoint.'),
);

export const webhookRoll = named(
  'WebhookRoll',
  z
    .strictObject({
      id: z.uuid().describe('The endpoint.'),
      secret: z
        .string()
        .regex(/^whsec_/)
        .describe('The new secret. Returned only once: store it now.'),
      previous_secret_until: time.describe('Until then deliveries are signed with the old secret too.'),
    })
    .describe('The new secret of an endpoint.'),
);

export const webhookList = named(
  'WebhookList',
  z
    .strictObject({
      count: count.describe('Number of endpoints.'),
      webhooks: z.array(webhook).describe('Oldest first.'),
    })
    .describe('Webhook endpoints of the organization.'),
);
