import { connect, type Socket } from 'node:net';

/**
 * A minimal HTTP client: one keep-alive connection, one request at a time. It reads only the status
 * and the length, because a client that parses would use the CPU that is measured.
 */
export class RawClient {
  readonly #socket: Socket;
  #pending: { resolve(bytes: number): void; reject(error: Error): void } | undefined;
  #head = '';
  #remaining = -1;
  #bytes = 0;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.on('data', (chunk) => this.#read(chunk));
    socket.on('error', (error) => this.#pending?.reject(error));
    socket.on('close', () => this.#pending?.reject(new Error('the server closed the connection')));
  }

  static async open(port: number): Promise<RawClient> {
    const socket = connect(port, '127.0.0.1');
    socket.setNoDelay(true);
    await new Promise((resolve, reject) => socket.once('connect', resolve).once('error', reject));
    return new RawClient(socket);
  }

  /** Sends `request` and resolves to the length of the body. Rejects when the status is not 200. */
  request(request: string): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#pending = { resolve, reject };
      this.#socket.write(request);
    });
  }

  close(): void {
    this.#socket.destroy();
  }

  #read(chunk: Buffer): void {
    let body = chunk.length;
    if (this.#remaining < 0) {
      this.#head += chunk.toString('latin1');
      const end = this.#head.indexOf('\r\n\r\n');
      if (end < 0) return;
      const length = /\r\ncontent-length: (\d+)/i.exec(this.#head.slice(0, end));
      if (!length || !this.#head.startsWith('HTTP/1.1 200')) {
        this.#pending?.reject(new Error(`unexpected response: ${this.#head.slice(0, 200)}`));
        return;
      }
      this.#remaining = Number(length[1]);
      this.#bytes = this.#remaining;
      body = this.#head.length - end - 4;
      this.#head = '';
    }
    this.#remaining -= body;
    if (this.#remaining > 0) return;
    this.#remaining = -1;
    this.#pending?.resolve(this.#bytes);
  }
}

/** The text of a GET request of `path` with a key. */
export function getOf(path: string, key: string, gzip: boolean): string {
  return `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${key}\r\n${gzip ? 'Accept-Encoding: gzip\r\n' : ''}\r\n`;
}
