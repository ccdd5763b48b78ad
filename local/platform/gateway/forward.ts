import { Agent, request as httpRequest, type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import { connect, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { errorCode } from '../user_error.ts';
import { isCompressible, sendCompressed } from './compress.ts';
import { type ErrorResponse, sendError } from './responses.ts';

/** A target of the gateway: a unix socket or a loopback port. */
export type Upstream = {
  name: string;
  address: { socketPath: string } | { host: string; port: number };
  /** Headers that replace those of the request with the same name. */
  headers?: Readonly<Record<string, string>>;
  /** Sends JSON with gzip to clients that take it. */
  compresses?: boolean;
  /** The reason why the process ended without a response, when it is known. */
  brokenReason?(): Promise<ErrorResponse | undefined>;
};

/** Headers of one connection, not of the message. Each side sets its own. */
const HOP_BY_HOP_HEADERS = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** The header that names the client of an upgrade. */
export const ADDRESS_HEADER = 'x-forwarded-for';

/** Idle connections that it keeps to each backend. */
export const MAX_IDLE_CONNECTIONS = 128;
const agent = new Agent({
  keepAlive: true,
  maxSockets: Number.POSITIVE_INFINITY,
  maxFreeSockets: MAX_IDLE_CONNECTIONS,
});

/**
 * Names and values unchanged, with order and repetitions, without the hop-by-hop headers.
 * `replaced` takes the place of the headers with its names.
 */
function endToEnd(rawHeaders: readonly string[], replaced: Readonly<Record<string, string>> = {}): string[] {
  const dropped = new Set(Object.keys(replaced).map((name) => name.toLowerCase()));
  const kept: string[] = [];
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? '';
    const lower = name.toLowerCase();
    if (!HOP_BY_HOP_HEADERS.has(lower) && !dropped.has(lower)) kept.push(name, rawHeaders[index + 1] ?? '');
  }
  return [...kept, ...Object.entries(replaced).flat()];
}

/**
 * Forwards one request to `path` and streams the response back. Adds nothing to either but the
 * headers of `upstream` and its compression.
 */
export function forward(
  request: IncomingMessage,
  response: ServerResponse,
  upstream: Upstream,
  path: string,
  again = true,
): void {
  const headers = endToEnd(request.rawHeaders, upstream.headers);
  const chunked = request.headers['transfer-encoding'] !== undefined;
  const hasBody = chunked || (request.headers['content-length'] ?? '0') !== '0';
  if (chunked) headers.push('Transfer-Encoding', 'chunked');
  const passed = httpRequest({
    ...upstream.address,
    agent,
    method: request.method ?? 'GET',
    path,
    headers: headers as never,
    setHost: false,
  });
  let answered = false;

  passed.on('response', (answer) => {
    answered = true;
    if (upstream.compresses && isCompressible(request, answer)) {
      sendCompressed(answer, response, endToEnd(answer.rawHeaders));
      return;
    }
    response.writeHead(answer.statusCode ?? 502, answer.statusMessage, endToEnd(answer.rawHeaders));
    answer.pipe(response);
    // An incomplete response must not look complete.
    answer.on('error', () => response.destroy());
    answer.on('aborted', () => response.destroy());
  });
  passed.on('error', (error) => {
    if (response.destroyed) return;
    if (answered) {
      response.destroy();
      return;
    }
    // The worker closed an idle connection at the moment of use, so it has read nothing of this
    // request.
    const closed = passed.reusedSocket && (errorCode(error) === 'ECONNRESET' || errorCode(error) === 'EPIPE');
    if (closed && again && !hasBody) {
      forward(request, response, upstream, path, false);
      return;
    }
    const absent = errorCode(error) === 'ENOENT' || errorCode(error) === 'ECONNREFUSED';
    const usual = absent
      ? isRestarting(upstream)
      : { status: 502, code: 'worker.broken', error: `${upstream.name} ended before it answered.` };
    void Promise.resolve(upstream.brokenReason?.()).then((why) => sendError(request, response, why ?? usual));
  });
  response.on('close', () => {
    if (!response.writableFinished) passed.destroy();
  });
  if (hasBody) request.pipe(passed);
  else passed.end();
}

/** An upgrade (WebSocket), and where it goes. */
export type UpgradeRoute = {
  /** Tried in this order until one accepts the TCP connection. */
  upstreams: readonly Upstream[];
  path: string;
  /** Called with the connection to the upstream before any byte of its answer is read. */
  joined?: ((upstream: Socket) => void) | undefined;
};

/**
 * Forwards an upgrade by joining the two sockets. From then on, the gateway does not parse the
 * bytes of the client. The client cannot choose the address in `X-Forwarded-For`: the stream limits
 * its sockets by it.
 */
export function forwardUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer, route: UpgradeRoute): void {
  const [upstream, ...others] = route.upstreams;
  if (!upstream) return;
  const { address } = upstream;
  const other = 'socketPath' in address ? connect(address.socketPath) : connect(address.port, address.host);
  const end = () => {
    socket.destroy();
    other.destroy();
  };
  let joined = false;
  other.on('connect', () => {
    joined = true;
    route.joined?.(other);
    other.write(upgradeHead(request, route.path));
    if (head.length > 0) other.write(head);
    socket.pipe(other);
    other.pipe(socket);
  });
  other.on('error', () => {
    if (joined) end();
    else if (others.length > 0 && !socket.destroyed)
      forwardUpgrade(request, socket, head, { ...route, upstreams: others });
    else rejectUpgrade(socket, isRestarting(upstream));
  });
  other.on('close', () => joined && socket.destroy());
  socket.on('error', end);
  socket.on('close', () => other.destroy());
}

function upgradeHead({ method, rawHeaders, socket }: IncomingMessage, path: string): string {
  const lines = [`${method} ${path} HTTP/1.1`];
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    if (rawHeaders[index]?.toLowerCase() === ADDRESS_HEADER) continue;
    lines.push(`${rawHeaders[index]}: ${rawHeaders[index + 1]}`);
  }
  lines.push(`${ADDRESS_HEADER}: ${socket.remoteAddress ?? ''}`);
  return `${lines.join('\r\n')}\r\n\r\n`;
}

/** The answer for a backend that does not listen. */
export const isRestarting = ({ name }: Pick<Upstream, 'name'>): ErrorResponse => ({
  status: 503,
  code: 'worker.down',
  error: `${name} is restarting. Retry in a few seconds.`,
  retryAfter: 1,
});

/** Answers an upgrade with an error, and ends the connection. */
export function rejectUpgrade(socket: Duplex, { status, code, error, retryAfter }: ErrorResponse): void {
  const body = JSON.stringify({ error, code });
  const lines = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'content-type: application/json',
    `content-length: ${Buffer.byteLength(body)}`,
    ...(retryAfter === undefined ? [] : [`retry-after: ${retryAfter}`]),
    'connection: close',
  ];
  socket.end(`${lines.join('\r\n')}\r\n\r\n${body}`);
}
