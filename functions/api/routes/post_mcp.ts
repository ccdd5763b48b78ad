import type { Route } from '../app_types.ts';
import { mcpDocs } from '../contract/docs.ts';

/**
 * The Model Context Protocol over Streamable HTTP without sessions: one message, one response. The
 * slash is part of the path. The first MCP request loads the MCP modules: that takes 0.2 s under
 * Deno, which no other route should wait for (docs/mcp.md).
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
