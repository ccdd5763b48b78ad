import { ApiError, ERRORS, type ErrorCode } from '../http/errors.ts';
import { admissionError, type RateState } from '../http/rate.ts';
import { errorSchema } from './errors.ts';
import { examples } from './examples.ts';
import { type HeaderName, headerRefs } from './headers.ts';
import { schemaRefOf } from './json_schema.ts';

/** Request id in examples. */
export const EXAMPLE_REQUEST_ID = '0b7e4c1e-6f0a-4b55-9d2c-6a3f1f6b7c11';

/** Rate state with both limits reached, for the examples of 429. */
const EXHAUSTED_RATE_STATE: RateState = {
  tier: 'free',
  window_quota: 600,
  window_used: 600,
  window_left_s: 17,
  month_quota: 10_000,
  month_used: 10_000,
  month_left_s: 864_000,
  month_ends_at: '2026-12-01T00:00:00.000Z',
};

const ERROR_HEADERS: Readonly<Record<number, readonly HeaderName[]>> = {
  401: ['X-Request-Id', 'WWW-Authenticate'],
  429: ['X-Request-Id', 'RateLimit', 'RateLimit-Policy', 'Retry-After'],
  503: ['X-Request-Id', 'Retry-After'],
};

/** Error responses by status. Each example is the body that the API renders for its code. */
export async function errorResponses(codes: readonly ErrorCode[]): Promise<Record<string, object>> {
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of codes) {
    const [status] = ERRORS[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  const responses: Record<string, object> = {};
  for (const [status, group] of byStatus) {
    const bodies = await Promise.all(group.map(async (code) => [code, { value: await exampleBodyOf(code) }] as const));
    responses[status] = {
      description: group.map((code) => ERRORS[code][1]).join(' '),
      headers: headerRefs(ERROR_HEADERS[status] ?? ['X-Request-Id', 'RateLimit', 'RateLimit-Policy']),
      content: {
        'application/json': { schema: schemaRefOf(errorSchema(status)), examples: Object.fromEntries(bodies) },
      },
    };
  }
  return responses;
}

async function exampleBodyOf(code: ErrorCode): Promise<unknown> {
  const [status] = ERRORS[code];
  const error =
    status === 429
      ? admissionError(code, EXHAUSTED_RATE_STATE)
      : new ApiError(code, status === 503 ? { retry_after: 1 } : {});
  return await error.toResponse(EXAMPLE_REQUEST_ID).json();
}

/** The response to invalid parameters. `rateHeaders`: those of a route with a key. */
export function validationErrorResponse(rateHeaders: readonly HeaderName[]): object {
  const example = examples['422'];
  return {
    description: 'A parameter or field has an invalid value.',
    headers: headerRefs(['X-Request-Id', ...rateHeaders]),
    content: {
      'application/json': {
        schema: schemaRefOf(errorSchema(422)),
        ...(example ? { example: example.answer } : {}),
      },
    },
  };
}
