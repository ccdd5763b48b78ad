import type { Context } from 'hono';
import { z } from 'zod';
import type { AppEnv, Route } from '../app_types.ts';
import { postWebhookDocs } from '../contract/docs.ts';
import type { Caller } from '../database.ts';
import { parseJsonBody } from '../http/body.ts';
import { ApiError } from '../http/errors.ts';
import { fetchUserId, sessionClaimsOf, sessionTokenOf } from '../http/session.ts';
import { toIssues } from '../http/validation.ts';
import type { ParsedRequest } from '../parsed_request.ts';
import { keyCallerOf, rateStateOf, respondAction, toApiError } from '../respond.ts';
import { WEBHOOK_EVENTS } from '../vocabulary.ts';
import type { Registration } from '../webhook_registration.ts';

// Checks types only. The values are checked after admission (webhook_registration.ts).
const fields = z.object({
  url: z
    .string()
    .describe(
      'The receiver of deliveries: `https://`, a host with public addresses only (the API looks it up), no credentials, no fragment, at most 2,048 characters.',
    )
    .meta({ format: 'uri', maxLength: 2048 }),
  events: z
    .array(z.enum(WEBHOOK_EVENTS))
    .describe('The events to deliver. `ping` needs no subscription.')
    .meta({ minItems: 1, maxItems: 20 }),
  min_spread_pts: z
    .number()
    .nullish()
    .describe('Only with `spread.threshold`: the gap in points that fires it.')
    .meta({ minimum: 0.5, maximum: 50 }),
  min_edge_pct: z
    .number()
    .nullish()
    .describe('Only with `opportunity.opened`: the smallest `edge_pct` of an Opportunity that fires it. Default: any.')
    .meta({ minimum: 0, maximum: 100 }),
  min_profit_usd: z
    .number()
    .nullish()
    .describe(
      'Only with `opportunity.opened`: the smallest profit in USD at `max_contracts` (`max_contracts` - `max_wager_usd`) that fires it. Default: any.',
    )
    .meta({ minimum: 0, maximum: 1_000_000 }),
});

/**
 * Registers a webhook endpoint of the caller's organization. Only this response contains the
 * secret. The dashboard calls it with the session of an owner and `?org_id=`, which the reference
 * omits.
 */
export const postWebhook: Route = {
  method: 'POST',
  path: '/v1/webhooks',
  docs: postWebhookDocs,
  body: fields,
  handle: (c) => respondAction(c, 'post_endpoint', (caller) => validateWebhook(c, caller), { callerOf }),
};

async function callerOf(c: Context<AppEnv>): Promise<Caller> {
  const orgId = c.req.query('org_id');
  const token = sessionTokenOf(c.req.raw.headers);
  if (orgId === undefined || token === undefined) return keyCallerOf(c);
  const userId = await fetchUserId(token, c.var.services.platform);
  if (!z.guid().safeParse(orgId).success) throw new ApiError('organization.not_found');
  return { userId, session: sessionClaimsOf(token), orgId };
}

/** Validates the body. It queries the DNS only for a caller who may register. */
async function validateWebhook(c: Context<AppEnv>, caller: Caller): Promise<ParsedRequest> {
  const parsed = parseWebhook(await parseJsonBody(c.req.raw));
  if (parsed.issues.length > 0) return parsed;
  const { queries, resolve } = c.var.services;
  const { requestId } = c.var;
  const row = await queries.callActionRoute({
    requestId,
    caller,
    route: 'get_allowed_receivers',
    params: {},
    isInvalid: false,
  });
  // The error is thrown here. If the rate-limit window ended now, the next call would be admitted
  // and would register an endpoint that was not checked.
  if (row.code !== null) throw toApiError(row.code, rateStateOf(row));
  const allowed = receivers.parse(JSON.parse(row.body ?? 'null'));
  // Loaded here, because no other route needs its parser of addresses.
  const { registrationIssues } = await import('../webhook_registration.ts');
  return { ...parsed, issues: await registrationIssues(parsed.params, { resolve, allowed }) };
}

const receivers = z.array(z.string());

function parseWebhook(body: unknown): ParsedRequest & { params: Registration } {
  const parsed = fields.safeParse(body);
  if (parsed.success) return { params: parsed.data, issues: [] };
  return { params: { url: '', events: [] }, issues: toIssues(parsed.error, 'body', body) };
}
