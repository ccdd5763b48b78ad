import { connect } from 'node:net';
import { randomKey } from '../../support/random_secrets.ts';

export type Flood = {
  /** Answers so far by status. */
  readonly statuses: Readonly<Record<number, number>>;
  /** Closes all connections. */
  stop(): void;
};

type FloodOptions = {
  connections: number;
  /** The key of the next request. Default: a new one that was never minted. */
  key?: () => string;
  path?: string;
  /** The loopback address from which the connections come. */
  localAddress?: string;
};

/**
 * Sends requests to the API at `base` without a pause: each connection sends its next request when
 * it has the answer. It reads the status and the length only, because a client that parses would
 * use the CPU that a test measures.
 */
export function startFlood(base: string, options: FloodOptions): Flood {
  const { connections, key = randomKey, path = '/v2/markets?limit=1', localAddress = '127.0.0.2' } = options;
  const { hostname, port, pathname } = new URL(base);
  const statuses: Record<number, number> = {};
  const sockets = Array.from({ length: connections }, () => {
    const socket = connect({ host: hostname, port: Number(port), localAddress });
    const send = () =>
      socket.write(`GET ${pathname}${path} HTTP/1.1\r\nHost: ${hostname}\r\nAuthorization: Bearer ${key()}\r\n\r\n`);
    let received = '';
    socket.on('connect', send);
    socket.on('error', () => {});
    socket.on('data', (chunk) => {
      received += chunk.toString('latin1');
      const end = received.indexOf('\r\n\r\n');
      const length = /\r\ncontent-length: (\d+)/i.exec(received)?.[1];
      if (end < 0 || length === undefined || received.length < end + 4 + Number(length)) return;
      const status = Number(received.slice(9, 12));
      statuses[status] = (statuses[status] ?? 0) + 1;
      received = '';
      send();
    });
    return socket;
  });
  return {
    statuses,
    stop() {
      for (const socket of sockets) socket.destroy();
    },
  };
}
