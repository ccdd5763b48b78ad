import { generateKeyPairSync, sign } from 'node:crypto';
import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { pause, waitUntil } from '../support/wait_until.ts';
import { RawClient, refusedConnection } from './raw_client.ts';
import { clientOf, keys, listen, part, type Stage, startStage, token, userOf } from './fixture.ts';

// What opens a connection and a channel, and when it ends.
const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const stranger = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const jwks = { keys: [{ ...pair.publicKey.export({ format: 'jwk' }), kid: 'one', alg: 'ES256', use: 'sig' }] };
const who = { sub: '11111111-1111-4111-8111-111111111111' };

let stage: Stage;
beforeAll(async () => {
  stage = await startStage({ REALTIME_JWKS: JSON.stringify(jwks), REALTIME_PRIVATE_ONLY: 'true' });
  const sql = postgres(stage.databaseUrl, { max: 1 });
  await sql`create policy "members" on realtime.messages for select to authenticated using (
    (select auth.jwt() ->> 'org') = realtime.topic() and extension = any (string_to_array(auth.jwt() ->> 'reads', ',')))`;
  await sql.end();
});
afterAll(() => stage.stop());

/** Signed with the project's own key. */
function es256(claims: object, { kid = 'one', typ = 'JWT', key = pair.privateKey } = {}): string {
  const exp = Math.floor(Date.now() / 1000) + 60;
  const text = `${part({ alg: 'ES256', kid, typ })}.${part({ role: 'authenticated', exp, ...claims })}`;
  return `${text}.${sign('sha256', Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' }).toString('base64url')}`;
}

const member = (org: string, more: object = {}) => ({ ...who, org, reads: 'broadcast', ...more });

describe('a connection', () => {
  const spoiled = () => `${token(who).slice(0, -4)}AAAA`;
  test.each([
    ['no key', () => '', 'API key is missing'],
    ['a key that is not ours', () => '?apikey=sb_publishable_other', 'The token provided is not a valid JWT'],
    ['an expired token', () => `?apikey=${token(who, -10)}`, 'Token has expired'],
    [
      'a token without exp',
      () => `?apikey=${token({ exp: undefined })}`,
      'Fields `role` and `exp` are required in JWT',
    ],
    ['a token of somebody else', () => `?apikey=${spoiled()}`, 'Failed to validate JWT signature'],
  ])('with %s is refused', async (_, query, error) => {
    expect(await refusedConnection(stage, query())).toEqual({ status: 401, body: { error } });
  });

  test('opens with the publishable key, the secret key, or a token of either kind', async () => {
    for (const key of [keys.publishable, keys.secret, token(who), es256(who)])
      expect((await (await RawClient.open(stage, key)).ask('phoenix', 'heartbeat', {})).status).toBe('ok');
  });
});

test('a project without public channels refuses them', async () => {
  expect((await listen(clientOf(stage), 'acme', {})).states).toEqual([
    'CHANNEL_ERROR PrivateOnly: This project only allows private channels',
  ]);
});

describe('a token of ES256', () => {
  test('opens a private channel when the key of its kid signed it', async () => {
    const client = clientOf(stage, {}, { accessToken: async () => es256(member('acme')) });
    await client.realtime.setAuth();
    expect((await listen(client, 'acme')).states).toEqual(['SUBSCRIBED']);
  });

  test.each([
    ['an unknown kid', { kid: 'two' }, 'JwtSignerError: Failed to generate JWT signer'],
    ['another key', { key: stranger.privateKey }, 'JwtSignatureError: Failed to validate JWT signature'],
    ['a header without typ, as hosted', { typ: 'x' }, 'JwtSignerError: Failed to generate JWT signer'],
  ])('is refused with %s', async (_, signed, reason) => {
    const client = clientOf(stage, {}, { accessToken: async () => es256(member('acme'), signed) });
    await client.realtime.setAuth();
    expect((await listen(client, 'acme')).states[0]).toContain(`CHANNEL_ERROR ${reason}`);
  });

  test('the algorithm "none", or HS256 with the public key as its secret, opens nothing', async () => {
    const raw = await RawClient.open(stage, keys.publishable);
    const body = part({ role: 'service_role', exp: Math.floor(Date.now() / 1000) + 60 });
    for (const header of [
      { alg: 'none', typ: 'JWT' },
      { alg: 'HS256', typ: 'JWT', kid: 'one' },
    ]) {
      const access_token = `${part(header)}.${body}.${part('x')}`;
      const reply = await raw.ask('realtime:acme', 'phx_join', { config: { private: true }, access_token });
      expect(reply.status).toBe('error');
    }
  });
});

describe('in the course of a channel', () => {
  test('a token that runs out ends it, with the reason; the client does not come back by itself', async () => {
    const ear = await listen(userOf(stage, member('acme'), { seconds: 2 }), 'acme');
    expect(ear.states).toEqual(['SUBSCRIBED']);
    await waitUntil(() => ear.states.includes('CLOSED'), { what: 'the end' });
    expect(ear.system.at(-1)).toMatch(/^Token has expired \d+ seconds ago$/);
  });

  test('a new token in time carries it over the end of the old one', async () => {
    const client = await userOf(stage, member('acme'), { seconds: 2 });
    const ear = await listen(client, 'acme');
    await client.realtime.setAuth(token(member('acme')));
    await pause(2_500);
    expect(ear.states).toEqual(['SUBSCRIBED']);
  });

  test.each([
    [
      'one of another organization',
      () => token(member('other')),
      'You do not have permissions to read from this Channel topic: acme',
    ],
    ['an expired one', () => token(member('acme'), -5), /^Token has expired [56] seconds ago$/],
    ['one that is none', () => 'x.y.z', 'The token provided is not a valid JWT'],
  ])('a change of token to %s ends it', async (_, next, message) => {
    const raw = await RawClient.open(stage, keys.publishable);
    const topic = 'realtime:acme';
    const config = { private: true };
    await raw.ask(topic, 'phx_join', { config, access_token: token(member('acme')) }, '1');
    raw.push(topic, 'access_token', { access_token: next() }, '1');
    await waitUntil(() => raw.frames.some((frame) => frame.event === 'phx_close'), { what: 'phx_close' });
    expect(raw.frames.find((frame) => frame.event === 'system')?.payload).toEqual({
      extension: 'system',
      status: 'error',
      message: typeof message === 'string' ? message : expect.stringMatching(message),
      channel: 'acme',
    });
  });

  test('losing broadcast while presence may still be read ends it, with its own words', async () => {
    const raw = await RawClient.open(stage, keys.publishable);
    const topic = 'realtime:acme';
    const config = { private: true, presence: { enabled: true } };
    const both = token(member('acme', { reads: 'broadcast,presence' }));
    expect((await raw.ask(topic, 'phx_join', { config, access_token: both }, '1')).status).toBe('ok');
    raw.push(topic, 'access_token', { access_token: token(member('acme', { reads: 'presence' })) }, '1');
    const told = await waitUntil(() => raw.frames.find((frame) => frame.event === 'system'), { what: 'system' });
    expect(told.payload).toMatchObject({
      message: 'You no longer have permission to read from this Channel topic: acme',
    });
  });

  test('the same token, null and a platform key change nothing', async () => {
    const raw = await RawClient.open(stage, keys.publishable);
    const topic = 'realtime:acme';
    const same = token(member('acme'));
    await raw.ask(topic, 'phx_join', { config: { private: true, broadcast: { ack: true } }, access_token: same }, '1');
    for (const access_token of [same, null, keys.secret]) raw.push(topic, 'access_token', { access_token }, '1');
    await raw.ask('phoenix', 'heartbeat', {});
    await pause(100);
    expect(raw.frames.filter((frame) => frame.event !== 'phx_reply')).toEqual([]);
  });
});
