import { type CachedBody, gzipBody } from './cache.ts';
import { etagOf } from './etag.ts';
import { type RateState, rateHeaders } from './http/rate.ts';

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

/** Whether the body is sent gzipped to a client that accepts it. */
export const isWorthGzip = (cached: CachedBody): boolean => cached.body.byteLength >= MIN_GZIP_BYTES;

export function notModified(state: DataState, version: string, wantsGzip: boolean): Response {
  return new Response(null, { status: 304, headers: { ...headersOf(state), ETag: etagOf(version, wantsGzip) } });
}

/** The response with the bytes of `cached`, or with their gzip. */
export async function withBody(state: DataState, cached: CachedBody, wantsGzip: boolean): Promise<Response> {
  const isGzipped = wantsGzip && isWorthGzip(cached);
  const headers = {
    ...headersOf(state),
    ETag: etagOf(cached.version, isGzipped),
    'Content-Type': 'application/json; charset=utf-8',
    ...(isGzipped ? { 'Content-Encoding': 'gzip' } : {}),
  };
  return new Response(isGzipped ? await gzipBody(cached) : cached.body, { status: 200, headers });
}

function headersOf({ rateState, asOf, stepLeftMs }: DataState): Record<string, string> {
  return {
    ...rateHeaders(rateState),
    'Cache-Control': `private, max-age=${Math.floor(stepLeftMs / 1000)}`,
    Vary: 'Authorization, Accept-Encoding',
    'X-As-Of': asOf,
  };
}
