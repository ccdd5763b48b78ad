import type { ChildProcess } from 'node:child_process';
import { connect } from 'node:net';
import { afterAll, describe, expect, test } from 'vitest';
import { freePort } from '../../../local/platform/postgres/postgres.ts';
import { startFunction } from '../../support/function_process.ts';
import { pause, waitUntil } from '../../support/wait_until.ts';
import { openRawConnection } from './raw.ts';
import { frameHeader, openSockets, openStranger, residentMb, type Stranger, writeBody } from './stranger.ts';

// Guarantee: clients without a ticket can use neither the memory of the stream's container nor the
// places of clients with a ticket, and their sockets go away. No test here needs a database. Most
// of them wait for ten seconds of the product, so they run at the same time.

type Container = {
  url: string;
  pid: number;
  /** Its sockets without a client. */
  base: number;
};

const containers: ChildProcess[] = [];
const strangers: Stranger[] = [];
afterAll(() => {
  for (const { socket } of strangers) socket.destroy();
  for (const child of containers) child.kill('SIGKILL');
});

async function startContainer(env: Record<string, string> = {}): Promise<Container> {
  const port = await freePort();
  const child = startFunction('stream', {
    DB_URL_STREAM: 'postgres://none:secret@127.0.0.1:1/none',
    PORT: String(port),
    ...env,
  });
  containers.push(child);
  await waitUntil(async () => (await fetch(`http://127.0.0.1:${port}/healthz`)).ok, {
    what: 'the container listens',
    failed: () => child.exitCode !== null && 'the container ended',
  });
  // The request above leaves a socket for a moment.
  await pause(500);
  const pid = child.pid ?? 0;
  return { url: `ws://127.0.0.1:${port}/stream`, pid, base: openSockets(pid) };
}

async function open(container: Container, count: number, headers: (n: number) => Record<string, string> = () => ({})) {
  const opened = await Promise.all(Array.from({ length: count }, (_, n) => openStranger(container.url, headers(n))));
  strangers.push(...opened);
  return opened;
}

/** Waits until the process has at most this many sockets. */
const untilSockets = ({ pid }: Container, most: number) =>
  waitUntil(() => openSockets(pid) <= most, {
    what: `at most ${most} sockets`,
    evidence: () => `${openSockets(pid)} sockets`,
  });

describe.concurrent('an unfinished message', () => {
  test('is refused at a header that announces 62 MB: twenty of them add no memory, and their sockets are cut', async () => {
    const container = await startContainer();
    const before = residentMb(container.pid);
    const twenty = await open(container, 20);
    expect(new Set(twenty.map(({ status }) => status))).toEqual(new Set([101]));
    let most = 0;
    const timer = setInterval(() => {
      most = Math.max(most, residentMb(container.pid));
    }, 50);
    await Promise.all(
      twenty.map((stranger) => {
        stranger.socket.write(frameHeader(62_000_000));
        return writeBody(stranger, 55_000_000);
      }),
    );
    await untilSockets(container, container.base);
    clearInterval(timer);
    expect(most - before).toBeLessThan(60);
  });

  test('is refused at its seventeenth fragment, or when its fragments have more than 64 KiB', async () => {
    const container = await startContainer();
    for (const [length, fragments] of [
      [1, 17],
      [5_000, 14],
    ] as const) {
      const raw = await openRawConnection(container.url);
      const { _socket: socket } = raw.socket as unknown as { _socket: Stranger['socket'] };
      for (let n = 0; n < fragments; n += 1) {
        socket.write(frameHeader(length, { opcode: n === 0 ? 1 : 0, isLast: false }));
        socket.write(Buffer.alloc(length, 'x'));
      }
      expect([length, (await raw.untilClosed()).code]).toEqual([length, length === 1 ? 1008 : 3501]);
    }
  });

  test('is cut with its socket when the time for a connect command is over', async () => {
    const container = await startContainer();
    const [half] = await open(container, 1);
    half?.socket.write(frameHeader(60_000));
    half?.socket.write(Buffer.alloc(30_000));
    await pause(1_000);
    expect(openSockets(container.pid)).toBe(container.base + 1);
    await untilSockets(container, container.base);
  });
});

describe.concurrent('sockets without a ticket', () => {
  test('go away when their clients answer no close frame', async () => {
    const proxied = await startContainer({ STREAM_ADDRESS_HEADER: 'x-client' });
    await open(proxied, 60, (n) => ({ 'X-Client': `192.0.2.${n}` }));
    expect(openSockets(proxied.pid)).toBe(proxied.base + 60);
    await untilSockets(proxied, proxied.base);
  });

  test('are at most 20 of one address, also while they close; the next one gets 429 with a code', async () => {
    const one = await startContainer();
    const twenty = await open(one, 20);
    const [refused] = await open(one, 1, () => ({ 'X-Forwarded-For': '192.0.2.1' }));
    expect([refused?.status, refused?.body.code]).toEqual([429, 'stream.address_full']);
    expect(refused?.headers).toMatch(/retry-after: 5/i);
    // A command other than connect: the server closes, and the client does not answer.
    twenty[0]?.socket.write(Buffer.concat([frameHeader(2), Buffer.from('[]')]));
    await pause(500);
    expect((await open(one, 1))[0]?.status).toBe(429);
    await waitUntil(async () => (await open(one, 1))[0]?.status === 101, { what: 'a free place' });
  });

  test('are counted by the last address of the header that the proxy sets, and of IPv6 by the first 64 bits', async () => {
    const proxied = await startContainer({ STREAM_ADDRESS_HEADER: 'x-client', STREAM_MOST_PER_ADDRESS: '3' });
    const statusOf = async (address: string) => (await open(proxied, 1, () => ({ 'X-Client': address })))[0]?.status;
    const of = async (...addresses: string[]) => {
      const statuses: (number | undefined)[] = [];
      for (const address of addresses) statuses.push(await statusOf(address));
      return statuses;
    };
    expect(await of('198.51.100.1', '1.1.1.1, 198.51.100.1', '::ffff:198.51.100.1', '198.51.100.1')).toEqual([
      101, 101, 101, 429,
    ]);
    expect(await of('2001:db8::1', '2001:db8::2', '2001:db8:0:0:ffff::', '2001:db8::4', '2001:db8:0:1::1')).toEqual([
      101, 101, 101, 429, 101,
    ]);
    // No address in the header: the peer of the TCP connection counts.
    expect(await of('', 'nonsense', '127.0.0.1', 'unknown')).toEqual([101, 101, 101, 429]);
  });

  test('are cut above a thousand, the oldest first, so a newer client gets its place', async () => {
    const crowd = await startContainer({ STREAM_ADDRESS_HEADER: 'x-client' });
    const statuses = new Set<number>();
    for (let part = 0; part < 11; part += 1) {
      const some = await open(crowd, 100, (n) => ({ 'X-Client': `10.0.${part}.${n}` }));
      for (const { status } of some) statuses.add(status);
      expect(openSockets(crowd.pid)).toBeLessThanOrEqual(crowd.base + 1_001);
    }
    expect([...statuses]).toEqual([101]);
  });

  test('are closed with 3501 when they send pings without end', async () => {
    const container = await startContainer();
    const raw = await openRawConnection(container.url);
    let pongs = 0;
    raw.socket.on('pong', () => {
      pongs += 1;
    });
    // One after the other: TCP resets a closed connection that has unread bytes, and the client
    // then loses the close frame.
    for (let pings = 1; pings <= 1_000 && !raw.end; pings += 1) {
      raw.socket.ping();
      await waitUntil(() => pongs === pings || raw.end, { what: 'a pong', everyMs: 1 });
    }
    expect((await raw.untilClosed()).code).toBe(3501);
    expect(pongs).toBeGreaterThanOrEqual(200);
  });
});

test.concurrent('a TCP connection without a request is cut', async () => {
  const container = await startContainer();
  const socket = connect(Number(new URL(container.url).port), '127.0.0.1');
  socket.on('error', () => {});
  socket.pause();
  await waitUntil(() => openSockets(container.pid) > container.base, { what: 'the connection is open' });
  await untilSockets(container, container.base);
  socket.destroy();
});
