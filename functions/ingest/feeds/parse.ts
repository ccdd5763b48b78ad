import type { z } from 'zod';
import type { Json, RejectedRow, VenueCode } from '../listing.ts';
import { cleanJson, cleanText } from './clean.ts';

export type RowKind = RejectedRow['kind'];

/**
 * The parsed record, or why the input is invalid: `<kind>.missing_field` for an absent or null
 * field, `<kind>.wrong_type` for every other error.
 */
export type ParseResult<T> = { ok: true; value: T } | { ok: false; code: string; detail: string };

export function parseRecord<T>(schema: z.ZodType<T>, input: unknown, kind: RowKind): ParseResult<T> {
  const result = schema.safeParse(input);
  if (result.success) return { ok: true, value: result.data };
  const issue = result.error.issues[0];
  const path = issue?.path ?? [];
  const field = path.join('.') || '(whole)';
  const found = valueAt(input, path);
  return found === undefined || found === null
    ? { ok: false, code: `${kind}.missing_field`, detail: `The field ${field} is missing.` }
    : {
        ok: false,
        code: `${kind}.wrong_type`,
        detail: `The field ${field} is invalid: ${issue?.message ?? 'wrong type'}.`,
      };
}

/**
 * Builds a row of venue.rejected_rows. A long payload is cut, so that one page of a venue cannot
 * fill the table.
 */
export function rejectedRow(
  kind: RowKind,
  nativeId: unknown,
  code: string,
  detail: string,
  payload: unknown,
): RejectedRow {
  const id = typeof nativeId === 'string' ? cleanText(nativeId.slice(0, 200)) : '';
  return {
    kind,
    native_id: id === '' ? '(unnamed)' : id,
    code,
    detail: cleanText(detail.slice(0, 500)),
    payload: truncatePayload(payload),
  };
}

/** The row for a message that a limit of its socket refused. */
export function overLimitRow(venue: VenueCode, fault: string): RejectedRow {
  return rejectedRow('message', null, `message.${fault}`, `A message of ${venue} is above the limits.`, null);
}

const MAX_PAYLOAD_CHARS = 4_000;

function truncatePayload(payload: unknown): Json {
  const clean = cleanJson(payload);
  const text = JSON.stringify(clean);
  return text.length <= MAX_PAYLOAD_CHARS
    ? clean
    : { cut: cleanText(text.slice(0, MAX_PAYLOAD_CHARS)), length: text.length };
}

function valueAt(input: unknown, path: readonly PropertyKey[]): unknown {
  let value = input;
  for (const key of path) {
    if (value === null || typeof value !== 'object') return value;
    value = (value as Record<PropertyKey, unknown>)[key];
  }
  return value;
}

export function isObject(value: unknown): value is { [key: string]: unknown } {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}

/** The type of a message for the log. A type that is not a string becomes `none`. */
export const typeOf = (type: unknown): string => (typeof type === 'string' ? type : 'none');

/** Converts a venue's time to ISO 8601 in UTC. Null when it cannot be parsed. */
export function isoTime(value: unknown): string | null {
  if (typeof value !== 'string' || value === '') return null;
  // One venue writes "2026-09-20 17:00:00+00". JavaScript needs a T, and minutes in the offset.
  const text = value
    .trim()
    .replace(/^(\d{4}-\d{2}-\d{2}) /, '$1T')
    .replace(/([+-]\d{2})$/, '$1:00');
  const zoned = /(?:Z|[+-]\d{2}:?\d{2})$/.test(text) || !text.includes('T') ? text : `${text}Z`;
  const ms = Date.parse(zoned);
  const iso = Number.isNaN(ms) ? '' : new Date(ms).toISOString();
  // JavaScript writes years after 9999 with a sign. A market has no such date.
  return /^\d{4}-/.test(iso) ? iso : null;
}
