import { z } from 'zod';
import { WEBHOOK_EVENTS } from '../vocabulary.ts';
import { count, named, time } from './fields.ts';

const common = {
  id: z.uuid().describe('Stable; `endpoint_id` in each delivery.'),
  url: z.string().describe('Where deliveries go.'),
  events: z.array(z.enum(WEBHOOK_EVENTS)).describe('What is delivered.'),
  min_spread_pts: z.number().min(0.5).max(50).nullable().describe('The gap in points that fires `spread.threshold`.'),
  created_at: time.describe('When it was registered.'),
};

export const webhookSecret = named(
  'WebhookSecret',
  z
    .strictObject({
      ...common,
      secret: z
        .string()
        .regex(/^whsec_/)
        .describe('Signs every delivery. Told once: keep it now.'),
    })
    .describe('The endpoint is registered.'),
);

const webhook = named(
  'Webhook',
  z
    .strictObject({
      ...common,
      secret_preview: z.string().describe('How the secret begins.'),
      status: z
        .enum(['enabled', 'disabled', 'paused'])
        .describe('`paused`: the plan has no webhooks or is not active; it goes on by itself when it is again.'),
      disabled_reason: z
        .literal('delivery_failures')
        .nullable()
        .describe('`delivery_failures`: 20 deliveries in a row failed. It stays so: delete it and register it again.'),
      failure_count: count.describe('Deliveries that failed for good since the last that succeeded.'),
      pending: count.describe(
        'Deliveries that wait for an attempt or for its result; 1,000 at most: the oldest beyond them fail with `backlog`.',
      ),
      last_success_at: time.nullable().describe('When a delivery last succeeded.'),
      last_failure_at: time.nullable().describe('When a delivery last failed for good.'),
    })
    .describe('A webhook endpoint.'),
);

export const webhookList = named(
  'WebhookList',
  z
    .strictObject({
      count: count.describe('How many there are.'),
      webhooks: z.array(webhook).describe('Oldest first.'),
    })
    .describe('The organization’s webhook endpoints.'),
);
