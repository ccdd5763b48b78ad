import {
  createMcpHandler,
  isLegacyRequest,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import type { Services } from '../app_types.ts';
import { agentKeyOf } from '../http/authorization.ts';
import { parseJsonBody } from '../http/body.ts';
import { ApiError } from '../http/errors.ts';
import { jsonRpcError, rejectMessage, rejectParams } from './protocol_errors.ts';
import { McpRequest } from './request.ts';
import { serverFor } from './server.ts';

// The SDK makes a server for each request and names it by the request alone.
const mcpRequests = new WeakMap<Request, McpRequest>();

// subscriptions/listen is answered as the revision wants, but nothing listed here changes while an isolate lives: such a stream says
// nothing, so few are held.
const listenOptions = { maxSubscriptions: 50 };

const handler = createMcpHandler(({ requestInfo }) => {
  const exchange = requestInfo && mcpRequests.get(requestInfo);
  if (!exchange) throw new Error('a server is wanted for a request that nobody sent');
  return serverFor(exchange);
}, listenOptions);

/**
 * One message of MCP. The protocol is the SDK's; who may ask and what it counts is decided as for REST, and comes before what is wrong
 * with a message: a caller without a valid key is told nothing else. Throws the ApiError of a refusal.
 */
export async function serveMcp(request: Request, services: Services, requestId: string): Promise<Response> {
  const exchange = new McpRequest(agentKeyOf(request.headers), services, requestId);
  mcpRequests.set(request, exchange);
  const answer = await respondTo(request, exchange);
  if (exchange.isStreaming) await Promise.race([exchange.admitted, pause(STREAM_ADMISSION_MS)]);
  // Nothing of it needed the database, so nobody has been admitted yet.
  if (!exchange.hasAdmission) await exchange.admit();
  if (exchange.hasUnknownKey) {
    await answer.body?.cancel();
    throw exchange.hasUnknownKey;
  }
  const headers = new Headers(answer.headers);
  for (const [name, value] of Object.entries(exchange.rateLimits)) headers.set(name, value);
  headers.set('Cache-Control', 'no-store');
  return new Response(answer.body, { status: answer.status, headers });
}

async function respondTo(request: Request, exchange: McpRequest): Promise<Response> {
  let message: unknown;
  try {
    message = await parseJsonBody(request);
  } catch (error) {
    if (error instanceof ApiError && error.status === 400) return jsonRpcError(400, -32700, error.message);
    throw error;
  }
  const refusal = rejectMessage(message);
  if (refusal) return refusal;
  const legacy = await isLegacyRequest(request, message);
  const wrong = await rejectParams(message, legacy);
  if (wrong) return wrong;
  if (legacy && !wantsProgress(message)) return await respondAsJson(request, exchange, message);
  const answer = await handler.fetch(request, { parsedBody: message });
  exchange.isStreaming = isStream(answer) && wantsProgress(message);
  return answer;
}

/**
 * Revisions before 2026-07-28, answered in one JSON body. The SDK's own way streams every answer, also a list of tools: more bytes, and
 * headers that go out before anybody has been admitted.
 */
async function respondAsJson(request: Request, exchange: McpRequest, message: unknown): Promise<Response> {
  const server = serverFor(exchange);
  const transport = new WebStandardStreamableHTTPServerTransport({
    sessionIdGenerator: undefined as never,
    enableJsonResponse: true,
  });
  await server.connect(transport);
  const leave = () => void server.close();
  request.signal.addEventListener('abort', leave, { once: true });
  try {
    return await transport.handleRequest(request, { parsedBody: message });
  } finally {
    request.signal.removeEventListener('abort', leave);
    leave();
  }
}

/** Whether a call asks to be told how far it is: only that needs a stream. */
function wantsProgress(message: unknown): boolean {
  const { method, params } = message as { method?: unknown; params?: { _meta?: { progressToken?: unknown } } | null };
  return method === 'tools/call' && params?._meta?.progressToken !== undefined;
}

// How long the headers of a stream wait for admission, where the call never comes to ask for it.
const STREAM_ADMISSION_MS = 3_000;

const isStream = (answer: Response) => answer.headers.get('Content-Type')?.startsWith('text/event-stream') === true;

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
