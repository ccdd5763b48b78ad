import { ApiError, type ApiErrorCode } from './errors.ts';

/**
 * Limits and use of an organization after this request. Seconds are whole; `month_ends_at` is ISO
 * 8601.
 */
export type RateState = {
  tier: string;
  window_quota: number;
  window_used: number;
  window_left_s: number;
  month_quota: number;
  month_used: number;
  month_left_s: number;
  month_ends_at: string;
};

/**
 * `RateLimit-Policy` and `RateLimit` (structured fields of the IETF draft): the limits, the
 * remaining requests, and the seconds until the reset.
 */
export function rateHeaders(state: RateState): Record<string, string> {
  const window = Math.max(state.window_quota - state.window_used, 0);
  const month = Math.max(state.month_quota - state.month_used, 0);
  return {
    'RateLimit-Policy': `"window";q=${state.window_quota};w=60, "month";q=${state.month_quota}`,
    RateLimit: `"window";r=${window};t=${state.window_left_s}, "month";r=${month};t=${state.month_left_s}`,
  };
}

/** An error of account.admit (402, 403, 429) with the fields that contract.md defines. */
export function admissionError(code: ApiErrorCode, state: RateState): ApiError {
  const headers = rateHeaders(state);
  if (code === 'rate.window') {
    return new ApiError(
      code,
      {
        tier: state.tier,
        quota: state.window_quota,
        count: state.window_used,
        window: '60s',
        retry_after: state.window_left_s,
      },
      { ...headers, 'Retry-After': String(state.window_left_s) },
    );
  }
  if (code === 'rate.quota') {
    // No Retry-After: clients sleep for it, and the reset may be weeks away.
    return new ApiError(
      code,
      {
        tier: state.tier,
        quota: state.month_quota,
        count: state.month_used,
        window: 'month',
        retry_after: state.month_left_s,
        resets_at: state.month_ends_at,
      },
      headers,
    );
  }
  return new ApiError(code, {}, headers);
}
