import { BodyOverLimit, readLimitedText } from '../../_shared/limited_text.ts';
import { ApiError } from './errors.ts';
import { INVALID_TEXT_PATTERN } from './text.ts';

export const MAX_BODY_BYTES = 64 * 1024;
export const MAX_DEPTH = 32;

/** Throws 413 where Content-Length exceeds the limit, before the body is read. */
export function rejectLongBody(headers: Headers): void {
  if (Number(headers.get('Content-Length') ?? 0) > MAX_BODY_BYTES) throw new ApiError('body.too_large');
}

/**
 * Parses the JSON body of a request; undefined for an empty body. Reads at most 64 KiB, with or
 * without Content-Length. Throws ApiError: 413 `body.too_large`, 400 `body.not_json`,
 * `body.too_deep` (more than 32 levels) and `body.bad_text` (invalid UTF-8, a lone surrogate or
 * NUL, which Postgres cannot store). The route validates the fields.
 */
export async function parseJsonBody(request: Request): Promise<unknown> {
  rejectLongBody(request.headers);
  const text = await readText(request);
  if (text.trim() === '') return undefined;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new ApiError('body.not_json');
  }
  if (hasInvalidText(value)) throw new ApiError('body.bad_text');
  return value;
}

async function readText(request: Request): Promise<string> {
  try {
    return await readLimitedText(request, { maxBytes: MAX_BODY_BYTES, json: { maxDepth: MAX_DEPTH }, fatal: true });
  } catch (error) {
    if (!(error instanceof BodyOverLimit)) throw new ApiError('body.bad_text');
    throw new ApiError(error.fault === 'too_large' ? 'body.too_large' : 'body.too_deep');
  }
}

function hasInvalidText(value: unknown): boolean {
  if (typeof value === 'string') return INVALID_TEXT_PATTERN.test(value);
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(([key, inner]) => INVALID_TEXT_PATTERN.test(key) || hasInvalidText(inner));
}
