import type { Context } from 'hono';
import { z } from 'zod';
import type { AppEnv } from './app_types.ts';
import type { Caller } from './database.ts';
import { rateStateOf, toApiError } from './respond.ts';
import { WEBHOOK_EVENTS } from './vocabulary.ts';

/**
 * The fields of an endpoint that a caller sends. The schema checks types only. The values are
 * checked after admission (webhook_registration.ts).
 */
export const webhookFields = z.object({
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
 * Reads what a change is validated against. It counts nothing. An error of admission is thrown
 * here: if the rate-limit window ended now, the next call would be admitted and would make a change
 * that was not checked.
 */
export async function readBeforeChange(
  c: Context<AppEnv>,
  caller: Caller,
  route: 'get_allowed_receivers' | 'get_endpoint_to_change',
  params: Record<string, unknown> = {},
): Promise<unknown> {
  const { requestId, services } = c.var;
  const row = await services.queries.callActionRoute({ requestId, caller, route, params, isInvalid: false });
  if (row.code !== null) throw toApiError(row.code, rateStateOf(row));
  return JSON.parse(row.body ?? 'null');
}
