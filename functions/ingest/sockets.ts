import { JsonScan } from '../_shared/json_limits.ts';
import type { OpenSocket, SocketEvents, SocketFactory } from '../_shared/reconnecting_socket.ts';
import { type LimitFault, MAX_MESSAGE_BYTES, MESSAGE_LIMITS } from './feeds/limits.ts';

/** How long npm's `ws` waits for the other side's close frame before it cuts the connection. */
const CLOSE_TIMEOUT_MS = 2_000;

/**
 * WebSockets of a call with a CPU limit: the WebSocket of the runtime where it can send the headers
 * that venue_a requires. It takes half the CPU of npm's `ws` on the hosted Deno 2.1.4.
 *
 * Deno accepts `new WebSocket(url, { headers })` since 2.5 (run with 2.9.5). A runtime without it
 * takes the object for the name of a sub-protocol and throws a SyntaxError at once. The hosted
 * edge-runtime is based on an older Deno, so npm's `ws` connects over node:http there.
 *
 * The runtime assembles a message before we see it. It refuses a frame above 64 MiB, but not a
 * message of many fragments: those fill the memory of the isolate until the platform ends it.
 */
export const openSocket: SocketFactory = (url, headers, on) => {
  if (Object.keys(headers).length === 0) return wrap(new WebSocket(url), on);
  try {
    const Headed = WebSocket as unknown as new (url: string, options: { headers: Record<string, string> }) => WebSocket;
    return wrap(new Headed(url, { headers }), on);
  } catch (error) {
    if (!(error instanceof DOMException || error instanceof TypeError)) throw error;
    return openWithNode(url, headers, on);
  }
};

/**
 * Opens a socket with npm's `ws`, which counts the bytes of a message while it arrives, and can cut
 * a connection. The package is loaded only when it is needed.
 */
export const openWithNode: SocketFactory = (url, headers, on) => {
  let closed = false;
  let socket: WebSocket | null = null;
  const opening = import('ws').then((module) => {
    if (closed) return;
    const Node = module.WebSocket as unknown as new (url: string, options: object) => WebSocket;
    socket = new Node(url, {
      headers,
      maxPayload: MAX_MESSAGE_BYTES,
      perMessageDeflate: false,
      closeTimeout: CLOSE_TIMEOUT_MS,
    });
    wrap(socket, on);
  });
  opening.catch((error) => on.close(`npm ws: ${String(error)}`));
  return {
    send: (text) => socket?.send(text),
    close: () => {
      closed = true;
      socket?.close();
    },
  };
};

/**
 * The HTTP status of a refused handshake. The WebSocket interface has no field for it, but both
 * clients name it in the text of the error event: Deno 2.9.5 "Invalid status code: 401", `ws`
 * 8 "Unexpected server response: 401". Null when the text has no status.
 */
export function refusedStatusOf(event: unknown): number | null {
  const text = typeof event === 'object' && event !== null && 'message' in event ? String(event.message) : '';
  const status = /(?:status code|server response): ([1-5]\d\d)\b/.exec(text)?.[1];
  return status === undefined ? null : Number(status);
}

/** Whether `ws` refused a message because of its length or the number of its parts. */
function isTooLarge(event: unknown): boolean {
  const error = typeof event === 'object' && event !== null && 'error' in event ? event.error : null;
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : null;
  return code === 'WS_ERR_UNSUPPORTED_MESSAGE_LENGTH' || code === 'WS_ERR_TOO_MANY_BUFFERED_PARTS';
}

function wrap(socket: WebSocket, on: SocketEvents): OpenSocket {
  let refusedStatus: number | null = null;
  let isOver = false;
  const refuse = (fault: LimitFault): void => {
    if (isOver) return;
    isOver = true;
    if ('terminate' in socket && typeof socket.terminate === 'function') socket.terminate();
    else socket.close();
    on.overLimit?.(fault);
    on.close(`message.${fault}`);
  };
  socket.onopen = () => on.open();
  socket.onmessage = ({ data }) => {
    if (typeof data !== 'string' || isOver) return;
    const fault = data.length > MAX_MESSAGE_BYTES ? 'too_large' : new JsonScan(MESSAGE_LIMITS).add(data);
    if (fault === null) on.message(data);
    else refuse(fault);
  };
  socket.onerror = (event) => {
    if (isTooLarge(event)) refuse('too_large');
    else refusedStatus = refusedStatusOf(event);
  };
  socket.onclose = (event) => {
    if (!isOver) on.close(`${event.code}${event.reason ? ` ${event.reason}` : ''}`, refusedStatus);
  };
  return {
    send: (text) => {
      if (socket.readyState === 1) socket.send(text);
    },
    close: () => {
      if (socket.readyState < 2) socket.close();
    },
  };
}
