import WebSocket from 'ws';
import type { SocketFactory } from '../../functions/_shared/reconnecting_socket.ts';
import { refusedStatusOf } from '../../functions/ingest/sockets.ts';

/**
 * WebSockets for Node 20, which has none: npm's `ws`, the package that the hosted function falls
 * back to.
 */
export const nodeSocket: SocketFactory = (url, headers, on) => {
  const socket = new WebSocket(url, { headers });
  let refusedStatus: number | null = null;
  socket.on('open', () => on.open());
  socket.on('message', (data, binary) => {
    if (!binary) on.message(data.toString());
  });
  socket.on('error', (error) => {
    refusedStatus = refusedStatusOf(error);
  });
  socket.on('close', (code, reason) => on.close(`${code} ${reason.toString()}`, refusedStatus));
  return {
    send: (text) => socket.send(text),
    close: () => socket.close(),
  };
};
