import type { Route } from '../app_types.ts';
import { mcpDocs } from '../contract/docs.ts';

/**
 * The Model Context Protocol, Streamable HTTP without sessions: one message, one answer. The slash is part of the path. What serves it
 * is loaded with the first request for it: 0.2 s under Deno that no other route should wait for (docs/mcp.md).
 */
export const postMcp: Route = {
  method: 'POST',
  path: '/v2/mcp/',
  docs: mcpDocs,
  async handle(c) {
    const { serveMcp } = await import('../mcp/serve.ts');
    return await serveMcp(c.req.raw, c.var.services, c.var.requestId);
  },
};
