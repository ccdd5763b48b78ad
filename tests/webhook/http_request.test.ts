import { describe, expect, test } from 'vitest';
import { MalformedResponse, type ReceiverStream, sendRequest } from '../../functions/deliver/http_request.ts';

/**
 * Guarantee: the status and the beginning of the body are the same however a response is cut into
 * parts, and the reader stops where the response ends, although the connection stays open.
 */

/** Sends a request to a receiver whose response comes in these parts. Nothing follows them. */
async function answerOf(parts: readonly string[]) {
  const left = parts.map((part) => new TextEncoder().encode(part));
  const stream: ReceiverStream = {
    async read(into) {
      const next = left.shift();
      if (next === undefined) return null;
      into.set(next);
      return next.byteLength;
    },
    // A socket takes less than it is given.
    write: async (bytes) => Math.min(3, bytes.byteLength),
    close() {},
  };
  const response = await sendRequest(stream, new Uint8Array(10));
  return { ...response, unread: left.length };
}

const WITH_LENGTH = 'HTTP/1.1 500 Oops\r\nContent-Type: text/plain\r\ncontent-LENGTH:  4\r\n\r\nbody';
const CHUNKED =
  'HTTP/1.1 502 Bad\r\nContent-Type: text/plain\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nbody\r\n0\r\n\r\n';

describe('a response', () => {
  test.each([
    ['a length', WITH_LENGTH, 500],
    ['chunks', CHUNKED, 502],
  ])('with %s is the same at each place where it is cut in two, and no more is read', async (_, text, status) => {
    const whole = await answerOf([text]);
    expect(whole).toMatchObject({ status, unread: 0 });
    expect(whole.answer).toContain('body');
    for (let at = 1; at < text.length; at += 1)
      expect(await answerOf([text.slice(0, at), text.slice(at), 'more']), `cut at ${at}`).toEqual({
        ...whole,
        unread: 1,
      });
  });

  test.each(['HTTP/1.1 204 No Content', 'HTTP/1.0 304 Not Modified'])('ends with its head: %s', async (head) => {
    expect(await answerOf([`${head}\r\nX: y\r\n\r\n`, 'more'])).toMatchObject({ answer: '', unread: 1 });
  });

  test('follows any interim responses, and 101 is none of them', async () => {
    const interim = 'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n';
    expect(await answerOf([interim, WITH_LENGTH])).toMatchObject({ status: 500 });
    expect(await answerOf([`${interim}HTTP/1.1 101 Switching\r\n\r\n`])).toMatchObject({ status: 101 });
  });

  test.each([
    ['is of another protocol', 'HTTP/2 200 OK\r\n\r\n'],
    ['has no status of three digits', 'HTTP/1.1 20 OK\r\n\r\n'],
    ['has a status that does not exist', 'HTTP/1.1 600 No\r\n\r\n'],
    ['ends within its head', 'HTTP/1.1 200 OK\r\nX: y'],
    ['is empty', ''],
  ])('is an error where it %s', async (_, text) => {
    await expect(answerOf([text])).rejects.toBeInstanceOf(MalformedResponse);
  });

  test('is read to 64 KiB and no further', async () => {
    const part = 'x'.repeat(16 * 1024);
    const head = 'HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 1000000\r\n\r\n';
    const parts = [head, ...Array.from({ length: 10 }, () => part)];
    expect(await answerOf(parts)).toMatchObject({ status: 200, unread: 6 });
  });
});
