import { createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { pageHeaders } from '../../../dashboard/headers.ts';
import { sendError } from './responses.ts';
import { serveJson } from './static_files.ts';

/** Requests that the inbox keeps, of all names together. */
const MAX_REQUESTS = 100;
const MAX_BODY_BYTES = 256 * 1024;
/** webhook.inbox_path has the same pattern. */
const POST_PATTERN = /^\/inbox\/([A-Za-z0-9_-]{1,64})$/;

/** Addresses of the inbox begin with this, and a name follows. */
export const inboxUrl = (port: number): string => `http://127.0.0.1:${port}/inbox/`;

type Received = { name: string; received_at: string; headers: IncomingHttpHeaders; body: string };
/** Whether each of the two signatures of a request is right; null without a secret. */
type Verification = { x_svc_signature: boolean; webhook_signature: boolean } | null;

/**
 * A receiver of webhooks for `npm start`: it needs no TLS, no certificate and no option. It keeps
 * the last requests in memory. `POST /inbox/NAME` stores one; `GET /inbox` and `GET /inbox/NAME`
 * return them, newest first, as JSON or as a page. `?secret=` verifies their signatures.
 */
export class Inbox {
  readonly #requests: Received[] = [];

  /** Whether a path belongs to the inbox. */
  static serves(path: string): boolean {
    return path === '/inbox' || path.startsWith('/inbox/');
  }

  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://inbox');
    const [, name] = POST_PATTERN.exec(pathname) ?? [];
    if (request.method === 'POST' && name !== undefined) await this.#store(request, response, name);
    else if (request.method === 'GET' || request.method === 'HEAD') {
      this.#list(request, response, name, searchParams.get('secret') ?? '');
    } else {
      const error = 'Use POST /inbox/NAME to send, and GET /inbox to read. A name has letters, digits, _ and -.';
      sendError(request, response, { status: 405, code: 'path.method', error });
    }
  }

  async #store(request: IncomingMessage, response: ServerResponse, name: string): Promise<void> {
    const body = await readBody(request);
    if (body === undefined) {
      const error = `The inbox takes bodies of at most ${MAX_BODY_BYTES / 1024} KiB.`;
      sendError(request, response, { status: 413, code: 'body.too_large', error });
      return;
    }
    this.#requests.unshift({ name, received_at: new Date().toISOString(), headers: request.headers, body });
    this.#requests.length = Math.min(this.#requests.length, MAX_REQUESTS);
    response.writeHead(204, pageHeaders).end();
  }

  #list(request: IncomingMessage, response: ServerResponse, name: string | undefined, secret: string): void {
    const found = this.#requests.filter((one) => name === undefined || one.name === name);
    const requests = found.map((one) => ({ ...one, verified: verify(one, secret) }));
    if (!/\btext\/html\b/.test(request.headers.accept ?? '')) {
      serveJson(request, response, { count: requests.length, requests });
      return;
    }
    const text = pageOf(requests, secret);
    response.writeHead(200, {
      ...pageHeaders,
      'content-type': 'text/html; charset=utf-8',
      'content-length': Buffer.byteLength(text),
      'content-security-policy': "default-src 'none'; form-action 'self'; frame-ancestors 'none'",
      'cache-control': 'no-store',
    });
    response.end(request.method === 'HEAD' ? undefined : text);
  }
}

/** The body as text; undefined where it is too large. The rest of it is read and dropped. */
async function readBody(request: IncomingMessage): Promise<string | undefined> {
  const parts: Buffer[] = [];
  let length = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    length += part.byteLength;
    if (length <= MAX_BODY_BYTES) parts.push(part);
  }
  return length > MAX_BODY_BYTES ? undefined : Buffer.concat(parts).toString();
}

/** Verifies both headers as docs/webhooks.md describes, but not the age of the request. */
function verify({ headers, body }: Received, secret: string): Verification {
  if (secret === '') return null;
  const headerOf = (name: string) => String(headers[name] ?? '');
  const [, at, signatures = ''] = /^t=(\d+)((?:,v1=[0-9a-f]{64})+)$/.exec(headerOf('x-svc-signature')) ?? [];
  const hex = createHmac('sha256', secret).update(`${at}.${body}`).digest('hex');
  const signed = `${headerOf('webhook-id')}.${headerOf('webhook-timestamp')}.${body}`;
  const base64 = createHmac('sha256', Buffer.from(secret.replace(/^whsec_/, ''), 'base64')).update(signed);
  return {
    x_svc_signature: includes(signatures.split(',v1='), hex),
    webhook_signature: includes(headerOf('webhook-signature').split(' '), `v1,${base64.digest('base64')}`),
  };
}

const includes = (given: readonly string[], expected: string): boolean =>
  given.some((one) => one.length === expected.length && timingSafeEqual(Buffer.from(one), Buffer.from(expected)));

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

function pageOf(requests: readonly (Received & { verified: Verification })[], secret: string): string {
  const word = (isRight: boolean) => (isRight ? 'valid' : 'not valid');
  const rows = requests.map(({ name, received_at, headers, body, verified }) => {
    const result = verified
      ? `<p>X-Svc-Signature: ${word(verified.x_svc_signature)}. webhook-signature: ${word(verified.webhook_signature)}.</p>`
      : '';
    return `<article><h2>${escaped(name)}: ${escaped(String(headers['x-svc-event'] ?? 'request'))}</h2>
<p>${received_at}, delivery ${escaped(String(headers['x-svc-delivery'] ?? 'none'))}</p>${result}
<pre>${escaped(body)}</pre></article>`;
  });
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Webhook inbox</title></head><body>
<h1>Webhook inbox</h1>
<p>The last ${MAX_REQUESTS} requests to POST /inbox/NAME, newest first. They are kept in memory only.</p>
<form><label>Secret <input name="secret" value="${escaped(secret)}" autocomplete="off"></label>
<button>Verify</button></form>
${rows.join('\n') || '<p>Nothing has arrived yet.</p>'}
</body></html>
`;
}
