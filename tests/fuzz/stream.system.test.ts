import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { closeCodes } from '../../functions/stream/close_codes.ts';
import { parseFrame } from '../../functions/stream/protocol.ts';
import {
  type Client,
  connectClient,
  createStreamClient,
  type Isolate,
  type StreamFixture,
  startStream,
  ticketSource,
} from '../stream/function/fixture.ts';
import { createKey, mintTicket, type OrganizationKey } from '../stream/function/minted.ts';
import { openRawConnection, type RawConnection } from '../stream/function/raw.ts';
import { frameHeader, openSockets, openStranger, residentMb, type Stranger } from '../stream/function/stranger.ts';
import { UNKNOWN_TICKET } from '../support/random_secrets.ts';
import { pause, waitUntil } from '../support/wait_until.ts';
import { campaign } from './support/campaign.ts';
import { anyJson, anyText } from './support/texts.ts';

/**
 * Guarantee: to any input of a client the stream function, under Deno, replies with a protocol
 * error or closes the connection with a documented code and a reason. The client receives no data
 * of another organization, and a subscriber on the same isolate misses nothing.
 */

let fixture: StreamFixture;
let isolate: Isolate;
let ownKey: OrganizationKey;
let otherKey: OrganizationKey;
let subscriber: Client;
/** The process before the first half frame. */
let quiet: { sockets: number; mb: number };
const halfOpen: Stranger[] = [];
beforeAll(async () => {
  fixture = await startStream();
  isolate = await fixture.startIsolate({ STREAM_MOST_PER_ADDRESS: '1000' });
  await fixture.sql`update account.tiers set stream_connections = 1000`;
  ownKey = await createKey(fixture.sql, 'pro');
  otherKey = await createKey(fixture.sql, 'pro');
  subscriber = await connectClient(
    createStreamClient(isolate.url, ticketSource(fixture.sql, await createKey(fixture.sql, 'basic'))),
  );
  quiet = { sockets: openSockets(isolate.pid), mb: residentMb(isolate.pid) };
}, 60_000);
afterAll(async () => {
  subscriber?.centrifuge.disconnect();
  await fixture?.stop();
});

const documentedCodes = new Set<number>(Object.values(closeCodes).map(([code]) => code));

const method = fc.oneof(
  fc.constantFrom(
    'connect',
    'subscribe',
    'unsubscribe',
    'publish',
    'presence',
    'history',
    'ping',
    'send',
    'rpc',
    'refresh',
    'sub_refresh',
  ),
  anyText,
);
const position = fc.oneof(
  anyJson(1),
  fc.record(
    {
      recover: fc.constantFrom<unknown>(true, false, 'yes'),
      epoch: fc.oneof(anyText, anyJson(1)),
      offset: fc.oneof(fc.integer(), fc.double(), anyJson(1)),
    },
    { requiredKeys: [] },
  ),
);
const channel = fc.oneof(
  fc.constantFrom('markets:all', 'status', 'quotes:all', 'best:all', 'org:other', 'candidates:x', '__proto__'),
  anyText,
);
const subs = fc.dictionary(channel, position, { maxKeys: 5 });
const body = fc.oneof(
  anyJson(2),
  fc.record({ channel, data: anyJson(1), subs: fc.oneof(subs, anyJson(1)), token: anyText }, { requiredKeys: [] }),
);
const command = fc.oneof(
  {
    weight: 5,
    arbitrary: fc
      .tuple(
        fc.oneof(
          { weight: 8, arbitrary: fc.integer({ min: 2, max: 99 }) as fc.Arbitrary<unknown> },
          { weight: 1, arbitrary: anyJson(1) },
        ),
        method,
        body,
      )
      .map(([id, name, params]) => ({ id, [name]: params })),
  },
  { weight: 1, arbitrary: fc.constant({}) },
  { weight: 1, arbitrary: anyJson(3) },
);
const message = fc.oneof(
  {
    weight: 5,
    arbitrary: fc
      .array(command, { minLength: 1, maxLength: 4 })
      .map((all) => all.map((one) => JSON.stringify(one) ?? '').join('\n')),
  },
  { weight: 1, arbitrary: anyText },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 100 }) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      '[',
      '{"id":2',
      '\n',
      '{"id":2,"rpc":{}}\u0000',
      '{"id":1e3,"rpc":{}}',
      '['.repeat(50_000),
      '{"a":'.repeat(10_000),
    ),
  },
);
const opening = fc.oneof(
  fc.constant('none' as const),
  fc.record({
    ticket: fc.oneof(
      { weight: 4, arbitrary: fc.constant('good') },
      { weight: 1, arbitrary: fc.oneof(anyText, fc.constant(`st_${'a'.repeat(32)}`), fc.constant(UNKNOWN_TICKET)) },
    ),
    subs: fc.oneof(subs, anyJson(1)),
  }),
);

/** Expects valid JSON without the other organization's id, and a documented close. */
function expectSound({ lines, end }: RawConnection): void {
  for (const line of lines) {
    expect(() => JSON.parse(line), line).not.toThrow();
    expect(line).not.toContain(otherKey.orgId);
  }
  if (end)
    expect([end.code, end.reason.length > 0]).toEqual([
      documentedCodes.has(end.code) ? end.code : 'a documented code',
      true,
    ]);
}

/** Mints a ticket in place of `good`; any other text is sent as it is. */
async function ticketFor(text: string): Promise<string> {
  return text === 'good' ? (await mintTicket(fixture.sql, ownKey)).ticket : text;
}

/**
 * Sends the connect and returns true if it was accepted. With an invalid ticket, waits for the
 * close.
 */
async function sendConnect(
  connection: RawConnection,
  { ticket, subs }: { ticket: string; subs: unknown },
): Promise<boolean> {
  const otherChannel = `org:${otherKey.orgId}`;
  const namesOther = typeof subs === 'object' && subs !== null && 'org:other' in subs;
  const positions = namesOther ? { ...subs, [otherChannel]: { recover: true, epoch: '', offset: 0 } } : subs;
  connection.send({ id: 1, connect: { data: { t: await ticketFor(ticket) }, subs: positions } });
  if (ticket === 'good') await connection.reply(1);
  else await waitUntil(() => connection.end, { what: 'the close' });
  return ticket === 'good';
}

/**
 * Whether the connection must close after this message: it holds no commands, a second connect, or
 * a first command other than connect.
 */
function closesConnection(message: string | Uint8Array, isConnected: boolean): boolean {
  const commands = parseFrame(message);
  if (typeof commands === 'string') return true;
  return commands.some(({ kind }) => kind === 'connect' || (!isConnected && kind !== 'pong'));
}

campaign(
  'frames of any content before and after a connect do not break the stream',
  () =>
    fc.asyncProperty(opening, fc.array(message, { maxLength: 6 }), async (open, messages) => {
      const connection = await openRawConnection(isolate.url);
      const isConnected = open !== 'none' && (await sendConnect(connection, open));
      for (const message of messages) {
        if (connection.end || (open !== 'none' && !isConnected)) break;
        connection.socket.send(message, { binary: typeof message !== 'string' });
        // Waits for the close before the next message: TCP resets a connection with unread bytes,
        // and the client then loses the close frame.
        if (closesConnection(message, isConnected)) await waitUntil(() => connection.end, { what: 'the close' });
      }
      if (isConnected && !connection.end) {
        connection.send({ id: 424_242, rpc: {} });
        await connection.reply(424_242);
      }
      expectSound(connection);
      connection.socket.close();
      await waitUntil(() => connection.end, { what: 'the close' });
    }),
  120,
);

campaign(
  'a connect of any shape is answered, or closes with a documented code',
  () =>
    fc.asyncProperty(
      fc.oneof(
        anyJson(3),
        fc.record({
          data: fc.oneof(anyJson(1), fc.record({ t: fc.oneof(anyText, anyJson(1)) })),
          subs: anyJson(2),
          name: anyJson(0),
          version: anyText,
        }),
      ),
      async (connect) => {
        const connection = await openRawConnection(isolate.url);
        connection.send({ id: 1, connect });
        await waitUntil(() => connection.end, { what: 'the close' });
        expect([3501, 4401]).toContain(connection.end?.code);
        expectSound(connection);
      },
    ),
  60,
);

/**
 * Frames and fragments as a client sends them that stops anywhere: `announced` may be any length,
 * and `sent` of it arrives.
 */
const halfFrame = fc.record({
  opcode: fc.constantFrom(0, 1, 2, 8, 9, 10, 3, 11),
  isLast: fc.boolean(),
  announced: fc.oneof(
    fc.integer({ min: 0, max: 300 }),
    fc.constantFrom(125, 126, 65_535, 65_536, 65_537, 62_000_000, 2 ** 31, 2 ** 40),
    fc.nat({ max: 200_000 }),
  ),
  sentShare: fc.oneof(fc.constant(1), fc.double({ min: 0, max: 1, noNaN: true })),
});

/** The bytes of these frames; at most 256 KiB of a body, and cut after this share of all. */
function bytesOf(
  frames: readonly { opcode: number; isLast: boolean; announced: number; sentShare: number }[],
  share: number,
) {
  const bytes = Buffer.concat(
    frames.flatMap(({ opcode, isLast, announced, sentShare }) => [
      frameHeader(announced, { opcode, isLast }),
      Buffer.alloc(Math.min(256 * 1024, Math.round(announced * sentShare)), 'x'),
    ]),
  );
  return bytes.subarray(0, Math.ceil(bytes.length * share));
}

campaign(
  'half a frame, cut anywhere, keeps no memory and no socket',
  () =>
    fc.asyncProperty(
      fc.array(halfFrame, { minLength: 1, maxLength: 8 }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      fc.array(fc.nat({ max: 70_000 }), { maxLength: 4 }),
      fc.boolean(),
      async (frames, share, cuts, hangsUp) => {
        const stranger = await openStranger(isolate.url);
        expect(stranger.status).toBe(101);
        halfOpen.push(stranger);
        const bytes = bytesOf(frames, share);
        let from = 0;
        for (const cut of [...cuts, bytes.length]) {
          stranger.socket.write(bytes.subarray(from, from + cut));
          from += cut;
          await pause(1);
        }
        if (hangsUp) stranger.socket.destroy();
      },
    ),
  80,
);

test('after half frames the process has the memory and the sockets that it had before', async () => {
  expect(halfOpen.some(({ socket }) => !socket.destroyed)).toBe(true);
  await waitUntil(() => openSockets(isolate.pid) <= quiet.sockets + 2, {
    what: 'their sockets are gone, although their clients do not hang up',
    timeoutMs: 40_000,
    evidence: () => `${openSockets(isolate.pid)} sockets, ${quiet.sockets} before`,
  });
  expect(residentMb(isolate.pid) - quiet.mb).toBeLessThan(100);
  for (const { socket } of halfOpen) socket.destroy();
}, 60_000);

test('after arbitrary input a subscriber has missed nothing, and the isolate logged no error', async () => {
  const received = subscriber.received('markets:all');
  await fixture.publish('markets:all', '{"type":"price","id":"last"}');
  await waitUntil(() => received.frames.some(({ id }) => id === 'last'), { what: 'the last frame' });
  expect(subscriber.ends).toEqual([]);
  expect(isolate.lines.filter((line) => line.includes('failed'))).toEqual([]);
  await waitUntil(
    async () => (await fixture.sql`select from stream.connections where org_id = ${ownKey.orgId}`).length === 0,
    { what: 'all slots are free again' },
  );
});
