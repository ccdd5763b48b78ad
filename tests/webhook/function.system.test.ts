import { type ChildProcess, spawn } from 'node:child_process';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  MAX_RESPONSE_BYTES,
  MalformedResponse,
  type ReceiverStream,
  sendRequest,
} from '../../functions/deliver/http_request.ts';
import { denoProgram, repository } from '../../local/platform/postgres/binaries.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { waitUntil } from '../support/wait_until.ts';
import { createAuthority } from './support/certificate.ts';
import { Receiver } from './support/receiver.ts';
import { allowHosts, createEndpoint, deliveryRow, enqueue, organizationWithPlan } from './support/sender.ts';

describe('the deliver function in Deno', () => {
  let db: TestDatabase;
  let receiver: Receiver;
  let child: ChildProcess;
  let output = '';
  beforeAll(async () => {
    db = await createDatabase();
    const ca = createAuthority();
    receiver = await Receiver.listen(ca);
    await allowHosts(db.sql, `localhost:${receiver.port}`);
    const options = [
      '--no-prompt',
      '--cached-only',
      '--allow-net',
      '--allow-env',
      '--host',
      '127.0.0.1',
      '--port',
      '0',
    ];
    child = spawn(denoProgram(), ['serve', ...options, 'functions/deliver/index.ts'], {
      cwd: repository,
      env: {
        PATH: process.env.PATH ?? '',
        HOME: process.env.HOME ?? '',
        ...{ NO_COLOR: '1', DENO_NO_UPDATE_CHECK: '1' },
        DB_URL_DELIVER: db.url('parallax_deliver'),
        WEBHOOK_CA: ca.certificate,
        DELIVER_CPU_SECONDS: '2',
        CRON_KEY: 'cron_key_of_this_test_0123456789abcdef',
      },
    });
    for (const stream of [child.stdout, child.stderr])
      stream?.on('data', (part: Buffer) => {
        output += part.toString();
      });
  });
  afterAll(async () => {
    const exited = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGKILL');
    await exited;
    await receiver.close();
    await db.close();
  });

  test('accepts only the cron key, sends in the background, and does not start a second sender', async () => {
    const base = await waitUntil(() => /http:\/\/[\d.]+:\d+/.exec(output)?.[0], {
      what: 'an address',
      timeoutMs: 60_000,
    });
    const post = (key?: string, method = 'POST') =>
      fetch(`${base}/deliver`, { method, ...(key ? { headers: { 'x-cron-key': key } } : {}) });
    const codeOf = async (response: Response) => [response.status, (await response.json()).code];
    expect(await codeOf(await post())).toEqual([401, 'auth.missing_key']);
    expect(await codeOf(await post('sb_secret_default'))).toEqual([401, 'auth.wrong_key']);
    expect(await codeOf(await post('cron_key_of_this_test_0123456789abcdef', 'GET'))).toEqual([
      405,
      'method.not_allowed',
    ]);
    const endpoint = await createEndpoint(db.sql, await organizationWithPlan(db.sql), receiver.url('/called'));
    const [id = ''] = await enqueue(db.sql, endpoint.id);
    const first = await post('cron_key_of_this_test_0123456789abcdef');
    expect([first.status, await first.json()]).toEqual([202, { started: true }]);
    await waitUntil(async () => (await deliveryRow(db.sql, id)).state === 'delivered', {
      what: 'the delivery',
      timeoutMs: 60_000,
    });
    expect(await (await post('cron_key_of_this_test_0123456789abcdef')).json()).toEqual({ started: false });
    const [state] = await db.sql`select awake_until > now() as awake from webhook.sender_state`;
    expect(state?.awake).toBe(true);
  });
});

describe('sendRequest', () => {
  /** A connection that returns these pieces one after the other and then ends. */
  const streamOf = (pieces: readonly string[], read: { bytes: number } = { bytes: 0 }): ReceiverStream => {
    const remaining = pieces.map((piece) => Buffer.from(piece, 'latin1'));
    return {
      read: async (into) => {
        const next = remaining.shift();
        if (!next) return null;
        const size = Math.min(next.length, into.length);
        into.set(next.subarray(0, size));
        if (size < next.length) remaining.unshift(next.subarray(size));
        read.bytes += size;
        return size;
      },
      write: async (bytes) => Math.min(7, bytes.byteLength),
      close: () => {},
    };
  };
  const send = (...pieces: string[]) => sendRequest(streamOf(pieces), new Uint8Array(20));
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
    const read = { bytes: 0 };
    const head = 'HTTP/1.1 204 No Content\r\n\r\n';
    await sendRequest(streamOf([head, 'beyond the response'], read), new Uint8Array(1));
    expect(read.bytes).toBe(head.length);
  });

  test('reads at most 64 KiB, the head included', async () => {
    const read = { bytes: 0 };
    const endless = Array.from({ length: 100 }, () => 'x'.repeat(10_000));
    const result = await sendRequest(streamOf(['HTTP/1.1 200 OK\r\n\r\n', ...endless], read), new Uint8Array(1));
    expect(result).toEqual({ status: 200, answer: 'x'.repeat(200) });
    expect(read.bytes).toBeLessThan(MAX_RESPONSE_BYTES + 16 * 1024);
    const head = streamOf(['HTTP/1.1 200 OK\r\n', ...endless]);
    await expect(sendRequest(head, new Uint8Array(1))).rejects.toThrow(MalformedResponse);
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
