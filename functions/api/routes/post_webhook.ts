import { z } from 'zod';
import { addressesOf, type Resolve, type Told } from '../../_shared/dns.ts';
import type { Route } from '../app_types.ts';
import { aboutPostWebhook } from '../contract/docs.ts';
import { readJson } from '../http/body.ts';
import { toIssues } from '../http/validation.ts';
import type { Parsed } from '../parsed.ts';
import { answerAct } from '../respond.ts';
import { webhookEvents } from '../vocabulary.ts';

// The kind of each field alone: what its value may be is decided in SQL (webhook.faults), where the page's registrations come by too.
const fields = z.object({
  url: z
    .string()
    .describe(
      'Where deliveries go: `https://`, a host whose addresses are all public (it is looked up), no credentials, no fragment, at most 2,048 characters.',
    )
    .meta({ format: 'uri', maxLength: 2048 }),
  events: z
    .array(z.enum(webhookEvents))
    .describe('What is delivered. `ping` needs no subscription.')
    .meta({ minItems: 1, maxItems: 20 }),
  min_spread_pts: z
    .number()
    .nullish()
    .describe('With `spread.threshold`, and only then: the gap in points that fires it.')
    .meta({ minimum: 0.5, maximum: 50 }),
});

/** Registers a webhook endpoint of the caller's organization. Its secret is in this answer and in no other. */
export const postWebhook: Route = {
  method: 'POST',
  path: '/v1/webhooks',
  about: aboutPostWebhook,
  body: fields,
  handle: (c) =>
    answerAct(
      c,
      'post_endpoint',
      async () => parseWebhook(await readJson(c.req.raw)),
      undefined,
      async (question) => ({ resolved: await resolved(question, c.var.services.resolve) }),
    ),
};

/** Longer than a resolver needs that asks the world, shorter than a caller waits. */
const DNS_MS = 2_000;

/**
 * What the DNS says of the host, for SQL to judge. Silence is no fault of the caller's, and no danger: each attempt asks again and connects
 * to no address that it has not checked. So it is let pass.
 */
async function resolved(question: unknown, resolve: Resolve): Promise<Told> {
  const { resolve: name } = questions.parse(question);
  return await addressesOf(resolve, name, DNS_MS);
}

const questions = z.object({ resolve: z.string() });

export function parseWebhook(body: unknown): Parsed {
  const read = fields.safeParse(body);
  if (!read.success) return { params: {}, issues: toIssues(read.error, 'body', body) };
  return { params: read.data, issues: [] };
}
