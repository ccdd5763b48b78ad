import type { IncomingMessage, ServerResponse } from 'node:http';
import { z } from 'zod';
import { toLogText } from '../user_error.ts';
import type { ChannelContext } from './channel.ts';
import type { Broadcast } from './frames.ts';
import { envelopeOf } from './frames.ts';
import { PolicyCheckFailed } from './policies.ts';
import { type Claims, swapPlatformKey, TokenRejected, verifyToken } from './token.ts';

const batchSchema = z.object({
  messages: z.array(
    z.object({
      topic: z.string().min(1),
      event: z.string().min(1),
      payload: z.record(z.string(), z.unknown()),
      private: z.boolean().default(false),
    }),
  ),
});

const MAX_BODY_BYTES = 5_000_000;

/** The `x-…` headers, which policies may read as request.headers. */
export function ownHeaders(headers: IncomingMessage['headers']): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      name.startsWith('x-') && typeof value === 'string' && name !== 'x-api-key' ? [[name, value]] : [],
    ),
  );
}

type Caller = { claims: Claims; headers: Record<string, string> };
type RestResponse = { status: number; body?: unknown };

const unauthorized = (status: 401 | 403): RestResponse => ({ status, body: { message: 'Unauthorized' } });
const tooManyRequests: RestResponse = { status: 429, body: { message: 'You have exceeded your rate limit' } };

/** Broadcasts over HTTP: a batch, or one message named in the path. `path` begins with /api/. */
export async function serveRest(
  context: ChannelContext,
  request: IncomingMessage,
  response: ServerResponse,
  path: string,
) {
  const answer = await responseTo(context, request, path).catch((error: unknown): RestResponse => {
    if (error instanceof PolicyCheckFailed) return { status: 503, body: { message: error.message } };
    console.error(`A request failed: ${toLogText(error)}`);
    return { status: 500, body: { message: 'Internal Server Error' } };
  });
  const text = answer.body === undefined ? '' : JSON.stringify(answer.body);
  response.writeHead(answer.status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
    'access-control-allow-origin': '*',
    'access-control-allow-headers': 'authorization, x-client-info, apikey, content-type',
  });
  response.end(text);
  request.resume();
}

async function responseTo(context: ChannelContext, request: IncomingMessage, path: string): Promise<RestResponse> {
  if (request.method === 'OPTIONS') return { status: 200 };
  if (path === '/api/ping') return { status: 200, body: { message: 'Success' } };
  const [place = '', query] = path.split('?');
  const single = /^\/api\/broadcast\/([^/]+)\/events\/([^/]+)$/.exec(place);
  if (request.method !== 'POST' || (!single && place !== '/api/broadcast'))
    return { status: 404, body: { message: 'Not Found' } };
  const caller = callerOf(context, request);
  if (!caller) return unauthorized(401);
  const body = await bodyOf(request);
  if (!body) return { status: 413, body: { message: 'Request Entity Too Large' } };
  if (context.allowance.messages.isExceeded) return tooManyRequests;
  if (!single) return sendBatch(context, caller, body);
  const [topic, event] = [decode(single[1]), decode(single[2])];
  if (!topic || !event) return { status: 404, body: { message: 'Not Found' } };
  const binary = (request.headers['content-type'] ?? '').startsWith('application/octet-stream');
  return sendOne(
    context,
    caller,
    { topic, event, isPrivate: new URLSearchParams(query).get('private') === 'true' },
    body,
    binary,
  );
}

function decode(part: string | undefined): string | undefined {
  try {
    return decodeURIComponent(part ?? '');
  } catch {
    return undefined;
  }
}

/** The user's token, or else the project's key. */
function callerOf({ keyring }: ChannelContext, request: IncomingMessage): Caller | undefined {
  const bearer = /^Bearer\s+(\S+)$/i.exec(request.headers.authorization ?? '')?.[1];
  const given = bearer ?? request.headers.apikey ?? request.headers['x-api-key'];
  if (typeof given !== 'string') return undefined;
  try {
    return { claims: verifyToken(swapPlatformKey(given, keyring), keyring), headers: ownHeaders(request.headers) };
  } catch (error) {
    if (error instanceof TokenRejected) return undefined;
    throw error;
  }
}

async function bodyOf(request: IncomingMessage): Promise<Buffer | undefined> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of request) {
    size += (part as Buffer).length;
    if (size > MAX_BODY_BYTES) return undefined;
    parts.push(part as Buffer);
  }
  return Buffer.concat(parts);
}

function json(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    return undefined;
  }
}

type Target = { topic: string; event: string; isPrivate: boolean };

async function sendOne(
  context: ChannelContext,
  caller: Caller,
  target: Target,
  body: Buffer,
  binary: boolean,
): Promise<RestResponse> {
  const { topic, event, isPrivate } = target;
  if (!binary && json(body) === undefined) return { status: 400, body: { message: 'Bad Request' } };
  if (isPrivate && !(await context.policies.mayWrite({ topic, ...caller }))) return unauthorized(403);
  const payload = binary ? { bytes: body } : { json: body.toString('utf8') };
  const sent = context.hub.deliver({ kind: 'user', topic, event, body: payload }, isPrivate);
  return sent ? { status: 202 } : tooLarge;
}

const tooLarge: RestResponse = { status: 422, body: { errors: { payload: ['Payload size exceeds tenant limit'] } } };

/** Sends a batch. Private messages that the caller may not send are silently dropped. */
async function sendBatch(context: ChannelContext, caller: Caller, body: Buffer): Promise<RestResponse> {
  const read = batchSchema.safeParse(json(body));
  if (!read.success) {
    const errors = read.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`);
    return { status: 422, body: { errors: { messages: errors } } };
  }
  const allowed = new Map<string, boolean>();
  for (const { topic, private: isPrivate } of read.data.messages) {
    if (!isPrivate || allowed.has(topic)) continue;
    allowed.set(topic, await context.policies.mayWrite({ topic, ...caller }));
  }
  let fitted = true;
  for (const { topic, event, payload, private: isPrivate } of read.data.messages) {
    if (isPrivate && !allowed.get(topic)) continue;
    const whole = envelopeOf({ event }, { json: JSON.stringify(payload) });
    const broadcast: Broadcast = { kind: 'whole', topic, json: whole };
    fitted = context.hub.deliver(broadcast, isPrivate) && fitted;
  }
  return fitted ? { status: 202 } : tooLarge;
}
