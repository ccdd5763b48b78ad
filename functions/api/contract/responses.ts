import { ApiError, type ErrorCode, errorTable } from '../http/errors.ts';
import { refusal, type Standing } from '../http/rate.ts';
import { errorSchema } from './errors.ts';
import { examples } from './examples.ts';
import { type HeaderName, headerReferences } from './headers.ts';
import { referenceTo } from './json_schema.ts';

/** A request id that is nobody’s, for examples. */
export const exampleId = '0b7e4c1e-6f0a-4b55-9d2c-6a3f1f6b7c11';

/** A caller who has used up both limits, for the examples of 429. */
const spent: Standing = {
  tier: 'free',
  window_quota: 600,
  window_used: 600,
  window_left_s: 17,
  month_quota: 10_000,
  month_used: 10_000,
  month_left_s: 864_000,
  month_ends_at: '2026-12-01T00:00:00.000Z',
};

const errorHeaders: Readonly<Record<number, readonly HeaderName[]>> = {
  401: ['X-Request-Id', 'WWW-Authenticate'],
  429: ['X-Request-Id', 'RateLimit', 'RateLimit-Policy', 'Retry-After'],
  503: ['X-Request-Id', 'Retry-After'],
};

/** Error responses by status: each code with the very body that the API makes of it. */
export async function errorResponses(codes: readonly ErrorCode[]): Promise<Record<string, object>> {
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of codes) {
    const [status] = errorTable[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  const responses: Record<string, object> = {};
  for (const [status, group] of byStatus) {
    const shown = await Promise.all(group.map(async (code) => [code, { value: await bodyOf(code) }] as const));
    responses[status] = {
      description: group.map((code) => errorTable[code][1]).join(' '),
      headers: headerReferences(errorHeaders[status] ?? ['X-Request-Id', 'RateLimit', 'RateLimit-Policy']),
      content: {
        'application/json': { schema: referenceTo(errorSchema(status)), examples: Object.fromEntries(shown) },
      },
    };
  }
  return responses;
}

async function bodyOf(code: ErrorCode): Promise<unknown> {
  const [status] = errorTable[code];
  const error = status === 429 ? refusal(code, spent) : new ApiError(code, status === 503 ? { retry_after: 1 } : {});
  return await error.toResponse(exampleId).json();
}

export function validationResponseOf(): object {
  const example = examples['422'];
  return {
    description: 'A parameter has a value that it cannot have.',
    headers: headerReferences(['X-Request-Id', 'RateLimit', 'RateLimit-Policy']),
    content: {
      'application/json': {
        schema: referenceTo(errorSchema(422)),
        ...(example ? { example: example.answer } : {}),
      },
    },
  };
}
