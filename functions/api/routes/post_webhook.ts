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
import { keyCallerOf, respondAction } from '../respond.ts';
import type { Registration } from '../webhook_registration.ts';
import { readBeforeChange, webhookFields } from '../webhook_request.ts';

/**
 * Registers a webhook endpoint of the caller's organization. Only this response contains the
 * secret. The dashboard calls it with the session of an owner and `?org_id=`, which the reference
 * omits.
 */
export const postWebhook: Route = {
  method: 'POST',
  path: '/v1/webhooks',
  docs: postWebhookDocs,
  body: webhookFields,
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
  const allowed = z.array(z.string()).parse(await readBeforeChange(c, caller, 'get_allowed_receivers'));
  // Loaded here, because few routes need its parser of addresses.
  const { registrationIssues } = await import('../webhook_registration.ts');
  return { ...parsed, issues: await registrationIssues(parsed.params, { resolve: c.var.services.resolve, allowed }) };
}

function parseWebhook(body: unknown): ParsedRequest & { params: Registration } {
  const parsed = webhookFields.safeParse(body);
  if (parsed.success) return { params: parsed.data, issues: [] };
  return { params: { url: '', events: [] }, issues: toIssues(parsed.error, 'body', body) };
}
