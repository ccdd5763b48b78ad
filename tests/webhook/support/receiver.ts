import type { IncomingHttpHeaders } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { TLSSocket } from 'node:tls';
import type { Authority } from './certificate.ts';

export type Received = { path: string; headers: IncomingHttpHeaders; body: string; at: number };
/** The response of a path: a status, or a misbehaviour. `slow` is a delay in ms before a 200. */
export type Behaviour =
  | { status: number; headers?: Record<string, string>; body?: string }
  | { slow: number }
  | 'hang'
  | 'reset'
  | 'endless'
  | 'drip'
  | 'garbage'
  | 'interim';

/** An HTTPS server, on loopback by default. It keeps the requests; each path has a behaviour. */
export class Receiver {
  readonly received: Received[] = [];
  /** By path. Other paths answer 200. */
  readonly behaviours = new Map<string, Behaviour | ((nth: number) => Behaviour)>();
  connections = 0;
  readonly #server: Server;
  readonly #sockets = new Set<TLSSocket>();

  private constructor(server: Server) {
    this.#server = server;
  }

  static async listen(
    ca: Pick<Authority, 'issue'>,
    port = 0,
    hosts = ['localhost', '127.0.0.1'],
    address = '127.0.0.1',
  ): Promise<Receiver> {
    const { certificate, key } = ca.issue(hosts);
    const server = createServer({ cert: certificate, key });
    const receiver = new Receiver(server);
    server.on('secureConnection', (socket) => {
      receiver.connections++;
      receiver.#sockets.add(socket);
      socket.on('close', () => receiver.#sockets.delete(socket));
      socket.on('error', () => {});
    });
    server.on('tlsClientError', () => {});
    server.on('request', (request, response) => {
      const parts: Buffer[] = [];
      request.on('error', () => {});
      request.on('data', (part: Buffer) => parts.push(part));
      request.on('end', () => {
        const path = request.url ?? '';
        const nth = receiver.received.filter((one) => one.path === path).length;
        receiver.received.push({
          path,
          headers: request.headers,
          body: Buffer.concat(parts).toString(),
          at: Date.now(),
        });
        const configured = receiver.behaviours.get(path) ?? { status: 200 };
        const behaviour = typeof configured === 'function' ? configured(nth) : configured;
        const socket = request.socket as TLSSocket;
        if (behaviour === 'hang') return;
        if (behaviour === 'reset') return void socket.destroy();
        if (behaviour === 'garbage') return void socket.end('SSH-2.0-OpenSSH_9.2\r\n\r\n');
        if (behaviour === 'interim') {
          socket.write('HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n');
          return void socket.end('HTTP/1.1 202 Accepted\r\nContent-Length: 2\r\n\r\nok');
        }
        if (behaviour === 'endless' || behaviour === 'drip') {
          response.writeHead(200, { 'Content-Type': 'text/plain' });
          const part = Buffer.alloc(behaviour === 'drip' ? 1 : 64 * 1024, 'x');
          const more = () => {
            if (socket.destroyed) return;
            response.write(part);
            setTimeout(more, behaviour === 'drip' ? 200 : 5).unref();
          };
          return more();
        }
        if ('slow' in behaviour) return void setTimeout(() => response.end('late'), behaviour.slow).unref();
        response.writeHead(behaviour.status, behaviour.headers);
        response.end(behaviour.body ?? 'thanks');
      });
    });
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, address, resolve);
    });
    return receiver;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  url(path: string): string {
    return `https://localhost:${this.port}${path}`;
  }

  requestsTo(path: string): Received[] {
    return this.received.filter((one) => one.path === path);
  }

  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }
}
