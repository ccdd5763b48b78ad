export type ToolAnswer = {
  /** 0 without an answer; 503 also for a tool error that means the same. */
  status: number;
  /** The code of the error, or ''. */
  code: string;
};

/** Calls one MCP tool by a single POST, without the retries that a client library may have. */
export async function callTool(call: {
  base: string;
  key: string;
  tool: string;
  args: Record<string, unknown>;
  signal: AbortSignal;
}): Promise<ToolAnswer> {
  const { base, key, tool, args, signal } = call;
  try {
    const response = await fetch(`${base}/v2/mcp/`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${key}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2025-06-18',
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: tool, arguments: args } }),
      signal,
    });
    const text = await response.text();
    if (response.status !== 200) return { status: response.status, code: /"code":"([a-z_.]+)"/.exec(text)?.[1] ?? '' };
    if (!text.includes('"isError":true')) return { status: 200, code: '' };
    const code = /\[([a-z_.]+)\]/.exec(text)?.[1] ?? 'unknown';
    return { status: /^(admission|database)[.]/.test(code) ? 503 : 200, code };
  } catch {
    return { status: 0, code: '' };
  }
}
