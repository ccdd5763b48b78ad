import { z } from 'zod';
import { ERRORS, type ErrorCode } from '../http/errors.ts';
import { named, time } from './fields.ts';

const body = {
  error: z.string().describe('A sentence with the problem and the next step.'),
  code: z.enum(Object.keys(ERRORS) as [ErrorCode, ...ErrorCode[]]).describe('Stable, for programs.'),
  request_id: z.string().describe('Send this id with a question to us. Also in `X-Request-Id`.'),
};

const retryAfter = z.int().min(0).describe('Whole seconds to wait before the next attempt.');

export const errorBody = named('Error', z.strictObject(body).describe('An error.'));

export const rateError = named(
  'RateError',
  z
    .strictObject({
      ...body,
      tier: z.enum(['free', 'basic', 'premium', 'pro']).describe('The organization’s tier.'),
      quota: z.int().min(0).describe('Limit of the tier in `window`.'),
      count: z.int().min(0).describe('Requests counted in `window`.'),
      window: z.enum(['60s', 'month']).describe('The limit that was reached.'),
      retry_after: retryAfter,
      resets_at: time.optional().describe('With `month`: start of the next month.'),
    })
    .describe('A limit was reached.'),
);

export const unavailableError = named(
  'UnavailableError',
  z.strictObject({ ...body, retry_after: retryAfter }).describe('The request may succeed soon.'),
);

export const validationError = named(
  'ValidationError',
  z
    .strictObject({
      error: z.string().describe('The first problem as a sentence.'),
      code: z.literal('validation').describe('Every 422 has this code. `detail[].type` names the problem.'),
      detail: z
        .array(
          z.strictObject({
            loc: z.array(z.union([z.string(), z.int()])).describe('Location, such as `["query", "limit"]`.'),
            msg: z.string().describe('The problem as a sentence.'),
            type: z
              .string()
              .describe(
                'Stable type of the problem: `int_parsing`, `enum`, `greater_than_equal`, `missing`, `cursor.expired` …',
              ),
            input: z.unknown().describe('The rejected value.'),
            ctx: z.record(z.string(), z.unknown()).describe('The accepted values: `{"ge": 1}`, `{"expected": "…"}`.'),
          }),
        )
        .describe('One per problem.'),
      request_id: body.request_id,
    })
    .describe('A parameter or field has an invalid value.'),
);

/** Schema of an error body by its status. */
export function errorSchema(status: number): z.ZodType {
  if (status === 422) return validationError;
  if (status === 429) return rateError;
  return status === 503 ? unavailableError : errorBody;
}
