import type { OpenSocket, SocketEvents, SocketFactory } from '../_shared/reconnecting_socket.ts';

/**
 * WebSockets with headers on the handshake. venue_a requires them, and the standard constructor has
 * no such option.
 *
 * Deno accepts `new WebSocket(url, { headers })` since 2.5 (run with 2.9.5). A runtime without it
 * takes the object for the name of a sub-protocol and throws a SyntaxError at once. The hosted
 * edge-runtime is based on an older Deno, so npm's `ws` connects over node:http there.
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

/** Opens a socket with npm's `ws`. The package is loaded only when it is needed. */
export const openWithNode: SocketFactory = (url, headers, on) => {
  let closed = false;
  let socket: WebSocket | null = null;
  const opening = import('ws').then((module) => {
    if (closed) return;
    const Node = module.WebSocket as unknown as new (
      url: string,
      options: { headers: Record<string, string> },
    ) => WebSocket;
    socket = new Node(url, { headers });
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

function wrap(socket: WebSocket, on: SocketEvents): OpenSocket {
  let refusedStatus: number | null = null;
  socket.onopen = () => on.open();
  socket.onmessage = (event) => {
    if (typeof event.data === 'string') on.message(event.data);
  };
  socket.onerror = (event) => {
    refusedStatus = refusedStatusOf(event);
  };
  socket.onclose = (event) => on.close(`${event.code}${event.reason ? ` ${event.reason}` : ''}`, refusedStatus);
  return {
    send: (text) => {
      if (socket.readyState === 1) socket.send(text);
    },
    close: () => {
      if (socket.readyState < 2) socket.close();
    },
  };
}
