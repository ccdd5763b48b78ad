import { describe, expect, it } from 'vitest';
import { LiveSocket } from '../../functions/_shared/socket.ts';
import { Lag } from '../../functions/ingest/books/lag.ts';
import { Restart } from '../../functions/ingest/venue_b/post_only_timer.ts';
import { VenueBStream } from '../../functions/ingest/venue_b/stream.ts';
import { waitUntil } from '../support/wait_until.ts';
import { watched } from './around.ts';
import { book, shelved } from './shelved.ts';

/** Guarantee: a book is believed only while nothing at all speaks against it, and each reason ends by itself without bringing back another. */

describe('trust', () => {
  it('keeps books up to date while a hold lasts, and believes them without a new snapshot when it ends', () => {
    const { shelf, trust, doubt } = shelved(['X', 'Y']);
    trust.put('X', book(400_000, 450_000), 1);
    trust.put('Y', book(400_000, 450_000), 1);
    trust.hold('venue.paused', 2);
    expect([doubt('X'), doubt('Y')]).toEqual(['venue.paused', 'venue.paused']);
    expect(trust.put('X', book(410_000, 460_000), 3)).toBe(true);
    trust.doubt('Y', 'book.gap', 3);
    expect(trust.release('venue.paused', 4)).toEqual([]);
    expect([doubt('X'), doubt('Y')]).toEqual([null, 'book.gap']);
    expect(shelf.get('X')?.book?.ask?.price).toBe(460_000);
  });

  it('the end of a hold is no reading of a book: its read time stays that of its last message', () => {
    const { shelf, trust } = shelved(['X', 'Y']);
    trust.put('X', book(400_000, 450_000), 1);
    trust.put('Y', book(400_000, 450_000), 1);
    trust.hold('venue.paused', 2);
    trust.put('X', book(410_000, 460_000), 3);
    trust.release('venue.paused', 9);
    expect([shelf.get('X')?.readAt, shelf.get('Y')?.readAt]).toEqual([3, 1]);
  });

  it('one reason that ends does not end another, and the gravest is the one that is shown', () => {
    const { trust, doubt } = shelved(['X']);
    trust.put('X', book(400_000, 450_000), 1);
    trust.hold('feed.late', 2);
    trust.hold('venue.post_only', 3);
    expect(doubt('X')).toBe('venue.post_only');
    trust.setApart('X', 'feed.frozen', 4);
    trust.release('venue.post_only', 5);
    expect(doubt('X')).toBe('feed.late');
    trust.release('feed.late', 6);
    expect(doubt('X')).toBe('feed.frozen');
    trust.admit('X', 7);
    expect(doubt('X')).toBeNull();
  });

  it('a book that became crossed behind a hold is not believed when it ends, and is named to be read again', () => {
    const { trust, doubt } = shelved(['X']);
    trust.hold('feed.late', 1);
    trust.put('X', book(460_000, 450_000), 2);
    expect(trust.release('feed.late', 3)).toEqual(['X']);
    expect(doubt('X')).toBe('book.crossed');
  });

  it('a silent hold says nothing of books that nobody has spoken of', () => {
    const { shelf, trust, said } = shelved(['X']);
    trust.hold('book.scale', 1, true);
    trust.put('X', book(400_000, 450_000), 2);
    expect([shelf.get('X')?.decided, said]).toEqual([false, []]);
    trust.hold('book.scale', 3);
    expect([shelf.get('X')?.decided, said]).toEqual([true, ['book.scale']]);
  });
});

describe('a socket', () => {
  it('that gives no sign of life at all is silent, and dated from its last', async () => {
    const down: (string | number | null)[] = [];
    const socket = new LiveSocket({
      url: 'ws://nobody',
      make: (_url, _headers, on) => {
        setTimeout(() => on.open(), 1);
        return { send() {}, close() {} };
      },
      around: { ...watched(), shown: () => 77 },
      on: { open() {}, message() {}, down: (why, lastAlive) => down.push(why, lastAlive), ping: () => 'PING' },
      pingMs: 20,
      silentMs: 100,
    });
    socket.start();
    await waitUntil(() => down.length > 0, { what: 'silent' });
    await socket.stop();
    expect(down.slice(0, 2)).toEqual(['feed.silent', 77]);
  });
});

describe('lateness', () => {
  const segment = { from_real: 0, from_shown: 0, rate: 1 };
  it.each([
    ['none', 0],
    ['a clock behind by an hour', 3_600_000],
    ['a clock ahead by an hour', -3_600_000],
  ])('a constant offset is skew and harmless, and 5 s more than usual are late: %s', (_what, skew) => {
    const lag = new Lag();
    expect(lag.note(1_000, 1_170 + skew, segment)).toBe(false);
    expect(lag.note(2_000, 6_900 + skew, segment)).toBe(false);
    expect(lag.note(3_000, 8_300 + skew, segment)).toBe(true);
    // Half way back is not back.
    expect(lag.note(4_000, 8_000 + skew, segment)).toBe(true);
    expect(lag.note(8_000, 8_200 + skew, segment)).toBe(false);
  });

  it('a clock that is set while the line lives is no lateness either', () => {
    const lag = new Lag();
    lag.note(10_000, 10_100, segment);
    expect(lag.note(3_100, 10_200, segment)).toBe(false);
    expect(lag.note(10_300, 10_400, segment)).toBe(false);
  });

  it('market time that runs faster, or begins to, makes nothing late', () => {
    const lag = new Lag();
    lag.note(0, 100, segment);
    const fast = { from_real: 1, from_shown: 0, rate: 40 };
    expect(lag.note(100, 60_000, fast)).toBe(false);
    expect(lag.note(200, 60_100 + 199_000, fast)).toBe(false);
    expect(lag.note(300, 60_200 + 201_000, fast)).toBe(true);
  });
});

describe('venue_b', () => {
  it('a change that comes after a younger one of its token is a doubt: it has put an old size back', () => {
    const { shelf, doubt } = shelved(['1', '2']);
    const stream = new VenueBStream(shelf, { send() {}, aside() {} });
    stream.want(['1', '2'], 0);
    stream.opened(0);
    const say = (message: unknown): void => stream.receive(JSON.stringify(message), 1, 1);
    for (const asset_id of ['1', '2'])
      say({
        event_type: 'book',
        asset_id,
        timestamp: '1',
        bids: [{ price: '0.4', size: '5' }],
        asks: [{ price: '0.5', size: '5' }],
      });
    const change = (asset_id: string, timestamp: string, size: string): void =>
      say({
        event_type: 'price_change',
        timestamp,
        price_changes: [{ asset_id, price: '0.4', size, side: 'BUY', best_bid: '0.4', best_ask: '0.5' }],
      });
    change('1', '20', '9');
    change('2', '15', '9');
    expect([doubt('1'), doubt('2')]).toEqual([null, null]);
    change('1', '19', '7');
    expect([doubt('1'), doubt('2'), stream.due(2)]).toEqual(['book.gap', null, ['1']]);
  });

  it('a book that is only said again is no news: a dead subscription may repeat itself', () => {
    const { shelf } = shelved(['1']);
    const stream = new VenueBStream(shelf, { send() {}, aside() {} });
    stream.want(['1'], 0);
    stream.opened(0);
    const say = (size: string, now: number): void => {
      const levels = { bids: [{ price: '0.4', size }], asks: [{ price: '0.5', size }] };
      stream.receive(JSON.stringify({ event_type: 'book', asset_id: '1', timestamp: '1', ...levels }), now, now);
    };
    say('5', 10);
    say('5', 20);
    expect(stream.heardAt('1')).toBe(10);
    say('6', 30);
    expect(stream.heardAt('1')).toBe(30);
  });

  it('takes nothing while its engine is down and for two minutes of market time after', () => {
    const restart = new Restart();
    restart.heard(200, 0);
    expect(restart.closes(1)).toBe(false);
    restart.heard(425, 1_000);
    restart.heard(503, 60_000);
    expect(restart.closes(1_000_000)).toBe(true);
    restart.heard(200, 100_000);
    expect([restart.closes(219_999), restart.closes(220_000)]).toEqual([true, false]);
  });
});
