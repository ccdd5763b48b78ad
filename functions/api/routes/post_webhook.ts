import type { Context } from 'hono';
import { z } from 'zod';
import type { AppEnv, Route } from '../app_types.ts';
import { postWebhookDocs } from '../contract/docs.ts';
import type { Caller } from '../database.ts';
import { parseJsonBody } from '../http/body.ts';
import { toIssues } from '../http/validation.ts';
import { ownerOrKeyCallerOf } from '../owner_caller.ts';
import type { ParsedRequest } from '../parsed_request.ts';
import { respondAction } from '../respond.ts';
import type { Registration } from '../webhook_registration.ts';
import { readBeforeChange, webhookFields } from '../webhook_request.ts';

/**
 * Registers a webhook endpoint of the caller's organization. Only this response contains the
 * secret.
 */
export const postWebhook: Route = {
  method: 'POST',
  path: '/v1/webhooks',
  docs: postWebhookDocs,
  body: webhookFields,
  handle: (c) =>
    respondAction(c, 'post_endpoint', (caller) => validateWebhook(c, caller), { callerOf: ownerOrKeyCallerOf }),
};

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
