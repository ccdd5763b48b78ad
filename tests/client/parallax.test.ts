import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ParallaxError } from '../../client/src/errors.ts';
import { Parallax } from '../../client/src/parallax.ts';

/**
 * Guarantee: the client repeats a GET that the service could not answer, as often and as late as
 * asked, and never a request that changes something.
 */

type Answer = { status: number; body?: object; after?: string } | Error;

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** A client whose service gives these answers, one after the other, and the last one for ever. */
function clientOf(answers: readonly Answer[], retries?: number) {
  const sent: { method: string; url: string; at: number; body: string; authorization: string | null }[] = [];
  const startedAt = Date.now();
  const client = new Parallax({
    key: 'sk_live_x',
    baseUrl: 'https://api.test/v/',
    ...(retries === undefined ? {} : { retries }),
    fetch: async (request) => {
      const { method, url, headers } = request;
      const body = await request.text();
      sent.push({ method, url, at: Date.now() - startedAt, body, authorization: headers.get('Authorization') });
      const answer = answers[Math.min(sent.length, answers.length) - 1];
      if (answer instanceof Error) throw answer;
      const { status, body: content = {}, after } = answer ?? { status: 500 };
      return Response.json(content, { status, headers: after === undefined ? {} : { 'Retry-After': after } });
    },
  });
  return { client, sent };
}

/** Lets time pass until the request has ended. Returns its answer or its error. */
async function outcomeOf<T>(request: Promise<T>): Promise<T | unknown> {
  const ended = request.catch((error: unknown) => error);
  await vi.runAllTimersAsync();
  return await ended;
}

const get = ({ client }: ReturnType<typeof clientOf>) => outcomeOf(client.api.GET('/v2/categories'));
const post = ({ client }: ReturnType<typeof clientOf>) => outcomeOf(client.api.POST('/v1/stream/token'));
const BUSY = { status: 503, body: { code: 'busy', error: 'Busy.', request_id: 'r1' } };
const LOST = new TypeError('fetch failed');

test.each<[string, Answer[], number[], unknown]>([
  ['is sent once when it is answered', [{ status: 200 }], [0], { data: {} }],
  ['is sent again a second after 503', [BUSY, { status: 200 }], [0, 1_000], { data: {} }],
  ['is sent again a second after no answer', [LOST, { status: 200 }], [0, 1_000], { data: {} }],
  ['waits as long as 429 asks', [{ status: 429, after: '7' }, { status: 200 }], [0, 7_000], { data: {} }],
  ['waits a minute', [{ status: 429, after: '60' }, { status: 200 }], [0, 60_000], { data: {} }],
  ['does not wait longer than a minute', [{ status: 429, after: '61' }], [0], { status: 429, retryAfter: 61 }],
  ['is given up after two more tries', [BUSY], [0, 1_000, 2_000], { status: 503, code: 'busy', requestId: 'r1' }],
  ['is given up after two more tries without an answer', [LOST], [0, 1_000, 2_000], LOST],
  ['is not sent again after 500', [{ status: 500 }], [0], { status: 500, code: 'http.500' }],
  ['is not sent again after 404', [{ status: 404, body: { code: 'x' } }], [0], { status: 404, code: 'x' }],
])('a GET %s', async (_, answers, times, outcome) => {
  const world = clientOf(answers);
  expect(await get(world)).toMatchObject(outcome as object);
  expect(world.sent.map(({ at }) => at)).toEqual(times);
  for (const { method, url, authorization } of world.sent)
    expect([method, url, authorization]).toEqual(['GET', 'https://api.test/v/v2/categories', 'Bearer sk_live_x']);
});

test.each<[string, Answer]>([
  ['503', BUSY],
  ['429', { status: 429, after: '1' }],
  ['no answer', LOST],
])('a POST is sent once, also after %s', async (_, answer) => {
  const world = clientOf([answer, { status: 200 }]);
  const outcome = await post(world);
  if (answer instanceof Error) expect(outcome).toBe(answer);
  else expect(outcome).toBeInstanceOf(ParallaxError);
  expect(world.sent.map(({ method, at }) => [method, at])).toEqual([['POST', 0]]);
});

test.each([
  [0, 1],
  [1, 2],
  [5, 6],
])('%d retries are %d requests', async (retries, requests) => {
  const world = clientOf([BUSY], retries);
  await get(world);
  expect(world.sent).toHaveLength(requests);
});

test('the pages of a list follow its cursor, each with the filters, until there is none', async () => {
  const page = (ids: number[], next_cursor: string | null) => ({
    status: 200,
    body: { markets: ids.map((id) => ({ id })), next_cursor },
  });
  const { client, sent } = clientOf([page([1, 2], 'second'), page([3], 'third'), page([4], null)]);
  const found: unknown[] = [];
  for await (const { id } of client.markets({ sport: 'tennis' })) found.push(id);
  expect(found).toEqual([1, 2, 3, 4]);
  expect(sent.map(({ url }) => Object.fromEntries(new URL(url).searchParams))).toEqual([
    { limit: '500', sport: 'tennis' },
    { limit: '500', sport: 'tennis', cursor: 'second' },
    { limit: '500', sport: 'tennis', cursor: 'third' },
  ]);
});
