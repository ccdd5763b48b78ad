import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { connect, type Socket } from 'node:net';

// The tools of a client without a ticket: WebSockets whose bytes the test writes itself.

/** A TCP connection after its WebSocket handshake. It does not read unless the test resumes it. */
export type Stranger = {
  socket: Socket;
  /** The status of the handshake; 0 when the server ended the connection without an answer. */
  status: number;
  /** The JSON body of a rejected handshake. */
  body: Record<string, unknown>;
  headers: string;
};

/** Opens a WebSocket to an address `ws://…`, with these further header lines. */
export function openStranger(url: string, headers: Readonly<Record<string, string>> = {}): Promise<Stranger> {
  const { hostname, port, pathname } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname);
    let answer = '';
    const finish = () => {
      socket.off('data', onData);
      const [head = '', body = ''] = answer.split('\r\n\r\n');
      const status = Number(/^HTTP\/1\.1 (\d+)/.exec(head)?.[1] ?? 0);
      resolve({ socket, status, headers: head, body: status === 101 || !body ? {} : JSON.parse(body) });
    };
    const onData = (chunk: Buffer) => {
      answer += chunk.toString('latin1');
      const [head, body] = answer.split('\r\n\r\n');
      if (body === undefined) return;
      const length = Number(/content-length: (\d+)/i.exec(head ?? '')?.[1] ?? 0);
      if (body.length < length) return;
      socket.pause();
      finish();
    };
    socket.on('data', onData);
    socket.once('close', finish);
    socket.once('error', reject);
    socket.on('error', () => {});
    const lines = [
      `GET ${pathname} HTTP/1.1`,
      `Host: ${hostname}:${port}`,
      'Connection: Upgrade',
      'Upgrade: websocket',
      'Sec-WebSocket-Version: 13',
      `Sec-WebSocket-Key: ${randomBytes(16).toString('base64')}`,
      ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    ];
    socket.write(`${lines.join('\r\n')}\r\n\r\n`);
  });
}

/**
 * The header of a masked frame that announces `length` bytes. The mask is zero, so the bytes of the
 * body are its text. `opcode`: 1 text, 0 a further fragment; `isLast`: no fragment follows.
 */
export function frameHeader(length: number, { opcode = 1, isLast = true } = {}): Buffer {
  const first = (isLast ? 0x80 : 0) | opcode;
  const mask = Buffer.alloc(4);
  if (length < 126) return Buffer.concat([Buffer.from([first, 0x80 | length]), mask]);
  if (length < 65_536) return Buffer.concat([Buffer.from([first, 0xfe, length >> 8, length & 0xff]), mask]);
  const header = Buffer.alloc(10);
  header[0] = first;
  header[1] = 0xff;
  header.writeBigUInt64BE(BigInt(length), 2);
  return Buffer.concat([header, mask]);
}

/**
 * Writes a body of `bytes` bytes as fast as the server takes them, until it cuts the connection.
 */
export async function writeBody({ socket }: Stranger, bytes: number): Promise<void> {
  const chunk = Buffer.alloc(64 * 1024, 'x');
  for (let left = bytes; left > 0 && !socket.destroyed; left -= chunk.length) {
    if (socket.write(left < chunk.length ? chunk.subarray(0, left) : chunk)) continue;
    await new Promise<void>((resolve) => {
      const done = () => {
        for (const name of ['drain', 'close'] as const) socket.off(name, done);
        resolve();
      };
      for (const name of ['drain', 'close'] as const) socket.on(name, done);
    });
  }
}

/** Resident memory of a process, MB. */
export function residentMb(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;
}

/** Number of sockets that a process has open. */
export function openSockets(pid: number): number {
  return readdirSync(`/proc/${pid}/fd`).filter((fd) => {
    try {
      return readlinkSync(`/proc/${pid}/fd/${fd}`).startsWith('socket:');
    } catch {
      return false;
    }
  }).length;
}
