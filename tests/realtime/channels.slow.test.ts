import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { waitUntil } from '../support/wait_until.ts';
import {
  createTestClient,
  createUserClient,
  keys,
  type RealtimeFixture,
  startRealtime,
  subscribe,
  token,
} from './fixture.ts';
import { RawClient } from './raw_client.ts';

// Which clients may join and send, and what the other subscribers receive.
let fixture: RealtimeFixture;
let sql: postgres.Sql;
const ada = '11111111-1111-4111-8111-111111111111';
const bob = '22222222-2222-4222-8222-222222222222';

beforeAll(async () => {
  fixture = await startRealtime();
  sql = postgres(fixture.databaseUrl, { max: 4, onnotice: () => {} });
  await sql.unsafe(`
    create table public.members (user_id uuid, topic text, may_send boolean);
    grant select on public.members to authenticated;
    create policy "a member reads" on realtime.messages for select to authenticated using (
      extension = 'broadcast'
      and exists (select from public.members s where s.user_id = (select auth.uid()) and s.topic = (select realtime.topic()))
    );
    create policy "a sender writes" on realtime.messages for insert to authenticated with check (
      extension = 'broadcast'
      and exists (select from public.members s where s.user_id = (select auth.uid()) and s.topic = (select realtime.topic()) and s.may_send)
    );
    create policy "a policy that fails" on realtime.messages for select to authenticated using (
      case when realtime.topic() = 'broken' then realtime.topic()::uuid is null else false end
    );
    create policy "a header admits" on realtime.messages for select to authenticated using (
      realtime.topic() = 'by header' and current_setting('request.headers')::json ->> 'x-admit' = 'yes'
    );
    insert into public.members values
      ('${ada}', 'room', true), ('${bob}', 'room', false), ('${ada}', 'late', false), ('${bob}', 'late', false);
  `);
});
afterAll(async () => {
  await sql.end();
  await fixture.stop();
});

const as = (userId: string, version: '1.0.0' | '2.0.0' = '2.0.0') =>
  createUserClient(fixture, { sub: userId }, { vsn: version });
const raw = (version?: '1.0.0' | '2.0.0') => RawClient.open(fixture, keys.publishable, version);

describe('a private Realtime channel', () => {
  test('admits clients that a policy lets read, and rejects others with the error text of the platform', async () => {
    expect((await subscribe(as(ada), 'room')).states).toEqual(['SUBSCRIBED']);
    expect((await subscribe(as(ada), 'other')).states).toEqual([
      'CHANNEL_ERROR Unauthorized: You do not have permissions to read from this Channel topic: other',
    ]);
    expect((await subscribe(createTestClient(fixture), 'room')).states[0]).toMatch(/^CHANNEL_ERROR Unauthorized: /);
  });

  test.each([
    ['a policy that raises an error', 'broken', { sub: ada }],
    ['a role that does not exist', 'room', { sub: ada, role: 'no_such_role' }],
    ['claims that the policy cannot cast', 'room', { sub: 'not a uuid' }],
    ['quotes in the topic', `room' or '1'='1`, { sub: ada }],
  ])('rejects a join with %s', async (_, topic, claims) => {
    expect((await subscribe(createUserClient(fixture, claims), topic)).states[0]).toMatch(
      /^CHANNEL_ERROR Unauthorized: You do not have permissions/,
    );
  });

  test('leaves no row of an authorization check behind and broadcasts none', async () => {
    const subscription = await subscribe(as(ada), 'room', { private: true, broadcast: { replication_ready: true } });
    await waitUntil(() => subscription.systemMessages.length > 0, { what: 'replication' });
    await subscribe(as(bob), 'room', { private: true, presence: { enabled: true } });
    await sql`select realtime.send('{}', 'marker', 'room')`;
    await waitUntil(() => subscription.received.length > 0, { what: 'the marker' });
    expect(subscription.received.map((message) => message.event)).toEqual(['marker']);
    expect(await sql`select from realtime.messages where event is null`).toHaveLength(0);
  });

  test('is separate from the public channel of the same name', async () => {
    const [inside, outside] = [await subscribe(as(ada), 'room'), await subscribe(as(bob), 'room', {})];
    await (await as(ada)).channel('room', { config: { private: true } }).httpSend('inside', {});
    await (await as(ada)).channel('room').httpSend('outside', {});
    await waitUntil(() => inside.received.length > 0 && outside.received.length > 0, { what: 'both' });
    expect([inside, outside].map((subscription) => subscription.received.map((message) => message.event))).toEqual([
      ['inside'],
      ['outside'],
    ]);
  });

  test('lets a policy read an x- header of the connection', async () => {
    const [withHeader, withoutHeader] = [
      await RawClient.open(fixture, keys.publishable, '2.0.0', { 'x-admit': 'yes' }),
      await RawClient.open(fixture, keys.publishable),
    ];
    const config = { config: { private: true }, access_token: token({ sub: ada }) };
    expect((await withHeader.request('realtime:by header', 'phx_join', config)).status).toBe('ok');
    expect((await withoutHeader.request('realtime:by header', 'phx_join', config)).status).toBe('error');
  });
});

describe('sending a broadcast', () => {
  test('sends no reply to a client that may not send, and keeps the decision until its token changes', async () => {
    const client = await as(bob);
    const subscription = await subscribe(client, 'late', { private: true, broadcast: { ack: true, self: true } });
    const send = (timeout: number) =>
      subscription.channel.send({ type: 'broadcast', event: 'x', payload: {} }, { timeout });
    expect(await send(300)).toBe('timed out');
    await sql`update public.members set may_send = true where topic = 'late' and user_id = ${bob}`;
    expect(await send(300)).toBe('timed out');
    await client.realtime.setAuth(token({ sub: bob, session: 2 }));
    expect(await send(10_000)).toBe('ok');
    expect(subscription.received).toHaveLength(1);
  });

  test('delivers bytes to clients of protocol 2.0.0 only, and JSON to clients of both protocols', async () => {
    const [version2, version1] = [
      await subscribe(as(ada), 'bytes', {}),
      await subscribe(as(ada, '1.0.0'), 'bytes', {}),
    ];
    const sender = await subscribe(as(bob), 'bytes', { broadcast: { ack: true } });
    const bytes = new Uint8Array([0, 255, 7]).buffer;
    expect(await sender.channel.send({ type: 'broadcast', event: 'raw', payload: bytes })).toBe('ok');
    expect(await sender.channel.send({ type: 'broadcast', event: 'json', payload: { é: '😀' } })).toBe('ok');
    await waitUntil(() => version2.received.length === 2 && version1.received.length === 1, { what: 'JSON' });
    expect([...new Uint8Array(version2.received[0]?.payload as unknown as ArrayBuffer)]).toEqual([0, 255, 7]);
    for (const subscription of [version2, version1])
      expect(subscription.received.at(-1)).toMatchObject({ event: 'json', payload: { é: '😀' } });
    expect(sender.received).toEqual([]);
  });

  test('passes a text push of protocol 2.0.0 on as text, unchanged', async () => {
    const [sender, receiver] = [await raw(), await raw()];
    for (const client of [sender, receiver]) await client.request('realtime:texts', 'phx_join', {});
    sender.push('realtime:texts', 'broadcast', { type: 'broadcast', event: 'e', payload: [1], more: true });
    const frame = await waitUntil(() => receiver.frames.find((found) => found.event === 'broadcast'), { what: 'it' });
    expect(frame).toEqual({
      joinRef: null,
      ref: null,
      topic: 'realtime:texts',
      event: 'broadcast',
      payload: { type: 'broadcast', event: 'e', payload: [1], more: true },
    });
  });
});

describe('broadcasting over HTTP', () => {
  const post = (path: string, body: BodyInit, headers: Record<string, string> = {}) =>
    fetch(`${fixture.url}/realtime/v1/api/broadcast${path}`, {
      method: 'POST',
      body,
      headers: { apikey: keys.publishable, 'content-type': 'application/json', ...headers },
    });

  test('sends a batch in order and silently omits private messages that the caller may not send', async () => {
    const [publicBatch, privateRoom] = [await subscribe(as(ada), 'batch', {}), await subscribe(as(ada), 'room')];
    const messages = [
      { topic: 'batch', event: 'first', payload: { n: 1 } },
      { topic: 'room', event: 'never', payload: {}, private: true },
      { topic: 'batch', event: 'second', payload: { n: 2 } },
    ];
    const response = await post('', JSON.stringify({ messages }), { authorization: `Bearer ${token({ sub: bob })}` });
    expect(response.status).toBe(202);
    await waitUntil(() => publicBatch.received.length === 2, { what: 'both' });
    expect(publicBatch.received.map((message) => message.event)).toEqual(['first', 'second']);
    expect(privateRoom.received).toEqual([]);
  });

  test.each([
    ['no key', '', '{"messages":[]}', { apikey: '' }, 401],
    ['an invalid token', '', '{"messages":[]}', { authorization: 'Bearer x' }, 401],
    ['a body that is not JSON', '', '{', {}, 422],
    ['a body without messages', '', '{}', {}, 422],
    ['a message without a topic', '', '{"messages":[{"event":"e","payload":{}}]}', {}, 422],
    ['a single message that is not JSON', '/t/events/e', '{', {}, 400],
    ['a private message that the caller may not send', '/room/events/e?private=true', '{}', {}, 403],
    ['a topic that is not UTF-8', '/%ff/events/e', '{}', {}, 404],
    ['an unknown path', '/t', '{}', {}, 404],
  ])('rejects a request with %s', async (_, path, body, headers, status) => {
    expect((await post(path, body, headers)).status).toBe(status);
  });

  test('delivers bytes that are sent with the secret key to a private channel', async () => {
    const subscription = await subscribe(as(ada), 'room');
    const headers = { apikey: keys.secret, 'content-type': 'application/octet-stream' };
    const response = await post('/room/events/raw?private=true', new Uint8Array([1, 0, 2]), headers);
    expect(response.status).toBe(202);
    await waitUntil(() => subscription.received.length === 1, { what: 'it' });
    expect([...new Uint8Array(subscription.received[0]?.payload as unknown as ArrayBuffer)]).toEqual([1, 0, 2]);
  });
});

describe('the Realtime protocol', () => {
  test.each(['1.0.0', '2.0.0'] as const)(
    'version %s closes the first join when a topic is joined twice, and the second on leave',
    async (version) => {
      const client = await raw(version);
      const topic = 'realtime:twice';
      expect(await client.request(topic, 'phx_join', {}, '1')).toEqual({
        status: 'ok',
        response: { postgres_changes: [] },
      });
      await client.request(topic, 'phx_join', {}, '2');
      // The close of the first join carries the ref of that join.
      expect(client.frames.find((frame) => frame.event === 'phx_close')).toEqual({
        joinRef: '1',
        ref: '1',
        topic,
        event: 'phx_close',
        payload: {},
      });
      expect(await client.request(topic, 'phx_leave', {}, '2')).toEqual({ status: 'ok', response: {} });
      await waitUntil(() => client.frames.filter((frame) => frame.event === 'phx_close')[1]?.joinRef === '2', {
        what: 'phx_close',
      });
      const after = await client.request(topic, 'broadcast', { event: 'x' }, '2');
      expect(after).toEqual({ status: 'error', response: { reason: 'unmatched topic' } });
      expect(await client.request('phoenix', 'heartbeat', {})).toEqual({ status: 'ok', response: {} });
    },
  );

  test.each([
    ['realtime:', {}, 'TopicNameRequired: You must provide a topic name'],
    ['room', {}, 'unmatched topic'],
    [
      'realtime:x',
      { config: { broadcast: { replay: { since: 1 } } } },
      'UnableToReplayMessages: Replay is not allowed for public channels',
    ],
    [
      'realtime:room',
      { config: { private: true, broadcast: { replay: { since: 'yesterday' } } }, access_token: 'FOR ADA' },
      'UnableToReplayMessages: Replay params are not valid',
    ],
    ['realtime:x', { access_token: 'x' }, 'MalformedJWT: The token provided is not a valid JWT'],
  ])('rejects a join of %s with %j: %s', async (topic, payload: object, reason) => {
    const joined =
      'access_token' in payload && payload.access_token === 'FOR ADA'
        ? { ...payload, access_token: token({ sub: ada }) }
        : payload;
    expect(await (await raw()).request(topic, 'phx_join', joined)).toEqual({ status: 'error', response: { reason } });
  });

  test('treats an invalid channel config as empty, and "true" as true', async () => {
    const client = await raw();
    for (const config of ['x', 5, null, [1], { broadcast: 7, presence: [] }, { broadcast: { ack: 'perhaps' } }])
      expect((await client.request('realtime:odd', 'phx_join', { config })).status).toBe('ok');
    await client.request('realtime:odd', 'phx_join', { config: { broadcast: { ack: 'true' } } });
    expect(await client.request('realtime:odd', 'broadcast', { event: 'x' })).toEqual({ status: 'ok', response: {} });
  });

  test('ignores messages that it cannot parse, and closes a connection after a frame of over 5 MB', async () => {
    const client = await raw();
    for (const nonsense of ['', '{', '[]', '[1,2,3,4,5]', 'null', Buffer.from([3, 255, 255]), Buffer.from([9])])
      client.socket.send(nonsense);
    expect((await client.request('phoenix', 'heartbeat', {})).status).toBe('ok');
    const closed = new Promise((resolve) => client.socket.once('close', resolve));
    client.socket.send('x'.repeat(5_000_001));
    expect(await closed).toBe(1009);
  });

  test('disconnects a client that does not read before its backlog takes the memory', async () => {
    const [sender, slow] = [await raw(), await raw()];
    for (const client of [sender, slow])
      await client.request('realtime:much', 'phx_join', { config: { broadcast: { ack: true } } });
    const closed = new Promise((resolve) => slow.socket.once('close', resolve));
    slow.socket.pause();
    const payload = { event: 'e', payload: 'x'.repeat(1_000_000) };
    for (let count = 0; count < 60; count++) {
      expect((await sender.request('realtime:much', 'broadcast', payload)).status).toBe('ok');
    }
    slow.socket.resume();
    expect(await closed).toBe(1006);
    expect(slow.frames.length).toBeLessThan(60);
  });

  test('rejects presence and postgres_changes, which the local Realtime does not support', async () => {
    const client = await raw();
    await client.request('realtime:p', 'phx_join', {});
    expect((await client.request('realtime:p', 'presence', { event: 'track' })).status).toBe('error');
    const channel = createTestClient(fixture).channel('changes');
    const states: string[] = [];
    channel.on('postgres_changes', { event: '*', schema: 'public' }, () => {}).subscribe((state) => states.push(state));
    await waitUntil(() => states.includes('CHANNEL_ERROR'), { what: 'a rejection' });
    expect(states).not.toContain('SUBSCRIBED');
  });
});
