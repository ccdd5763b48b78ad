import { beforeEach, describe, expect, it } from 'vitest';
import { ReconnectingSocket, type SocketFactory } from '../../functions/_shared/reconnecting_socket.ts';
import { backoffDelay } from '../../functions/_shared/runtime.ts';
import type { VenueSocket } from '../../local/venue_simulator/core/venue.ts';
import { VirtualNetwork } from '../support/virtual_network.ts';
import { seededRandom, VirtualTime } from '../support/virtual_time.ts';

/** Guarantee: a connection that ended, was refused or is silent is noticed, and opened again. */

let time: VirtualTime;
let network: VirtualNetwork;
let startsAt: number;
/** What happened, each with its time since the start, ms. */
let events: [ms: number, what: string][];
const note = (what: string) => events.push([time.now() - startsAt, what]);
const timesOf = (what: string) => events.flatMap(([ms, one]) => (one === what ? [ms] : []));

beforeEach(() => {
  time = new VirtualTime();
  network = new VirtualNetwork();
  startsAt = time.now();
  events = [];
});

type Server = {
  /** Called with each connection. */
  accept?(socket: VenueSocket): void;
  /** The status line of a refused handshake. */
  refusal?: string;
  answersPings?: boolean;
};

function listen({ accept = () => {}, refusal, answersPings = true }: Server = {}): void {
  network.listen('venue.test', {
    respond: async () => 'cut',
    refusal() {
      note('handshake');
      return refusal ?? null;
    },
    connect(socket) {
      accept(socket);
      return {
        command(text) {
          note(text);
          if (answersPings) socket.send('PONG');
        },
        close() {},
      };
    },
  });
}

function start(make: SocketFactory = network.openSocket): ReconnectingSocket {
  const { now, sleep, random } = time;
  const runtime = { fetch: network.fetch, now, sleep, random, marketNow: now, log() {} };
  const socket = new ReconnectingSocket({
    url: 'ws://venue.test/',
    make,
    runtime,
    on: {
      open: () => note('open'),
      message: () => {},
      down: (why, lastAlive) => note(`${why} since ${lastAlive === null ? 'ever' : lastAlive - startsAt}`),
      refused: (status) => note(`refused ${status}`),
      ping: () => 'PING',
    },
  });
  socket.start();
  return socket;
}

/** The first waits of a run, each at most twice the one before it and 15 s. */
const waits = (attempts: readonly number[]) => {
  const random = seededRandom('jitter');
  return attempts.map((attempt) => backoffDelay(attempt, 200, 15_000, random));
};

describe('socket that reconnects', () => {
  it('sends a ping every ten seconds, and keeps a connection that answers them', async () => {
    listen();
    const socket = start();
    await time.advance(305_000);
    expect(timesOf('PING')).toEqual(Array.from({ length: 30 }, (_, at) => (at + 1) * 10_000));
    expect(timesOf('open')).toEqual([0]);
    await time.run(socket.stop());
    expect(events.filter(([, what]) => what.startsWith('feed.'))).toEqual([]);
  });

  it('ends a connection that has been silent for more than 15 s, and knows since when', async () => {
    // The second connection sends one message after seven seconds.
    let count = 0;
    listen({
      answersPings: false,
      accept(socket) {
        count += 1;
        if (count === 2) time.after(7_000, () => socket.send('hello'));
      },
    });
    const socket = start();
    await time.until(() => count === 3);
    const [second = 0, third = 0] = timesOf('open').slice(1);
    const [firstWait = 0, secondWait = 0] = waits([0, 1]);
    // Looked at once a second.
    expect(second).toBe(16_000 + firstWait);
    expect(third - second).toBe(23_000 + secondWait);
    expect(events.filter(([, what]) => what.startsWith('feed.'))).toEqual([
      [16_000, 'feed.silent since 0'],
      [second + 23_000, `feed.silent since ${second + 7_000}`],
    ]);
    await time.run(socket.stop());
  });

  it('waits longer after each refused handshake, and for 15 s at most', async () => {
    listen({ refusal: '503 Service Unavailable' });
    const socket = start();
    await time.until(() => timesOf('handshake').length === 12);
    const handshakes = timesOf('handshake');
    const between = handshakes.slice(1).map((ms, at) => ms - (handshakes[at] ?? 0));
    expect(between).toEqual(waits([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]));
    for (const [at, ms] of between.entries()) {
      const most = Math.min(15_000, 200 * 2 ** at);
      expect(ms).toBeGreaterThanOrEqual(most / 2);
      expect(ms).toBeLessThanOrEqual(most);
    }
    expect(timesOf('refused 503')).toEqual(handshakes);
    expect(timesOf('feed.disconnected since ever')).toEqual(handshakes);
    await time.run(socket.stop());
  });

  it('begins with the shortest wait again after a connection of more than 30 s, and not of 30 s', async () => {
    const lengths = [1_000, 30_000, 30_001];
    listen({
      accept(socket) {
        const length = lengths.shift();
        if (length !== undefined) time.after(length, () => socket.terminate());
      },
    });
    const socket = start();
    await time.until(() => timesOf('open').length === 4);
    const opened = timesOf('open');
    const ended = events.flatMap(([ms, what]) => (what.startsWith('feed.disconnected') ? [ms] : []));
    expect(opened.slice(1).map((ms, at) => ms - (ended[at] ?? 0))).toEqual(waits([0, 1, 0]));
    await time.run(socket.stop());
  });

  it('ends an attempt whose handshake has no answer for more than ten seconds', async () => {
    let closed = 0;
    const socket = start((_url, _headers, on) => ({
      send() {},
      close() {
        closed += 1;
        on.close('1006');
      },
    }));
    await time.until(() => closed === 2);
    const [first = 0] = waits([0]);
    expect(events).toEqual([
      [11_000, 'feed.disconnected since ever'],
      [22_000 + first, 'feed.disconnected since ever'],
    ]);
    await time.run(socket.stop());
  });

  it('stops at once, also while it waits for the next attempt', async () => {
    listen({ refusal: '503 Service Unavailable' });
    const socket = start();
    await time.until(() => timesOf('handshake').length === 8);
    await time.advance(100);
    const before = time.now();
    await time.run(socket.stop());
    expect(time.now()).toBe(before);
    await time.advance(60_000);
    expect(timesOf('handshake')).toHaveLength(8);
  });
});
