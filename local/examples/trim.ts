import { EXAMPLE_REQUEST_ID } from '../../functions/api/contract/responses.ts';

const MAX_ROWS = 2;
const MAX_WORDS = 8;
const MAX_TEXT_CHARS = 280;

const SECRET_PATTERNS = /sk_live_\w+|whsec_[\w+/=]+|eyJ[\w-]+\.[\w-]+\.[\w-]+|st_\w{32}|sb_publishable_[\w-]+/g;

/**
 * Shortens a response for the reference: two rows of a long list, the beginning of a long text.
 * Legs and outcomes stay complete, because only together they define the payout. Keys and other
 * secrets are replaced.
 */
export function trimmed(value: unknown, name = ''): unknown {
  if (typeof value === 'string') return name === 'request_id' ? EXAMPLE_REQUEST_ID : shortText(value);
  if (Array.isArray(value)) {
    const whole = name === 'legs' || (name === 'outcomes' && value.length <= 3);
    const most = value.every((item) => typeof item === 'string') ? MAX_WORDS : MAX_ROWS;
    return (whole ? value : value.slice(0, most)).map((item) => trimmed(item));
  }
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, trimmed(inner, key)]));
}

function shortText(text: string): string {
  const clean = text.replace(SECRET_PATTERNS, (secret) => `${/^(?:sk_live_|whsec_)?/.exec(secret)?.[0]}…`);
  if (clean.length <= MAX_TEXT_CHARS || /^https?:/.test(clean)) return clean;
  return `${clean.slice(0, clean.lastIndexOf(' ', MAX_TEXT_CHARS))} …`;
}
