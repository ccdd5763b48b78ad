import type { Attempt } from './database.ts';

/** The bytes of one request. docs/webhooks.md describes each header. */
export function requestOf(attempt: Attempt): Uint8Array {
  const encoder = new TextEncoder();
  const body = encoder.encode(attempt.body);
  const { delivery_id: id, signed_at: at } = attempt;
  const head = [
    `POST ${attempt.target} HTTP/1.1`,
    `Host: ${hostHeader(attempt)}`,
    'Connection: close',
    'Content-Type: application/json',
    `Content-Length: ${body.byteLength}`,
    'User-Agent: Parallax-Webhooks/2.0',
    `X-Svc-Event: ${attempt.event}`,
    `X-Svc-Delivery: ${id}`,
    `X-Svc-Signature: t=${at},v1=${attempt.signature}`,
    `webhook-id: ${id}`,
    `webhook-timestamp: ${at}`,
    `webhook-signature: ${attempt.standard_signature}`,
  ];
  // The database allows printable ASCII only. A line break in a value would add a header, so any
  // other character is rejected.
  if (head.some((line) => /[^ -~]/.test(line)))
    throw new Error('A header contains a character that is not printable ASCII.');
  const lines = encoder.encode(`${head.join('\r\n')}\r\n\r\n`);
  const request = new Uint8Array(lines.byteLength + body.byteLength);
  request.set(lines);
  request.set(body, lines.byteLength);
  return request;
}

function hostHeader({ host, port }: Attempt): string {
  const name = host.includes(':') ? `[${host}]` : host;
  return port === 443 ? name : `${name}:${port}`;
}
