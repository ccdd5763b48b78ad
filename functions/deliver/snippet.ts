/** How much of an answer's body is kept, characters. */
export const snippetLimit = 200;

/**
 * The beginning of an answer's body for the log of deliveries: one line of well-formed text without control characters, since it is foreign
 * and people will look at it. `body` is one character a byte, as it came; packed ones are not unpacked, they say nothing.
 */
export function snippetOf(body: string, field: (name: string) => string | undefined): string {
  if (!['', 'identity'].includes((field('content-encoding') ?? '').toLowerCase())) return '';
  // Four bytes a character at most.
  const most = snippetLimit * 4;
  const plain = /\bchunked\b/i.test(field('transfer-encoding') ?? '') ? unchunked(body, most) : body;
  const bytes = Uint8Array.from(plain.slice(0, most), (one) => one.charCodeAt(0));
  const text = new TextDecoder().decode(bytes).replace(/[\p{C}\s]+/gu, ' ');
  return [...text.trim()].slice(0, snippetLimit).join('').trim();
}

function unchunked(body: string, most: number): string {
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
