// A child process with up to a thousand minimal WebSocket clients. Each sends one message after the
// handshake. The process counts the received bytes.
import { randomBytes } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { masked } from './masked_text.ts';

export type ClientCommand = { connect: { port: number; path: string; messages: string[] } } | { count: number };

const sockets: Socket[] = [];
let received = 0;
let wanted = Number.POSITIVE_INFINITY;

const report = (event: string) => process.send?.(event);

process.on('message', (command: ClientCommand) => {
  if ('count' in command) {
    wanted = command.count;
    received = 0;
    report('counting');
    return;
  }
  for (const socket of sockets.splice(0)) socket.destroy();
  const { port, path, messages } = command.connect;
  let ready = 0;
  for (const text of messages) {
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
        if (ready === messages.length) report('connected');
      }
      if (received >= wanted) {
        wanted = Number.POSITIVE_INFINITY;
        report('done');
      }
    });
    socket.on('error', () => {});
    sockets.push(socket);
  }
});

// Answer pings at a fixed interval. To detect them the process would have to parse the messages.
setInterval(() => {
  for (const socket of sockets) socket.write(masked('{}'));
}, 5_000);
