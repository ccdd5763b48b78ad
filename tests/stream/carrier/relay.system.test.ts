import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { databaseUrl } from '../../../local/platform/postgres/postgres.ts';
import { runs } from '../../support/runs.ts';
import { waitUntil } from '../../support/wait_until.ts';
import {
  type Client,
  connectClient,
  createStreamClient,
  type Isolate,
  type StreamFixture,
  startStream,
  ticketSource,
} from '../function/fixture.ts';
import { createKey, type OrganizationKey } from '../function/minted.ts';
import { type Carrier, type CentrifugoNode, missingCentrifugo, startCarrier } from './nodes.ts';

// The log, the stream function and Centrifugo have one epoch and one offset for each frame.

if (missingCentrifugo) console.log(`skipped over Centrifugo: ${missingCentrifugo}`);

let fixture: StreamFixture;
let isolate: Isolate;
let carrier: Carrier;
let node: CentrifugoNode;
let org: OrganizationKey;
const running: Client[] = [];
beforeAll(async () => {
  if (missingCentrifugo) return;
  fixture = await startStream();
  isolate = await fixture.startIsolate();
  const { scratch } = fixture.realtime;
  const url = (role: string) => databaseUrl(scratch.cluster.port, role, scratch.password, 'realtime_test');
  // Published before Centrifugo was there.
  await publish(...idsOf('before', 300));
  carrier = await startCarrier({ sql: fixture.sql, broker: 'postgres', url });
  node = await carrier.startNode();
});
beforeEach(async () => {
  if (!missingCentrifugo) org = await createKey(fixture.sql, 'basic');
});
afterEach(() => {
  for (const client of running.splice(0)) client.centrifuge.disconnect();
});
afterAll(async () => {
  await carrier?.stop();
  await fixture?.stop();
});

const idsOf = (name: string, count: number) => Array.from({ length: count }, (_, n) => `${name} ${n}`);
const publish = (...ids: string[]) =>
  fixture.publish('markets:all', ...ids.map((id) => JSON.stringify({ type: 'price', id })));

async function connect(url: string | (() => string)): Promise<Client> {
  const client = createStreamClient(url, ticketSource(fixture.sql, org));
  running.push(client);
  return await connectClient(client);
}

const received = (client: Client) => client.received('markets:all');
const untilReceived = (client: Client, id: string) =>
  waitUntil(() => received(client).frames.at(-1)?.id === id, { what: `"${id}" arrives` });

/**
 * Waits until Centrifugo has each frame. A client that is ahead of it gets recovered false, and the
 * frames again.
 */
const untilRelayed = () =>
  waitUntil(
    async () => {
      const [row] = await fixture.sql<{ behind: string }[]>`
        select c.last_offset - r.last_offset as behind from stream.channels c
        join stream.relay_positions r on r.channel = c.channel where c.channel = 'markets:all'`;
      return Number(row?.behind) === 0;
    },
    { what: 'the relay has all' },
  );

/** Runs `work` while the relay waits for its lock. */
async function withoutRelay<T>(work: () => Promise<T>): Promise<T> {
  const holder = await fixture.sql.reserve();
  try {
    await holder`select pg_advisory_lock(hashtextextended('stream.relay_pending', 0))`;
    return await work();
  } finally {
    await holder`select pg_advisory_unlock(hashtextextended('stream.relay_pending', 0))`;
    holder.release();
  }
}

/** Ends the connection from outside, so that the client connects again and recovers. */
function cut(client: Client): void {
  client.sockets.at(-1)?.terminate();
}

function expectComplete(client: Client): void {
  const { offsets, recovered, wasRecovering } = received(client);
  const [from = 0] = offsets;
  expect(offsets).toEqual(offsets.map((_, n) => from + n));
  expect(recovered.filter((one, n) => wasRecovering[n] && !one)).toEqual([]);
}

describe.skipIf(missingCentrifugo)('a client that moves', () => {
  test('from the stream function to Centrifugo and back keeps its place', async () => {
    let url = isolate.url;
    const client = await connect(() => url);
    await publish('first');
    await untilReceived(client, 'first');
    for (const [n, next] of [node.url, isolate.url, node.url, isolate.url].entries()) {
      url = next;
      client.centrifuge.disconnect();
      await untilRelayed();
      await publish(...idsOf(`missed ${n}`, 40));
      client.centrifuge.connect();
      await untilReceived(client, `missed ${n} 39`);
      await publish(`live ${n}`);
      await untilReceived(client, `live ${n}`);
    }
    expectComplete(client);
    expect(received(client).offsets).toHaveLength(1 + 4 * 41);
  });

  test('to Centrifugo before the relay learns it, and gets the frames again from where Centrifugo is', async () => {
    await untilRelayed();
    const reply = await withoutRelay(async () => {
      await publish('not relayed 1', 'not relayed 2');
      const [log] = await fixture.sql<{ epoch: string; offset: number }[]>`
        select epoch, last_offset::integer as offset from stream.channels where channel = 'markets:all'`;
      if (!log) throw new Error('no channel');
      const { reply, raw } = await connectAt(node.url, log);
      return { ...reply, log, raw };
    });
    expect([reply.was_recovering, reply.recovered ?? false, reply.offset]).toEqual([true, false, reply.log.offset - 2]);
    const again = () => reply.raw.lines.filter((line) => line.includes('"not relayed'));
    await waitUntil(() => again().length === 2, { what: 'both frames' });
    expect(again().map((line) => JSON.parse(line).push.pub.offset)).toEqual([reply.log.offset - 1, reply.log.offset]);
    reply.raw.socket.close();
  });

  test('to Centrifugo recovers what was published before Centrifugo was started', async () => {
    const [log] = await fixture.sql<
      { epoch: string }[]
    >`select epoch from stream.channels where channel = 'markets:all'`;
    const { reply, raw } = await connectAt(node.url, { epoch: log?.epoch ?? '', offset: 100 });
    expect(reply.recovered).toBe(true);
    expect(reply.publications?.[0]?.offset).toBe(101);
    expect(reply.publications?.[0]?.data.id).toBe('before 100');
    raw.socket.close();
  });

  test('has the frames that /v1/stream/replay returns', async () => {
    const client = await connect(node.url);
    await publish(...idsOf('replayed', 20));
    await untilReceived(client, 'replayed 19');
    const { offsets, frames } = received(client);
    const [log] = await fixture.sql<{ frames: string[]; upto: string }[]>`
      select r.frames, r.upto from stream.channels c
      cross join lateral stream.replay_publications(c.channel, c.epoch, ${(offsets[0] ?? 0) - 1}) r
      where c.channel = 'markets:all'`;
    expect(log?.frames.map((frame) => JSON.parse(frame))).toEqual(frames);
    expect(Number(log?.upto)).toBe(offsets.at(-1));
  });
});

describe.skipIf(missingCentrifugo)('a client learns of a gap', () => {
  test('learns of a reset of the log', async () => {
    const client = await connect(node.url);
    await publish('old');
    await untilReceived(client, 'old');
    await fixture.sql`select stream.reset_channel('markets:all')`;
    await publish('new');
    await waitUntil(() => received(client).recovered.length > 1, { what: 'the next subscription' });
    expect([received(client).wasRecovering.at(-1), received(client).recovered.at(-1)]).toEqual([true, false]);
    await publish('newer');
    await untilReceived(client, 'newer');
  });

  test('learns that the relay did not run for longer than the log is kept', async () => {
    const client = await connect(node.url);
    await publish('old');
    await untilReceived(client, 'old');
    // One transaction, so that the relay sees the frames only together with their loss.
    await fixture.sql.begin(async (tx) => {
      await tx`select stream.append_publication('markets:all', array['{"type":"price","id":"lost"}'])`;
      await tx`delete from stream.publications where channel = 'markets:all'`;
      await tx`select stream.append_publication('markets:all', array['{"type":"price","id":"kept"}'])`;
    });
    await waitUntil(() => received(client).recovered.length > 1, { what: 'the next subscription' });
    expect([received(client).wasRecovering.at(-1), received(client).recovered.at(-1)]).toEqual([true, false]);
    await publish('next');
    await untilReceived(client, 'next');
    const [top] = await fixture.sql<{ top: string }[]>`
      select last_offset as top from stream.channels where channel = 'markets:all'`;
    expect(received(client).offsets.at(-1)).toBe(Number(top?.top));
  });

  test('learns that it missed more frames than a client can recover', async () => {
    const client = await connect(node.url);
    await publish('old');
    await untilReceived(client, 'old');
    client.centrifuge.disconnect();
    await publish(...idsOf('many', 10_050));
    await untilRelayed();
    client.centrifuge.connect();
    await waitUntil(() => received(client).recovered.length > 1, { what: 'the next subscription' });
    expect([received(client).wasRecovering.at(-1), received(client).recovered.at(-1)]).toEqual([true, false]);
  });
});

describe.skipIf(missingCentrifugo)('nothing is lost, repeated or reordered', () => {
  test('while clients are cut, backends of Centrifugo are ended, and the relay is killed in its transaction', async () => {
    const client = await connect(node.url);
    await publish('first');
    await untilReceived(client, 'first');
    const { admin } = fixture.realtime.scratch;
    for (let round = 0; round < runs(3); round += 1) {
      await publish(...idsOf(`round ${round}`, 50));
      if (round % 3 === 0) cut(client);
      if (round % 3 === 1)
        await admin`select pg_terminate_backend(pid) from pg_stat_activity where usename = 'parallax_carrier'`;
      if (round % 3 === 2)
        await admin`select pg_terminate_backend(pid) from pg_stat_activity where query like '%stream.relay_pending%' and pid <> pg_backend_pid()`;
    }
    await publish('last');
    await waitUntil(() => received(client).frames.at(-1)?.id === 'last', { what: 'the last' });
    expectComplete(client);
  });

  test('another writer in schema centrifugo stops the relay with an error, instead of shifting offsets', async () => {
    await waitUntil(async () => Number((await fixture.sql`select stream.relay_pending() as n`)[0]?.n) === 0, {
      what: 'nothing is pending',
    });
    await fixture.sql
      .begin(async (tx) => {
        await tx`update centrifugo.cf_binary_stream_meta set top_offset = top_offset + 1 where channel = 'status'`;
        await tx`select stream.append_publication('status', array['{"type":"feed"}'])`;
        await expect(tx.savepoint((sp) => sp`select stream.relay_pending()`)).rejects.toThrow(
          /does not have channel status/,
        );
        await tx`select 1 / 0`.catch(() => {});
      })
      .catch(() => {});
  });
});

type Reply = {
  offset: number;
  was_recovering?: boolean;
  recovered?: boolean;
  publications?: { offset: number; data: { id: string } }[];
};

/** A connect command with a position of our own. */
async function connectAt(url: string, position: { epoch: string; offset: number }) {
  const { openRawConnection } = await import('../function/raw.ts');
  const raw = await openRawConnection(url);
  const t = await ticketSource(fixture.sql, org)();
  raw.send({ id: 1, connect: { data: { t }, subs: { 'markets:all': { recover: true, ...position } } } });
  const { subs } = (await raw.reply(1)).connect as { subs: Record<string, Reply> };
  return { reply: subs['markets:all'] ?? { offset: -1 }, raw };
}
