import { specTypeSchemas } from '@modelcontextprotocol/server';

type Id = string | number | null;

/** An error of the protocol. Without an id it concerns no request in particular. */
export function jsonRpcError(status: number, code: number, message: string, id: Id = null): Response {
  return Response.json({ jsonrpc: '2.0', id, error: { code, message } }, { status });
}

/** What is not a message of the revisions served, answered before the SDK sees it; undefined where it may go on. */
export function rejectMessage(message: unknown): Response | undefined {
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

/** Methods that 2026-07-28 took away: there they are not found, whatever comes with them. */
const REMOVED_METHODS = ['initialize', 'ping'];

/**
 * A request whose parameters are not those of its method: invalid params, with the path of each. The SDK (2.4) says this of tools/call
 * alone and calls all others an internal error, as if the fault were ours. Undefined where nothing is wrong, or where it is no request.
 */
export async function rejectParams(message: unknown, legacy: boolean): Promise<Response | undefined> {
  const { id, method, params } = message as { id?: unknown; method?: unknown; params?: unknown };
  if ((typeof id !== 'string' && typeof id !== 'number') || typeof method !== 'string') return undefined;
  const shape = Object.hasOwn(requestSchemas, method)
    ? requestSchemas[method as keyof typeof requestSchemas]
    : undefined;
  if (!shape || (!legacy && REMOVED_METHODS.includes(method))) return undefined;
  const read = await shape['~standard'].validate({ method, ...(params === undefined ? {} : { params }) });
  if (!read.issues) return undefined;
  const faults = read.issues.slice(0, 5).map(({ path = [], message: said }) => {
    const steps = path.map((step) => String(typeof step === 'object' ? step.key : step));
    return `${steps.join('.')}: ${said}`;
  });
  return jsonRpcError(legacy ? 200 : 400, -32602, `Invalid parameters of ${method}. ${faults.join('; ')}`, id);
}
