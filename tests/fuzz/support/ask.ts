import { Agent, request } from 'node:http';
import { gunzipSync } from 'node:zlib';

export type Asked = { method: string; path: string; headers: Record<string, string>; body: Buffer | undefined };
export type Answer = { status: number; headers: Record<string, string | string[] | undefined>; text: string };

const agent = new Agent({ keepAlive: true, maxSockets: 4 });

/** One request as it is written: no part of the address is made right on the way, as fetch would do. */
export function ask(base: string, { method, path, headers, body }: Asked): Promise<Answer> {
  const { hostname, port, pathname } = new URL(base);
  // Node writes the body of a DELETE without its length.
  const framed = body === undefined ? headers : { ...headers, 'content-length': String(body.byteLength) };
  return new Promise((resolve, reject) => {
    const sent = request({ agent, hostname, port, method, path: `${pathname}${path}`, headers: framed }, (incoming) => {
      const parts: Buffer[] = [];
      incoming.on('data', (part) => parts.push(part));
      incoming.on('end', () => {
        const bytes = Buffer.concat(parts);
        const zipped = incoming.headers['content-encoding'] === 'gzip' && bytes.length > 0;
        const text = (zipped ? gunzipSync(bytes) : bytes).toString();
        resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, text });
      });
      incoming.on('error', reject);
    });
    sent.setTimeout(30_000, () => sent.destroy(new Error('no answer within 30 s')));
    sent.on('error', reject);
    sent.end(body);
  });
}
