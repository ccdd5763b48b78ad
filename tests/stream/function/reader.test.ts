import fc from 'fast-check';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { Channel } from '../../../functions/stream/channel.ts';
import { type ClientSocket, Connection } from '../../../functions/stream/connection.ts';
import { Hub } from '../../../functions/stream/hub.ts';
import { LogPageCache } from '../../../functions/stream/log_page_cache.ts';
import { LogReader, type PublicationLog } from '../../../functions/stream/log_reader.ts';
import type { StreamQueries } from '../../../functions/stream/queries.ts';
import { recover } from '../../../functions/stream/recovery.ts';
import { UNKNOWN_TICKET as TICKET } from '../../support/random_secrets.ts';
import { waitUntil } from '../../support/wait_until.ts';
import { FakeLog, framesFrom } from './fake_log.ts';

const objects = (first: number, last: number) => framesFrom(first, last).map((text) => JSON.parse(text));

/** A subscriber that records offsets and checks that each frame contains its own offset. */
function createSubscriber(position = 0) {
  const offsets: number[] = [];
  return {
    position,
    offsets,
    push(messages: readonly string[]) {
      for (const line of messages.flatMap((message) => message.split('\n'))) {
        const { data, offset } = JSON.parse(line).push.pub;
        expect(data.n).toBe(offset);
        offsets.push(offset);
      }
    },
  };
}

afterEach(() => {
  vi.useRealTimers();
});

function createReader(joined = true) {
  const log = new FakeLog();
  const resets: string[] = [];
  const topics: string[] = [];
  const reader = new LogReader({ publicationLog: log, log: () => {}, onReset: (channel) => resets.push(channel.name) });
  const source = {
    join: (topic: string) => topics.push(topic),
    leave: (topic: string) => topics.splice(topics.indexOf(topic), 1),
    isJoined: () => joined,
  };
  reader.useSource(source);
  return { log, reader, resets, topics };
}

describe('a channel that Realtime broadcasts', () => {
  test('is not read from the log while nothing is missing, and returns frames with type first', () => {
    const { log, reader } = createReader();
    const channel = reader.channel({ channel: 'sample', epoch: 'one', offset: 0 });
    const one = createSubscriber();
    channel.join(one);
    let texts = '';
    channel.onFrames = (frames) => {
      texts = frames.join('\n');
    };
    reader.onBroadcast('sample', {
      channel: 'sample',
      epoch: 'one',
      offset: 2,
      frames: [
        { n: 1, type: 'price' },
        { n: 2, type: 'price' },
      ],
    });
    expect([one.offsets, log.reads, texts.startsWith('{"type":"price","n":1}')]).toEqual([[1, 2], 0, true]);
    reader.stop();
  });

  test.each([
    [
      'a gap',
      (reader: LogReader) =>
        reader.onBroadcast('sample', { channel: 'sample', epoch: 'one', offset: 9, frames: objects(8, 9) }),
    ],
    [
      'a beacon that is ahead',
      (reader: LogReader) => reader.onBroadcast('sample', { channel: 'sample', epoch: 'one', offset: 9 }),
    ],
    ['a check of the log without any broadcast', (reader: LogReader) => reader.checkLog('sample')],
  ])('is completed from the log after %s', async (_, event) => {
    const { log, reader } = createReader();
    log.top = 9;
    const channel = reader.channel({ channel: 'sample', epoch: 'one', offset: 3 });
    const one = createSubscriber(3);
    channel.join(one);
    event(reader);
    await waitUntil(() => one.offsets.length >= 6, { what: 'the log is read', timeoutMs: 5_000 });
    expect(one.offsets).toEqual([4, 5, 6, 7, 8, 9]);
    reader.stop();
  });

  test('restarts with the log, and its subscribers are notified', async () => {
    const { log, reader, resets } = createReader();
    reader.channel({ channel: 'sample', epoch: 'one', offset: 3 });
    log.epoch = 'two';
    reader.onBroadcast('sample', { channel: 'sample', epoch: 'two', offset: 1, frames: objects(1, 1) });
    await waitUntil(() => resets.length > 0, { what: 'the reset', timeoutMs: 5_000 });
    expect(resets).toEqual(['sample']);
    reader.stop();
  });

  test('is left when it has had no subscriber for half a minute', async () => {
    vi.useFakeTimers();
    const { reader, topics } = createReader();
    const one = createSubscriber();
    const subscribedChannel = reader.channel({ channel: 'sample', epoch: 'one', offset: 0 });
    // A subscriber that is behind and not live yet counts as well.
    subscribedChannel.subscribers.add(one);
    const other = reader.channel({ channel: 'status', epoch: 'one', offset: 0 });
    await vi.advanceTimersByTimeAsync(60_000);
    expect([topics, [...reader.channels()], subscribedChannel.isClosed, other.isClosed]).toEqual([
      ['sample'],
      ['sample'],
      false,
      true,
    ]);
    expect(reader.channel({ channel: 'status', epoch: 'one', offset: 0 })).not.toBe(other);
    reader.stop();
  });
});

test('every frame comes from the log within a moment without Realtime', async () => {
  const { log, reader } = createReader(false);
  const one = createSubscriber();
  reader.channel({ channel: 'sample', epoch: 'one', offset: 0 }).join(one);
  log.top = 1_200;
  await waitUntil(() => one.offsets.length >= 1_200, { what: 'the log is read', timeoutMs: 5_000 });
  expect(one.offsets).toEqual(Array.from({ length: 1_200 }, (_, n) => n + 1));
  reader.stop();
});

test('each subscriber gets each offset once and in order when broadcasts repeat, come late, are cut or fail', async () => {
  const step = fc.record({
    first: fc.integer({ min: 1, max: 60 }),
    count: fc.integer({ min: 0, max: 20 }),
    join: fc.option(fc.integer({ min: 0, max: 60 })),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
      const channel = new Channel('sample', 'one', 0);
      const subscribers: ReturnType<typeof createSubscriber>[] = [];
      for (const { first, count, join } of steps) {
        if (join !== null) {
          const one = createSubscriber(Math.min(join, channel.offset + 3));
          const from = one.position;
          if (channel.join(one)) subscribers.push(Object.assign(one, { from }));
        }
        const before = channel.offset;
        const taken = channel.take(first, framesFrom(first, first + count - 1));
        expect(taken).toBe(first <= before + 1);
        if (!taken) expect(channel.offset).toBe(before);
      }
      for (const one of subscribers) {
        const { from } = one as typeof one & { from: number };
        expect(one.offsets).toEqual(Array.from({ length: Math.max(0, channel.offset - from) }, (_, n) => from + 1 + n));
      }
    }),
  );
});

test('a channel buffers a megabyte for clients that catch up, and sends slower ones to the log', () => {
  const channel = new Channel('sample', 'one', 0);
  const wideFrame = (first: number) => [`{"type":"price","n":${first},"wide":"${'x'.repeat(100_000)}"}`];
  for (let offset = 1; offset <= 20; offset += 1) channel.take(offset, wideFrame(offset));
  expect(channel.join(createSubscriber(9))).toBe(false);
  const recent = createSubscriber(12);
  expect(channel.join(recent)).toBe(true);
  expect(recent.offsets).toEqual([13, 14, 15, 16, 17, 18, 19, 20]);
});

test('a batch is one message, encoded once, for many clients, and one message a publication for few', () => {
  const messages = (listeners: number) => {
    const channel = new Channel('sample', 'one', 0);
    const batches: (readonly string[])[] = [];
    for (let n = 0; n < listeners; n += 1) channel.join({ position: 0, push: (messages) => batches.push(messages) });
    channel.take(1, framesFrom(1, 100));
    return batches;
  };
  expect(messages(3).map((messages) => messages.length)).toEqual([100, 100, 100]);
  const many = messages(1_000);
  expect(new Set(many).size).toBe(1);
  expect(many[0]?.map((text) => text.split('\n').length)).toEqual([100]);
});

describe('the connect reply', () => {
  const missed = (length: number): PublicationLog => ({
    channelPositions: async () => [],
    readPublications: async (_, epoch, after) => ({
      epoch,
      top: 10_000,
      recovered: true,
      upto: after + 400,
      frames: Array.from({ length: 400 }, () => `{"type":"price","wide":"${'é'.repeat(length)}"}`),
    }),
  });
  const requests = ['a', 'b', 'c'].map((name) => ({
    channel: new Channel(name, 'one', 10_000),
    current: { channel: name, epoch: 'one', offset: 10_000 },
    requested: { recover: true, epoch: 'one', offset: 100 },
  }));

  test('contains at most 500 publications, and the offset of the last one in it', async () => {
    const starts = (await recover(requests, missed(1))).map((start) => start.reply());
    expect(starts.map((reply) => reply.recovery?.frames.length)).toEqual([400, 100, 0]);
    expect(starts.map((reply) => reply.offset)).toEqual([500, 200, 100]);
    expect(starts.every((reply) => reply.recovery?.recovered)).toBe(true);
  });

  test('contains at most 256 KiB', async () => {
    const starts = (await recover(requests, missed(1_000))).map((start) => start.reply());
    const bytes = starts
      .flatMap((reply) => [...(reply.recovery?.frames ?? [])])
      .reduce((sum, frame) => sum + Buffer.byteLength(frame), 0);
    expect(bytes).toBeLessThanOrEqual(256 * 1024);
    expect(bytes).toBeGreaterThan(250 * 1024);
  });
});

test('a page of the log is read once for all requests within a second; an empty page is not shared', async () => {
  const log = new FakeLog();
  const pages = new LogPageCache(log);
  log.top = 5;
  await Promise.all([
    pages.readPublications('a', 'one', 0),
    pages.readPublications('a', 'one', 0),
    pages.readPublications('a', 'one', 3),
    pages.readPublications('b', 'one', 0),
  ]);
  expect(log.reads).toBe(3);
  await pages.readPublications('a', 'one', 5);
  log.top = 6;
  expect((await pages.readPublications('a', 'one', 5)).frames).toHaveLength(1);
});

describe('the ping', () => {
  function connection() {
    const closed: number[] = [];
    const sent: string[] = [];
    const socket: ClientSocket = {
      bufferedAmount: 0,
      send: (text) => sent.push(text),
      close: (code) => closed.push(code),
    };
    const hub = {
      version: 'test',
      publicationLog: new FakeLog(),
      reader: { channel: () => new Channel('status', 'one', 0) },
      admit: async () => ({ org_id: 'org', max_conns: 1, channels: [{ channel: 'status', epoch: 'one', offset: 0 }] }),
      ended: () => {},
      gone: () => {},
      releaseSlot: () => {},
      sent: () => {},
      log: () => {},
    } as unknown as Hub;
    return { connection: new Connection(socket, hub), closed, sent };
  }

  test('is sent every 25 seconds; a client without an answer within ten is closed with 3012, others stay', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const [good, dead] = [connection(), connection()];
    for (const one of [good, dead]) {
      one.connection.receive(`{"id":1,"connect":{"data":{"t":"${TICKET}"}}}`);
      await waitUntil(() => one.connection.isConnected, { what: 'it is connected', timeoutMs: 5_000 });
    }
    for (let second = 1; second <= 100; second += 1) {
      vi.setSystemTime(Date.now() + 1000);
      for (const one of [good, dead]) one.connection.onTimer(Date.now());
      if (good.sent.at(-1) === '{}') good.connection.receive('{}');
    }
    expect(good.closed).toEqual([]);
    expect(good.sent.filter((text) => text === '{}')).toHaveLength(4);
    expect(dead.closed).toEqual([3012]);
  });
});

describe('sockets without a ticket', () => {
  const createHub = (queries: Partial<StreamQueries> = new FakeLog() as unknown as StreamQueries) =>
    new Hub({
      queries: queries as StreamQueries,
      limits: { maxConnections: 2, maxPerAddress: 20 },
      recheckMs: 60_000,
      version: 'test',
      log: () => {},
    });

  test('are closed above a thousand, the oldest first, also where the runtime cannot cut them', () => {
    const hub = createHub();
    const closed: number[] = [];
    const socket = (n: number) => ({ bufferedAmount: 0, send: () => {}, close: () => closed.push(n) });
    for (let n = 0; n < 1_001; n += 1) hub.open(socket(n), null);
    expect([closed, hub.isFull]).toEqual([[0], false]);
    // The first socket is closed and not gone, so it counts.
    hub.open(socket(1_001), null);
    expect(hub.isFull).toBe(true);
    hub.stop();
  });

  test('are cut at once above a thousand where the runtime can, so the server is never full of them', () => {
    const hub = createHub();
    const cut: number[] = [];
    const socket = (n: number) => ({ bufferedAmount: 0, send() {}, close() {}, terminate: () => cut.push(n) });
    for (let n = 0; n < 1_500; n += 1) hub.open(socket(n), null);
    expect([cut, hub.isFull]).toEqual([Array.from({ length: 500 }, (_, n) => n), false]);
    hub.stop();
  });

  test('are counted by address until they are gone; a client with an accepted ticket does not count', async () => {
    const hub = createHub({
      openConnection: async () => ({ org_id: 'org', max_conns: 5, channels: [] }),
      closeConnections: async () => {},
    });
    const open = () => hub.open({ bufferedAmount: 0, send() {}, close() {} }, '192.0.2.1');
    const connections = Array.from({ length: 20 }, open);
    expect([hub.isAddressFull('192.0.2.1'), hub.isAddressFull('192.0.2.2')]).toEqual([true, false]);
    connections[0]?.end('noConnect');
    expect(hub.isAddressFull('192.0.2.1')).toBe(true);
    connections[0]?.gone();
    expect(hub.isAddressFull('192.0.2.1')).toBe(false);
    open();
    connections[1]?.receive(`{"id":1,"connect":{"data":{"t":"${TICKET}"}}}`);
    await waitUntil(() => connections[1]?.isConnected, { what: 'the ticket is accepted', timeoutMs: 5_000 });
    expect([hub.isAddressFull('192.0.2.1'), hub.isFull]).toEqual([false, false]);
    connections[2]?.receive(`{"id":1,"connect":{"data":{"t":"${TICKET}"}}}`);
    await waitUntil(() => connections[2]?.isConnected, { what: 'the ticket is accepted', timeoutMs: 5_000 });
    expect(hub.isFull).toBe(true);
    hub.stop();
  });

  test('are closed after ten seconds, and cut three seconds later when they do not answer; a client with a ticket has fifteen', async () => {
    vi.useFakeTimers();
    const hub = createHub({
      openConnection: async () => ({ org_id: 'org', max_conns: 5, channels: [] }),
      closeConnections: async () => {},
    });
    const events: string[] = [];
    const began = Date.now();
    const open = (name: string) => {
      const note = (what: string) => events.push(`${name} ${what} at ${(Date.now() - began) / 1_000} s`);
      const socket = { bufferedAmount: 0, send() {}, close: (code: number) => note(String(code)) };
      return hub.open({ ...socket, terminate: () => note('cut') }, null);
    };
    const [, customer] = [open('stranger'), open('customer')];
    customer.receive(`{"id":1,"connect":{"data":{"t":"${TICKET}"}}}`);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(customer.isConnected).toBe(true);
    customer.end('silent');
    await vi.advanceTimersByTimeAsync(20_000);
    // The hub looks once a second.
    expect(events).toEqual([
      'customer 3012 at 1 s',
      'stranger 3012 at 11 s',
      'stranger cut at 14 s',
      'customer cut at 16 s',
    ]);
    hub.stop();
  });
});
