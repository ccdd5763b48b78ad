import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { errorCode, toLogText, UserError } from '../user_error.ts';
import { forward, forwardUpgrade, isRestarting, rejectUpgrade, type Upstream } from './forward.ts';
import { Inbox, inboxUrl } from './inbox.ts';
import type { Newcomers } from './newcomers.ts';
import { type ErrorResponse, sendError } from './responses.ts';
import { serveJson, servePage } from './static_files.ts';

/** A process behind the gateway. With `untilUp`, a request waits while the process restarts. */
export type Backend = Upstream & {
  untilUp(milliseconds: number): Promise<boolean>;
  /**
   * For backends with one process per call: takes a process for this call, or returns the error.
   */
  call?(): Promise<Call | ErrorResponse>;
  /** Decides on a request before the backend receives it. Upgrades do not pass here. */
  admit?(request: IncomingMessage): Promise<Admission>;
  /** For backends of several processes: those that are up, in the order in which to try them. */
  upstreams?(): readonly Upstream[];
  /** Limits the sockets that the backend has not accepted yet. */
  newcomers?: Newcomers;
};

/** Headers that replace those of the request, or why it is rejected. */
export type Admission = { headers: Readonly<Record<string, string>> } | ErrorResponse;

/** The process of one call. */
export type Call = Required<Pick<Upstream, 'address' | 'brokenReason'>> & {
  /** The caller has received the whole response. */
  done(): void;
};

export type GatewayOptions = {
  port: number;
  /** By function name. */
  functions: ReadonlyMap<string, Backend>;
  /** Auth, REST and Storage unless `rest` is given. It receives the whole path. */
  auth: Backend | undefined;
  /** REST and Storage. Auth is then a service at `/`, as Supabase Auth is. */
  rest?: Backend | undefined;
  /** WebSockets, and broadcasts over HTTP. */
  realtime?: Backend | undefined;
  dashboard: string;
  /** Displayed on pages. Empty with real venues. */
  notice: string;
  /** The key that the dashboard signs in with, at /config.json. It is public. */
  publishableKey?: string;
  /**
   * The functions' use of the platform's limits, at /limits.json. /config.json states whether it
   * exists.
   */
  limits?: () => unknown;
  /** The receiver of webhooks at /inbox. /config.json has its address. */
  inbox?: Inbox;
};

/** A request waits this long for a worker that has just died, before the gateway rejects it. */
const MAX_WAIT_MS = 5_000;

type ForwardedRoute = { backend: Backend; path: string };
type Route = ForwardedRoute | { missing: string } | 'page';

/** The backend of a path, and the path that the backend receives. */
function route(plan: GatewayOptions, url: string): Route {
  const called = /^\/functions\/v1\/([^/?#]+)(.*)$/.exec(url);
  if (called) {
    const [, name = '', rest = ''] = called;
    const backend = plan.functions.get(name);
    return backend ? { backend, path: `/${name}${rest}` } : { missing: `Unknown function "${name.slice(0, 64)}".` };
  }
  const [, service, below = ''] = /^\/(auth|rest|storage)\/v1((?:[/?].*)?)$/.exec(url) ?? [];
  if (service !== undefined) {
    if (!plan.auth) return { missing: 'Auth, REST and Storage are not running.' };
    if (service === 'rest') return { backend: { ...(plan.rest ?? plan.auth), compresses: true }, path: url };
    if (service === 'auth' && plan.rest)
      return { backend: plan.auth, path: below.startsWith('/') ? below : `/${below}` };
    return { backend: plan.rest ?? plan.auth, path: url };
  }
  if (plan.realtime && /^\/realtime\/v1\/(websocket|api)([/?]|$)/.test(url))
    return { backend: plan.realtime, path: url };
  if (/^\/(functions|auth|rest|realtime|storage)(\/|\?|$)/.test(url))
    return { missing: 'Nothing is served at this path.' };
  return 'page';
}

/**
 * The single entry point: forwards requests unchanged to the processes behind it, and serves the
 * dashboard.
 */
export class Gateway {
  readonly #server: Server;
  readonly #options: GatewayOptions;
  readonly #upgraded = new Set<Duplex>();

  constructor(plan: GatewayOptions) {
    this.#options = plan;
    // No limit on bodies or response times here, because each function has its own.
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
      const body = JSON.stringify({ error: 'The request is not valid HTTP/1.1.', code: 'request.malformed' });
      socket.end(
        `HTTP/1.1 ${status}\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
      );
    });
  }

  /** Listens on loopback. Throws UserError when the port is in use. */
  async listen(): Promise<number> {
    const { port } = this.#options;
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', (error) => {
        const code = errorCode(error);
        const wrong =
          code === 'EADDRINUSE'
            ? `Another program uses port ${port}. Stop it, or start with --port N.`
            : code === 'EACCES'
              ? `This user may not use port ${port}. Start with a --port above 1023.`
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
      const inbox = this.#options.inbox === undefined ? {} : { inbox: inboxUrl(this.#options.port) };
      serveJson(request, response, { publishable_key: this.#options.publishableKey, ...limits, ...inbox });
    } else if (found === 'page' && this.#options.limits && path === '/limits.json') {
      serveJson(request, response, this.#options.limits());
    } else if (found === 'page' && this.#options.inbox && Inbox.serves(path ?? '')) {
      // A request that the sender breaks off has no response.
      await this.#options.inbox.handle(request, response).catch(() => response.destroy());
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
    // A request that cannot be decided on must get an answer.
    const admission = await backend.admit?.(request).catch((error: unknown): ErrorResponse => {
      console.error(toLogText(error));
      return { status: 500, code: 'internal', error: 'The request could not be answered.' };
    });
    if (response.destroyed) return;
    if (admission) {
      if ('status' in admission) sendError(request, response, admission);
      else forward(request, response, { ...backend, ...admission }, path);
      return;
    }
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
      const error = found === 'page' ? 'Nothing is served at this path.' : found.missing;
      rejectUpgrade(socket, { status: 404, code: 'path.not_found', error });
      return;
    }
    const { backend, path } = found;
    await backend.untilUp(MAX_WAIT_MS);
    if (socket.destroyed) return;
    const call = await backend.call?.();
    if (call && 'status' in call) {
      rejectUpgrade(socket, { ...call, status: 503, code: 'worker.down' });
      return;
    }
    if (call && socket.destroyed) call.done();
    else if (call) socket.once('close', () => call.done());
    if (socket.destroyed) return;
    const newcomer = backend.newcomers?.admit(request.socket.remoteAddress ?? '', socket);
    if (newcomer && 'status' in newcomer) {
      rejectUpgrade(socket, newcomer);
      return;
    }
    const upstreams = backend.upstreams?.() ?? [{ ...backend, ...call }];
    if (upstreams.length === 0) rejectUpgrade(socket, isRestarting(backend));
    else forwardUpgrade(request, socket, head, { upstreams, path, joined: newcomer?.joined });
  }
}
