import { snippetOf } from './snippet.ts';

/** A connection that is open and encrypted. */
export type Wire = {
  /** Bytes read into `into`; null at the end. */
  read(into: Uint8Array): Promise<number | null>;
  write(bytes: Uint8Array): Promise<number>;
  close(): void;
};

/** What a receiver answers beyond this is not read. */
export const answerLimit = 64 * 1024;

/** What a receiver answered: its status and how its body begins (snippetOf). */
export type Answered = { status: number; answer: string };

/** The answer is no HTTP, or ended before its status was known. */
export class Malformed extends Error {}

/**
 * Sends one request and gives the status of its answer and how that begins. HTTP/1.1 by hand: the runtime's fetch resolves the name once more by itself, where
 * this must go to the address that was checked; and it follows redirects and unpacks bodies, which nobody wants here. The body of the
 * answer is read to its end or to 64 KiB, so that the receiver is not cut off while it writes.
 */
export async function exchange(wire: Wire, request: Uint8Array): Promise<Answered> {
  for (let sent = 0; sent < request.byteLength; ) sent += await wire.write(request.subarray(sent));
  const answer = new Answer();
  const part = new Uint8Array(16 * 1024);
  while (!answer.whole && answer.length < answerLimit) {
    const read = await wire.read(part);
    if (read === null) break;
    answer.add(part.subarray(0, Math.min(read, answerLimit - answer.length)));
  }
  if (answer.status === undefined) throw new Malformed('the answer has no status');
  return { status: answer.status, answer: answer.snippet };
}

class Answer {
  length = 0;
  status: number | undefined;
  #text = '';
  #bodyAt = -1;
  #wanted: number | undefined;
  #chunked = false;
  #field: (name: string) => string | undefined = () => undefined;

  add(bytes: Uint8Array): void {
    this.length += bytes.byteLength;
    // One character a byte: lengths are those of the wire.
    for (let at = 0; at < bytes.byteLength; at += 4096)
      this.#text += String.fromCharCode(...bytes.subarray(at, at + 4096));
    while (this.#bodyAt < 0 && this.#readHead());
  }

  get snippet(): string {
    return snippetOf(this.#text.slice(this.#bodyAt), this.#field);
  }

  get whole(): boolean {
    if (this.#bodyAt < 0) return false;
    if (this.#chunked) return this.#text.endsWith('0\r\n\r\n');
    return this.#wanted !== undefined && this.#text.length - this.#bodyAt >= this.#wanted;
  }

  /** True where an interim answer (1xx) was passed over and another head may follow. */
  #readHead(): boolean {
    const end = this.#text.indexOf('\r\n\r\n');
    if (end < 0) return false;
    const [first = '', ...lines] = this.#text.slice(0, end).split('\r\n');
    const status = /^HTTP\/1\.[01] ([1-5]\d\d)(?: |$)/.exec(first)?.[1];
    if (status === undefined) throw new Malformed('the answer is no HTTP/1.1');
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
    this.#field = field;
    this.#chunked = /\bchunked\b/i.test(field('transfer-encoding') ?? '');
    const length = field('content-length');
    if (this.status === 204 || this.status === 304) this.#wanted = 0;
    else if (length !== undefined && /^\d+$/.test(length)) this.#wanted = Number(length);
    return false;
  }
}
