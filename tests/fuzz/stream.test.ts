import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { closeCodes } from '../../functions/stream/close_codes.ts';
import { parseFrame } from '../../functions/stream/protocol.ts';
import {
  type Client,
  clientOf,
  connected,
  type Isolate,
  startWorld,
  ticketFor,
  type World,
} from '../stream/function/fixture.ts';
import { keyOf, type Minted, ticketOf } from '../stream/function/minted.ts';
import { type Raw, rawOf } from '../stream/function/raw.ts';
import { waitUntil } from '../support/wait_until.ts';
import { campaign } from './support/campaign.ts';
import { anyJson, anyText } from './support/texts.ts';

// Guarantee: whatever a client of the stream sends, it is answered by an error of the protocol or closed with a code that is documented
// and a reason; it hears nothing of others; and a listener beside it notices nothing. The real function under Deno.

let world: World;
let isolate: Isolate;
let mine: Minted;
let other: Minted;
let bystander: Client;
beforeAll(async () => {
  world = await startWorld();
  isolate = await world.isolate();
  await world.sql`update account.tiers set stream_connections = 1000`;
  mine = await keyOf(world.sql, 'pro');
  other = await keyOf(world.sql, 'pro');
  bystander = await connected(clientOf(isolate.url, ticketFor(world.sql, await keyOf(world.sql, 'basic'))));
}, 60_000);
afterAll(async () => {
  bystander?.centrifuge.disconnect();
  await world?.stop();
});

const documented = new Set<number>(Object.values(closeCodes).map(([code]) => code));

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
const place = fc.oneof(
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
  fc.constantFrom('markets:all', 'status', 'quotes:all', 'org:other', 'candidates:x', '__proto__'),
  anyText,
);
const subs = fc.dictionary(channel, place, { maxKeys: 5 });
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
      .map(([id, name, what]) => ({ id, [name]: what })),
  },
  { weight: 1, arbitrary: fc.constant({}) },
  { weight: 1, arbitrary: anyJson(3) },
);
const frame = fc.oneof(
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
      { weight: 1, arbitrary: fc.oneof(anyText, fc.constant(`st_${'a'.repeat(32)}`)) },
    ),
    subs: fc.oneof(subs, anyJson(1)),
  }),
);

/** What must hold of all that one client was told. */
function expectSound({ got, end }: Raw): void {
  for (const line of got) {
    expect(() => JSON.parse(line), line).not.toThrow();
    expect(line).not.toContain(other.orgId);
  }
  if (end)
    expect([end.code, end.reason.length > 0]).toEqual([
      documented.has(end.code) ? end.code : 'a documented code',
      true,
    ]);
}

async function ticketIn(given: string): Promise<string> {
  return given === 'good' ? (await ticketOf(world.sql, mine)).ticket : given;
}

/** Sends the connect; whether it was let in. With anything but a ticket it must have been closed. */
async function connectedBy(raw: Raw, { ticket, subs: named }: { ticket: string; subs: unknown }): Promise<boolean> {
  const stranger = `org:${other.orgId}`;
  const asksForIt = typeof named === 'object' && named !== null && 'org:other' in named;
  const places = asksForIt ? { ...named, [stranger]: { recover: true, epoch: '', offset: 0 } } : named;
  raw.send({ id: 1, connect: { data: { t: await ticketIn(ticket) }, subs: places } });
  if (ticket === 'good') await raw.reply(1);
  else await waitUntil(() => raw.end, { what: 'the end' });
  return ticket === 'good';
}

/** Whether a frame is the last word, by the reader of frames: no commands, a second connect, or a first command that is none. */
function endsIt(one: string | Uint8Array, isConnected: boolean): boolean {
  const read = parseFrame(one);
  if (typeof read === 'string') return true;
  return read.some(({ kind }) => kind === 'connect' || (!isConnected && kind !== 'pong'));
}

campaign(
  'frames of any content before and after a connect do not break the stream',
  () =>
    fc.asyncProperty(opening, fc.array(frame, { maxLength: 6 }), async (open, frames) => {
      const raw = await rawOf(isolate.url);
      const isConnected = open !== 'none' && (await connectedBy(raw, open));
      for (const one of frames) {
        if (raw.end || (open !== 'none' && !isConnected)) break;
        raw.socket.send(one, { binary: typeof one !== 'string' });
        // Who goes on sending after the last word may not hear it: TCP answers unread bytes with a reset.
        if (endsIt(one, isConnected)) await waitUntil(() => raw.end, { what: 'the end' });
      }
      if (isConnected && !raw.end) {
        raw.send({ id: 424_242, rpc: {} });
        await raw.reply(424_242);
      }
      expectSound(raw);
      raw.socket.close();
      await waitUntil(() => raw.end, { what: 'it is over' });
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
      async (what) => {
        const raw = await rawOf(isolate.url);
        raw.send({ id: 1, connect: what });
        await waitUntil(() => raw.end, { what: 'the end' });
        expect([3501, 4401]).toContain(raw.end?.code);
        expectSound(raw);
      },
    ),
  60,
);

test('after arbitrary input a subscriber has missed nothing, and the isolate logged no error', async () => {
  const heard = bystander.heard('markets:all');
  await world.say('markets:all', '{"type":"price","id":"last"}');
  await waitUntil(() => heard.frames.at(-1)?.id === 'last', { what: 'the last frame' });
  expect(bystander.ends).toEqual([]);
  expect(isolate.lines.filter((line) => line.includes('failed'))).toEqual([]);
  await waitUntil(
    async () => (await world.sql`select from stream.connections where org_id = ${mine.orgId}`).length === 0,
    { what: 'all slots are free again' },
  );
});
