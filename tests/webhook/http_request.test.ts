import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MAX_RESPONSE_BYTES, MalformedResponse, sendRequest } from '../../functions/deliver/http_request.ts';
import { streamOf } from './support/receiver_stream.ts';

/**
 * Guarantee: the status and the beginning of the body are the same however a response is cut into
 * parts, and the reader stops where the response ends, although the connection stays open.
 */

/** Sends a request to a receiver that answers in these parts, and counts what is not read. */
async function answerOf(parts: readonly string[]) {
  const { stream, state } = streamOf(parts);
  const response = await sendRequest(stream, new Uint8Array(20));
  return { ...response, unread: parts.join('').length - state.read };
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
        unread: 'more'.length,
      });
  });

  test.each(['HTTP/1.1 204 No Content', 'HTTP/1.0 304 Not Modified'])('ends with its head: %s', async (head) => {
    expect(await answerOf([`${head}\r\nX: y\r\n\r\n`, 'more'])).toMatchObject({ answer: '', unread: 'more'.length });
  });

  test('follows any interim responses, and 101 is none of them', async () => {
    const interim = 'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n';
    expect(await answerOf([interim, WITH_LENGTH])).toMatchObject({ status: 500 });
    expect(await answerOf([`${interim}HTTP/1.1 101 Switching\r\n\r\n`])).toMatchObject({ status: 101 });
  });

  test('is read to 64 KiB and no further', async () => {
    const part = 'x'.repeat(16 * 1024);
    const head = 'HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 1000000\r\n\r\n';
    const parts = [head, ...Array.from({ length: 10 }, () => part)];
    expect(await answerOf(parts)).toMatchObject({ status: 200, unread: 6 * part.length });
  });
});

describe('sendRequest', () => {
  const send = (...pieces: string[]) => sendRequest(streamOf(pieces).stream, new Uint8Array(20));
  const status = async (...pieces: string[]) => (await send(...pieces)).status;

  test('reads the status however the response is split', async () => {
    const whole = 'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 201 Created\r\nContent-Length: 4\r\n\r\nbody';
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(whole.length)), async (cuts) => {
        const at = [...new Set([0, ...cuts, whole.length])].sort((a, b) => a - b);
        expect(await status(...at.slice(1).map((end, i) => whole.slice(at[i], end)))).toBe(201);
      }),
    );
  });

  test('reads the body to its end by length, chunks or close of the connection, and not beyond', async () => {
    for (const response of [
      'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n',
      'HTTP/1.0 200 OK\r\n\r\nuntil the end',
      'HTTP/1.1 200\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n',
      'HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nshort',
    ]) {
      expect(await status(response)).toBe(200);
    }
    const head = 'HTTP/1.1 204 No Content\r\n\r\n';
    const { stream, state } = streamOf([head, 'beyond the response']);
    await sendRequest(stream, new Uint8Array(1));
    expect(state.read).toBe(head.length);
  });

  test('reads at most 64 KiB, the head included', async () => {
    const endless = Array.from({ length: 100 }, () => 'x'.repeat(10_000));
    const { stream, state } = streamOf(['HTTP/1.1 200 OK\r\n\r\n', ...endless]);
    const result = await sendRequest(stream, new Uint8Array(1));
    expect(result).toEqual({ status: 200, answer: 'x'.repeat(200) });
    expect(state.read).toBeLessThan(MAX_RESPONSE_BYTES + 16 * 1024);
    const head = streamOf(['HTTP/1.1 200 OK\r\n', ...endless]);
    await expect(sendRequest(head.stream, new Uint8Array(1))).rejects.toThrow(MalformedResponse);
  });

  test('returns the start of the body as one line of well-formed text of at most 200 characters', async () => {
    const startOf = async (head: string, body: Buffer) =>
      (await send(`HTTP/1.1 500 No\r\n${head}\r\n`, body.toString('latin1'))).answer;
    expect(await startOf('', Buffer.from('{"error":\r\n\t"no"}\u0000\u001b[31m'))).toBe('{"error": "no"} [31m');
    expect(await startOf('', Buffer.from('ü'.repeat(500)))).toBe('ü'.repeat(200));
    expect(await startOf('', Buffer.from('𝄞'.repeat(500)))).toBe('𝄞'.repeat(200));
    expect(await startOf('', Buffer.from([0xff, 0xfe, 0x41]))).toBe('\ufffd\ufffdA');
    expect(await startOf('Content-Encoding: gzip\r\n', Buffer.from('packed'))).toBe('');
    expect(await startOf('Transfer-Encoding: chunked\r\n', Buffer.from('3\r\nfir\r\n2;x=y\r\nst\r\n0\r\n\r\n'))).toBe(
      'first',
    );
    expect(await startOf('Content-Length: 0\r\n', Buffer.from(''))).toBe('');
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 1_000 }), fc.boolean(), async (bytes, chunked) => {
        const text = await startOf(chunked ? 'Transfer-Encoding: chunked\r\n' : '', Buffer.from(bytes));
        expect([...text].length).toBeLessThanOrEqual(200);
        expect(text.isWellFormed()).toBe(true);
        expect(text).not.toMatch(/\p{Cc}/u);
      }),
    );
  });

  test('throws MalformedResponse for a malformed response, and no other error for random bytes', async () => {
    for (const response of [
      '',
      'HTTP/1.1 200 OK',
      'HTTP/2 200\r\n\r\n',
      'HTTP/1.1 999 No\r\n\r\n',
      'HTTP/1.1 600 No\r\n\r\n',
      'HTTP/1.1 200 OK\r\nX: y',
      '\r\n\r\n',
      'HTTP/1.1 20 x\r\n\r\n',
    ])
      await expect(status(response), response).rejects.toThrow(MalformedResponse);
    await fc.assert(
      fc.asyncProperty(fc.array(fc.string({ unit: 'binary', maxLength: 20 }), { maxLength: 6 }), async (pieces) => {
        const found = await status(...pieces).catch((error: unknown) => error);
        expect(found instanceof MalformedResponse || typeof found === 'number').toBe(true);
      }),
    );
  });
});
