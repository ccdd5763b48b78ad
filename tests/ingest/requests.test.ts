import { describe, expect, it } from 'vitest';
import { TokenBucket } from '../../functions/ingest/feeds/bucket.ts';
import { MAX_CURSOR_CHARS, MAX_ROWS } from '../../functions/ingest/feeds/limits.ts';
import { limitedRows, PaginationGuard, RestClient, type RestOptions } from '../../functions/ingest/feeds/rest.ts';
import { LimitedQueue } from '../../functions/ingest/limited_queue.ts';
import { SerialQueue } from '../../functions/ingest/serial_queue.ts';
import { VirtualTime } from '../support/virtual_time.ts';
import { runtime } from './runtime.ts';

/**
 * Guarantee: requests to a venue keep its rate, are repeated where that helps and not where it does
 * not, and no list of a venue is followed for ever.
 */

/** A runtime whose clock only moves while something sleeps. */
function virtual() {
  const state = { now: 1_000, pauses: [] as number[] };
  return {
    state,
    runtime: {
      ...runtime,
      now: () => state.now,
      random: () => 1,
      sleep: async (ms: number) => {
        state.pauses.push(ms);
        state.now += ms;
      },
    },
  };
}

describe('the rate of requests', () => {
  it('is a burst at once, and then so many a second', async () => {
    const { state, runtime: clock } = virtual();
    const bucket = new TokenBucket(4, 3, clock);
    const times: number[] = [];
    for (let n = 0; n < 7; n += 1) {
      await bucket.take();
      times.push(state.now - 1_000);
    }
    expect(times).toEqual([0, 0, 0, 250, 500, 750, 1_000]);
    // It fills again, up to the burst.
    state.now += 60_000;
    const before = state.now;
    for (let n = 0; n < 4; n += 1) await bucket.take();
    expect(state.now - before).toBe(250);
  });

  it('counts the cost of a request, and takes one that costs more than a burst when the burst is there', async () => {
    const { state, runtime: clock } = virtual();
    const bucket = new TokenBucket(10, 20, clock);
    const times: number[] = [];
    for (const cost of [15, 10, 30, 1]) {
      await bucket.take(cost);
      times.push(state.now - 1_000);
    }
    // 15 of 20 at once; 5 more after 0.5 s; a full burst 2 s later, of which 10 are still owed.
    expect(times).toEqual([0, 500, 2_500, 3_600]);
  });

  it('gains nothing while the clock is set back, and serves in the order of arrival', async () => {
    const { state, runtime: clock } = virtual();
    const bucket = new TokenBucket(1, 1, clock);
    await bucket.take();
    state.now -= 3_600_000;
    const order: number[] = [];
    await Promise.all([1, 2, 3].map((n) => bucket.take().then(() => order.push(n))));
    expect([order, state.pauses]).toEqual([
      [1, 2, 3],
      [1_000, 1_000, 1_000],
    ]);
  });
});

type Answer = { status: number; body?: string; headers?: Record<string, string> } | Error;

/** A client whose venue gives these answers, one after the other, and the last one for ever. */
function clientOf(answers: readonly Answer[], options: Partial<RestOptions> = {}) {
  const time = new VirtualTime(0);
  const { now, sleep } = time;
  const sent: { url: string; at: number; headers: Record<string, string>; method: string }[] = [];
  const fetch = async (url: URL, init: { method: string; headers: Record<string, string> }) => {
    sent.push({
      url: `${url.pathname}${url.search}`,
      at: now(),
      headers: init.headers,
      method: init.method,
    });
    const answer = answers[Math.min(sent.length, answers.length) - 1];
    if (answer instanceof Error) throw answer;
    return new Response(answer?.body ?? '{}', { status: answer?.status ?? 200, headers: answer?.headers ?? {} });
  };
  const clock = { now, sleep, random: () => 1, fetch: fetch as unknown as typeof globalThis.fetch };
  const statuses: number[] = [];
  const client = new RestClient({
    ...{ base: 'https://venue.test/v1/', runtime: clock },
    ...{
      bucket: new TokenBucket(1_000, 1_000, clock),
      sign: async (_method: string, path: string) => ({ signed: path }),
    },
    ...options,
  });
  client.onStatus((status) => statuses.push(status));
  const run = <T>(request: Promise<T>): Promise<T> => time.run(request);
  return { client, run, sent, statuses, times: () => sent.map(({ at }) => at) };
}
const codeOf = (request: Promise<unknown>) =>
  request.then(
    () => 'ok',
    (error: { code: string; status: number | null }) => `${error.code} ${error.status}`,
  );
const OK = { status: 200, body: '{"a":1}' };

describe('a request to a venue', () => {
  it.each<[string, Answer[], string, number[]]>([
    ['an answer', [OK], 'ok', [0]],
    ['425', [{ status: 425 }, OK], 'ok', [0, 250]],
    ['429', [{ status: 429 }, OK], 'ok', [0, 250]],
    ['429 that names a time', [{ status: 429, headers: { 'retry-after': '3' } }, OK], 'ok', [0, 3_000]],
    ['429 that names a long time', [{ status: 429, headers: { 'retry-after': '600' } }, OK], 'ok', [0, 30_000]],
    [
      '429 that names a time before its back-off',
      [{ status: 429, headers: { 'retry-after': '-5' } }, OK],
      'ok',
      [0, 250],
    ],
    ['429 with a date', [{ status: 429, headers: { 'retry-after': 'Fri, 20 Nov 2026' } }, OK], 'ok', [0, 250]],
    ['500', [{ status: 500 }, OK], 'ok', [0, 250]],
    ['no connection', [new TypeError('lost'), OK], 'ok', [0, 250]],
    ['HTML', [{ status: 200, body: '<html>' }, OK], 'ok', [0, 250]],
    ['499', [{ status: 499 }], 'rest.status 499', [0]],
    ['404', [{ status: 404 }], 'rest.status 404', [0]],
    ['a redirect', [{ status: 302, headers: { location: 'https://other.test' } }], 'rest.redirect 302', [0]],
    ['503 for ever', [{ status: 503 }], 'rest.status 503', [0, 250, 750, 1_750, 3_750]],
    ['no connection for ever', [new TypeError('lost')], 'rest.network null', [0, 250, 750, 1_750, 3_750]],
  ])('is repeated where that helps: %s', async (_name, answers, outcome, times) => {
    const one = clientOf(answers);
    expect([await one.run(codeOf(one.client.get('/markets'))), one.times()]).toEqual([outcome, times]);
    // Who listens learns of every response, also of those before the last one.
    const statuses = answers.flatMap((answer) => (answer instanceof Error ? [] : [answer.status]));
    expect([...new Set(one.statuses)]).toEqual([...new Set(statuses)]);
  });

  it('has its own number of attempts, or that of its client', async () => {
    const [few, one] = [clientOf([{ status: 503 }], { attempts: 2 }), clientOf([{ status: 503 }], { attempts: 2 })];
    await few.run(codeOf(few.client.get('/x')));
    await one.run(codeOf(one.client.get('/x', {}, { attempts: 1 })));
    expect([few.sent.length, one.sent.length]).toEqual([2, 1]);
  });

  it('is signed by its path without the query, unless it is to be unsigned', async () => {
    const { client, run, sent } = clientOf([OK]);
    expect(await run(client.get('/markets', { limit: 5, id: ['a', 'b'], live: true }))).toEqual({ a: 1 });
    await run(client.get('/status', {}, { unsigned: true }));
    await run(client.post('/books', { ids: [1] }));
    expect(
      sent.map(({ method, url, headers }) => [method, url, headers.signed ?? null, headers['content-type'] ?? null]),
    ).toEqual([
      ['GET', '/v1/markets?limit=5&id=a&id=b&live=true', '/v1/markets', null],
      ['GET', '/v1/status', null, null],
      ['POST', '/v1/books', '/v1/books', 'application/json'],
    ]);
  });

  it('costs what it costs at the venue', async () => {
    const { client, run, times } = clientOf([OK]);
    for (const cost of [600, 400, 500]) await run(client.get('/x', {}, { cost }));
    expect(times()).toEqual([0, 0, 500]);
  });

  it('is not repeated when its client is stopped', async () => {
    const stopping = new AbortController();
    const { client, run, sent } = clientOf([{ status: 503 }], { signal: stopping.signal });
    stopping.abort();
    expect(await run(codeOf(client.get('/x')))).toMatch(/^rest\.(?:status 503|network null)$/);
    expect(sent).toHaveLength(1);
  });
});

describe('a list of a venue', () => {
  it('ends without a cursor, and is refused where a cursor comes twice or is too long', () => {
    const guard = new PaginationGuard();
    expect([guard.next(undefined), guard.next(null), guard.next(''), guard.next(7)]).toEqual([null, null, null, null]);
    expect([guard.next('a'), guard.next('b')]).toEqual(['a', 'b']);
    expect(() => guard.next('a')).toThrow(/^rest\.same_cursor/);
    expect(guard.next('x'.repeat(MAX_CURSOR_CHARS))).toHaveLength(MAX_CURSOR_CHARS);
    expect(() => guard.next('x'.repeat(MAX_CURSOR_CHARS + 1))).toThrow(/^rest\.endless/);
  });

  it('has at most so many pages, the first one included', () => {
    const guard = new PaginationGuard(3);
    expect([guard.next('second'), guard.next('third')]).toEqual(['second', 'third']);
    expect(() => guard.next('fourth')).toThrow(/^rest\.endless.*after 3 pages/);
  });

  it('has each row once', () => {
    const guard = new PaginationGuard();
    expect(['a', 'b', 'a', 'c', 'b'].map((id) => guard.isNew(id))).toEqual([true, true, false, true, false]);
  });

  it('has at most as many rows as an answer may have', () => {
    const rows = (count: number) => Array.from({ length: count }, () => null);
    expect(limitedRows(rows(MAX_ROWS.books), 'books')).toHaveLength(MAX_ROWS.books);
    expect(() => limitedRows(rows(MAX_ROWS.books + 1), 'books')).toThrow(/^rest\.too_many/);
  });
});

/** Work that `end` ends. */
function steps() {
  const begun: number[] = [];
  const ends = new Map<number, (error?: Error) => void>();
  const work = (n: number) => () => {
    begun.push(n);
    return new Promise<number>((resolve, reject) => {
      ends.set(n, (error) => (error ? reject(error) : resolve(n)));
    });
  };
  const end = async (n: number, error?: Error) => {
    ends.get(n)?.(error);
    for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
  };
  return { begun, work, end };
}

describe('a queue of work', () => {
  it('runs as many at once as it is wide, the others in order, also after one that failed', async () => {
    const queue = new LimitedQueue(2);
    const { begun, work, end } = steps();
    const results = [1, 2, 3, 4, 5].map((n) => queue.run(work(n)).catch((error: Error) => error.message));
    expect(begun).toEqual([1, 2]);
    await end(2, new Error('two failed'));
    expect(begun).toEqual([1, 2, 3]);
    await end(3);
    await end(1);
    expect(begun).toEqual([1, 2, 3, 4, 5]);
    await end(4);
    await end(5);
    expect(await Promise.all(results)).toEqual([1, 'two failed', 3, 4, 5]);
    // All places are free again.
    void queue.run(work(6));
    void queue.run(work(7));
    void queue.run(work(8));
    expect(begun.slice(5)).toEqual([6, 7]);
  });

  it('runs long work one at a time, also after one that failed, and knows whether it is busy', async () => {
    const queue = new SerialQueue();
    const { begun, work, end } = steps();
    expect(queue.isBusy).toBe(false);
    const results = [1, 2].map((n) => queue.run(work(n)).catch((error: Error) => error.message));
    expect(queue.isBusy).toBe(true);
    await end(0);
    expect(begun).toEqual([1]);
    await end(1, new Error('one failed'));
    expect([begun, queue.isBusy]).toEqual([[1, 2], true]);
    await end(2);
    expect([await Promise.all(results), queue.isBusy]).toEqual([['one failed', 2], false]);
  });
});
