import type { IncomingMessage, ServerResponse } from 'node:http';

export type HttpResponse = { status: number; body: string; headers?: Record<string, string> };

export const json = (value: unknown, status = 200): HttpResponse => ({ status, body: JSON.stringify(value) });
export const raw = (body: string, status = 200): HttpResponse => ({ status, body });

export function send(response: ServerResponse, answer: HttpResponse): void {
  response.writeHead(answer.status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(answer.body),
    ...answer.headers,
  });
  response.end(answer.body);
}

const MAX_BODY_BYTES = 4 * 1024 * 1024;

/** The request body as JSON; undefined when it is not JSON. */
export async function bodyOf(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    size += (chunk as Buffer).length;
    if (size > MAX_BODY_BYTES) return undefined;
    chunks.push(chunk as Buffer);
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString('utf8'));
  } catch {
    return undefined;
  }
}

/** Cursors are opaque to clients: a position in the order of listing. */
export const cursorAfter = (seq: number): string => Buffer.from(`after:${seq}`).toString('base64url');

export function parseCursor(cursor: string | null): number | null {
  if (!cursor) return 0;
  const match = /^after:(\d+)$/.exec(Buffer.from(cursor, 'base64url').toString('utf8'));
  return match ? Number(match[1]) : null;
}

/** Index of the first row after `seq` in a list ordered by seq. */
export function firstAfter(rows: readonly { seq: number }[], seq: number): number {
  let low = 0;
  let high = rows.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((rows[middle]?.seq ?? 0) <= seq) low = middle + 1;
    else high = middle;
  }
  return low;
}
