import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type RealtimeClient, RealtimeSource } from '../../dashboard/src/live/realtime_source.ts';

type StatusCallback = (status: string, error?: Error) => void;

/**
 * A Realtime client without a socket: the test sends the status changes and messages of the server.
 */
class Client {
  readonly joined: {
    topic: string;
    private: boolean;
    onStatus: StatusCallback;
    onBroadcast: (message: unknown) => void;
  }[] = [];
  removed = 0;

  channel(topic: string, { config }: { config: { private: boolean } }) {
    const channel = {
      topic,
      private: config.private,
      onStatus: (() => {}) as StatusCallback,
      onBroadcast: (_: unknown) => {},
    };
    this.joined.push(channel);
    return {
      on: (_type: string, _filter: object, onBroadcast: (message: unknown) => void) => {
        channel.onBroadcast = onBroadcast;
      },
      subscribe: (onStatus: StatusCallback) => {
        channel.onStatus = onStatus;
      },
    };
  }

  async removeChannel() {
    this.removed++;
    // The library also calls the channel's own callback when the channel is removed.
    this.last.onStatus('CLOSED');
  }

  get last() {
    const last = this.joined.at(-1);
    if (!last) throw new Error('No channel was joined');
    return last;
  }
}

let client: Client;
let statuses: string[];
let received: unknown[];
let stop: () => void;
beforeEach(() => {
  vi.useFakeTimers();
  client = new Client();
  statuses = [];
  received = [];
  stop = new RealtimeSource(client as unknown as RealtimeClient).subscribe('markets:all', {
    onBroadcast: (message) => received.push(message),
    onStatus: (status, error) => statuses.push(error ? `${status}: ${error}` : status),
  });
});
afterEach(() => {
  vi.useRealTimers();
});

test('RealtimeSource joins the private topic of the channel and delivers its broadcasts', () => {
  expect(client.joined.map(({ topic, private: hidden }) => [topic, hidden])).toEqual([['markets:all', true]]);
  client.last.onStatus('SUBSCRIBED');
  client.last.onBroadcast({ event: 'frames', payload: { offset: 1 } });
  expect(statuses).toEqual(['connecting', 'subscribed']);
  expect(received).toEqual([{ offset: 1 }]);
});

test('RealtimeSource rejoins a channel that the server closed, with growing delays', () => {
  client.last.onStatus('SUBSCRIBED');
  const waits = [1, 2, 5, 10, 10];
  for (const [turn, seconds] of waits.entries()) {
    client.last.onStatus('CLOSED');
    vi.advanceTimersByTime(seconds * 1000 - 1);
    expect(client.joined).toHaveLength(turn + 1);
    vi.advanceTimersByTime(1);
    expect(client.joined).toHaveLength(turn + 2);
  }
  expect(client.removed).toBe(waits.length);
  client.last.onStatus('SUBSCRIBED');
  client.last.onStatus('CLOSED');
  vi.advanceTimersByTime(1000);
  expect(client.joined).toHaveLength(waits.length + 2);
});

test('RealtimeSource reports a permission error as denied and a network error as lost', () => {
  client.last.onStatus(
    'CHANNEL_ERROR',
    new Error('Unauthorized: You do not have permissions to read from this Channel topic'),
  );
  client.last.onStatus('CHANNEL_ERROR', new Error('socket closed: 1006'));
  client.last.onStatus('TIMED_OUT');
  expect(statuses.map((words) => words.split(':')[0])).toEqual(['connecting', 'denied', 'lost', 'lost']);
});

test('RealtimeSource reports every rejoin of the library as subscribed', () => {
  client.last.onStatus('SUBSCRIBED');
  client.last.onStatus('CHANNEL_ERROR', new Error('transport failure'));
  client.last.onStatus('SUBSCRIBED');
  expect(statuses.filter((word) => word === 'subscribed')).toHaveLength(2);
  expect(client.joined).toHaveLength(1);
});

test('RealtimeSource ignores events of a replaced channel, and reports nothing after it is stopped', () => {
  const first = client.last;
  first.onStatus('SUBSCRIBED');
  first.onStatus('CLOSED');
  vi.advanceTimersByTime(1000);
  first.onBroadcast({ payload: 'late' });
  first.onStatus('SUBSCRIBED');
  expect(received).toEqual([]);
  expect(statuses).toEqual(['connecting', 'subscribed', 'lost', 'connecting']);
  stop();
  client.last.onStatus('SUBSCRIBED');
  client.last.onBroadcast({ payload: 'late' });
  vi.advanceTimersByTime(60_000);
  expect(statuses).toHaveLength(4);
  expect(received).toEqual([]);
  expect(client.joined).toHaveLength(2);
});
