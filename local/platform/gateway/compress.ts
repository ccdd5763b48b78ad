import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream';
import { createGzip } from 'node:zlib';

/** A shorter body fits a packet and gains nothing. */
const MIN_BYTES = 1_400;
/** Headers of the bytes as the upstream sent them. */
const REPLACED_HEADERS = new Set(['content-length', 'etag']);

/** Whether the client takes gzip and the answer is JSON that is worth it. */
export function isCompressible(request: IncomingMessage, answer: IncomingMessage): boolean {
  const accepted = String(request.headers['accept-encoding'] ?? '').split(/\s*,\s*/);
  return (
    accepted.includes('gzip') &&
    request.method !== 'HEAD' &&
    answer.statusCode === 200 &&
    answer.headers['content-encoding'] === undefined &&
    /^application\/json\b/.test(answer.headers['content-type'] ?? '') &&
    Number(answer.headers['content-length'] ?? MIN_BYTES) >= MIN_BYTES
  );
}

/** Sends the answer with gzip. `headers`: names and values in turn. */
export function sendCompressed(answer: IncomingMessage, response: ServerResponse, headers: readonly string[]): void {
  const kept: string[] = [];
  for (let index = 0; index + 1 < headers.length; index += 2) {
    const [name = '', value = ''] = headers.slice(index, index + 2);
    if (!REPLACED_HEADERS.has(name.toLowerCase())) kept.push(name, value);
  }
  response.writeHead(200, [...kept, 'Content-Encoding', 'gzip', 'Vary', 'Accept-Encoding']);
  // An incomplete response must not look complete.
  pipeline(answer, createGzip(), response, (error) => error && response.destroy());
}
