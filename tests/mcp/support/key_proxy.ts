import { createServer, request as httpRequest } from 'node:http';
import type { World } from '../../api/support/fixture.ts';
import { listenOnFreePort } from '../../support/listening.ts';
import { mcpPath } from './post.ts';

/** A door before the MCP server that adds the key to each request, for tools that cannot send headers. Streams both ways. */
export async function startKeyProxy(world: World, key: string): Promise<{ url: string; close(): Promise<void> }> {
  const target = new URL(world.api.base + mcpPath);
  const door = createServer((incoming, outgoing) => {
    const { host: _, ...headers } = incoming.headers;
    const passed = httpRequest(
      target,
      { method: incoming.method ?? 'GET', headers: { ...headers, authorization: `Bearer ${key}` } },
      (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(outgoing);
      },
    );
    passed.on('error', () => outgoing.destroy());
    outgoing.on('close', () => passed.destroy());
    incoming.pipe(passed);
  });
  const port = await listenOnFreePort(door);
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    async close() {
      door.closeAllConnections();
      await new Promise((resolve) => door.close(resolve));
    },
  };
}
