import { afterEach, describe, expect, test, vi } from 'vitest';
import { fetchUserId } from '../../functions/api/http/session.ts';

/** Guarantee: Auth alone identifies a caller, and an unclear answer of Auth rejects none. */

const USER = 'b3c1a1de-0000-4000-8000-000000000001';
const platform = { url: 'https://project.test', apikey: 'publishable' };
const asked: { url: string; headers: Record<string, string> }[] = [];

/** Auth answers this for the rest of the test. */
function authAnswers(status: number, body: unknown): void {
  vi.stubGlobal('fetch', async (url: string, { headers }: { headers: Record<string, string> }) => {
    asked.push({ url, headers });
    return new Response(typeof body === 'string' ? body : JSON.stringify(body), { status });
  });
}
afterEach(() => {
  vi.unstubAllGlobals();
  asked.length = 0;
});

describe('the person of a session token', () => {
  test('is the one whom Auth names', async () => {
    authAnswers(200, { id: USER, email: 'a@example.com' });
    expect(await fetchUserId('a.b.c', platform)).toBe(USER);
    expect(asked).toEqual([
      { url: 'https://project.test/auth/v1/user', headers: { Authorization: 'Bearer a.b.c', apikey: 'publishable' } },
    ]);
  });

  test.each([401, 403, 404])('is rejected where Auth answers %i', async (status) => {
    authAnswers(status, { code: 'bad_jwt' });
    await expect(fetchUserId('a.b.c', platform)).rejects.toMatchObject({ status: 401, code: 'session.none' });
  });

  test.each([
    ['a status of a busy Auth', 429, {}],
    ['a status of a broken Auth', 500, {}],
    ['another status of success', 206, { id: USER }],
    ['a person without an id', 200, { email: 'a@example.com' }],
    ['an id that is no UUID', 200, { id: 'b3c1a1de' }],
    ['no JSON', 200, '<html>'],
  ])('is unknown after %s', async (_, status, body) => {
    authAnswers(status, body);
    await expect(fetchUserId('a.b.c', platform)).rejects.toMatchObject({
      ...{ status: 503, code: 'session.unverified' },
      ...{ fields: { retry_after: 1 }, headers: { 'Retry-After': '1' } },
    });
  });

  test('is unknown where Auth does not answer, and without the key of the project', async () => {
    const unverified = { status: 503, code: 'session.unverified' };
    vi.stubGlobal('fetch', () => Promise.reject(new TypeError('connect ECONNREFUSED')));
    await expect(fetchUserId('a.b.c', platform)).rejects.toMatchObject(unverified);
    await expect(fetchUserId('a.b.c', null)).rejects.toMatchObject(unverified);
  });
});
