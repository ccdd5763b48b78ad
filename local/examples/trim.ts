import { exampleId } from '../../functions/api/contract/responses.ts';

const mostRows = 2;
const mostWords = 8;
const longestText = 280;

const secrets = /sk_live_\w+|whsec_[\w+/=]+|eyJ[\w-]+\.[\w-]+\.[\w-]+/g;

/**
 * An answer small enough to read: two rows of a long list, the head of a long text. What must stay whole does: legs and outcomes, which
 * only together say what pays. Keys and other secrets are replaced.
 */
export function trimmed(value: unknown, name = ''): unknown {
  if (typeof value === 'string') return name === 'request_id' ? exampleId : shortText(value);
  if (Array.isArray(value)) {
    const whole = name === 'legs' || (name === 'outcomes' && value.length <= 3);
    const most = value.every((item) => typeof item === 'string') ? mostWords : mostRows;
    return (whole ? value : value.slice(0, most)).map((item) => trimmed(item));
  }
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, trimmed(inner, key)]));
}

function shortText(text: string): string {
  const clean = text.replace(secrets, (secret) => `${/^(?:sk_live_|whsec_)?/.exec(secret)?.[0]}…`);
  if (clean.length <= longestText || /^https?:/.test(clean)) return clean;
  return `${clean.slice(0, clean.lastIndexOf(' ', longestText))} …`;
}
