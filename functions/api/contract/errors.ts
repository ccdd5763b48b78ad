import { z } from 'zod';
import { ERRORS, type ErrorCode } from '../http/errors.ts';
import { named, time } from './fields.ts';

const body = {
  error: z.string().describe('What to do, in a sentence.'),
  code: z.enum(Object.keys(ERRORS) as [ErrorCode, ...ErrorCode[]]).describe('Stable: programs decide by it.'),
  request_id: z.string().describe('Tell us this one when you ask for help; also in `X-Request-Id`.'),
};

const retryAfter = z.int().min(0).describe('Whole seconds to wait before trying again.');

export const errorBody = named('Error', z.strictObject(body).describe('Why there is no answer.'));

export const rateError = named(
  'RateError',
  z
    .strictObject({
      ...body,
      tier: z.enum(['free', 'basic', 'premium', 'pro']).describe('The organization’s tier.'),
      quota: z.int().min(0).describe('Requests that the tier allows in `window`.'),
      count: z.int().min(0).describe('Requests that were counted in it.'),
      window: z.enum(['60s', 'month']).describe('Which of the two limits was met.'),
      retry_after: retryAfter,
      resets_at: time.optional().describe('With `month`: when the next one begins.'),
    })
    .describe('A limit was met.'),
);

export const unavailableError = named(
  'UnavailableError',
  z.strictObject({ ...body, retry_after: retryAfter }).describe('It may work in a moment.'),
);

export const validationError = named(
  'ValidationError',
  z
    .strictObject({
      error: z.string().describe('The first fault, in a sentence.'),
      code: z.literal('validation').describe('Every 422 has this code; `detail[].type` says which fault it is.'),
      detail: z
        .array(
          z.strictObject({
            loc: z.array(z.union([z.string(), z.int()])).describe('Where: `["query", "limit"]`.'),
            msg: z.string().describe('What is wrong, in a sentence.'),
            type: z
              .string()
              .describe(
                'Stable kind of fault: `int_parsing`, `enum`, `greater_than_equal`, `missing`, `cursor.expired` …',
              ),
            input: z.unknown().describe('What was given.'),
            ctx: z
              .record(z.string(), z.unknown())
              .describe('What would have been taken: `{"ge": 1}`, `{"expected": "…"}`.'),
          }),
        )
        .describe('One an error.'),
      request_id: body.request_id,
    })
    .describe('A parameter that is known has a value that is not.'),
);

/** The schema of an error’s body, by its status. */
export function errorSchema(status: number): z.ZodType {
  if (status === 422) return validationError;
  if (status === 429) return rateError;
  return status === 503 ? unavailableError : errorBody;
}
