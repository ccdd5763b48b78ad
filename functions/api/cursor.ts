import { base62, crc32 } from '../_shared/checksum.ts';

/**
 * The last row of the previous page (sort key as text, null: unpriced; id), and the change number
 * of the snapshot that the first page was read from.
 */
export type CursorPosition = { key: string | null; id: string; change_no: number };

const UUID_PATTERN = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const SORT_KEY_PATTERNS: Record<string, RegExp> = {
  start_time: /^-?\d{1,17}$/,
  '-start_time': /^-?\d{1,17}$/,
  '-spread_pts': /^\d{1,3}(\.\d{1,4})?$/,
  '-closed_at': /^-?\d{1,17}$/,
};

/**
 * Hash of the sort and the filters. A cursor is bound to it: with other filters it would skip rows
 * without an error.
 */
export function hashView(filters: unknown): string {
  return base62(crc32(JSON.stringify(filters)), 6);
}

/**
 * Parses a cursor of api.encode_cursor (sql/85_api_markets.sql): base64url of [view, key, id,
 * change_no]. Undefined for any other text. The history of opportunities has change_no 0.
 */
export function parseCursor(text: string, view: string, sort: string): CursorPosition | undefined {
  const [boundTo, key, id, change_no] = decodeCursor(text);
  if (typeof change_no !== 'number' || !Number.isSafeInteger(change_no) || change_no < 0) return undefined;
  if (boundTo !== view || typeof id !== 'string' || !UUID_PATTERN.test(id)) return undefined;
  if (key === null) return sort === '-spread_pts' ? { key, id, change_no } : undefined;
  return typeof key === 'string' && SORT_KEY_PATTERNS[sort]?.test(key) ? { key, id, change_no } : undefined;
}

/**
 * Parses a cursor of api.get_rules: [view, null, id, 0]. Returns the id, which is the md5 of the
 * last rule_id. Undefined for any other text.
 */
export function parseRuleCursor(text: string, view: string): string | undefined {
  const [boundTo, key, id, change_no] = decodeCursor(text);
  if (boundTo !== view || key !== null || change_no !== 0) return undefined;
  return typeof id === 'string' && UUID_PATTERN.test(id) ? id : undefined;
}

/** The four parts of a cursor. Empty for any other text. */
function decodeCursor(text: string): unknown[] {
  if (!/^[A-Za-z0-9_-]{1,400}$/.test(text)) return [];
  try {
    const parts: unknown = JSON.parse(atob(text.replaceAll('-', '+').replaceAll('_', '/')));
    return Array.isArray(parts) && parts.length === 4 ? parts : [];
  } catch {
    return [];
  }
}
