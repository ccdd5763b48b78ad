import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { errorCode, UserError } from '../user_error.ts';
import { forward, forwardUpgrade, rejectUpgrade, type Upstream } from './forward.ts';
import { type ErrorResponse, sendError } from './responses.ts';
import { serveJson, servePage } from './static_files.ts';

/** A process behind the gateway; `untilUp` lets a request wait while it is being started again. */
export type Backend = Upstream & {
  untilUp(milliseconds: number): Promise<boolean>;
  /** Where each call has a process of its own: takes one for this call, or says why there is none. */
  call?(): Promise<Call | ErrorResponse>;
};

/** A process for one call. */
export type Call = Pick<Upstream, 'address'> & {
  /** The caller has all that it will get. */
  done(): void;
  /** After the process broke off: why, when that is known. */
  broken(): Promise<ErrorResponse | undefined>;
};

export type GatewayOptions = {
  port: number;
  /** By function name. */
  functions: ReadonlyMap<string, Backend>;
  /** Auth and REST. */
  auth: Backend | undefined;
  /** WebSockets and broadcasts over HTTP. */
  realtime?: Backend | undefined;
  dashboard: string;
  /** Shown on pages; empty with real venues. */
  notice: string;
  /** What the pages sign in with, at /config.json; made to be public. */
  publishableKey?: string;
  /** What functions use of the platform's limits, at /limits.json; /config.json says that it is there. */
  limits?: () => unknown;
};

/** What a request waits for a worker that has just died, before it is refused. */
const MAX_WAIT_MS = 5_000;

type ForwardedRoute = { backend: Backend; path: string };
type Route = ForwardedRoute | { missing: string } | 'page';

/** Which process a path belongs to, and the path that it sees. */
function route(plan: GatewayOptions, url: string): Route {
  const called = /^\/functions\/v1\/([^/?#]+)(.*)$/.exec(url);
  if (called) {
    const [, name = '', rest = ''] = called;
    const backend = plan.functions.get(name);
    return backend ? { backend, path: `/${name}${rest}` } : { missing: `There is no function "${name.slice(0, 64)}".` };
  }
  if (/^\/(auth|rest)\/v1(\/|\?|$)/.test(url)) {
    return plan.auth ? { backend: plan.auth, path: url } : { missing: 'Auth and REST are not running.' };
  }
  if (plan.realtime && /^\/realtime\/v1\/(websocket|api)([/?]|$)/.test(url))
    return { backend: plan.realtime, path: url };
  if (/^\/(functions|auth|rest|realtime|storage)(\/|\?|$)/.test(url))
    return { missing: 'There is nothing at this path.' };
  return 'page';
}

/** The one door: passes requests to the processes behind it, unchanged, and serves the dashboard. */
export class Gateway {
  readonly #server: Server;
  readonly #options: GatewayOptions;
  readonly #upgraded = new Set<Duplex>();

  constructor(plan: GatewayOptions) {
    this.#options = plan;
    // No limit on a body or on the time of an answer here: each function has its own.
    this.#server = createServer({ requestTimeout: 0, keepAliveTimeout: 65_000, noDelay: true }, (request, response) => {
      void this.#handle(request, response);
    });
    this.#server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
      void this.#upgrade(request, socket, head);
    });
    this.#server.on('clientError', (error, socket) => {
      if (!socket.writable) return;
      const status =
        errorCode(error) === 'HPE_HEADER_OVERFLOW' ? '431 Request Header Fields Too Large' : '400 Bad Request';
      const body = JSON.stringify({ error: 'This is no request that HTTP/1.1 knows.', code: 'request.malformed' });
      socket.end(
        `HTTP/1.1 ${status}\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
      );
    });
  }

  /** Opens the door on loopback. Throws PlainFailure when the port is taken. */
  async listen(): Promise<number> {
    const { port } = this.#options;
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', (error) => {
        const code = errorCode(error);
        const wrong =
          code === 'EADDRINUSE'
            ? `Port ${port} is taken by another program: stop it, or start with --port N.`
            : code === 'EACCES'
              ? `Port ${port} may not be used by this user: start with a --port above 1023.`
              : undefined;
        reject(wrong ? new UserError(wrong) : error);
      });
      this.#server.listen({ port, host: '127.0.0.1', exclusive: true }, resolve);
    });
    const address = this.#server.address();
    return typeof address === 'object' && address ? address.port : port;
  }

  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    for (const socket of this.#upgraded) socket.destroy();
    this.#server.closeIdleConnections();
    const timer = setTimeout(() => this.#server.closeAllConnections(), 1_000);
    await closed;
    clearTimeout(timer);
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const found = route(this.#options, request.url ?? '/');
    const path = request.url?.split('?')[0];
    if (found === 'page' && this.#options.publishableKey && path === '/config.json') {
      const limits = this.#options.limits === undefined ? {} : { limits: true };
      serveJson(request, response, { publishable_key: this.#options.publishableKey, ...limits });
    } else if (found === 'page' && this.#options.limits && path === '/limits.json') {
      serveJson(request, response, this.#options.limits());
    } else if (found === 'page') {
      servePage(request, response, this.#options.dashboard, this.#options.notice);
    } else if ('missing' in found) {
      sendError(request, response, { status: 404, code: 'path.not_found', error: found.missing });
    } else {
      // Nothing has been sent yet, so waiting is safe for any method.
      await found.backend.untilUp(MAX_WAIT_MS);
      await this.#forward(request, response, found);
    }
  }

  async #forward(request: IncomingMessage, response: ServerResponse, { backend, path }: ForwardedRoute): Promise<void> {
    if (response.destroyed) return;
    const call = await backend.call?.();
    if (!call) forward(request, response, backend, path);
    else if ('status' in call) sendError(request, response, call);
    else if (response.destroyed) call.done();
    else {
      response.once('close', () => call.done());
      forward(request, response, { ...backend, ...call }, path);
    }
  }

  async #upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    this.#upgraded.add(socket);
    socket.once('close', () => this.#upgraded.delete(socket));
    socket.on('error', () => socket.destroy());
    const found = route(this.#options, request.url ?? '/');
    if (found === 'page' || 'missing' in found) {
      rejectUpgrade(socket, 404, found === 'page' ? 'There is nothing at this path.' : found.missing);
      return;
    }
    await found.backend.untilUp(MAX_WAIT_MS);
    if (socket.destroyed) return;
    const call = await found.backend.call?.();
    if (call && 'status' in call) {
      rejectUpgrade(socket, 503, call.error);
      return;
    }
    if (call && socket.destroyed) call.done();
    else if (call) socket.once('close', () => call.done());
    if (!socket.destroyed) forwardUpgrade(request, socket, head, { ...found.backend, ...call }, found.path);
  }
}
