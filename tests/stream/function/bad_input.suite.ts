import { connect as connectTcp } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { UNKNOWN_TICKET } from '../../support/random_secrets.ts';
import { waitUntil } from '../../support/wait_until.ts';
import {
  type Client,
  connectClient,
  createStreamClient,
  type Isolate,
  type StreamFixture,
  type StreamWorld,
  ticketSource,
} from './fixture.ts';
import { createKey, mintTicket, type OrganizationKey } from './minted.ts';
import { openRawConnection, type RawConnection } from './raw.ts';

export const badInputSuite = (at: () => StreamWorld) =>
  describe('bad input', () => {
    let fixture: StreamFixture;
    let isolate: Isolate;
    let pro: OrganizationKey;
    /**
     * A client of another organization on the same isolate. The invalid input must not affect it.
     */
    let bystander: Client;
    /** A socket that sends nothing, from the first test on. */
    let silent: RawConnection;
    beforeAll(async () => {
      ({ fixture, isolate } = at());
      silent = await openRawConnection(isolate.url);
      // Each test needs a few connections, and a slot is freed a moment after its socket closes.
      await fixture.sql`update account.tiers set stream_connections = 100 where tier = 'pro'`;
      pro = await createKey(fixture.sql, 'pro');
      bystander = await connectClient(
        createStreamClient(isolate.url, ticketSource(fixture.sql, await createKey(fixture.sql, 'basic'))),
      );
    });
    afterAll(() => bystander?.centrifuge.disconnect());

    async function connectRaw(): Promise<RawConnection> {
      const raw = await openRawConnection(isolate.url);
      raw.send({ id: 1, connect: { data: { t: (await mintTicket(fixture.sql, pro)).ticket } } });
      await raw.reply(1);
      return raw;
    }

    describe('an invalid ticket', () => {
      test('is rejected without a query when its checksum is wrong', async () => {
        // One connection to the database, so the counts of all calls arrive together.
        const { admin } = fixture.realtime.scratch;
        await admin.unsafe(`alter role parallax_stream set track_functions = 'all'`);
        const other = await fixture.startIsolate({ DB_CONNECTIONS_STREAM: '1', STREAM_MOST_PER_ADDRESS: '100' });
        const present = async (t: string) => {
          const raw = await openRawConnection(other.url);
          raw.send({ id: 1, connect: { data: { t } } });
          expect((await raw.untilClosed()).code).toBe(4401);
        };
        const calls = async () => {
          const [row] = await fixture.sql<{ calls: string }[]>`
        select sum(calls) as calls from pg_stat_user_functions
        where schemaname = 'stream' and funcname = 'open_connection'`;
          return Number(row?.calls ?? 0);
        };
        const before = await calls();
        const { ticket } = await mintTicket(fixture.sql, pro);
        const changed = ticket.replace(/.$/, (last) => (last === 'a' ? 'b' : 'a'));
        for (let n = 0; n < 30; n += 1) await present(n % 2 === 0 ? changed : `st_${String(n).padStart(32, '0')}`);
        // The proof that the database counts: this one is asked for.
        await present(UNKNOWN_TICKET);
        // A backend reports its counts at its end.
        await other.kill();
        await waitUntil(async () => (await calls()) > before, { what: 'the count of the call' });
        expect(await calls()).toBe(before + 1);
        await admin.unsafe('alter role parallax_stream reset track_functions');
      });

      test.each([
        ['no data', {}],
        ['no ticket', { data: {} }],
        ['a number', { data: { t: 5 } }],
        ['an empty ticket', { data: { t: '' } }],
        ['a ticket with a wrong checksum', { data: { t: `st_${'a'.repeat(32)}` } }],
        ['an unknown ticket', { data: { t: UNKNOWN_TICKET } }],
        ['SQL', { data: { t: "st_' or true --" } }],
        ['a token instead of a ticket', { token: 'x', data: null }],
      ])('closes with 4401 and a reason: %s', async (_, connect) => {
        const raw = await openRawConnection(isolate.url);
        raw.send({ id: 1, connect });
        expect(await raw.untilClosed()).toEqual({ code: 4401, reason: expect.stringMatching(/ticket/) });
        expect(raw.lines).toEqual([]);
      });

      test('is rejected when it was used, on this isolate or another, or has expired', async () => {
        const { ticket } = await mintTicket(fixture.sql, pro);
        const first = await openRawConnection(isolate.url);
        first.send({ id: 1, connect: { data: { t: ticket } } });
        await first.reply(1);
        const other = await fixture.startIsolate();
        for (const url of [isolate.url, other.url]) {
          const again = await openRawConnection(url);
          again.send({ id: 1, connect: { data: { t: ticket } } });
          expect((await again.untilClosed()).code).toBe(4401);
        }
        await other.kill();
        const { ticket: old } = await mintTicket(fixture.sql, pro);
        await fixture.sql`update stream.tickets set expires_at = clock_timestamp()`;
        const late = await openRawConnection(isolate.url);
        late.send({ id: 1, connect: { data: { t: old } } });
        expect((await late.untilClosed()).code).toBe(4401);
        first.socket.close();
      });
    });

    describe('input that is no command closes the connection with 3501', () => {
      test.each<[string, string | Buffer]>([
        ['garbage', '}{'],
        ['an empty frame', ''],
        ['blank lines', '\n \n'],
        ['a number', '5'],
        ['null', 'null'],
        ['an array', '[{"id":1}]'],
        ['a list in a list', '['.repeat(60_000)],
        ['binary', Buffer.from([0, 1, 2, 255])],
        ['binary that would be a command', Buffer.from('{"id":1,"connect":{}}')],
        ['a giant frame', `{"id":1,"connect":{"data":{"t":"${'x'.repeat(70_000)}"}}}`],
        ['a frame of ten megabytes', 'x'.repeat(10_000_000)],
        ['two methods in one', '{"id":1,"connect":{},"rpc":{}}'],
        ['an id alone', '{"id":1}'],
        ['no id', '{"connect":{}}'],
        ['an id of 0', '{"id":0,"connect":{}}'],
        ['a negative id', '{"id":-1,"connect":{}}'],
        ['a text for an id', '{"id":"1","connect":{}}'],
        ['a text for a method', '{"id":1,"connect":"x"}'],
        ['a command before connect', '{"id":1,"subscribe":{"channel":"x"}}'],
        ['a thousand commands', Array.from({ length: 1000 }, (_, n) => `{"id":${n + 1},"rpc":{}}`).join('\n')],
      ])('closes the connection: %s', async (_, frame) => {
        const raw = await openRawConnection(isolate.url);
        raw.socket.send(frame, { binary: typeof frame !== 'string' });
        const { code, reason } = await raw.untilClosed();
        expect(code).toBe(3501);
        expect(reason.length).toBeGreaterThan(10);
        expect(raw.lines).toEqual([]);
      });

      test('a second connect closes the connection, also in the same frame', async () => {
        const raw = await connectRaw();
        raw.send({ id: 2, connect: { data: { t: (await mintTicket(fixture.sql, pro)).ticket } } });
        expect((await raw.untilClosed()).code).toBe(3501);
        const both = await openRawConnection(isolate.url);
        both.send({ id: 1, connect: { data: { t: 'x' } } }, { id: 2, connect: { data: { t: 'x' } } });
        expect((await both.untilClosed()).code).toBe(4401);
      });

      test('more commands than a client needs close the connection', async () => {
        const raw = await connectRaw();
        // A client that still sends may miss the close code, because TCP resets a socket with
        // unread bytes.
        for (let n = 0; n < 3; n += 1)
          raw.send(...Array.from({ length: 80 }, (_, i) => ({ id: 100 + 80 * n + i, rpc: {} })));
        expect((await raw.untilClosed()).code).toBe(3501);
      });
    });

    describe('commands that clients may not use', () => {
      test('subscribe gets error 103 for any channel, known commands 108, unknown ones 104, and the connection stays open', async () => {
        const raw = await connectRaw();
        const other = await createKey(fixture.sql, 'pro');
        const methods = [
          'publish',
          'presence',
          'presence_stats',
          'history',
          'rpc',
          'refresh',
          'sub_refresh',
          'unsubscribe',
          'ping',
        ];
        raw.send(
          { id: 2, subscribe: { channel: `org:${other.orgId}` } },
          { id: 3, subscribe: { channel: 'markets:all' } },
          { id: 4, nonsense: {} },
          { id: 5, __proto__: {}, constructor: {} },
          { send: { data: {} } },
          ...methods.map((method, n) => ({ id: 10 + n, [method]: {} })),
        );
        const code = async (id: number) => ((await raw.reply(id)).error as { code: number }).code;
        expect([await code(2), await code(3), await code(4), await code(5)]).toEqual([103, 103, 104, 104]);
        for (const n of methods.keys()) expect(await code(10 + n)).toBe(108);
        await fixture.sql`select stream.publish_org_event(${other.orgId}, 'quota')`;
        await fixture.publish('markets:all', '{"type":"price","id":"after"}');
        await waitUntil(() => raw.lines.some((line) => line.includes('"after"')), { what: 'the frame' });
        expect(raw.lines.some((line) => line.includes(other.orgId))).toBe(false);
        raw.socket.close();
      });

      test('foreign channels and invalid positions in the subs of connect are ignored', async () => {
        const other = await createKey(fixture.sql, 'pro');
        const [channel] = await fixture.sql<
          { epoch: string; top: string }[]
        >`select epoch, last_offset as top from stream.channels where channel = 'markets:all'`;
        const raw = await openRawConnection(isolate.url);
        const position = { recover: true, epoch: channel?.epoch, offset: Number(channel?.top) };
        raw.send({
          id: 1,
          connect: {
            data: { t: (await mintTicket(fixture.sql, pro)).ticket },
            subs: {
              [`org:${other.orgId}`]: position,
              'candidates:nothing': position,
              'markets:all': { ...position, offset: Number(channel?.top) + 1000 },
              status: { recover: true, epoch: ['x'], offset: -5 },
              'quotes:all': { recover: 'yes', offset: 'x' },
            },
          },
        });
        const { subs } = (await raw.reply(1)).connect as {
          subs: Record<string, { recovered?: boolean; was_recovering?: boolean }>;
        };
        expect(Object.keys(subs).sort()).toEqual([
          'best:all',
          'markets:all',
          `org:${pro.orgId}`,
          'quotes:all',
          'status',
        ]);
        expect([subs['markets:all']?.recovered, subs.status?.recovered]).toEqual([false, false]);
        expect(subs['quotes:all']?.was_recovering).toBeUndefined();
        raw.socket.close();
      });

      test('a thousand unknown channels in subs cost no extra work', async () => {
        const raw = await openRawConnection(isolate.url);
        const subs = Object.fromEntries(Array.from({ length: 1000 }, (_, n) => [`c${n}`, { recover: true }]));
        raw.send({ id: 1, connect: { data: { t: (await mintTicket(fixture.sql, pro)).ticket }, subs } });
        expect(Object.keys(((await raw.reply(1)).connect as { subs: object }).subs)).toHaveLength(5);
        raw.socket.close();
      });
    });

    describe('input that is no WebSocket', () => {
      const http = () => isolate.url.replace('ws:', 'http:');
      test('gets 426 with the code stream.upgrade', async () => {
        for (const method of ['GET', 'POST', 'DELETE']) {
          const response = await fetch(http(), { method });
          expect([response.status, (await response.json()).code]).toEqual([426, 'stream.upgrade']);
          expect(response.headers.get('Upgrade')).toBe('websocket');
        }
      });

      /** The answer to an upgrade with these headers. */
      const upgradeWith = (...headers: string[]) =>
        new Promise<string>((resolve) => {
          const { hostname, port } = new URL(isolate.url);
          const lines = ['GET /stream HTTP/1.1', 'Host: x', 'Connection: upgrade', 'Upgrade: websocket', ...headers];
          const socket = connectTcp(Number(port), hostname, () => socket.write(`${lines.join('\r\n')}\r\n\r\n`));
          socket.on('data', (chunk) => {
            resolve(String(chunk));
            socket.destroy();
          });
        });

      test('gets 400 for an invalid handshake', async () => {
        expect(await upgradeWith()).toMatch(/^HTTP\/1.1 400/);
      });

      // centrifuge-python 0.5.0 asks for an empty list of protocols, and `websockets` sends the
      // header.
      test('does not count an empty Sec-WebSocket-Protocol as one', async () => {
        const answer = await upgradeWith(
          'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
          'Sec-WebSocket-Version: 13',
          'Sec-WebSocket-Protocol: ',
        );
        expect(answer).toMatch(/^HTTP\/1.1 101/);
      });

      test('a silent socket is closed, and a broken one is released', async () => {
        const terminated = await connectRaw();
        terminated.socket.terminate();
        await waitUntil(
          async () => (await fixture.sql`select from stream.connections where org_id = ${pro.orgId}`).length === 0,
          { what: 'its slot is free' },
        );
        expect((await silent.untilClosed()).code).toBe(3012);
      });
    });

    test('other clients lose nothing after all this bad input', async () => {
      expect(bystander.ends).toEqual([]);
      const received = bystander.received('markets:all');
      await fixture.publish('markets:all', '{"type":"price","id":"last"}');
      await waitUntil(() => received.frames.at(-1)?.id === 'last', { what: 'the last frame' });
      const [first = 0] = received.offsets;
      expect(received.offsets).toEqual(received.offsets.map((_, n) => first + n));
      expect(isolate.lines.filter((line) => line.includes('failed'))).toEqual([]);
    });
  });
