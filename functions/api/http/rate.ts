import { ApiError, type ApiErrorCode } from './errors.ts';

/** Where an organization stands after this request. Seconds are whole; `month_ends_at` is ISO 8601. */
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

/** `RateLimit-Policy` and `RateLimit` (the IETF draft's structured fields): policy, what remains, and seconds until it is whole again. */
export function rateHeaders(at: RateState): Record<string, string> {
  const window = Math.max(at.window_quota - at.window_used, 0);
  const month = Math.max(at.month_quota - at.month_used, 0);
  return {
    'RateLimit-Policy': `"window";q=${at.window_quota};w=60, "month";q=${at.month_quota}`,
    RateLimit: `"window";r=${window};t=${at.window_left_s}, "month";r=${month};t=${at.month_left_s}`,
  };
}

/** A refusal of account.admit (402, 403, 429) with the fields that contract.md gives it. */
export function admissionError(code: ApiErrorCode, at: RateState): ApiError {
  const headers = rateHeaders(at);
  if (code === 'rate.window') {
    return new ApiError(
      code,
      { tier: at.tier, quota: at.window_quota, count: at.window_used, window: '60s', retry_after: at.window_left_s },
      { ...headers, 'Retry-After': String(at.window_left_s) },
    );
  }
  if (code === 'rate.quota') {
    // No Retry-After here: clients sleep on it, and this may be weeks.
    return new ApiError(
      code,
      {
        tier: at.tier,
        quota: at.month_quota,
        count: at.month_used,
        window: 'month',
        retry_after: at.month_left_s,
        resets_at: at.month_ends_at,
      },
      headers,
    );
  }
  return new ApiError(code, {}, headers);
}
