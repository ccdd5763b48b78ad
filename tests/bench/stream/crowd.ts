// A thousand clients in a process of their own, as cheap as they can be: they shake hands, say one thing and count bytes.
import { randomBytes } from 'node:crypto';
import { connect, type Socket } from 'node:net';

export type Order = { connect: { port: number; path: string; said: string[] } } | { count: number };

const sockets: Socket[] = [];
let received = 0;
let wanted = Number.POSITIVE_INFINITY;

const tell = (word: string) => process.send?.(word);

process.on('message', (order: Order) => {
  if ('count' in order) {
    wanted = order.count;
    received = 0;
    tell('counting');
    return;
  }
  for (const socket of sockets.splice(0)) socket.destroy();
  const { port, path, said } = order.connect;
  let ready = 0;
  for (const text of said) {
    const socket = connect(port, '127.0.0.1', () => {
      socket.write(
        `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: ${randomBytes(16).toString('base64')}\r\nSec-WebSocket-Version: 13\r\n\r\n`,
      );
    });
    let open = false;
    socket.on('data', (chunk) => {
      received += chunk.length;
      if (!open) {
        open = true;
        socket.write(masked(text));
        ready += 1;
        if (ready === said.length) tell('connected');
      }
      if (received >= wanted) {
        wanted = Number.POSITIVE_INFINITY;
        tell('done');
      }
    });
    socket.on('error', () => {});
    sockets.push(socket);
  }
});

// Whether pinged or not: to look for pings would be to read what comes.
setInterval(() => {
  for (const socket of sockets) socket.write(masked('{}'));
}, 5_000);

/** A text frame with a mask of zeros, which is one, too. */
function masked(text: string): Buffer {
  const body = Buffer.from(text);
  const head =
    body.length < 126
      ? Buffer.from([0x81, 0x80 | body.length])
      : Buffer.from([0x81, 0xfe, body.length >> 8, body.length & 255]);
  return Buffer.concat([head, Buffer.alloc(4), body]);
}
