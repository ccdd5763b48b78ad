import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { ParallaxError } from '../../client/src/errors.ts';
import { Parallax } from '../../client/src/parallax.ts';
import { repository } from '../../local/platform/postgres/binaries.ts';

/**
 * Guarantee: both clients repeat a GET that the service could not answer, as often and as late as
 * asked, and never a request that changes something.
 */

/** Null: the connection is lost. */
type Answer = { status: number; body?: object; after?: string } | null;
type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE' | 'LIST';
type Case = {
  name: string;
  method: Method;
  answers: Answer[];
  retries: number | null;
  /** When each request is sent, in ms after the first. */
  times: number[];
  outcome: unknown;
};
type Sent = { method: string; url: string; at: number; query: Record<string, unknown> };
type Run = { sent: Sent[]; outcome: unknown; authorization: string | null };

const OK: Answer = { status: 200 };
const BUSY: Answer = { status: 503, body: { code: 'busy', error: 'Busy.', request_id: 'r1' } };
const refused = (status: number, code = `http.${status}`, more: object = {}) => ({
  ...{ status, code, requestId: null, retryAfter: null },
  ...more,
});
const busy = refused(503, 'busy', { requestId: 'r1' });
const limited = (after: string): Answer => ({ status: 429, after });
const of =
  (method: Method, retries: number | null = null) =>
  (name: string, answers: Answer[], times: number[], outcome: unknown): Case => ({
    ...{ name: `${method} ${name}`, method, answers, retries, times, outcome },
  });
const get = of('GET');
const page = (ids: number[], next_cursor: string | null): Answer => ({
  status: 200,
  body: { markets: ids.map((id) => ({ id })), next_cursor },
});

const cases: Case[] = [
  get('is sent once when it is answered', [OK], [0], { data: {} }),
  get('is sent again a second after 503', [BUSY, OK], [0, 1_000], { data: {} }),
  get('is sent again a second after no answer', [null, OK], [0, 1_000], { data: {} }),
  get('waits as long as 429 asks', [limited('7'), OK], [0, 7_000], { data: {} }),
  get('waits a minute', [limited('60'), OK], [0, 60_000], { data: {} }),
  get('does not wait longer than a minute', [limited('61')], [0], refused(429, 'http.429', { retryAfter: 61 })),
  get('does not wait where it may try at once', [limited('0'), OK], [0, 0], { data: {} }),
  get('is given up after two more tries', [BUSY], [0, 1_000, 2_000], busy),
  get('is given up after two more tries without an answer', [null], [0, 1_000, 2_000], 'lost'),
  get('is not sent again after 500', [{ status: 500 }], [0], refused(500)),
  get('is not sent again after 404', [{ status: 404, body: { code: 'x' } }], [0], refused(404, 'x')),
  of('GET', 0)('is sent once without retries', [BUSY], [0], busy),
  of('GET', 1)('is sent twice with one', [BUSY], [0, 1_000], busy),
  of('GET', 3)('stops at the first answer', [BUSY, null, OK], [0, 1_000, 2_000], { data: {} }),
  ...(['POST', 'PATCH', 'DELETE'] as const).flatMap((method) => [
    of(method)('is sent once, also after 503', [BUSY, OK], [0], busy),
    of(method)('is sent once, also after 429', [limited('1'), OK], [0], refused(429, 'http.429', { retryAfter: 1 })),
    of(method)('is sent once, also without an answer', [null, OK], [0], 'lost'),
  ]),
  of('LIST')(
    'follows the cursor of its pages, each with the filters, until there is none',
    [page([1, 2], 'second'), page([3], 'third'), page([4], null)],
    [0, 0, 0],
    { data: [1, 2, 3, 4] },
  ),
];
const URLS: Record<Method, string> = {
  GET: 'https://api.test/v/v2/categories',
  POST: 'https://api.test/v/v1/stream/token',
  PATCH: 'https://api.test/v/v2/webhooks/1',
  DELETE: 'https://api.test/v/v2/webhooks/1',
  LIST: 'https://api.test/v/v2/markets',
};
const CURSORS = [{}, { cursor: 'second' }, { cursor: 'third' }];

function expectRun(run: Run | undefined, { method, times, outcome }: Case): void {
  const queries = method === 'LIST' ? CURSORS.map((cursor) => ({ limit: '500', sport: 'tennis', ...cursor })) : [];
  expect(run).toEqual({
    sent: times.map((at, n) => ({
      ...{ method: method === 'LIST' ? 'GET' : method, url: URLS[method], at, query: queries[n] ?? {} },
    })),
    outcome,
    authorization: 'Bearer sk_live_x',
  });
}

const LOST = new TypeError('fetch failed');

async function runInTypeScript({ method, answers, retries }: Case): Promise<Run> {
  const sent: Sent[] = [];
  let authorization: string | null = null;
  const startedAt = Date.now();
  const client = new Parallax({
    ...{ key: 'sk_live_x', baseUrl: 'https://api.test/v/' },
    ...(retries === null ? {} : { retries }),
    fetch: async (request) => {
      const { origin, pathname, searchParams } = new URL(request.url);
      const query = Object.fromEntries(searchParams);
      sent.push({ method: request.method, url: origin + pathname, at: Date.now() - startedAt, query });
      authorization = request.headers.get('Authorization');
      const answer = answers[Math.min(sent.length, answers.length) - 1];
      if (!answer) throw LOST;
      const { status, body = {}, after } = answer;
      return Response.json(body, { status, headers: after === undefined ? {} : { 'Retry-After': after } });
    },
  });
  const { api } = client;
  const path = { params: { path: { endpoint_id: '1' } } } as never;
  const calls: Record<Method, () => Promise<unknown>> = {
    GET: () => api.GET('/v2/categories'),
    POST: () => api.POST('/v1/stream/token'),
    PATCH: () => api.PATCH('/v2/webhooks/1' as never, path),
    DELETE: () => api.DELETE('/v2/webhooks/1' as never, path),
    LIST: async () => {
      const data: unknown[] = [];
      for await (const { id } of client.markets({ sport: 'tennis' })) data.push(id);
      return { data };
    },
  };
  const ended = calls[method]().then(
    (answer) => ({ data: (answer as { data: unknown }).data }),
    (error: unknown) => {
      if (error === LOST) return 'lost';
      if (!(error instanceof ParallaxError)) throw error;
      const { status, code, requestId, retryAfter } = error;
      return { status, code, requestId, retryAfter };
    },
  );
  await vi.runAllTimersAsync();
  return { sent, outcome: await ended, authorization };
}

describe('the client in TypeScript', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  test.each(cases)('a request is repeated where that is safe: $name', async (one) => {
    expectRun(await runInTypeScript(one), one);
  });
});

const isOldPython = !/ 3\.1[1-9]/.test(spawnSync('python3', ['--version'], { encoding: 'utf8' }).stdout ?? '');
if (isOldPython) console.log('A part of tests/client/parallax is skipped: no Python 3.11 on the PATH.');

describe.skipIf(isOldPython)('the client in Python', () => {
  let runs: Run[];
  beforeAll(() => {
    const program = join(import.meta.dirname, 'python/drive_rest.py');
    const input = JSON.stringify(cases);
    const python = spawnSync('python3', [program, join(repository, 'client/python')], { input, encoding: 'utf8' });
    expect([python.status, python.stderr]).toEqual([0, '']);
    runs = JSON.parse(python.stdout, (name, value) => (name === 'limit' ? String(value) : value)) as Run[];
    for (const { sent } of runs)
      for (const one of sent) one.query = Object.fromEntries(Object.entries(one.query).filter(([, value]) => value));
  });

  test.each(cases.map((one, at) => ({ ...one, at })))(
    'a request is repeated where that is safe: $name',
    ({ at, ...one }) => {
      expectRun(runs[at], one);
    },
  );
});
