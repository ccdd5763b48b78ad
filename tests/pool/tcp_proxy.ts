import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { listenOnFreePort } from '../support/listening.ts';

/** A wire to Postgres that can be cut, or go dead without a word. */
export class TcpProxy {
  readonly #server: Server;
  readonly #pairs = new Set<[Socket, Socket]>();
  readonly #frozen = new WeakSet<Socket>();
  /** Nothing goes through, in either direction, and nobody is told; what is connected meanwhile stays dead. */
  dead = false;
  /** How many bytes of the server's a new connection carries before it is cut. */
  cutAfter: () => number = () => Number.POSITIVE_INFINITY;
  connections = 0;

  private constructor(target: number) {
    this.#server = createServer((near) => {
      this.connections += 1;
      const far = connect(target, '127.0.0.1');
      const pair: [Socket, Socket] = [near, far];
      this.#pairs.add(pair);
      if (this.dead) this.#frozen.add(near);
      const dead = (): boolean => this.dead || this.#frozen.has(near);
      let left = this.cutAfter();
      const end = (): void => {
        this.#pairs.delete(pair);
        if (dead()) return;
        near.destroy();
        far.destroy();
      };
      for (const [from, to] of [pair, [far, near] as const]) {
        from.on('error', () => {});
        from.on('close', end);
        from.on('data', (piece: Buffer) => {
          if (dead()) return;
          if (from === near || piece.length <= left) to.write(piece);
          else to.end(piece.subarray(0, left), end);
          if (from === far) left = Math.max(0, left - piece.length);
        });
      }
    });
    this.#server.on('error', () => {});
  }

  static async listen(target: number): Promise<TcpProxy> {
    const wire = new TcpProxy(target);
    await listenOnFreePort(wire.#server);
    return wire;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** What is connected now never says a word again; what comes is served. */
  freezeOpen(): void {
    for (const [near] of this.#pairs) this.#frozen.add(near);
  }

  /** Every connection ends: with a reset where it is `hard`. */
  cut(hard: boolean): void {
    for (const [near, far] of this.#pairs) {
      if (hard) near.resetAndDestroy();
      else near.end();
      far.destroy();
    }
  }

  async close(): Promise<void> {
    this.dead = false;
    for (const [near, far] of this.#pairs) {
      near.destroy();
      far.destroy();
    }
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
