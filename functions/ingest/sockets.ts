import type { SocketFactory } from '../_shared/reconnecting_socket.ts';
import { MAX_MESSAGE_BYTES } from './feeds/limits.ts';
import { openSocketOf } from './socket_events.ts';

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
  if (Object.keys(headers).length === 0) return openSocketOf(new WebSocket(url), on);
  try {
    const Headed = WebSocket as unknown as new (url: string, options: { headers: Record<string, string> }) => WebSocket;
    return openSocketOf(new Headed(url, { headers }), on);
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
    openSocketOf(socket, on);
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
