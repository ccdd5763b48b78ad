import { generateKeyPairSync, sign } from 'node:crypto';
import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { pause, waitUntil } from '../support/wait_until.ts';
import {
  base64UrlJson,
  createTestClient,
  createUserClient,
  keys,
  type RealtimeFixture,
  startRealtime,
  subscribe,
  subscribeToDatabase,
  token,
} from './fixture.ts';
import { RawClient, rejectedConnection } from './raw_client.ts';

// Which tokens open a connection and a channel, and when a token ends a channel.
const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const otherPair = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const jwks = { keys: [{ ...pair.publicKey.export({ format: 'jwk' }), kid: 'one', alg: 'ES256', use: 'sig' }] };
const userClaims = { sub: '11111111-1111-4111-8111-111111111111' };

let fixture: RealtimeFixture;
beforeAll(async () => {
  fixture = await startRealtime({ REALTIME_JWKS: JSON.stringify(jwks), REALTIME_PRIVATE_ONLY: 'true' });
  const sql = postgres(fixture.databaseUrl, { max: 1 });
  await sql`create policy "members" on realtime.messages for select to authenticated using (
    (select auth.jwt() ->> 'org') = realtime.topic() and extension = any (string_to_array(auth.jwt() ->> 'reads', ',')))`;
  await sql.end();
});
afterAll(() => fixture.stop());

/** A token that is signed with the key of the project. */
function es256(claims: object, { kid = 'one', typ = 'JWT', key = pair.privateKey } = {}): string {
  const exp = Math.floor(Date.now() / 1000) + 60;
  const text = `${base64UrlJson({ alg: 'ES256', kid, typ })}.${base64UrlJson({ role: 'authenticated', exp, ...claims })}`;
  return `${text}.${sign('sha256', Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' }).toString('base64url')}`;
}

const member = (org: string, more: object = {}) => ({ ...userClaims, org, reads: 'broadcast', ...more });

describe('opening a connection', () => {
  const withWrongSignature = () => `${token(userClaims).slice(0, -4)}AAAA`;
  test.each([
    ['no key', () => '', 'API key is missing'],
    ['an unknown key', () => '?apikey=sb_publishable_other', 'The token provided is not a valid JWT'],
    ['an expired token', () => `?apikey=${token(userClaims, -10)}`, 'Token has expired'],
    [
      'a token without exp',
      () => `?apikey=${token({ exp: undefined })}`,
      'Fields `role` and `exp` are required in JWT',
    ],
    ['a token with a wrong signature', () => `?apikey=${withWrongSignature()}`, 'Failed to validate JWT signature'],
  ])('is rejected with %s', async (_, query, error) => {
    expect(await rejectedConnection(fixture, query())).toEqual({ status: 401, body: { error } });
  });

  test('accepts the publishable key, the secret key, and a token of either algorithm', async () => {
    for (const key of [keys.publishable, keys.secret, token(userClaims), es256(userClaims)])
      expect((await (await RawClient.open(fixture, key)).request('phoenix', 'heartbeat', {})).status).toBe('ok');
  });
});

test('rejects public channels when the project allows only private ones', async () => {
  expect((await subscribe(createTestClient(fixture), 'acme', {})).states).toEqual([
    'CHANNEL_ERROR PrivateOnly: This project only allows private channels',
  ]);
});

test('a broadcast to a public topic is accepted, as hosted, and reaches no one where channels are private', async () => {
  // Realtime checks "Allow public access" at a join alone (its source of 2026-08-21), so it answers
  // 202 to a public broadcast over HTTP.
  const raw = await RawClient.open(fixture, keys.publishable);
  expect(await raw.request('realtime:acme', 'broadcast', { type: 'broadcast', event: 'e', payload: {} })).toEqual({
    status: 'error',
    response: { reason: 'unmatched topic' },
  });
  const { received } = await subscribeToDatabase(createUserClient(fixture, member('acme')), 'acme');
  for (const [path, body] of [
    ['broadcast', { messages: [{ topic: 'acme', event: 'e', payload: { by: 'a stranger' } }] }],
    ['broadcast/acme/events/e', { by: 'a stranger' }],
    ['broadcast/acme/events/e?private=true', { by: 'a stranger' }],
  ] as const) {
    const answer = await fetch(`${fixture.url}/realtime/v1/api/${path}`, {
      method: 'POST',
      headers: { apikey: keys.publishable, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    expect(answer.status, path).toBe(path.includes('private') ? 403 : 202);
  }
  // A message of the database arrives after all of them would have.
  const sql = postgres(fixture.databaseUrl, { max: 1 });
  await sql`select realtime.send('{"by":"the database"}', 'e', 'acme', true)`;
  await sql.end();
  await waitUntil(() => received.length > 0, { what: 'the message of the database' });
  expect(received.map(({ payload }) => payload.by)).toEqual(['the database']);
});

describe('a token signed with ES256', () => {
  test('opens a private channel when the key of its kid signed it', async () => {
    const client = createTestClient(fixture, {}, { accessToken: async () => es256(member('acme')) });
    await client.realtime.setAuth();
    expect((await subscribe(client, 'acme')).states).toEqual(['SUBSCRIBED']);
  });

  test.each([
    ['an unknown kid', { kid: 'two' }, 'JwtSignerError: Failed to generate JWT signer'],
    ['another key', { key: otherPair.privateKey }, 'JwtSignatureError: Failed to validate JWT signature'],
    ['a header whose typ is not JWT, as hosted', { typ: 'x' }, 'JwtSignerError: Failed to generate JWT signer'],
  ])('is rejected with %s', async (_, signed, reason) => {
    const client = createTestClient(fixture, {}, { accessToken: async () => es256(member('acme'), signed) });
    await client.realtime.setAuth();
    expect((await subscribe(client, 'acme')).states[0]).toContain(`CHANNEL_ERROR ${reason}`);
  });

  test('rejects the algorithm "none", and HS256 with the public key as its secret', async () => {
    const raw = await RawClient.open(fixture, keys.publishable);
    const body = base64UrlJson({ role: 'service_role', exp: Math.floor(Date.now() / 1000) + 60 });
    for (const header of [
      { alg: 'none', typ: 'JWT' },
      { alg: 'HS256', typ: 'JWT', kid: 'one' },
    ]) {
      const access_token = `${base64UrlJson(header)}.${body}.${base64UrlJson('x')}`;
      const reply = await raw.request('realtime:acme', 'phx_join', { config: { private: true }, access_token });
      expect(reply.status).toBe('error');
    }
  });
});

describe('the token of an open channel', () => {
  test('ends the channel with a reason when it expires', async () => {
    const subscription = await subscribe(createUserClient(fixture, member('acme'), { seconds: 2 }), 'acme');
    expect(subscription.states).toEqual(['SUBSCRIBED']);
    await waitUntil(() => subscription.states.includes('CLOSED'), { what: 'the end' });
    expect(subscription.systemMessages.at(-1)).toMatch(/^Token has expired \d+ seconds ago$/);
  });

  test('keeps the channel open when a new token replaces it in time', async () => {
    const client = await createUserClient(fixture, member('acme'), { seconds: 2 });
    const subscription = await subscribe(client, 'acme');
    await client.realtime.setAuth(token(member('acme')));
    await pause(2_500);
    expect(subscription.states).toEqual(['SUBSCRIBED']);
  });

  test.each([
    [
      'a token of another organization',
      () => token(member('other')),
      'You do not have permissions to read from this Channel topic: acme',
    ],
    ['an expired token', () => token(member('acme'), -5), /^Token has expired [56] seconds ago$/],
    ['an invalid token', () => 'x.y.z', 'The token provided is not a valid JWT'],
  ])('ends the channel when it is replaced by %s', async (_, next, message) => {
    const raw = await RawClient.open(fixture, keys.publishable);
    const topic = 'realtime:acme';
    const config = { private: true };
    await raw.request(topic, 'phx_join', { config, access_token: token(member('acme')) }, '1');
    raw.push(topic, 'access_token', { access_token: next() }, '1');
    await waitUntil(() => raw.frames.some((frame) => frame.event === 'phx_close'), { what: 'phx_close' });
    expect(raw.frames.find((frame) => frame.event === 'system')?.payload).toEqual({
      extension: 'system',
      status: 'error',
      message: typeof message === 'string' ? message : expect.stringMatching(message),
      channel: 'acme',
    });
  });

  test('ends the channel with its own message when it loses broadcast but keeps presence', async () => {
    const raw = await RawClient.open(fixture, keys.publishable);
    const topic = 'realtime:acme';
    const config = { private: true, presence: { enabled: true } };
    const both = token(member('acme', { reads: 'broadcast,presence' }));
    expect((await raw.request(topic, 'phx_join', { config, access_token: both }, '1')).status).toBe('ok');
    raw.push(topic, 'access_token', { access_token: token(member('acme', { reads: 'presence' })) }, '1');
    const systemFrame = await waitUntil(() => raw.frames.find((frame) => frame.event === 'system'), { what: 'system' });
    expect(systemFrame.payload).toMatchObject({
      message: 'You no longer have permission to read from this Channel topic: acme',
    });
  });

  test('changes nothing when it is replaced by itself, null or a platform key', async () => {
    const raw = await RawClient.open(fixture, keys.publishable);
    const topic = 'realtime:acme';
    const same = token(member('acme'));
    await raw.request(
      topic,
      'phx_join',
      { config: { private: true, broadcast: { ack: true } }, access_token: same },
      '1',
    );
    for (const access_token of [same, null, keys.secret]) raw.push(topic, 'access_token', { access_token }, '1');
    await raw.request('phoenix', 'heartbeat', {});
    await pause(100);
    expect(raw.frames.filter((frame) => frame.event !== 'phx_reply')).toEqual([]);
  });
});
