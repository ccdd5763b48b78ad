import { type CachedBody, gzipBody } from './cache.ts';
import { etagOf } from './etag.ts';
import { type RateState, rateHeaders } from './http/rate.ts';

type Bytes = CachedBody['body'];

// For a smaller body, the gzip header and the CPU cost more than the saved bytes.
const MIN_GZIP_BYTES = 200;

/** What the headers of a response with data state, besides the body. */
export type DataState = {
  rateState: RateState;
  /** X-As-Of. */
  asOf: string;
  /** Until the next step of the snapshot. */
  stepLeftMs: number;
};

/** A response before the headers that every response has. */
export type DataAnswer = { status: 200 | 304; headers: Record<string, string>; body: Bytes | null };

/** Whether the body is sent gzipped to this client. */
export const isSentGzipped = (cached: CachedBody, wantsGzip: boolean): boolean =>
  wantsGzip && cached.body.byteLength >= MIN_GZIP_BYTES;

export function notModified(state: DataState, version: string, wantsGzip: boolean): DataAnswer {
  return { status: 304, headers: { ...headersOf(state), ETag: etagOf(version, wantsGzip) }, body: null };
}

/** The answer with the bytes of `cached`: its body, or `gzipped`. */
export function withBytes(state: DataState, cached: CachedBody, gzipped: Bytes | undefined): DataAnswer {
  const headers = headersOf(state);
  headers.ETag = etagOf(cached.version, gzipped !== undefined);
  headers['Content-Type'] = 'application/json; charset=utf-8';
  if (gzipped !== undefined) headers['Content-Encoding'] = 'gzip';
  return { status: 200, headers, body: gzipped ?? cached.body };
}

/** The answer with the bytes of `cached`, gzipped where the client wants it. */
export async function withBody(state: DataState, cached: CachedBody, wantsGzip: boolean): Promise<DataAnswer> {
  return withBytes(state, cached, isSentGzipped(cached, wantsGzip) ? await gzipBody(cached) : undefined);
}

export const toResponse = ({ status, headers, body }: DataAnswer): Response => new Response(body, { status, headers });

function headersOf({ rateState, asOf, stepLeftMs }: DataState): Record<string, string> {
  return {
    ...rateHeaders(rateState),
    'Cache-Control': `private, max-age=${Math.floor(stepLeftMs / 1000)}`,
    Vary: 'Authorization, Accept-Encoding',
    'X-As-Of': asOf,
  };
}
