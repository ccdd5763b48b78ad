/** Characters of a response body that are kept. */
export const MAX_SNIPPET_CHARS = 200;

/**
 * The beginning of a response body for the delivery history: one line of well-formed text without
 * control characters, because it is untrusted and people read it. `body` has one character per
 * byte, as received. Returns an empty text for a compressed body.
 */
export function snippetOf(body: string, field: (name: string) => string | undefined): string {
  if (!['', 'identity'].includes((field('content-encoding') ?? '').toLowerCase())) return '';
  // A character has at most four bytes.
  const most = MAX_SNIPPET_CHARS * 4;
  const plain = /\bchunked\b/i.test(field('transfer-encoding') ?? '') ? decodeChunked(body, most) : body;
  const bytes = Uint8Array.from(plain.slice(0, most), (one) => one.charCodeAt(0));
  const text = new TextDecoder().decode(bytes).replace(/[\p{C}\s]+/gu, ' ');
  return [...text.trim()].slice(0, MAX_SNIPPET_CHARS).join('').trim();
}

function decodeChunked(body: string, most: number): string {
  let plain = '';
  for (let at = 0; plain.length < most; ) {
    const end = body.indexOf('\r\n', at);
    const size = end < 0 ? 0 : Number.parseInt(body.slice(at, end), 16);
    if (!(size > 0)) break;
    plain += body.slice(end + 2, end + 2 + size);
    at = end + 2 + size + 2;
  }
  return plain;
}
