import { randomBytes } from 'node:crypto';
import { connect, type Socket } from 'node:net';

/** The handshake's status, or 0 when the connection ended before one. */
export type Opened = { socket: Socket; status: number };

/**
 * Opens a WebSocket by hand from `localAddress`, so that nothing answers close frames or pings and
 * nothing reads. `onEnd` is called when the other side has ended the connection.
 */
export function openRawSocket(wsUrl: string, localAddress: string, onEnd: () => void): Promise<Opened> {
  const { hostname, port, pathname } = new URL(wsUrl);
  const socket = connect({ host: hostname, port: Number(port), localAddress, allowHalfOpen: true });
  socket.on('error', () => {});
  socket.once('close', onEnd);
  // A half-closed connection is one that the other side has cut.
  socket.once('end', () => socket.destroy());
  return new Promise((resolve) => {
    socket.once('close', () => resolve({ socket, status: 0 }));
    socket.once('connect', () =>
      socket.write(
        `GET ${pathname} HTTP/1.1\r\nHost: ${hostname}:${port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n` +
          `Sec-WebSocket-Key: ${randomBytes(16).toString('base64')}\r\nSec-WebSocket-Version: 13\r\n\r\n`,
      ),
    );
    socket.once('data', (chunk: Buffer) => {
      const [, status = '0'] = /^HTTP\/1\.1 (\d{3})/.exec(chunk.toString('latin1')) ?? [];
      resolve({ socket, status: Number(status) });
    });
  });
}

/** The header of a masked text frame that announces `bytes`. */
export function frameHeader(bytes: number): Buffer {
  const header = Buffer.alloc(14);
  header[0] = 0x81;
  header[1] = 0x80 | 127;
  header.writeBigUInt64BE(BigInt(bytes), 2);
  return header;
}
