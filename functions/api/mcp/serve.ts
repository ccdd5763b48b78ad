import {
  createMcpHandler,
  isLegacyRequest,
  type Server,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import type { Services } from '../app_types.ts';
import { agentKeyOf } from '../http/authorization.ts';
import { parseJsonBody } from '../http/body.ts';
import { ApiError } from '../http/errors.ts';
import { Turns } from '../http/turns.ts';
import { jsonRpcError, rejectMessage, rejectParams } from './protocol_errors.ts';
import { McpRequest } from './request.ts';
import { selectTools } from './selection.ts';
import { serverFor } from './server.ts';
import { tools } from './tools/all.ts';

// The SDK creates a server for each request and passes only the HTTP request to the factory.
const servers = new WeakMap<Request, () => Server>();

// subscriptions/listen is served because the revision requires it. No list changes while an isolate
// lives, so such a stream carries no message, and few are allowed.
const listenOptions = { maxSubscriptions: 50 };

const handler = createMcpHandler(({ requestInfo }) => {
  const newServer = requestInfo && servers.get(requestInfo);
  if (!newServer) throw new Error('the SDK asked for a server of an unknown request');
  return newServer();
}, listenOptions);

const turns = new Turns();

/**
 * Serves one MCP message. The SDK implements the protocol. Admission works as for REST and comes
 * before errors of the message: without a valid key the response is a 401 only. Throws ApiError.
 */
export async function serveMcp(request: Request, services: Services, requestId: string): Promise<Response> {
  const mcpRequest = new McpRequest(agentKeyOf(request.headers), services, requestId);
  await takeTurn(mcpRequest);
  const response = await respondTo(request, mcpRequest);
  if (mcpRequest.isStreaming) await Promise.race([mcpRequest.admitted, pause(STREAM_ADMISSION_MS)]);
  // The message needed no route, so admission has not run yet.
  if (!mcpRequest.hasAdmission) await mcpRequest.admit();
  if (mcpRequest.unknownKeyError) {
    await response.body?.cancel();
    throw mcpRequest.unknownKeyError;
  }
  const headers = new Headers(response.headers);
  for (const [name, value] of Object.entries(mcpRequest.rateLimits)) headers.set(name, value);
  headers.set('Cache-Control', 'no-store');
  return new Response(response.body, { status: response.status, headers });
}

/**
 * A message costs a millisecond of CPU. So an unknown key is refused before, and an organization
 * with many messages at once does not hold up the others. While the database does not answer, the
 * message is served, because a tool reports the outage as its error.
 */
async function takeTurn({ services, keyHash }: McpRequest): Promise<void> {
  let orgId: string | undefined;
  try {
    orgId = await services.queries.orgOf(keyHash);
  } catch (error) {
    if (error instanceof ApiError && error.code === 'database.unavailable') return;
    throw error;
  }
  if (orgId === undefined) throw new ApiError('auth.revoked_key');
  await turns.take(orgId);
}

async function respondTo(request: Request, mcpRequest: McpRequest): Promise<Response> {
  let message: unknown;
  try {
    message = await parseJsonBody(request);
  } catch (error) {
    if (error instanceof ApiError && error.status === 400) return jsonRpcError(400, -32700, error.message);
    throw error;
  }
  const messageError = rejectMessage(message);
  if (messageError) return messageError;
  const selection = selectTools(request.url, tools);
  if (selection.tools === undefined) return jsonRpcError(400, -32602, selection.problem, idOf(message));
  const newServer = () => serverFor(mcpRequest, selection.tools);
  const isLegacy = await isLegacyRequest(request, message);
  const paramsError = await rejectParams(message, isLegacy);
  if (paramsError) return paramsError;
  if (isLegacy && !wantsProgress(message)) return await respondAsJson(request, newServer(), message);
  servers.set(request, newServer);
  const response = await handler.fetch(request, { parsedBody: message });
  mcpRequest.isStreaming = isStream(response) && wantsProgress(message);
  return response;
}

/**
 * Answers revisions before 2026-07-28 in one JSON body. The handler of the SDK would stream every
 * response, even a list of tools: that costs more bytes and sends the headers before admission.
 */
async function respondAsJson(request: Request, server: Server, message: unknown): Promise<Response> {
  const transport = new WebStandardStreamableHTTPServerTransport({
    sessionIdGenerator: undefined as never,
    enableJsonResponse: true,
  });
  await server.connect(transport);
  const close = () => void server.close();
  request.signal.addEventListener('abort', close, { once: true });
  try {
    return await transport.handleRequest(request, { parsedBody: message });
  } finally {
    request.signal.removeEventListener('abort', close);
    close();
  }
}

function idOf(message: unknown): string | number | null {
  const { id } = message as { id?: unknown };
  return typeof id === 'string' || typeof id === 'number' ? id : null;
}

/** Whether a tool call requests progress. Only such a call needs a stream. */
function wantsProgress(message: unknown): boolean {
  const { method, params } = message as { method?: unknown; params?: { _meta?: { progressToken?: unknown } } | null };
  return method === 'tools/call' && params?._meta?.progressToken !== undefined;
}

// How long the headers of a stream wait for admission.
const STREAM_ADMISSION_MS = 3_000;

const isStream = (response: Response) => response.headers.get('Content-Type')?.startsWith('text/event-stream') === true;

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
