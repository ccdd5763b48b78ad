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
  if (depthOf(text) > MAX_DEPTH) throw new ApiError('body.too_deep');
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
  if (!request.body) return '';
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const reader = request.body.getReader();
  let text = '';
  let length = 0;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return text + decoder.decode();
      length += value.byteLength;
      if (length > MAX_BODY_BYTES) throw new ApiError('body.too_large');
      text += decoder.decode(value, { stream: true });
    }
  } catch (error) {
    await reader.cancel().catch(() => {});
    if (error instanceof ApiError) throw error;
    throw new ApiError('body.bad_text');
  }
}

/**
 * Deepest nesting of brackets outside of strings. Checked before JSON.parse, because later code
 * walks the value recursively.
 */
function depthOf(text: string): number {
  let depth = 0;
  let deepest = 0;
  let quoted = false;
  for (let i = 0; i < text.length; i++) {
    const char = text[i];
    if (quoted) {
      if (char === '\\') i++;
      else if (char === '"') quoted = false;
    } else if (char === '"') quoted = true;
    else if (char === '[' || char === '{') deepest = Math.max(deepest, ++depth);
    else if (char === ']' || char === '}') depth--;
  }
  return deepest;
}

function hasInvalidText(value: unknown): boolean {
  if (typeof value === 'string') return INVALID_TEXT_PATTERN.test(value);
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(([key, inner]) => INVALID_TEXT_PATTERN.test(key) || hasInvalidText(inner));
}
