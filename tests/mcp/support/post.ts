import type { ApiFixture } from '../../api/support/fixture.ts';

export const mcpPath = '/v2/mcp/';
export const jsonAccept = 'application/json, text/event-stream';

export type Message = {
  jsonrpc: '2.0';
  id: number | null;
  result?: Record<string, unknown>;
  error?: { code: number; message: string };
};

/** Posts a body unchanged, for messages that no client sends. */
export function post(
  world: ApiFixture,
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

/** Calls a tool as revisions before 2026-07-28 do. Returns the HTTP response and the message. */
export async function callTool(
  world: ApiFixture,
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
