import type { Context } from 'hono';
import { z } from 'zod';
import type { AppEnv, Route } from '../app_types.ts';
import { patchWebhookDocs } from '../contract/docs.ts';
import type { Caller } from '../database.ts';
import { parseJsonBody } from '../http/body.ts';
import { toIssues } from '../http/validation.ts';
import { ownerOrKeyCallerOf } from '../owner_caller.ts';
import type { ParsedRequest } from '../parsed_request.ts';
import { respondAction } from '../respond.ts';
import { WEBHOOK_EVENTS } from '../vocabulary.ts';
import { parsePathIds } from '../webhook_path.ts';
import { readBeforeChange, webhookFields } from '../webhook_request.ts';

const { url, events, min_spread_pts, min_edge_pct, min_profit_usd } = webhookFields.shape;
const fields = z.object({
  url: url.optional(),
  events: events.optional(),
  ...{ min_spread_pts, min_edge_pct, min_profit_usd },
  status: z
    .literal('enabled')
    .optional()
    .describe('Enables an endpoint that was disabled after failed deliveries. `failure_count` starts at 0 again.'),
});

/** What get_endpoint_to_change returns. */
const stored = z.object({
  allowed: z.array(z.string()),
  events: z.array(z.enum(WEBHOOK_EVENTS)),
  min_spread_pts: z.number().nullable(),
  min_edge_pct: z.number().nullable(),
  min_profit_usd: z.number().nullable(),
});

/** Changes an endpoint: the fields that the body has. */
export const patchWebhook: Route = {
  method: 'PATCH',
  path: '/v1/webhooks/:id',
  docs: patchWebhookDocs,
  body: fields,
  handle: (c) =>
    respondAction(c, 'patch_endpoint', (caller) => validateChange(c, caller), { callerOf: ownerOrKeyCallerOf }),
};

/** Validates the body against the stored endpoint. It queries the DNS only for a new address. */
async function validateChange(c: Context<AppEnv>, caller: Caller): Promise<ParsedRequest> {
  const ids = parsePathIds({ id: c.req.param('id') });
  const body = await parseJsonBody(c.req.raw);
  const parsed = fields.safeParse(body);
  if (!parsed.success || ids.issues.length > 0) {
    return { params: {}, issues: [...ids.issues, ...(parsed.success ? [] : toIssues(parsed.error, 'body', body))] };
  }
  const { allowed, ...current } = stored.parse(await readBeforeChange(c, caller, 'get_endpoint_to_change', ids.params));
  // Loaded here, because few routes need its parser of addresses.
  const { changedSubscription, registrationIssues, subscriptionIssues } = await import('../webhook_registration.ts');
  const { url: newUrl, status, ...change } = parsed.data;
  const subscription = changedSubscription(current, change);
  const issues =
    newUrl === undefined
      ? subscriptionIssues(subscription)
      : await registrationIssues({ url: newUrl, ...subscription }, { resolve: c.var.services.resolve, allowed });
  const { events: newEvents, ...thresholds } = subscription;
  return { params: { ...ids.params, url: newUrl ?? null, events: newEvents, thresholds, status }, issues };
}
