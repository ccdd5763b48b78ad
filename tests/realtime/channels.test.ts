import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { waitUntil } from '../support/wait_until.ts';
import { RawClient } from './raw_client.ts';
import { clientOf, keys, listen, type Stage, startStage, token, userOf } from './fixture.ts';

// Who may join, who may send, and what everybody else hears of it.
let stage: Stage;
let sql: postgres.Sql;
const ada = '11111111-1111-4111-8111-111111111111';
const bob = '22222222-2222-4222-8222-222222222222';

beforeAll(async () => {
  stage = await startStage();
  sql = postgres(stage.databaseUrl, { max: 4, onnotice: () => {} });
  await sql.unsafe(`
    create table public.seats (who uuid, topic text, speaks boolean);
    grant select on public.seats to authenticated;
    create policy "who has a seat listens" on realtime.messages for select to authenticated using (
      extension = 'broadcast'
      and exists (select from public.seats s where s.who = (select auth.uid()) and s.topic = (select realtime.topic()))
    );
    create policy "who may speak speaks" on realtime.messages for insert to authenticated with check (
      extension = 'broadcast'
      and exists (select from public.seats s where s.who = (select auth.uid()) and s.topic = (select realtime.topic()) and s.speaks)
    );
    create policy "a policy that fails" on realtime.messages for select to authenticated using (
      case when realtime.topic() = 'broken' then realtime.topic()::uuid is null else false end
    );
    create policy "a header opens it" on realtime.messages for select to authenticated using (
      realtime.topic() = 'by header' and current_setting('request.headers')::json ->> 'x-door' = 'open'
    );
    insert into public.seats values
      ('${ada}', 'room', true), ('${bob}', 'room', false), ('${ada}', 'late', false), ('${bob}', 'late', false);
  `);
});
afterAll(async () => {
  await sql.end();
  await stage.stop();
});

const as = (who: string, version: '1.0.0' | '2.0.0' = '2.0.0') => userOf(stage, { sub: who }, { vsn: version });
const raw = (version?: '1.0.0' | '2.0.0') => RawClient.open(stage, keys.publishable, version);

describe('a private channel', () => {
  test('opens to whom a policy lets read, and says to others that it does not, in the platform’s words', async () => {
    expect((await listen(as(ada), 'room')).states).toEqual(['SUBSCRIBED']);
    expect((await listen(as(ada), 'other')).states).toEqual([
      'CHANNEL_ERROR Unauthorized: You do not have permissions to read from this Channel topic: other',
    ]);
    expect((await listen(clientOf(stage), 'room')).states[0]).toMatch(/^CHANNEL_ERROR Unauthorized: /);
  });

  test.each([
    ['a policy that raises', 'broken', { sub: ada }],
    ['a role that does not exist', 'room', { sub: ada, role: 'nobody' }],
    ['claims that are not what a policy expects', 'room', { sub: 'not a uuid' }],
    ['a topic full of quotes', `room' or '1'='1`, { sub: ada }],
  ])('%s is a refusal', async (_, topic, claims) => {
    expect((await listen(userOf(stage, claims), topic)).states[0]).toMatch(
      /^CHANNEL_ERROR Unauthorized: You do not have permissions/,
    );
  });

  test('is asked about by rows that never stay, and that nobody hears of', async () => {
    const ear = await listen(as(ada), 'room', { private: true, broadcast: { replication_ready: true } });
    await waitUntil(() => ear.system.length > 0, { what: 'replication' });
    await listen(as(bob), 'room', { private: true, presence: { enabled: true } });
    await sql`select realtime.send('{}', 'marker', 'room')`;
    await waitUntil(() => ear.heard.length > 0, { what: 'the marker' });
    expect(ear.heard.map((message) => message.event)).toEqual(['marker']);
    expect(await sql`select from realtime.messages where event is null`).toHaveLength(0);
  });

  test('is another channel than the public one of its name', async () => {
    const [inside, outside] = [await listen(as(ada), 'room'), await listen(as(bob), 'room', {})];
    await (await as(ada)).channel('room', { config: { private: true } }).httpSend('inside', {});
    await (await as(ada)).channel('room').httpSend('outside', {});
    await waitUntil(() => inside.heard.length > 0 && outside.heard.length > 0, { what: 'both' });
    expect([inside, outside].map((ear) => ear.heard.map((message) => message.event))).toEqual([
      ['inside'],
      ['outside'],
    ]);
  });

  test('may depend on an x- header of the connection', async () => {
    const [open, shut] = [
      await RawClient.open(stage, keys.publishable, '2.0.0', { 'x-door': 'open' }),
      await RawClient.open(stage, keys.publishable),
    ];
    const config = { config: { private: true }, access_token: token({ sub: ada }) };
    expect((await open.ask('realtime:by header', 'phx_join', config)).status).toBe('ok');
    expect((await shut.ask('realtime:by header', 'phx_join', config)).status).toBe('error');
  });
});

describe('sending', () => {
  test('who may not send gets no answer; the decision stays until the token changes', async () => {
    const client = await as(bob);
    const ear = await listen(client, 'late', { private: true, broadcast: { ack: true, self: true } });
    const send = (timeout: number) => ear.channel.send({ type: 'broadcast', event: 'x', payload: {} }, { timeout });
    expect(await send(300)).toBe('timed out');
    await sql`update public.seats set speaks = true where topic = 'late' and who = ${bob}`;
    expect(await send(300)).toBe('timed out');
    await client.realtime.setAuth(token({ sub: bob, session: 2 }));
    expect(await send(10_000)).toBe('ok');
    expect(ear.heard).toHaveLength(1);
  });

  test('bytes reach clients of protocol 2.0.0 as bytes, and others not at all; JSON reaches both', async () => {
    const [two, one] = [await listen(as(ada), 'bytes', {}), await listen(as(ada, '1.0.0'), 'bytes', {})];
    const speaker = await listen(as(bob), 'bytes', { broadcast: { ack: true } });
    const bytes = new Uint8Array([0, 255, 7]).buffer;
    expect(await speaker.channel.send({ type: 'broadcast', event: 'raw', payload: bytes })).toBe('ok');
    expect(await speaker.channel.send({ type: 'broadcast', event: 'said', payload: { é: '😀' } })).toBe('ok');
    await waitUntil(() => two.heard.length === 2 && one.heard.length === 1, { what: 'JSON' });
    expect([...new Uint8Array(two.heard[0]?.payload as unknown as ArrayBuffer)]).toEqual([0, 255, 7]);
    for (const ear of [two, one]) expect(ear.heard.at(-1)).toMatchObject({ event: 'said', payload: { é: '😀' } });
    expect(speaker.heard).toEqual([]);
  });

  test('a text push of protocol 2.0.0 is passed on as text, whole', async () => {
    const [speaker, ear] = [await raw(), await raw()];
    for (const client of [speaker, ear]) await client.ask('realtime:texts', 'phx_join', {});
    speaker.push('realtime:texts', 'broadcast', { type: 'broadcast', event: 'e', payload: [1], more: true });
    const frame = await waitUntil(() => ear.frames.find((found) => found.event === 'broadcast'), { what: 'it' });
    expect(frame).toEqual({
      joinRef: null,
      ref: null,
      topic: 'realtime:texts',
      event: 'broadcast',
      payload: { type: 'broadcast', event: 'e', payload: [1], more: true },
    });
  });
});

describe('over HTTP', () => {
  const post = (path: string, body: BodyInit, headers: Record<string, string> = {}) =>
    fetch(`${stage.url}/realtime/v1/api/broadcast${path}`, {
      method: 'POST',
      body,
      headers: { apikey: keys.publishable, 'content-type': 'application/json', ...headers },
    });

  test('a batch goes out in order; private messages that the caller may not send are left out in silence', async () => {
    const [open, shut] = [await listen(as(ada), 'batch', {}), await listen(as(ada), 'room')];
    const messages = [
      { topic: 'batch', event: 'one', payload: { n: 1 } },
      { topic: 'room', event: 'never', payload: {}, private: true },
      { topic: 'batch', event: 'two', payload: { n: 2 } },
    ];
    const answer = await post('', JSON.stringify({ messages }), { authorization: `Bearer ${token({ sub: bob })}` });
    expect(answer.status).toBe(202);
    await waitUntil(() => open.heard.length === 2, { what: 'both' });
    expect(open.heard.map((message) => message.event)).toEqual(['one', 'two']);
    expect(shut.heard).toEqual([]);
  });

  test.each([
    ['no key', '', '{"messages":[]}', { apikey: '' }, 401],
    ['a token that is none', '', '{"messages":[]}', { authorization: 'Bearer x' }, 401],
    ['no JSON', '', '{', {}, 422],
    ['no messages', '', '{}', {}, 422],
    ['a message without a topic', '', '{"messages":[{"event":"e","payload":{}}]}', {}, 422],
    ['one message that is no JSON', '/t/events/e', '{', {}, 400],
    ['a private one without the right', '/room/events/e?private=true', '{}', {}, 403],
    ['a topic that is no UTF-8', '/%ff/events/e', '{}', {}, 404],
    ['another path', '/t', '{}', {}, 404],
  ])('%s', async (_, path, body, headers, status) => {
    expect((await post(path, body, headers)).status).toBe(status);
  });

  test('bytes of one message, sent with the secret key, reach a private channel', async () => {
    const ear = await listen(as(ada), 'room');
    const headers = { apikey: keys.secret, 'content-type': 'application/octet-stream' };
    const answer = await post('/room/events/raw?private=true', new Uint8Array([1, 0, 2]), headers);
    expect(answer.status).toBe(202);
    await waitUntil(() => ear.heard.length === 1, { what: 'it' });
    expect([...new Uint8Array(ear.heard[0]?.payload as unknown as ArrayBuffer)]).toEqual([1, 0, 2]);
  });
});

describe('the protocol', () => {
  test.each(['1.0.0', '2.0.0'] as const)('%s: join, join again, leave', async (version) => {
    const client = await raw(version);
    const topic = 'realtime:twice';
    expect(await client.ask(topic, 'phx_join', {}, '1')).toEqual({ status: 'ok', response: { postgres_changes: [] } });
    await client.ask(topic, 'phx_join', {}, '2');
    // The first is closed; its ref repeats the ref of its join.
    expect(client.frames.find((frame) => frame.event === 'phx_close')).toEqual({
      joinRef: '1',
      ref: '1',
      topic,
      event: 'phx_close',
      payload: {},
    });
    expect(await client.ask(topic, 'phx_leave', {}, '2')).toEqual({ status: 'ok', response: {} });
    await waitUntil(() => client.frames.filter((frame) => frame.event === 'phx_close')[1]?.joinRef === '2', {
      what: 'phx_close',
    });
    const after = await client.ask(topic, 'broadcast', { event: 'x' }, '2');
    expect(after).toEqual({ status: 'error', response: { reason: 'unmatched topic' } });
    expect(await client.ask('phoenix', 'heartbeat', {})).toEqual({ status: 'ok', response: {} });
  });

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
  ])('a join of %s with %j is refused: %s', async (topic, payload: object, reason) => {
    const joined =
      'access_token' in payload && payload.access_token === 'FOR ADA'
        ? { ...payload, access_token: token({ sub: ada }) }
        : payload;
    expect(await (await raw()).ask(topic, 'phx_join', joined)).toEqual({ status: 'error', response: { reason } });
  });

  test('a config that makes no sense counts as none; "true" is true', async () => {
    const client = await raw();
    for (const config of ['x', 5, null, [1], { broadcast: 7, presence: [] }, { broadcast: { ack: 'perhaps' } }])
      expect((await client.ask('realtime:odd', 'phx_join', { config })).status).toBe('ok');
    await client.ask('realtime:odd', 'phx_join', { config: { broadcast: { ack: 'true' } } });
    expect(await client.ask('realtime:odd', 'broadcast', { event: 'x' })).toEqual({ status: 'ok', response: {} });
  });

  test('what is no message does no harm; a frame of over 5 MB ends the connection', async () => {
    const client = await raw();
    for (const nonsense of ['', '{', '[]', '[1,2,3,4,5]', 'null', Buffer.from([3, 255, 255]), Buffer.from([9])])
      client.socket.send(nonsense);
    expect((await client.ask('phoenix', 'heartbeat', {})).status).toBe('ok');
    const closed = new Promise((resolve) => client.socket.once('close', resolve));
    client.socket.send('x'.repeat(5_000_001));
    expect(await closed).toBe(1009);
  });

  test('a client that does not read is cut before it takes the memory of all', async () => {
    const [speaker, deaf] = [await raw(), await raw()];
    for (const client of [speaker, deaf])
      await client.ask('realtime:much', 'phx_join', { config: { broadcast: { ack: true } } });
    const closed = new Promise((resolve) => deaf.socket.once('close', resolve));
    deaf.socket.pause();
    const payload = { event: 'e', payload: 'x'.repeat(1_000_000) };
    for (let count = 0; count < 60; count++) {
      expect((await speaker.ask('realtime:much', 'broadcast', payload)).status).toBe('ok');
    }
    deaf.socket.resume();
    expect(await closed).toBe(1006);
    expect(deaf.frames.length).toBeLessThan(60);
  });

  test('presence and postgres_changes, which are not here, are refused loudly', async () => {
    const client = await raw();
    await client.ask('realtime:p', 'phx_join', {});
    expect((await client.ask('realtime:p', 'presence', { event: 'track' })).status).toBe('error');
    const channel = clientOf(stage).channel('changes');
    const states: string[] = [];
    channel.on('postgres_changes', { event: '*', schema: 'public' }, () => {}).subscribe((state) => states.push(state));
    await waitUntil(() => states.includes('CHANNEL_ERROR'), { what: 'a refusal' });
    expect(states).not.toContain('SUBSCRIBED');
  });
});
