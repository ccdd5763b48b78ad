import { specTypeSchemas } from '@modelcontextprotocol/server';

type Id = string | number | null;

/** A JSON-RPC error. Without an id it belongs to no request. */
export function jsonRpcError(status: number, code: number, message: string, id: Id = null): Response {
  return Response.json({ jsonrpc: '2.0', id, error: { code, message } }, { status });
}

/**
 * Rejects a body that is not one JSON-RPC message, before the SDK reads it. Undefined for a
 * message.
 */
export function rejectMessage(message: unknown): Response | undefined {
  if (message === undefined) return jsonRpcError(400, -32700, 'The body is empty. Send one JSON-RPC message.');
  if (Array.isArray(message)) {
    return jsonRpcError(400, -32600, 'MCP has no batches since revision 2025-06-18. Send one message per request.');
  }
  if (typeof message !== 'object' || message === null) {
    return jsonRpcError(400, -32600, 'The body is not a JSON-RPC message. Send an object.');
  }
  return undefined;
}

const requestSchemas = {
  initialize: specTypeSchemas.InitializeRequest,
  ping: specTypeSchemas.PingRequest,
  'tools/call': specTypeSchemas.CallToolRequest,
  'tools/list': specTypeSchemas.ListToolsRequest,
  'prompts/get': specTypeSchemas.GetPromptRequest,
  'prompts/list': specTypeSchemas.ListPromptsRequest,
  'resources/read': specTypeSchemas.ReadResourceRequest,
  'resources/list': specTypeSchemas.ListResourcesRequest,
  'resources/templates/list': specTypeSchemas.ListResourceTemplatesRequest,
};

/**
 * Methods that revision 2026-07-28 removed. In that revision they are not found, with any
 * parameters.
 */
const REMOVED_METHODS = ['initialize', 'ping'];

/**
 * Rejects a request with invalid parameters and names the path of each. The SDK (2.4) does so for
 * tools/call only, and reports an internal error for other methods. Undefined for a valid request,
 * and for a message that is not a request.
 */
export async function rejectParams(message: unknown, isLegacy: boolean): Promise<Response | undefined> {
  const { id, method, params } = message as { id?: unknown; method?: unknown; params?: unknown };
  if ((typeof id !== 'string' && typeof id !== 'number') || typeof method !== 'string') return undefined;
  const schema = Object.hasOwn(requestSchemas, method)
    ? requestSchemas[method as keyof typeof requestSchemas]
    : undefined;
  if (!schema || (!isLegacy && REMOVED_METHODS.includes(method))) return undefined;
  const parsed = await schema['~standard'].validate({ method, ...(params === undefined ? {} : { params }) });
  if (!parsed.issues) return undefined;
  const problems = parsed.issues.slice(0, 5).map(({ path = [], message: text }) => {
    const steps = path.map((step) => String(typeof step === 'object' ? step.key : step));
    return `${steps.join('.')}: ${text}`;
  });
  return jsonRpcError(isLegacy ? 200 : 400, -32602, `Invalid parameters of ${method}. ${problems.join('; ')}`, id);
}
