import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePort } from '../../../local/platform/postgres/postgres.ts';
import { collect } from '../../soak/collector.ts';
import { waitUntil } from '../../support/wait_until.ts';
import { clientOf, connected, type Isolate, startWorld, ticketFor, type World } from './fixture.ts';
import { keyOf, ticketOf } from './minted.ts';
import { rawOf } from './raw.ts';

let world: World;
let isolate: Isolate;
let inspectPort: number;
beforeAll(async () => {
  world = await startWorld();
  inspectPort = await freePort();
  isolate = await world.isolate({ STREAM_RECHECK_SECONDS: '1' }, inspectPort);
}, 60_000);
afterAll(() => world.stop());

const setPlan = (org: string, tier: string, status = 'active') =>
  world.sql`select account.set_plan(${org}, ${tier}, ${status})`;

describe('a change of plan', () => {
  test('removes and adds channels without a new connection', async () => {
    const org = await keyOf(world.sql, 'pro');
    const client = await connected(clientOf(isolate.url, ticketFor(world.sql, org)));
    await setPlan(org.orgId, 'free');
    await waitUntil(() => client.unsubscribed.length >= 2, { what: 'channels are lost' });
    expect(client.unsubscribed.sort()).toEqual(['markets:all', 'quotes:all']);
    await waitUntil(() => client.subscribed.includes('sample'), { what: 'the sample is gained' });
    await world.say('markets:all', '{"type":"price","id":"secret"}');
    await world.say('sample', '{"type":"price","id":"shown"}');
    await waitUntil(() => client.heard('sample').offsets.length > 0, { what: 'the sample is heard' });
    expect(client.heard('markets:all').frames).toEqual([]);
    await setPlan(org.orgId, 'basic');
    await waitUntil(() => client.subscribed.filter((name) => name === 'markets:all').length > 1, {
      what: 'markets are back',
    });
    await world.say('markets:all', '{"type":"price","id":"again"}');
    await waitUntil(() => client.heard('markets:all').frames.at(-1)?.id === 'again', { what: 'they are heard' });
    expect(client.ends).toEqual([]);
    client.centrifuge.disconnect();
  });

  test('is noticed by the timer alone when no frame announces it', async () => {
    const org = await keyOf(world.sql, 'basic');
    const client = await connected(clientOf(isolate.url, ticketFor(world.sql, org)));
    await world.sql`update account.subscriptions set tier = 'free' where org_id = ${org.orgId}`;
    await waitUntil(() => client.unsubscribed.includes('markets:all'), { what: 'it is lost' });
    client.centrifuge.disconnect();
  });

  test('closes the newest connections with 4429 when the plan allows fewer', async () => {
    const org = await keyOf(world.sql, 'basic');
    const first = await connected(clientOf(isolate.url, ticketFor(world.sql, org)));
    const second = await rawOf(isolate.url);
    second.send({ id: 1, connect: { data: { t: (await ticketOf(world.sql, org)).ticket } } });
    await second.reply(1);
    await setPlan(org.orgId, 'free');
    expect((await second.over()).code).toBe(4429);
    expect(first.ends).toEqual([]);
    first.centrifuge.disconnect();
  });

  test('adds a new channel of candidates to connected clients', async () => {
    const org = await keyOf(world.sql, 'pro');
    const client = await connected(clientOf(isolate.url, ticketFor(world.sql, org)));
    await world.say('candidates:curling', '{"type":"market","id":"first"}');
    await waitUntil(() => client.subscribed.includes('candidates:curling'), { what: 'it is there' });
    await world.say('candidates:curling', '{"type":"price","id":"second"}');
    await waitUntil(() => client.heard('candidates:curling').frames.at(-1)?.id === 'second', { what: 'it is heard' });
    client.centrifuge.disconnect();
  });
});

describe('the permanent end of a connection', () => {
  test.each([
    ['an inactive plan', (org: string) => setPlan(org, 'pro', 'inactive')],
    [
      'a revoked key',
      (org: string) => world.sql`update account.keys set revoked_at = clock_timestamp() where org_id = ${org}`,
    ],
  ])('closes with 4503 for %s, and the SDK does not reconnect', async (_, spoil) => {
    const org = await keyOf(world.sql, 'pro');
    const client = await connected(clientOf(isolate.url, ticketFor(world.sql, org)));
    await spoil(org.orgId);
    await waitUntil(() => client.ends.length > 0, { what: 'the end' });
    expect(client.ends).toEqual([{ code: 4503, reason: expect.stringMatching(/\w{3}.*\./) }]);
    expect(client.centrifuge.state).toBe('disconnected');
    await waitUntil(
      async () => (await world.sql`select from stream.connections where org_id = ${org.orgId}`).length === 0,
      { what: 'the slot is free' },
    );
  });

  test('lets a client of a deleted organization reconnect once, and rejects it then', async () => {
    const org = await keyOf(world.sql, 'pro');
    const client = clientOf(isolate.url, async () => ticket);
    let { ticket } = await ticketOf(world.sql, org);
    await connected(client);
    ticket = 'st_none';
    await world.sql`delete from account.organizations where org_id = ${org.orgId}`;
    await waitUntil(() => client.closes.includes(4401), { what: 'the refusal' });
    expect(client.ends[0]?.code).toBe(3001);
    client.centrifuge.disconnect();
  });
});

describe('the limit of connections', () => {
  test('closes one connection too many with 4429 over two isolates, and admits it when another has closed', async () => {
    const org = await keyOf(world.sql, 'free');
    const other = await world.isolate();
    const first = await connected(clientOf(isolate.url, ticketFor(world.sql, org)));
    const second = clientOf(other.url, ticketFor(world.sql, org));
    second.centrifuge.connect();
    await waitUntil(() => second.closes.includes(4429), { what: 'it is refused' });
    first.centrifuge.disconnect();
    await second.centrifuge.ready(10_000);
    second.centrifuge.disconnect();
    await other.kill();
  });

  test('frees the connections of a killed isolate after their lease', async () => {
    const org = await keyOf(world.sql, 'free');
    const other = await world.isolate();
    const client = await connected(clientOf(other.url, ticketFor(world.sql, org)));
    await other.kill('SIGKILL');
    client.centrifuge.disconnect();
    const next = clientOf(isolate.url, ticketFor(world.sql, org));
    next.centrifuge.connect();
    await waitUntil(() => next.closes.includes(4429), { what: 'it is refused' });
    // 40 seconds later.
    await world.sql`update stream.connections set lease_until = clock_timestamp() where org_id = ${org.orgId}`;
    await next.centrifuge.ready(10_000);
    next.centrifuge.disconnect();
  });
});

describe('the handover of connections', () => {
  test('sends every client elsewhere with 3001 on SIGTERM, frees the slots, and loses no frame', async () => {
    const org = await keyOf(world.sql, 'free');
    const leaving = await world.isolate();
    let url = leaving.url;
    const client = await connected(clientOf(() => url, ticketFor(world.sql, org)));
    const heard = client.heard('sample');
    await world.say('sample', '{"type":"price","id":"before"}');
    await waitUntil(() => heard.frames.at(-1)?.id === 'before', { what: 'the first' });
    url = isolate.url;
    const gone = leaving.kill('SIGTERM');
    await world.say('sample', '{"type":"price","id":"meanwhile"}');
    await gone;
    await world.say('sample', '{"type":"price","id":"after"}');
    await waitUntil(() => heard.frames.at(-1)?.id === 'after', { what: 'the last' });
    expect(client.ends.map(({ code }) => code)).toContain(3001);
    // A free organization has one connection: had its slot not been freed, it would have been refused.
    expect(client.closes).not.toContain(4429);
    expect(heard.frames.slice(-3).map((frame) => frame.id)).toEqual(['before', 'meanwhile', 'after']);
    client.centrifuge.disconnect();
  });
});

describe('a client that does not read', () => {
  /** MB, its garbage collected: what a busy process has not tidied up yet is no growth. */
  const rss = async () => {
    expect(await collect({ stream: inspectPort })).toHaveLength(1);
    return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${isolate.pid}/status`, 'utf8'))?.[1]) / 1024;
  };

  test('is closed with 3008 while the others continue, and the memory of the process stays flat', async () => {
    const org = await keyOf(world.sql, 'basic');
    const other = await connected(clientOf(isolate.url, ticketFor(world.sql, await keyOf(world.sql, 'basic'))));
    const slow = await rawOf(isolate.url);
    slow.send({ id: 1, connect: { data: { t: (await ticketOf(world.sql, org)).ticket } } });
    await slow.reply(1);
    slow.socket.pause();
    const before = await rss();
    const text = 'x'.repeat(1_000);
    let said = 0;
    // Kernels buffer some megabytes for a socket; then it is the process that would.
    const connections = () => world.sql`select from stream.connections where org_id = ${org.orgId}`;
    const heard = other.heard('markets:all');
    // As fast as the other reads: on a busy machine it must not be the slow one.
    const say = async () => {
      await world.say('markets:all', ...Array.from({ length: 500 }, () => `{"type":"price","id":"${text}"}`));
      said += 500;
      await waitUntil(() => heard.offsets.length >= said - 2_000, { what: 'the other keeps up', timeoutMs: 60_000 });
    };
    const isCut = async () => {
      if ((await connections()).length === 0) return true;
      await say();
      return false;
    };
    await waitUntil(isCut, { what: 'the slow one is cut', timeoutMs: 60_000, everyMs: 0 });
    const cutAfter = said;
    for (let n = 0; n < 20; n += 1) await say();
    await waitUntil(() => heard.offsets.length >= said, { what: 'the other has heard all', timeoutMs: 60_000 });
    expect(other.ends).toEqual([]);
    // Ten megabytes were said after the cut: they are nobody's memory. The rest is what a process under such a load has, read or not.
    expect((await rss()) - before).toBeLessThan(120);
    slow.socket.resume();
    expect(await slow.over()).toEqual({ code: 3008, reason: expect.stringMatching(/slowly/) });
    expect(slow.got.length).toBeLessThan(cutAfter + 10);
    other.centrifuge.disconnect();
  }, 120_000);

  test('is not mistaken for a slow reader: a burst of thirty megabytes waits for it in the log', async () => {
    const client = await connected(clientOf(isolate.url, ticketFor(world.sql, await keyOf(world.sql, 'basic'))));
    const heard = client.heard('markets:all');
    const before = await rss();
    await world.sql`
      select stream.append_publication('markets:all', array(
        select '{"type":"market","id":"' || n || '","text":"' || repeat('x', 2000) || '"}' from generate_series(1, 15000) n
      ))`;
    await world.sql`select stream.broadcast_pending()`;
    await waitUntil(() => heard.offsets.length >= 15_000, { what: 'all of it', timeoutMs: 60_000 });
    expect(heard.frames.map((frame) => Number(frame.id))).toEqual(Array.from({ length: 15_000 }, (_, n) => n + 1));
    expect(client.ends).toEqual([]);
    expect((await rss()) - before).toBeLessThan(120);
    client.centrifuge.disconnect();
  }, 120_000);
});
