import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { pageHeaders } from '../../../dashboard/headers.ts';

/** The request's own id if it is well formed, else a new one. */
export function requestId(headers: IncomingMessage['headers']): string {
  const given = headers['x-request-id'];
  return typeof given === 'string' && /^[A-Za-z0-9._-]{1,128}$/.test(given) ? given : randomUUID();
}

export type ErrorResponse = { status: number; code: string; error: string; retryAfter?: number };

/** Sends an error of the gateway itself: a sentence for people and a code for programs. */
export function sendError(request: IncomingMessage, response: ServerResponse, refusal: ErrorResponse): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const id = requestId(request.headers);
  const body = JSON.stringify({ error: refusal.error, code: refusal.code, request_id: id });
  response.writeHead(refusal.status, {
    ...pageHeaders,
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    'x-request-id': id,
    // A page of another origin must be able to read the error.
    'access-control-allow-origin': '*',
    'access-control-expose-headers': 'X-Request-Id, Retry-After',
    ...(refusal.retryAfter === undefined ? {} : { 'retry-after': String(refusal.retryAfter) }),
  });
  response.end(request.method === 'HEAD' ? undefined : body);
  // Unread upload data would keep the connection busy.
  request.resume();
}
