import type { World } from '../../api/support/fixture.ts';

export const mcpPath = '/v2/mcp/';
export const jsonAccept = 'application/json, text/event-stream';

export type Message = {
  jsonrpc: '2.0';
  id: number | null;
  result?: Record<string, unknown>;
  error?: { code: number; message: string };
};

/** Posts a body as it is, to try what no client would send. */
export function post(
  world: World,
  key: string | null,
  body: string,
  headers: Record<string, string> = {},
): Promise<Response> {
  return fetch(world.api.base + mcpPath, {
    method: 'POST',
    headers: {
      ...(key === null ? {} : { Authorization: `Bearer ${key}` }),
      'Content-Type': 'application/json',
      Accept: jsonAccept,
      ...headers,
    },
    body,
  });
}

export const request = (method: string, params: object = {}, id = 1): string =>
  JSON.stringify({ jsonrpc: '2.0', id, method, params });

/** The result of a tool called as the older revisions do, with its HTTP answer. */
export async function callTool(
  world: World,
  key: string,
  name: string,
  args: unknown,
): Promise<{ answer: Response; message: Message }> {
  const answer = await post(world, key, request('tools/call', { name, arguments: args }));
  return { answer, message: (await answer.json()) as Message };
}

export type ToolResult = {
  isError?: boolean;
  content: { type: string; text: string }[];
  structuredContent?: Record<string, unknown>;
  _meta?: { 'parallax/error'?: Record<string, unknown> };
};
