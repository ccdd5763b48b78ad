import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { clientAddress } from '../../../functions/stream/client_address.ts';
import type { Connection } from '../../../functions/stream/connection.ts';
import { ConnectionLeases } from '../../../functions/stream/connection_leases.ts';
import { Drain } from '../../../functions/stream/drain.ts';
import { LogPageCache } from '../../../functions/stream/log_page_cache.ts';
import { LogReader } from '../../../functions/stream/log_reader.ts';
import type { ChannelPosition, RenewedConnections, StreamQueries } from '../../../functions/stream/queries.ts';
import { FakeLog, framesFrom } from './fake_log.ts';

/**
 * Guarantee: an isolate keeps the leases of its connections, gives slots back, follows plans, and
 * hands its clients over, each time and not only the first time.
 */

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** A connection as the leases and the drain use it, and what was done to it. */
function clientOf(id: string, orgId: string | null = 'org', channels: string[] = []) {
  const done: string[] = [];
  const has = new Set(channels);
  return {
    ...{ id, orgId, done, isEnded: false, isConnected: orgId !== null },
    get channels() {
      return has.values();
    },
    changeChannels(without: readonly string[], added: readonly ChannelPosition[]) {
      for (const name of without) has.delete(name);
      for (const { channel } of added) has.add(channel);
      done.push(`-${without.join(' ')} +${added.map(({ channel, offset }) => `${channel}@${offset}`).join(' ')}`);
    },
    end(reason: string) {
      this.isEnded = true;
      this.isConnected = false;
      done.push(reason);
    },
  };
}
type Client = ReturnType<typeof clientOf>;
const connections = (clients: Client[]) => clients as unknown as Connection[];

function leasesOf(clients: Client[], renewed: () => RenewedConnections | Error, top = 0) {
  const log = new FakeLog();
  log.top = top;
  const reader = new LogReader({ publicationLog: log, log: () => {}, onReset: () => {} });
  const asked: string[][] = [];
  const closed: string[][] = [];
  const faults = { closeFails: false };
  const leases = new ConnectionLeases({
    queries: {
      async renewConnections(ids: readonly string[]) {
        asked.push([...ids]);
        const answer = renewed();
        if (answer instanceof Error) throw answer;
        return answer;
      },
      async closeConnections(ids: readonly string[]) {
        closed.push([...ids]);
        if (faults.closeFails) throw new Error('cut');
      },
      channelPositions: (names: readonly string[]) => log.channelPositions(names),
    } as unknown as StreamQueries,
    reader,
    connections: () => connections(clients),
    recheckMs: 20_000,
    log: () => {},
  });
  const stop = () => {
    leases.stop();
    reader.stop();
  };
  return { leases, reader, asked, closed, stop, faults };
}
const allowed = (refused: Record<string, string | null>, orgs: Record<string, string[]> = {}) =>
  ({
    connections: Object.entries(refused).map(([id, why]) => ({ id, org_id: 'org', refused: why })),
    orgs,
  }) as unknown as RenewedConnections;

describe('the leases of connections', () => {
  test('are renewed every time, for connected clients only, and end the clients that lost theirs', async () => {
    const [one, capped, lost, strange] = [clientOf('1'), clientOf('2'), clientOf('3'), clientOf('4', null)];
    const { asked, stop } = leasesOf([one, capped, lost, strange], () => allowed({ 1: null, 2: 'cap' }));
    await vi.advanceTimersByTimeAsync(19_999);
    expect(asked).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(asked).toEqual([['1', '2', '3']]);
    expect([one.done, capped.done, lost.done, strange.done]).toEqual([[], ['cap'], ['lease'], []]);
    await vi.advanceTimersByTimeAsync(20_000);
    expect(asked.slice(1)).toEqual([['1']]);
    stop();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(asked).toHaveLength(2);
  });

  test('are renewed again after a failure, which ends no client', async () => {
    const one = clientOf('1');
    let fails = true;
    const { asked, stop } = leasesOf([one], () => (fails ? new Error('cut') : allowed({ 1: null })));
    await vi.advanceTimersByTimeAsync(20_000);
    fails = false;
    await vi.advanceTimersByTimeAsync(20_000);
    expect([asked.length, one.done]).toEqual([2, []]);
    stop();
  });

  test('change the channels of each client to those of its organization, and nothing where they are the same', async () => {
    const [one, other] = [clientOf('1', 'a', ['sample', 'status']), clientOf('2', 'b', ['status'])];
    let orgs: Record<string, string[]> = { a: ['status', 'markets:all'], b: ['status'] };
    const { stop } = leasesOf([one, other], () => allowed({ 1: null, 2: null }, orgs), 70);
    await vi.advanceTimersByTimeAsync(20_000);
    expect([one.done, other.done]).toEqual([['-sample +markets:all@70'], []]);
    orgs = { a: ['status'], b: ['status', 'sample', 'markets:all'] };
    await vi.advanceTimersByTimeAsync(20_000);
    expect([one.done[1], other.done[0]]).toEqual(['-markets:all +', '- +sample@70 markets:all@70']);
    stop();
  });

  test('are renewed soon after a frame about the plan or a key, once for several, and for no other frame', async () => {
    const { leases, reader, asked, stop } = leasesOf([clientOf('1')], () => allowed({ 1: null }));
    const position = { channel: 'org:a', epoch: 'one', offset: 0 };
    leases.watchPlan([position, { channel: 'status', epoch: 'one', offset: 0 }]);
    const channel = reader.channel(position);
    channel.take(1, ['{"type":"quota"}', '{"type":"webhook","was":"plan"}']);
    reader.channel({ channel: 'status', epoch: 'one', offset: 0 }).take(1, ['{"type":"plan"}']);
    await vi.advanceTimersByTimeAsync(5_000);
    expect(asked).toHaveLength(0);
    channel.take(3, ['{"type":"plan"}']);
    channel.take(4, ['{"type": "key"}']);
    await vi.advanceTimersByTimeAsync(199);
    expect(asked).toHaveLength(0);
    await vi.advanceTimersByTimeAsync(1);
    expect(asked).toHaveLength(1);
    channel.take(5, ['{"type":"key"}']);
    await vi.advanceTimersByTimeAsync(200);
    expect(asked).toHaveLength(2);
    stop();
  });

  test('are released together within a moment, and count until the database has them', async () => {
    const { leases, closed, stop } = leasesOf([], () => allowed({}));
    leases.releaseSlot('1');
    await vi.advanceTimersByTimeAsync(10);
    leases.releaseSlot('2');
    expect([leases.releasing, closed]).toEqual([2, []]);
    await vi.advanceTimersByTimeAsync(10);
    expect([leases.releasing, closed]).toEqual([0, [['1', '2']]]);
    leases.releaseSlot('3');
    await leases.releaseSlots(['4']);
    expect([leases.releasing, closed.slice(1)]).toEqual([0, [['3', '4']]]);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(closed).toHaveLength(2);
    stop();
  });

  test('are not released again after a failure, and expire', async () => {
    const { leases, closed, stop, faults } = leasesOf([], () => allowed({}));
    faults.closeFails = true;
    await leases.releaseSlots(['1']);
    await leases.releaseSlots(['2']);
    expect([leases.releasing, closed]).toEqual([0, [['1'], ['2']]]);
    stop();
  });
});

describe('a drain', () => {
  function drainOf(clients: Client[]) {
    const released: string[][] = [];
    const startedAt = Date.now();
    const ends: number[] = [];
    const admission = {
      all: () => connections(clients.filter(({ isEnded }) => !isEnded)),
      get size() {
        return clients.filter(({ isEnded }) => !isEnded).length;
      },
      closing: 0,
    };
    for (const client of clients) {
      const end = client.end.bind(client);
      client.end = (reason) => {
        // Its slot is free before the client can connect again.
        expect(client.orgId === null || released.flat().includes(client.id)).toBe(true);
        ends.push(Date.now() - startedAt);
        end(reason);
      };
    }
    const leases = {
      releaseSlots: async (ids: readonly string[]) => {
        released.push([...ids]);
      },
    };
    return { drain: new Drain(admission as never, leases as never), released, ends, admission };
  }

  test('spreads the ends over its time, and releases each slot first', async () => {
    const clients = Array.from({ length: 10 }, (_, n) => clientOf(`${n}`, n === 3 ? null : 'org'));
    const { drain, released, ends } = drainOf(clients);
    const done = drain.run(200);
    await vi.runAllTimersAsync();
    await done;
    expect(ends).toEqual([0, 0, 0, 50, 50, 50, 100, 100, 100, 150]);
    expect(released.flat()).toEqual(['0', '1', '2', '4', '5', '6', '7', '8', '9']);
    expect(new Set(clients.flatMap(({ done: how }) => how))).toEqual(new Set(['handover']));
  });

  test('ends all at once without a time, and the rest at once when it must', async () => {
    const at = (clients: number) => drainOf(Array.from({ length: clients }, (_, n) => clientOf(`${n}`)));
    const now = at(5);
    await now.drain.run(0);
    expect(now.ends).toEqual([0, 0, 0, 0, 0]);
    const soon = at(10);
    const done = soon.drain.run(500);
    await vi.advanceTimersByTimeAsync(60);
    soon.drain.endNow();
    await vi.runAllTimersAsync();
    await done;
    expect(soon.ends).toEqual([0, 50, ...Array.from({ length: 8 }, () => 100)]);
  });

  test('waits for the close frames of its clients, and not longer than a second', async () => {
    const { drain, admission } = drainOf([clientOf('1')]);
    admission.closing = 1;
    let isDone = false;
    void drain.run(0).then(() => {
      isDone = true;
    });
    await vi.advanceTimersByTimeAsync(300);
    expect(isDone).toBe(false);
    admission.closing = 0;
    await vi.advanceTimersByTimeAsync(10);
    expect(isDone).toBe(true);
    const stuck = drainOf([clientOf('1')]);
    stuck.admission.closing = 1;
    const done = stuck.drain.run(0);
    await vi.advanceTimersByTimeAsync(1_010);
    await done;
  });
});

describe('the page cache of the log', () => {
  test('reads a page once a second, each page by itself, and an empty page each time', async () => {
    const log = new FakeLog();
    log.top = 5;
    const pages = new LogPageCache(log);
    const read = (after: number, epoch = 'one', channel = 'a') => pages.readPublications(channel, epoch, after);
    expect((await read(0)).frames).toEqual(framesFrom(1, 5));
    await Promise.all([read(0), read(0), read(2), read(0, 'two'), read(0, 'one', 'b')]);
    expect(log.reads).toBe(4);
    await vi.advanceTimersByTimeAsync(999);
    await read(0);
    expect(log.reads).toBe(4);
    await vi.advanceTimersByTimeAsync(1);
    await read(0);
    expect(log.reads).toBe(5);
    // There were no frames after 5 a moment ago.
    await read(5);
    log.top = 6;
    expect((await read(5)).frames).toEqual(framesFrom(6, 6));
    expect(log.reads).toBe(7);
  });

  test('reads a page again that could not be read, and keeps 64', async () => {
    const log = new FakeLog();
    log.top = 1_000;
    const pages = new LogPageCache(log);
    const readPublications = log.readPublications.bind(log);
    log.readPublications = async () => {
      throw new Error('cut');
    };
    await expect(pages.readPublications('a', 'one', 0)).rejects.toThrow('cut');
    log.readPublications = readPublications;
    expect((await pages.readPublications('a', 'one', 0)).frames).toHaveLength(500);
    for (let after = 1; after < 64; after += 1) await pages.readPublications('a', 'one', after);
    for (let time = 0; time < 2; time += 1) await pages.readPublications('a', 'one', 64);
    await pages.readPublications('a', 'one', 63);
    // The 65th page is read each time.
    expect(log.reads).toBe(66);
  });
});

describe('the address of a client', () => {
  const of = (headers: Record<string, string>, header: string | null, peer: string | null) =>
    clientAddress(new Headers(headers), header, peer);
  test.each<[string, string | null, string | null]>([
    ['its peer without a header', of({ 'x-real-ip': '192.0.2.9' }, null, '192.0.2.1'), '192.0.2.1'],
    ['the header that is set', of({ 'x-real-ip': '192.0.2.9' }, 'x-real-ip', '192.0.2.1'), '192.0.2.9'],
    ['the last one of a list', of({ via: '10.0.0.1, 192.0.2.9 ,192.0.2.8' }, 'via', '192.0.2.1'), '192.0.2.8'],
    ['its peer where the header has none', of({ via: 'unknown' }, 'via', '192.0.2.1'), '192.0.2.1'],
    ['none where neither is known', of({}, 'via', null), null],
    ['64 bits of IPv6', of({}, null, '2001:db8:1:2:3:4:5:6'), '8193:3512:1:2'],
    ['IPv4 in IPv6', of({}, null, '::ffff:192.0.2.1'), '192.0.2.1'],
  ])('is %s', (_, found, expected) => {
    expect(found).toBe(expected);
  });
});

describe('the reader of the log', () => {
  /** How often the log is asked for positions within ten seconds. */
  async function checksOf(channel: string, options: { joined: boolean; subscribed: boolean; beaconMs?: number }) {
    const log = new FakeLog();
    const reader = new LogReader({ publicationLog: log, log: () => {}, onReset: () => {} });
    reader.useSource({ join: () => {}, leave: () => {}, isJoined: () => options.joined });
    const open = reader.channel({ channel, epoch: 'one', offset: 0 });
    if (options.subscribed) open.subscribers.add({ position: 0, push: () => {} });
    for (let ms = 0; ms < 10_000; ms += 50) {
      if (options.beaconMs !== undefined && ms % options.beaconMs === 0)
        reader.onBroadcast(channel, { channel, epoch: 'one', offset: 0 });
      await vi.advanceTimersByTimeAsync(50);
    }
    reader.stop();
    return log.positionReads;
  }

  test.each<[string, string, { joined: boolean; subscribed: boolean; beaconMs?: number }, number]>([
    ['ten times a second without Realtime', 'sample', { joined: false, subscribed: true }, 100],
    ['twice a second without a broadcast', 'sample', { joined: true, subscribed: true }, 20],
    ['every five seconds while beacons come', 'sample', { joined: true, subscribed: true, beaconMs: 5_000 }, 2],
    ['every five seconds without a subscriber', 'sample', { joined: false, subscribed: false }, 2],
    [
      'ten times a second for a channel without broadcasts',
      'quotes:all',
      { joined: true, subscribed: true, beaconMs: 5_000 },
      100,
    ],
    ['once a second for an organization', 'org:a', { joined: true, subscribed: true }, 10],
  ])('looks at the log %s', async (_, channel, options, checks) => {
    expect(await checksOf(channel, options)).toBe(checks);
  });
});
