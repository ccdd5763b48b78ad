import { Agent, request } from 'node:http';
import { gunzipSync } from 'node:zlib';

export type HttpRequest = { method: string; path: string; headers: Record<string, string>; body: Buffer | undefined };
export type HttpResponse = { status: number; headers: Record<string, string | string[] | undefined>; text: string };

const agent = new Agent({ keepAlive: true, maxSockets: 4 });

/** Sends the path exactly as written. fetch would normalize it. */
export function sendRequest(base: string, { method, path, headers, body }: HttpRequest): Promise<HttpResponse> {
  const { hostname, port, pathname } = new URL(base);
  // Node sends the body of a DELETE without a Content-Length.
  const sentHeaders = body === undefined ? headers : { ...headers, 'content-length': String(body.byteLength) };
  return new Promise((resolve, reject) => {
    const outgoing = request(
      { agent, hostname, port, method, path: `${pathname}${path}`, headers: sentHeaders },
      (incoming) => {
        const parts: Buffer[] = [];
        incoming.on('data', (part) => parts.push(part));
        incoming.on('end', () => {
          const bytes = Buffer.concat(parts);
          const isGzip = incoming.headers['content-encoding'] === 'gzip' && bytes.length > 0;
          const text = (isGzip ? gunzipSync(bytes) : bytes).toString();
          resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, text });
        });
        incoming.on('error', reject);
      },
    );
    outgoing.setTimeout(30_000, () => outgoing.destroy(new Error('no answer within 30 s')));
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}
