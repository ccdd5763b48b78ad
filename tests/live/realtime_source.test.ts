import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type RealtimeClient, RealtimeSource } from '../../dashboard/src/live/realtime_source.ts';

type Said = (status: string, error?: Error) => void;

/** A Realtime client of one socket, without the socket: what the server would say, the test says. */
class Client {
  readonly joined: { topic: string; private: boolean; said: Said; heard: (message: unknown) => void }[] = [];
  removed = 0;

  channel(topic: string, { config }: { config: { private: boolean } }) {
    const channel = { topic, private: config.private, said: (() => {}) as Said, heard: (_: unknown) => {} };
    this.joined.push(channel);
    return {
      on: (_type: string, _filter: object, heard: (message: unknown) => void) => {
        channel.heard = heard;
      },
      subscribe: (said: Said) => {
        channel.said = said;
      },
    };
  }

  async removeChannel() {
    this.removed++;
    // As the library does: leaving a channel is told to its own callback as well.
    this.last.said('CLOSED');
  }

  get last() {
    const last = this.joined.at(-1);
    if (!last) throw new Error('nothing was joined');
    return last;
  }
}

let client: Client;
let told: string[];
let heard: unknown[];
let stop: () => void;
beforeEach(() => {
  vi.useFakeTimers();
  client = new Client();
  told = [];
  heard = [];
  stop = new RealtimeSource(client as unknown as RealtimeClient).subscribe('markets:all', {
    onBroadcast: (message) => heard.push(message),
    onStatus: (hearing, why) => told.push(why ? `${hearing}: ${why}` : hearing),
  });
});
afterEach(() => {
  vi.useRealTimers();
});

test('joins the private topic of the channel and hands on what is broadcast there', () => {
  expect(client.joined.map(({ topic, private: hidden }) => [topic, hidden])).toEqual([['markets:all', true]]);
  client.last.said('SUBSCRIBED');
  client.last.heard({ event: 'frames', payload: { offset: 1 } });
  expect(told).toEqual(['connecting', 'subscribed']);
  expect(heard).toEqual([{ offset: 1 }]);
});

test('a channel that the server has closed is joined again, ever more slowly: the library would not', () => {
  client.last.said('SUBSCRIBED');
  const waits = [1, 2, 5, 10, 10];
  for (const [turn, seconds] of waits.entries()) {
    client.last.said('CLOSED');
    vi.advanceTimersByTime(seconds * 1000 - 1);
    expect(client.joined).toHaveLength(turn + 1);
    vi.advanceTimersByTime(1);
    expect(client.joined).toHaveLength(turn + 2);
  }
  expect(client.removed).toBe(waits.length);
  client.last.said('SUBSCRIBED');
  client.last.said('CLOSED');
  vi.advanceTimersByTime(1000);
  expect(client.joined).toHaveLength(waits.length + 2);
});

test('tells a refusal from a network that is gone: the one is about the plan, the other passes', () => {
  client.last.said(
    'CHANNEL_ERROR',
    new Error('Unauthorized: You do not have permissions to read from this Channel topic'),
  );
  client.last.said('CHANNEL_ERROR', new Error('socket closed: 1006'));
  client.last.said('TIMED_OUT');
  expect(told.map((words) => words.split(':')[0])).toEqual(['connecting', 'denied', 'lost', 'lost']);
});

test('the library joins again by itself when the socket is back, and each time is told', () => {
  client.last.said('SUBSCRIBED');
  client.last.said('CHANNEL_ERROR', new Error('transport failure'));
  client.last.said('SUBSCRIBED');
  expect(told.filter((word) => word === 'subscribed')).toHaveLength(2);
  expect(client.joined).toHaveLength(1);
});

test('what an earlier channel still says is of no account, and stopped means silent', () => {
  const first = client.last;
  first.said('SUBSCRIBED');
  first.said('CLOSED');
  vi.advanceTimersByTime(1000);
  first.heard({ payload: 'late' });
  first.said('SUBSCRIBED');
  expect(heard).toEqual([]);
  expect(told).toEqual(['connecting', 'subscribed', 'lost', 'connecting']);
  stop();
  client.last.said('SUBSCRIBED');
  client.last.heard({ payload: 'late' });
  vi.advanceTimersByTime(60_000);
  expect(told).toHaveLength(4);
  expect(heard).toEqual([]);
  expect(client.joined).toHaveLength(2);
});
