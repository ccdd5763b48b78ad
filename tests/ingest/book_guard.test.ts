import { describe, expect, it } from 'vitest';
import { ReconnectingSocket } from '../../functions/_shared/reconnecting_socket.ts';
import { LagEstimator } from '../../functions/ingest/books/lag_estimator.ts';
import { LagGuard } from '../../functions/ingest/books/lag_guard.ts';
import { PostOnlyTimer } from '../../functions/ingest/venue_b/post_only_timer.ts';
import { VenueBStream } from '../../functions/ingest/venue_b/stream.ts';
import { waitUntil } from '../support/wait_until.ts';
import { book, createBookStore } from './book_store_fixtures.ts';
import { recordingRuntime } from './runtime.ts';

/**
 * Guarantee: a book is valid only while no reason against it exists, and each reason ends without
 * ending another.
 */

describe('book guard', () => {
  it('updates books during a suspension and makes them valid without a new snapshot when it ends', () => {
    const { store, guard, invalidReason } = createBookStore(['X', 'Y']);
    guard.replace('X', book(400_000, 450_000), 1);
    guard.replace('Y', book(400_000, 450_000), 1);
    guard.suspend('venue.paused', 2);
    expect([invalidReason('X'), invalidReason('Y')]).toEqual(['venue.paused', 'venue.paused']);
    expect(guard.replace('X', book(410_000, 460_000), 3)).toBe(true);
    guard.invalidate('Y', 'book.gap', 3);
    expect(guard.resume('venue.paused', 4)).toEqual([]);
    expect([invalidReason('X'), invalidReason('Y')]).toEqual([null, 'book.gap']);
    expect(store.get('X')?.book?.ask?.price).toBe(460_000);
  });

  it('does not move the read time of a book when a suspension ends', () => {
    const { store, guard } = createBookStore(['X', 'Y']);
    guard.replace('X', book(400_000, 450_000), 1);
    guard.replace('Y', book(400_000, 450_000), 1);
    guard.suspend('venue.paused', 2);
    guard.replace('X', book(410_000, 460_000), 3);
    guard.resume('venue.paused', 9);
    expect([store.get('X')?.readAt, store.get('Y')?.readAt]).toEqual([3, 1]);
  });

  it('keeps the other suspensions when one ends, and publishes the most severe reason', () => {
    const { guard, invalidReason } = createBookStore(['X']);
    guard.replace('X', book(400_000, 450_000), 1);
    guard.suspend('feed.late', 2);
    guard.suspend('venue.post_only', 3);
    expect(invalidReason('X')).toBe('venue.post_only');
    guard.quarantine('X', 'feed.frozen', 4);
    guard.resume('venue.post_only', 5);
    expect(invalidReason('X')).toBe('feed.late');
    guard.resume('feed.late', 6);
    expect(invalidReason('X')).toBe('feed.frozen');
    guard.readmit('X', 7);
    expect(invalidReason('X')).toBeNull();
  });

  it('returns a book that became crossed during a suspension and keeps it invalid', () => {
    const { guard, invalidReason } = createBookStore(['X']);
    guard.suspend('feed.late', 1);
    guard.replace('X', book(460_000, 450_000), 2);
    expect(guard.resume('feed.late', 3)).toEqual(['X']);
    expect(invalidReason('X')).toBe('book.crossed');
  });

  it('does not invalidate a book without data during a provisional suspension', () => {
    const { store, guard, changes } = createBookStore(['X']);
    guard.suspend('book.scale', 1, true);
    guard.replace('X', book(400_000, 450_000), 2);
    expect([store.get('X')?.hasData, changes]).toEqual([false, []]);
    guard.suspend('book.scale', 3);
    expect([store.get('X')?.hasData, changes]).toEqual([true, ['book.scale']]);
  });
});

describe('reconnecting socket', () => {
  it('reports a silent connection with the time of its last sign of life', async () => {
    const down: (string | number | null)[] = [];
    const socket = new ReconnectingSocket({
      url: 'ws://venue.test',
      make: (_url, _headers, on) => {
        setTimeout(() => on.open(), 1);
        return { send() {}, close() {} };
      },
      runtime: { ...recordingRuntime(), marketNow: () => 77 },
      on: { open() {}, message() {}, down: (why, lastAlive) => down.push(why, lastAlive), ping: () => 'PING' },
      pingMs: 20,
      silentMs: 100,
    });
    socket.start();
    await waitUntil(() => down.length > 0, { what: 'the report of the silent socket' });
    await socket.stop();
    expect(down.slice(0, 2)).toEqual(['feed.silent', 77]);
  });
});

describe('lag estimator', () => {
  const segment = { real_from: 0, market_from: 0, rate: 1 };
  it.each([
    ['none', 0],
    ['a clock behind by an hour', 3_600_000],
    ['a clock ahead by an hour', -3_600_000],
  ])('treats a constant offset as skew and 5 s above the usual offset as late (%s)', (_what, skew) => {
    const lag = new LagEstimator();
    expect(lag.observe(1_000, 1_170 + skew, segment)).toBe(false);
    expect(lag.observe(2_000, 6_900 + skew, segment)).toBe(false);
    expect(lag.observe(3_000, 8_300 + skew, segment)).toBe(true);
    // Half of the limit is not yet on time.
    expect(lag.observe(4_000, 8_000 + skew, segment)).toBe(true);
    expect(lag.observe(8_000, 8_200 + skew, segment)).toBe(false);
  });

  it('is late above five seconds and on time again at half of them, each bound included', () => {
    const lag = new LagEstimator();
    expect([lag.usualOffset, lag.onTimeAt]).toEqual([null, null]);
    lag.observe(1_000, 1_100, segment);
    expect(lag.observe(2_000, 7_100, segment), 'exactly 5 s').toBe(false);
    expect(lag.observe(3_000, 8_101, segment), '5.001 s').toBe(true);
    expect([lag.usualOffset, lag.onTimeAt]).toEqual([100, 7_100]);
    expect(lag.observe(6_000, 8_601, segment), '2.501 s').toBe(true);
    expect(lag.observe(6_200, 8_800, segment), 'exactly 2.5 s').toBe(false);
    expect(lag.onTimeAt).toBe(8_800);
    // Late again: the second time is as the first.
    expect([lag.observe(6_300, 11_501, segment), lag.onTimeAt]).toEqual([true, 8_800]);
    // A message without a timestamp, or with none that is a number, changes nothing.
    expect([lag.observe(undefined, 11_600, segment), lag.observe(Number.NaN, 11_700, segment)]).toEqual([true, true]);
    lag.reset(20_000, segment);
    expect([lag.usualOffset, lag.isLate]).toEqual([null, false]);
  });

  it('takes the shortest offset of the last five to ten minutes, so that clocks may drift', () => {
    const lag = new LagEstimator();
    /** A message that was received at this time, so much after its timestamp. */
    const at = (ms: number, offset: number) => lag.observe(ms - offset, ms, segment);
    const usual = (ms: number, offset: number) => {
      at(ms, offset);
      return lag.usualOffset;
    };
    expect(usual(0, 100)).toBe(100);
    expect([usual(200_000, 700), usual(300_000, 800)]).toEqual([100, 100]);
    // A window ends above 300 s. It counts until the next one has ended.
    expect([usual(300_001, 900), usual(600_001, 950)]).toEqual([100, 100]);
    expect([usual(600_002, 1_000), usual(900_002, 1_100)]).toEqual([900, 900]);
    expect(usual(900_003, 1_200)).toBe(1_000);
    // While it is late, the windows stay.
    expect(at(1_000_000, 6_001)).toBe(true);
    at(1_400_000, 6_100);
    at(1_800_000, 6_200);
    expect(lag.usualOffset).toBe(1_000);
  });

  it('does not report lag when the venue sets its clock back during a connection', () => {
    const lag = new LagEstimator();
    lag.observe(10_000, 10_100, segment);
    expect(lag.observe(3_100, 10_200, segment)).toBe(false);
    expect(lag.observe(10_300, 10_400, segment)).toBe(false);
  });

  it('does not report lag when market time runs faster or starts to', () => {
    const lag = new LagEstimator();
    lag.observe(0, 100, segment);
    const fast = { real_from: 1, market_from: 0, rate: 40 };
    expect(lag.observe(100, 60_000, fast)).toBe(false);
    expect(lag.observe(200, 60_100 + 199_000, fast)).toBe(false);
    expect(lag.observe(300, 60_200 + 201_000, fast)).toBe(true);
  });
});

describe('lag guard', () => {
  it('suspends the books from the last message on time, reconnects once in 15 s, and resumes', () => {
    const { store, guard, invalidReason } = createBookStore(['X']);
    guard.replace('X', book(400_000, 450_000), 300);
    const calls: string[] = [];
    const segment = { real_from: 0, market_from: 0, rate: 1 };
    const lag = new LagGuard(guard, { segment: () => segment, reconnect: (why) => calls.push(why) }, (at) =>
      guard.resume('feed.late', at),
    );
    lag.onOpen(200);
    lag.onStamp(1_000, 1_150, 60_000);
    lag.onStamp(2_000, 2_170, 61_000);
    lag.onStamp(3_000, 9_400, 68_000);
    expect([invalidReason('X'), store.get('X')?.invalidSince]).toEqual(['feed.late', 2_170]);
    // A further late message does not move the start of the period or of the wait.
    lag.onStamp(4_000, 10_500, 69_000);
    expect([invalidReason('X'), store.get('X')?.invalidSince]).toEqual(['feed.late', 2_170]);
    for (const now of [82_999, 83_000, 83_001, 97_999, 98_000]) lag.onTimer(now);
    expect(calls).toHaveLength(2);
    lag.onStamp(11_000, 11_180, 70_000);
    expect([invalidReason('X'), lag.usualOffset]).toEqual([null, 150]);
    lag.onTimer(999_000);
    expect(calls).toHaveLength(2);
  });
});

describe('stream of venue_b and its post-only timer', () => {
  it('invalidates a book when an older change arrives after a newer one of the same token', () => {
    const { store, invalidReason } = createBookStore(['1', '2']);
    const stream = new VenueBStream(store, { send() {}, reject() {} });
    stream.subscribe(['1', '2'], 0);
    stream.onOpen(0);
    const send = (message: unknown): void => stream.receive(JSON.stringify(message), 1, 1);
    for (const asset_id of ['1', '2'])
      send({
        event_type: 'book',
        asset_id,
        timestamp: '1',
        bids: [{ price: '0.4', size: '5' }],
        asks: [{ price: '0.5', size: '5' }],
      });
    const change = (asset_id: string, timestamp: string, size: string): void =>
      send({
        event_type: 'price_change',
        timestamp,
        price_changes: [{ asset_id, price: '0.4', size, side: 'BUY', best_bid: '0.4', best_ask: '0.5' }],
      });
    change('1', '20', '9');
    change('2', '15', '9');
    expect([invalidReason('1'), invalidReason('2')]).toEqual([null, null]);
    change('1', '19', '7');
    expect([invalidReason('1'), invalidReason('2'), stream.due(2)]).toEqual(['book.gap', null, ['1']]);
  });

  it('does not count a repeated book as a change', () => {
    const { store } = createBookStore(['1']);
    const stream = new VenueBStream(store, { send() {}, reject() {} });
    stream.subscribe(['1'], 0);
    stream.onOpen(0);
    const send = (size: string, now: number): void => {
      const levels = { bids: [{ price: '0.4', size }], asks: [{ price: '0.5', size }] };
      stream.receive(JSON.stringify({ event_type: 'book', asset_id: '1', timestamp: '1', ...levels }), now, now);
    };
    send('5', 10);
    send('5', 20);
    expect(stream.lastChangeAt('1')).toBe(10);
    send('6', 30);
    expect(stream.lastChangeAt('1')).toBe(30);
  });

  it('is post-only while the engine is down and for two minutes of market time after', () => {
    const restart = new PostOnlyTimer();
    restart.onStatus(200, 0);
    expect(restart.isPostOnly(1)).toBe(false);
    restart.onStatus(425, 1_000);
    restart.onStatus(503, 60_000);
    expect(restart.isPostOnly(1_000_000)).toBe(true);
    restart.onStatus(200, 100_000);
    expect([restart.isPostOnly(219_999), restart.isPostOnly(220_000)]).toEqual([true, false]);
  });
});
