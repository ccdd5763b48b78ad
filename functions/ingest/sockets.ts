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

function wrap(socket: WebSocket, on: SocketEvents): OpenSocket {
  socket.onopen = () => on.open();
  socket.onmessage = (event) => {
    if (typeof event.data === 'string') on.message(event.data);
  };
  socket.onerror = () => {};
  socket.onclose = (event) => on.close(`${event.code}${event.reason ? ` ${event.reason}` : ''}`);
  return {
    send: (text) => {
      if (socket.readyState === 1) socket.send(text);
    },
    close: () => {
      if (socket.readyState < 2) socket.close();
    },
  };
}
