import { snippetOf } from './snippet.ts';

/** An open connection to a receiver. */
export type ReceiverStream = {
  /** Number of bytes read into `into`; null at the end. */
  read(into: Uint8Array): Promise<number | null>;
  write(bytes: Uint8Array): Promise<number>;
  close(): void;
};

/** Bytes of a response that are read at most. */
export const MAX_RESPONSE_BYTES = 64 * 1024;

/** The status of a response and the beginning of its body (snippetOf). */
export type ReceiverResponse = { status: number; answer: string };

/** The response is not HTTP/1.1, or ended before its status line. */
export class MalformedResponse extends Error {}

/**
 * Sends one request and returns the status and the beginning of the response. It speaks HTTP/1.1
 * itself, because the fetch of the runtime resolves the name again, while this request must go to
 * the address that was checked; fetch also follows redirects and decompresses bodies. It reads the
 * body to its end or to 64 KiB, so that the receiver is not cut off while it writes.
 */
export async function sendRequest(stream: ReceiverStream, request: Uint8Array): Promise<ReceiverResponse> {
  for (let sent = 0; sent < request.byteLength; ) sent += await stream.write(request.subarray(sent));
  const response = new ResponseParser();
  const buffer = new Uint8Array(16 * 1024);
  while (!response.isComplete && response.length < MAX_RESPONSE_BYTES) {
    const read = await stream.read(buffer);
    if (read === null) break;
    response.add(buffer.subarray(0, Math.min(read, MAX_RESPONSE_BYTES - response.length)));
  }
  if (response.status === undefined) throw new MalformedResponse('The response has no status line.');
  return { status: response.status, answer: response.snippet };
}

class ResponseParser {
  length = 0;
  status: number | undefined;
  #text = '';
  #bodyAt = -1;
  #contentLength: number | undefined;
  #isChunked = false;
  #header: (name: string) => string | undefined = () => undefined;

  add(bytes: Uint8Array): void {
    this.length += bytes.byteLength;
    // One character per byte, so lengths in characters are lengths in bytes.
    for (let at = 0; at < bytes.byteLength; at += 4096)
      this.#text += String.fromCharCode(...bytes.subarray(at, at + 4096));
    while (this.#bodyAt < 0 && this.#readHead());
  }

  get snippet(): string {
    return snippetOf(this.#text.slice(this.#bodyAt), this.#header);
  }

  get isComplete(): boolean {
    if (this.#bodyAt < 0) return false;
    if (this.#isChunked) return this.#text.endsWith('0\r\n\r\n');
    return this.#contentLength !== undefined && this.#text.length - this.#bodyAt >= this.#contentLength;
  }

  /** Returns true after an interim response (1xx), because another head may follow. */
  #readHead(): boolean {
    const end = this.#text.indexOf('\r\n\r\n');
    if (end < 0) return false;
    const [first = '', ...lines] = this.#text.slice(0, end).split('\r\n');
    const status = /^HTTP\/1\.[01] ([1-5]\d\d)(?: |$)/.exec(first)?.[1];
    if (status === undefined) throw new MalformedResponse('The response is not HTTP/1.1.');
    if (status.startsWith('1') && status !== '101') {
      this.#text = this.#text.slice(end + 4);
      return true;
    }
    this.status = Number(status);
    this.#bodyAt = end + 4;
    const field = (name: string) =>
      lines
        .find((line) => line.toLowerCase().startsWith(`${name}:`))
        ?.slice(name.length + 1)
        .trim();
    this.#header = field;
    this.#isChunked = /\bchunked\b/i.test(field('transfer-encoding') ?? '');
    const length = field('content-length');
    if (this.status === 204 || this.status === 304) this.#contentLength = 0;
    else if (length !== undefined && /^\d+$/.test(length)) this.#contentLength = Number(length);
    return false;
  }
}
