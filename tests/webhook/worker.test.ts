import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Attempt, AttemptOutcome, AttemptResult } from '../../functions/deliver/database.ts';
import { DeliveryWorker, type WorkLimits } from '../../functions/deliver/delivery_worker.ts';
import { MAX_RESPONSE_BYTES, type ReceiverStream, sendRequest } from '../../functions/deliver/http_request.ts';
import { MAX_SNIPPET_CHARS, snippetOf } from '../../functions/deliver/snippet.ts';
import { cpuExhaustedCheck, workLimitsFor } from '../../functions/deliver/work_limits.ts';
import { pause } from '../support/wait_until.ts';

/**
 * Guarantee: a sender makes what it claims and records every result, also after a failure, and ends
 * in time with nothing left behind.
 */

const attempt = (delivery_id: string): Attempt => ({
  ...{ delivery_id, claim: `claim of ${delivery_id}`, event: 'ping', body: '{}', host: 'h', port: 443, target: '/' },
  ...{ plain: false, listed: false, refused: null, signed_at: '1', signature: 's', standard_signature: 's' },
});

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date', 'performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

type Claim = string[] | Error;

/** A worker whose database answers its claims with these deliveries, and then with none. */
function workerOf(
  claims: Claim[],
  options: {
    limits?: Partial<WorkLimits>;
    outcome?: (id: string) => Promise<AttemptOutcome>;
    failsToRecord?: number;
  } = {},
) {
  const startedAt = Date.now();
  const asked: { at: number; free: number; perEndpoint: number; seconds: number }[] = [];
  const recorded: AttemptResult[][] = [];
  const counts = { released: 0, running: 0, mostRunning: 0, recordCalls: 0 };
  const cpu = { isExhausted: false };
  const worker = new DeliveryWorker({
    queries: {
      async claimDeliveries(free, perEndpoint, seconds) {
        asked.push({ at: Date.now() - startedAt, free, perEndpoint, seconds });
        const claim = claims.shift() ?? [];
        if (claim instanceof Error) throw claim;
        return claim.slice(0, free).map(attempt);
      },
      async recordResults(results) {
        counts.recordCalls += 1;
        if (counts.recordCalls <= (options.failsToRecord ?? 0)) throw new Error('the database is away');
        recorded.push([...results]);
      },
      async releaseSender() {
        counts.released += 1;
      },
    },
    async attempt({ delivery_id }) {
      counts.running += 1;
      counts.mostRunning = Math.max(counts.mostRunning, counts.running);
      try {
        return await (options.outcome?.(delivery_id) ?? Promise.resolve({ status: 200, answer: '' }));
      } finally {
        counts.running -= 1;
      }
    },
    limits: {
      maxConcurrent: 20,
      maxPerEndpoint: 3,
      maxAttempts: Number.POSITIVE_INFINITY,
      idleMs: 2_000,
      ...options.limits,
    },
    endsAt: startedAt + 60_000,
    isCpuExhausted: () => cpu.isExhausted,
    log: () => {},
  });
  const ids = () => recorded.flat().map(({ delivery_id }) => delivery_id);
  return { worker, asked, recorded, counts, ids, cpu, startedAt };
}
const ended = async (running: Promise<void>) => {
  let isEnded = false;
  void running.then(() => {
    isEnded = true;
  });
  for (let second = 0; second < 120 && !isEnded; second += 1) await vi.advanceTimersByTimeAsync(1_000);
  expect(isEnded).toBe(true);
};

describe('a delivery worker', () => {
  it('makes each delivery once, records its result under its claim, and ends when it was idle', async () => {
    const { worker, asked, recorded, counts, ids, startedAt } = workerOf([['a', 'b'], ['c'], []]);
    await ended(worker.run());
    expect(ids()).toEqual(['a', 'b', 'c']);
    expect(recorded[0]?.[0]).toEqual({ delivery_id: 'a', claim: 'claim of a', took_ms: 0, status: 200, answer: '' });
    expect(counts).toMatchObject({ released: 1, running: 0 });
    expect(asked[0]).toEqual({ at: 0, free: 20, perEndpoint: 3, seconds: 5 });
    // It polls five times a second until two seconds were quiet.
    const times = asked.map(({ at }) => at);
    expect(times.slice(-3).map((at, n, all) => at - (all[n - 1] ?? at))).toEqual([0, 200, 200]);
    expect(Math.max(...times)).toBeGreaterThanOrEqual(2_000);
    expect(Math.max(...times)).toBeLessThan(2_700);
    expect(worker.claimedAt).toBeGreaterThan(startedAt);
  });

  it('asks again a second after a claim that failed', async () => {
    const { worker, asked, ids } = workerOf([new Error('cut'), new Error('cut'), ['a']], {
      limits: { idleMs: 10_000 },
    });
    await ended(worker.run());
    expect(ids()).toEqual(['a']);
    expect((asked[2]?.at ?? 0) - (asked[0]?.at ?? 0)).toBeGreaterThanOrEqual(2_000);
  });

  it('records results again that were not recorded, and gives up after three failures', async () => {
    const twice = workerOf([['a', 'b']], { failsToRecord: 2 });
    await ended(twice.worker.run());
    expect([twice.ids().sort(), twice.counts.recordCalls]).toEqual([['a', 'b'], 3]);
    const away = workerOf([['a']], { failsToRecord: 1_000 });
    await ended(away.worker.run());
    expect([away.ids(), away.counts.recordCalls, away.counts.released]).toEqual([[], 3, 1]);
  });

  it('has an outcome for an attempt that throws, and hides how long a connection took to fail', async () => {
    const { worker, recorded } = workerOf([['broken', 'closed', 'slow']], {
      outcome: async (id) => {
        if (id === 'broken') throw new Error('a defect');
        await pause(70);
        return { error: id === 'closed' ? 'connection.failed' : 'timeout' };
      },
    });
    await ended(worker.run());
    const results = Object.fromEntries(recorded.flat().map((one) => [one.delivery_id, one]));
    expect(results).toMatchObject({
      broken: { error: 'internal', took_ms: 0 },
      closed: { error: 'connection.failed', took_ms: null },
      slow: { error: 'timeout', took_ms: 70 },
    });
  });

  it('runs at most as many at once as it may, and claims more when at least sixteen places are free', async () => {
    const many = Array.from({ length: 60 }, (_, n) => `d${n}`);
    const { worker, asked, counts, ids } = workerOf([many.slice(0, 20), many.slice(20, 40), many.slice(40)], {
      outcome: async () => {
        await pause(300);
        return { status: 200, answer: '' };
      },
    });
    await ended(worker.run());
    expect([ids().length, counts.mostRunning]).toEqual([60, 20]);
    for (const { free } of asked) expect(free).toBeGreaterThanOrEqual(16);
  });

  it('makes at most as many as its run may, in the last claim fewer', async () => {
    const all = Array.from({ length: 40 }, (_, n) => `d${n}`);
    const { worker, asked, ids, counts } = workerOf([all.slice(0, 20), all.slice(20)], { limits: { maxAttempts: 25 } });
    await ended(worker.run());
    expect([ids().length, asked.map(({ free }) => free), counts.released]).toEqual([25, [20, 5], 1]);
  });

  it.each<[string, (world: ReturnType<typeof workerOf>) => void, number]>([
    ['it is stopped', ({ worker }) => worker.stop(), 1_000],
    ['its CPU is used up', ({ cpu }) => Object.assign(cpu, { isExhausted: true }), 1_000],
    ['eight seconds of its time are left', () => {}, 52_000],
  ])('claims nothing more once %s, and records what it has begun', async (_, stop, at) => {
    const world = workerOf([], {
      limits: { idleMs: 1_000_000 },
      outcome: async () => {
        await pause(5_000);
        return { status: 200, answer: '' };
      },
    });
    const running = world.worker.run();
    await vi.advanceTimersByTimeAsync(at - 100);
    expect(world.worker.isEnding).toBe(false);
    stop(world);
    await vi.advanceTimersByTimeAsync(101);
    expect(world.worker.isEnding).toBe(true);
    await ended(running);
    expect(Math.max(...world.asked.map((one) => one.at))).toBeLessThanOrEqual(at);
    expect(world.counts.released).toBe(1);
  });

  it('claims at once when it is woken, and not more often than twenty times a second', async () => {
    const { worker, asked } = workerOf([]);
    const running = worker.run();
    await vi.advanceTimersByTimeAsync(60);
    worker.wake();
    await vi.advanceTimersByTimeAsync(0);
    expect(asked.map(({ at }) => at)).toEqual([0, 60]);
    worker.wake();
    await vi.advanceTimersByTimeAsync(49);
    expect(asked).toHaveLength(2);
    await vi.advanceTimersByTimeAsync(1);
    expect(asked.map(({ at }) => at)).toEqual([0, 60, 110]);
    worker.stop();
    await ended(running);
  });
});

describe('the limits of a run', () => {
  it('are those of the machine without a CPU limit, and those of its CPU with one', () => {
    expect(workLimitsFor(null, 150)).toEqual({
      ...{ maxConcurrent: 256, maxPerEndpoint: 8, maxAttempts: Number.POSITIVE_INFINITY, idleMs: 30_000 },
    });
    // 1,600 ms of 2 s, less 250 for the boot and 150 × 4.5 for polling, at 1.5 ms each.
    expect(workLimitsFor(2, 150)).toMatchObject({ maxConcurrent: 64, maxPerEndpoint: 8, maxAttempts: 450 });
    expect(workLimitsFor(0.5, 150)).toMatchObject({ maxAttempts: 50 });
  });

  it('end a run above three quarters of its CPU, counted from its start', () => {
    const meter = { usedMs: 0 } as { usedMs: number };
    const isExhausted = cpuExhaustedCheck(meter as never, 2, 400);
    const at = (usedMs: number) => {
      meter.usedMs = usedMs;
      return isExhausted();
    };
    expect([at(400), at(1_900), at(1_901)]).toEqual([false, false, true]);
    expect(cpuExhaustedCheck(meter as never, null, 0)()).toBe(false);
  });
});

/** A receiver that answers with these parts. */
function receiver(...parts: string[]): ReceiverStream & { written: string } {
  const left = parts.map((part) => Uint8Array.from(part, (one) => one.charCodeAt(0)));
  return {
    written: '',
    async read(into) {
      const next = left.shift();
      if (!next) return null;
      into.set(next.subarray(0, into.byteLength));
      if (next.byteLength > into.byteLength) left.unshift(next.subarray(into.byteLength));
      return Math.min(next.byteLength, into.byteLength);
    },
    async write(bytes) {
      const some = bytes.subarray(0, 7);
      this.written += new TextDecoder().decode(some);
      return some.byteLength;
    },
    close() {},
  };
}
const answerTo = (...parts: string[]) =>
  sendRequest(receiver(...parts), new TextEncoder().encode('POST / HTTP/1.1\r\n\r\n'));

describe('the answer of a receiver', () => {
  it.each<[string, string[], object]>([
    [
      'with a length',
      ['HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok and more'],
      { status: 200, answer: 'ok and more' },
    ],
    ['without a length, to its end', ['HTTP/1.0 201 \r\n\r\none ', 'two'], { status: 201, answer: 'one two' }],
    ['in many parts', [...'HTTP/1.1 404 Not Found\r\nContent-Length: 4\r\n\r\ngone'], { status: 404, answer: 'gone' }],
    [
      'after interim ones',
      ['HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 102 Wait\r\n\r\n', 'HTTP/1.1 204 No\r\n\r\n'],
      { status: 204, answer: '' },
    ],
    ['that changes the protocol', ['HTTP/1.1 101 Switching\r\n\r\nHTTP/1.1 200 OK\r\n\r\n'], { status: 101 }],
    [
      'in chunks',
      ['HTTP/1.1 500 No\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n'],
      { status: 500, answer: 'abcde' },
    ],
    ['304 with a length', ['HTTP/1.1 304 Same\r\nContent-Length: 9\r\n\r\n'], { status: 304, answer: '' }],
    ['with a length that is none', ['HTTP/1.1 200 OK\r\nContent-Length: two\r\n\r\nok'], { status: 200, answer: 'ok' }],
    ['that is compressed', ['HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n\x1f\x8b'], { status: 200, answer: '' }],
  ])('is read: %s', async (_, parts, expected) => {
    expect(await answerTo(...parts)).toMatchObject(expected);
  });

  it.each([
    ['HTTP/2 200\r\n\r\n'],
    ['HTTP/1.1 600 No\r\n\r\n'],
    ['HTTP/1.1 20 OK\r\n\r\n'],
    ['SSH-2.0\r\n\r\n'],
    [''],
    ['HTTP/1.1 200 OK\r\n'],
  ])('is refused where it is no HTTP: %j', async (text) => {
    await expect(answerTo(text)).rejects.toThrow(/status line|not HTTP/);
  });

  it('is read up to 64 KiB, and ends before the receiver does where it states its length', async () => {
    const head = 'HTTP/1.1 200 OK\r\n\r\n';
    const endless = receiver(...Array.from({ length: 100 }, () => (head + 'x'.repeat(4_000)).slice(0, 4_000)));
    const { answer } = await sendRequest(endless, new Uint8Array(1));
    expect([answer.length, MAX_RESPONSE_BYTES]).toEqual([MAX_SNIPPET_CHARS, 65_536]);
    let reads = 0;
    const open = receiver('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok');
    const counting = {
      ...open,
      read: (into: Uint8Array) => (++reads === 1 ? open.read(into) : new Promise<null>(() => {})),
    };
    expect(await sendRequest({ ...counting, write: async (bytes) => bytes.byteLength }, new Uint8Array(3))).toEqual({
      status: 200,
      answer: 'ok',
    });
  });

  it('gets the whole request, however few bytes it takes at a time', async () => {
    const one = receiver('HTTP/1.1 200 OK\r\n\r\n');
    await sendRequest(one, new TextEncoder().encode('POST /a HTTP/1.1\r\nHost: h\r\n\r\n{"a":1}'));
    expect(one.written).toBe('POST /a HTTP/1.1\r\nHost: h\r\n\r\n{"a":1}');
  });
});

describe('the part of an answer that is kept', () => {
  const of = (body: string, fields: Record<string, string> = {}) => snippetOf(body, (name) => fields[name]);
  it.each<[string, string, Record<string, string>, string]>([
    ['without an encoding', 'ok', {}, 'ok'],
    ['with the encoding identity', 'ok', { 'content-encoding': 'Identity' }, 'ok'],
    ['compressed', 'ok', { 'content-encoding': 'br' }, ''],
    ['in chunks, the last one cut off', '2\r\nab\r\n5\r\ncd', { 'transfer-encoding': 'chunked' }, 'abcd'],
    ['in chunks of a wrong size', 'x\r\nab', { 'transfer-encoding': 'gzip, chunked' }, ''],
    ['with control characters', ' a\r\n\tb\u0000c ', {}, 'a b c'],
    ['in UTF-8', '\xc3\xa9', {}, 'é'],
    ['in no UTF-8', '\xff', {}, '\ufffd'],
  ])('is one line of text: %s', (_, body, fields, snippet) => {
    expect(of(body, fields)).toBe(snippet);
  });

  it('has at most 200 characters, also of four bytes each', () => {
    expect([...of('\xf0\x9f\x98\x80'.repeat(300))]).toHaveLength(MAX_SNIPPET_CHARS);
    expect(of('x'.repeat(201))).toHaveLength(200);
    expect(of(`${'x'.repeat(199)} y`)).toBe('x'.repeat(199));
  });
});
