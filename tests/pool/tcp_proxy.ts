import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { listenOnFreePort } from '../support/listening.ts';

/** A TCP proxy before Postgres. Tests cut its connections, or freeze them without closing them. */
export class TcpProxy {
  readonly #server: Server;
  readonly #pairs = new Set<[Socket, Socket]>();
  readonly #frozen = new WeakSet<Socket>();
  /** Forwards nothing and closes nothing. A connection that opens meanwhile stays frozen. */
  isFrozen = false;
  /** Bytes from the server after which a new connection is cut. */
  cutAfter: () => number = () => Number.POSITIVE_INFINITY;
  connections = 0;

  private constructor(target: number) {
    this.#server = createServer((near) => {
      this.connections += 1;
      const far = connect(target, '127.0.0.1');
      const pair: [Socket, Socket] = [near, far];
      this.#pairs.add(pair);
      if (this.isFrozen) this.#frozen.add(near);
      const isFrozen = (): boolean => this.isFrozen || this.#frozen.has(near);
      let left = this.cutAfter();
      const end = (): void => {
        this.#pairs.delete(pair);
        if (isFrozen()) return;
        near.destroy();
        far.destroy();
      };
      for (const [from, to] of [pair, [far, near] as const]) {
        from.on('error', () => {});
        from.on('close', end);
        from.on('data', (piece: Buffer) => {
          if (isFrozen()) return;
          if (from === near || piece.length <= left) to.write(piece);
          else to.end(piece.subarray(0, left), end);
          if (from === far) left = Math.max(0, left - piece.length);
        });
      }
    });
    this.#server.on('error', () => {});
  }

  static async listen(target: number): Promise<TcpProxy> {
    const proxy = new TcpProxy(target);
    await listenOnFreePort(proxy.#server);
    return proxy;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Freezes the open connections for good. New connections work. */
  freezeOpen(): void {
    for (const [near] of this.#pairs) this.#frozen.add(near);
  }

  /** Ends every connection, with a reset or with a normal close. */
  cut(withReset: boolean): void {
    for (const [near, far] of this.#pairs) {
      if (withReset) near.resetAndDestroy();
      else near.end();
      far.destroy();
    }
  }

  async close(): Promise<void> {
    this.isFrozen = false;
    for (const [near, far] of this.#pairs) {
      near.destroy();
      far.destroy();
    }
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
