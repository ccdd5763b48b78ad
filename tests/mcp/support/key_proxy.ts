import { createServer, request as httpRequest } from 'node:http';
import type { ApiFixture } from '../../api/support/fixture.ts';
import { listenOnFreePort } from '../../support/listening.ts';
import { mcpPath } from './post.ts';

/**
 * A proxy that adds the key to each request, for programs that cannot send headers. Streams both
 * ways.
 */
export async function startKeyProxy(world: ApiFixture, key: string): Promise<{ url: string; close(): Promise<void> }> {
  const target = new URL(world.api.base + mcpPath);
  const proxy = createServer((incoming, outgoing) => {
    const { host: _, ...headers } = incoming.headers;
    const forwarded = httpRequest(
      target,
      { method: incoming.method ?? 'GET', headers: { ...headers, authorization: `Bearer ${key}` } },
      (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(outgoing);
      },
    );
    forwarded.on('error', () => outgoing.destroy());
    outgoing.on('close', () => forwarded.destroy());
    incoming.pipe(forwarded);
  });
  const port = await listenOnFreePort(proxy);
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    async close() {
      proxy.closeAllConnections();
      await new Promise((resolve) => proxy.close(resolve));
    },
  };
}
