/** An error of the protocol that concerns no request in particular, so its id is null. */
export function jsonRpcError(status: number, code: number, message: string): Response {
  return Response.json({ jsonrpc: '2.0', id: null, error: { code, message } }, { status });
}

/** What is not a message of the revisions served, answered before the SDK sees it; undefined where it may go on. */
export function refusedMessage(message: unknown): Response | undefined {
  if (message === undefined) return jsonRpcError(400, -32700, 'The body is empty: send one JSON-RPC message.');
  if (Array.isArray(message)) {
    return jsonRpcError(
      400,
      -32600,
      'Batches are not part of MCP since revision 2025-06-18: send one message a request.',
    );
  }
  if (typeof message !== 'object' || message === null) {
    return jsonRpcError(400, -32600, 'A JSON-RPC message is an object.');
  }
  return undefined;
}
