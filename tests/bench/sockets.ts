import { connect, type Socket } from 'node:net';

/**
 * The cheapest caller that there can be: one keep-alive connection, one request at a time, of which only the status and the length are
 * looked at. A client that parses would take the core that is being measured.
 */
export class Caller {
  readonly #socket: Socket;
  #waiting: { resolve(bytes: number): void; reject(error: Error): void } | undefined;
  #head = '';
  #left = -1;
  #bytes = 0;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.on('data', (chunk) => this.#read(chunk));
    socket.on('error', (error) => this.#waiting?.reject(error));
    socket.on('close', () => this.#waiting?.reject(new Error('the server closed the connection')));
  }

  static async open(port: number): Promise<Caller> {
    const socket = connect(port, '127.0.0.1');
    socket.setNoDelay(true);
    await new Promise((resolve, reject) => socket.once('connect', resolve).once('error', reject));
    return new Caller(socket);
  }

  /** Sends `request` and gives the bytes of its answer's body. Throws where the status is not 200. */
  ask(request: string): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
      this.#socket.write(request);
    });
  }

  close(): void {
    this.#socket.destroy();
  }

  #read(chunk: Buffer): void {
    let body = chunk.length;
    if (this.#left < 0) {
      this.#head += chunk.toString('latin1');
      const end = this.#head.indexOf('\r\n\r\n');
      if (end < 0) return;
      const length = /\r\ncontent-length: (\d+)/i.exec(this.#head.slice(0, end));
      if (!length || !this.#head.startsWith('HTTP/1.1 200')) {
        this.#waiting?.reject(new Error(`an answer that was not expected: ${this.#head.slice(0, 200)}`));
        return;
      }
      this.#left = Number(length[1]);
      this.#bytes = this.#left;
      body = this.#head.length - end - 4;
      this.#head = '';
    }
    this.#left -= body;
    if (this.#left > 0) return;
    this.#left = -1;
    this.#waiting?.resolve(this.#bytes);
  }
}

/** A GET of `path` as a client of the API sends it. */
export function getOf(path: string, key: string, gzip: boolean): string {
  return `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${key}\r\n${gzip ? 'Accept-Encoding: gzip\r\n' : ''}\r\n`;
}
