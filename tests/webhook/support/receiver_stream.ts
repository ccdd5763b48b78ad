import type { ReceiverStream } from '../../../functions/deliver/http_request.ts';

/** A connection in memory, with the bytes read from it and the text written to it. */
export type MemoryStream = { stream: ReceiverStream; state: { read: number; written: string; isClosed: boolean } };

/**
 * A connection that returns these pieces, one character a byte, one after the other and then ends.
 * It takes seven bytes at a time. Null: it never returns anything.
 */
export function streamOf(pieces: readonly string[] | null): MemoryStream {
  const remaining = (pieces ?? []).map((piece) => Buffer.from(piece, 'latin1'));
  const state = { read: 0, written: '', isClosed: false };
  const stream: ReceiverStream = {
    async read(into) {
      if (pieces === null) return await new Promise<null>(() => {});
      const next = remaining.shift();
      if (!next) return null;
      const size = Math.min(next.length, into.length);
      into.set(next.subarray(0, size));
      if (size < next.length) remaining.unshift(next.subarray(size));
      state.read += size;
      return size;
    },
    async write(bytes) {
      const taken = bytes.subarray(0, 7);
      state.written += new TextDecoder().decode(taken);
      return taken.byteLength;
    },
    close() {
      state.isClosed = true;
    },
  };
  return { stream, state };
}
