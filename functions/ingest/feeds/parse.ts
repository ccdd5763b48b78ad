import type { z } from 'zod';
import type { Json, RejectedRow } from '../listing.ts';
import { cleanJson, cleanText } from './clean.ts';

export type RowKind = RejectedRow['kind'];

/** The object, or why it cannot be one: `<kind>.missing_field` for what is absent or null, `<kind>.wrong_type` for the rest. */
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
        detail: `The field ${field} cannot be read: ${issue?.message ?? 'wrong type'}.`,
      };
}

/** A row for venue.rejected_rows. The payload is cut where it would fill the table with one page of a venue. */
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

/** What a frame calls itself, for people to read: an object that calls itself something has no text. */
export const typeOf = (type: unknown): string => (typeof type === 'string' ? type : 'none');

/** A time of the wire as ISO 8601 in UTC, or null where there is none that can be read. */
export function isoTime(value: unknown): string | null {
  if (typeof value !== 'string' || value === '') return null;
  // "2026-09-20 17:00:00+00" is what one venue writes; JavaScript wants a T and minutes in the offset.
  const text = value
    .trim()
    .replace(/^(\d{4}-\d{2}-\d{2}) /, '$1T')
    .replace(/([+-]\d{2})$/, '$1:00');
  const zoned = /(?:Z|[+-]\d{2}:?\d{2})$/.test(text) || !text.includes('T') ? text : `${text}Z`;
  const ms = Date.parse(zoned);
  const iso = Number.isNaN(ms) ? '' : new Date(ms).toISOString();
  // Beyond the year 9999 it is written with a sign, which is no date of a market.
  return /^\d{4}-/.test(iso) ? iso : null;
}
