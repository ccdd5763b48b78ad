import { describe, expect, it } from 'vitest';
import { SILENCE_MS, Standstill } from '../../functions/ingest/venue_b/standstill.ts';
import { VenueBStream } from '../../functions/ingest/venue_b/stream.ts';
import { createBookStore } from './book_store_fixtures.ts';

/**
 * Guarantee: when all sockets of venue_b stop at once, no book is valid until the venue sends again
 * and REST has answered with that book. One socket alone changes nothing of that.
 */

/** Calls `check` every 200 ms, as the feed does. Returns what it returned, without the nulls. */
function checks(standstill: Standstill, from: number, until: number, open: number): string[] {
  const changes: string[] = [];
  for (let now = from; now <= until; now += 200) changes.push(standstill.check(now, open) ?? '');
  return changes.filter((change) => change !== '');
}

/** One change every `everyMs`, with checks between them. */
function busy(standstill: Standstill, from: number, until: number, everyMs: number): string[] {
  const changes: string[] = [];
  for (let now = from; now <= until; now += 200) {
    if ((now - from) % everyMs === 0) standstill.onChange(now, now);
    changes.push(standstill.check(now, 2) ?? '');
  }
  return changes.filter((change) => change !== '');
}

describe('standstill of venue_b', () => {
  it('begins when the last open socket ends, not before one was open, and is over with one open again', () => {
    const standstill = new Standstill();
    expect(checks(standstill, 0, 5_000, 0)).toEqual([]);
    expect(checks(standstill, 5_200, 6_000, 2)).toEqual([]);
    expect(checks(standstill, 6_200, 7_000, 1)).toEqual([]);
    expect(checks(standstill, 7_200, 9_000, 0)).toEqual(['began']);
    expect(standstill.reason).toBe('venue.disconnected');
    expect(checks(standstill, 9_200, 10_000, 1)).toEqual(['over']);
    expect(standstill.reason).toBeNull();
  });

  it('begins when no socket has sent a change for 20 s, and is over with the next change only', () => {
    const standstill = new Standstill();
    expect(busy(standstill, 0, 30_000, 600)).toEqual([]);
    expect(checks(standstill, 30_200, 30_000 + SILENCE_MS - 200, 2)).toEqual([]);
    expect(checks(standstill, 30_000 + SILENCE_MS, 30_000 + SILENCE_MS + 1_000, 2)).toEqual(['began']);
    expect([standstill.reason, standstill.lastChangeAt]).toEqual(['venue.silent', 30_000]);
    expect(checks(standstill, 51_200, 52_000, 0)).toEqual([]);
    expect(checks(standstill, 52_200, 120_000, 2)).toEqual([]);
    standstill.onChange(120_100, 120_100);
    expect(checks(standstill, 120_200, 121_000, 2)).toEqual(['over']);
  });

  it('does not begin with a few quiet markets, or when this process did not run for a while', () => {
    const quiet = new Standstill();
    expect(busy(quiet, 0, 100_000, 2_000)).toEqual([]);
    expect(checks(quiet, 100_200, 200_000, 2)).toEqual([]);
    const paused = new Standstill();
    busy(paused, 0, 30_000, 600);
    expect(checks(paused, 90_000, 90_000 + SILENCE_MS - 200, 2)).toEqual([]);
    expect(checks(paused, 90_000 + SILENCE_MS, 91_000 + SILENCE_MS, 2)).toEqual(['began']);
  });
});

const level = (price: string, size = '10') => ({ price, size });
const bookAt = (timestamp: number, bid: string, hash?: string) => ({
  event_type: 'book',
  asset_id: 'T',
  timestamp: String(timestamp),
  bids: [level(bid)],
  asks: [level('0.60')],
  ...(hash === undefined ? {} : { hash }),
});
const changeAt = (timestamp: number, price: string, size: string, bid: string, hash = 'h') => ({
  event_type: 'price_change',
  timestamp: String(timestamp),
  price_changes: [{ asset_id: 'T', price, size, side: 'BUY', hash, best_bid: bid, best_ask: '0.60' }],
});

/** A connected stream with one valid book, and what it wants to read. */
function connected() {
  const { store, invalidReason } = createBookStore(['T']);
  const stream = new VenueBStream(store, { send() {}, reject() {} });
  const receive = (message: unknown, at: number) => stream.receive(JSON.stringify(message), at, at);
  const answer = (raw: unknown, at: number) => {
    stream.onRestBook(raw, at);
    stream.releaseConfirmed(at);
  };
  stream.subscribe(['T'], 0);
  stream.onOpen(0);
  receive(bookAt(100, '0.40'), 100);
  expect(invalidReason('T')).toBeNull();
  const bid = () => store.get('T')?.book?.bid?.price;
  return { stream, store, receive, answer, bid, reason: () => invalidReason('T') };
}

describe('unconfirmed books of venue_b', () => {
  it('are not made valid by a snapshot of a new socket, but by the answer of REST', () => {
    const one = connected();
    one.stream.onClose('feed.disconnected', 200);
    one.stream.unconfirmed.begin('venue.disconnected', 200);
    one.stream.onOpen(300);
    one.receive(bookAt(310, '0.41'), 310);
    expect([one.reason(), one.stream.due(320)]).toEqual(['venue.disconnected', []]);
    one.stream.unconfirmed.readFrom(330);
    expect(one.stream.due(330)).toEqual(['T']);
    one.answer(bookAt(310, '0.41'), 340);
    expect([one.reason(), one.bid()]).toEqual([null, 410_000]);
  });

  it('stay invalid when REST answers before the venue sends again', () => {
    const one = connected();
    one.stream.unconfirmed.begin('venue.silent', 200);
    expect(one.reason()).toBe('venue.silent');
    one.answer(bookAt(250, '0.42'), 260);
    expect(one.reason()).toBe('venue.silent');
    one.stream.unconfirmed.readFrom(300);
    one.answer(bookAt(250, '0.42'), 310);
    expect([one.reason(), one.bid()]).toEqual([null, 420_000]);
  });

  it('keep a book of the socket that is newer than the answer of REST', () => {
    const one = connected();
    one.stream.unconfirmed.begin('venue.silent', 200);
    one.stream.unconfirmed.readFrom(200);
    one.receive(changeAt(300, '0.43', '10', '0.43'), 300);
    one.answer(bookAt(250, '0.42'), 310);
    expect([one.reason(), one.bid()]).toEqual([null, 430_000]);
  });

  it('are asked for again after five seconds without an answer, and not without a connection', () => {
    const one = connected();
    one.stream.unconfirmed.begin('venue.silent', 200);
    one.stream.unconfirmed.readFrom(200);
    expect([one.stream.due(200), one.stream.due(5_000), one.stream.due(5_200)]).toEqual([['T'], [], ['T']]);
    one.stream.onClose('feed.disconnected', 6_000);
    expect(one.stream.due(20_000)).toEqual([]);
  });

  it('include a contract that is subscribed to during the standstill', () => {
    const { store, invalidReason } = createBookStore(['T', 'U']);
    const stream = new VenueBStream(store, { send() {}, reject() {} });
    stream.subscribe(['T'], 0);
    stream.onOpen(0);
    stream.unconfirmed.begin('venue.silent', 100);
    stream.subscribe(['U'], 200);
    stream.receive(JSON.stringify({ ...bookAt(210, '0.40'), asset_id: 'U' }), 210, 210);
    expect(invalidReason('U')).toBe('venue.silent');
    stream.unconfirmed.readFrom(300);
    expect(stream.due(300)).toContain('U');
  });
});

describe('hashes of venue_b', () => {
  it('prove nothing when they differ: the hash of a change may be that of its order', () => {
    const one = connected();
    one.receive(bookAt(200, '0.41', 'a'), 200);
    one.receive(changeAt(300, '0.42', '10', '0.42', 'an order'), 300);
    one.receive(bookAt(300, '0.40', 'b'), 310);
    expect([one.reason(), one.stream.mismatches]).toEqual([null, 0]);
  });

  it('prove that a message was lost when they are equal for different books', () => {
    const one = connected();
    one.receive(bookAt(200, '0.41', 'a'), 200);
    one.receive(bookAt(300, '0.42', 'a'), 300);
    expect([one.stream.mismatches, one.bid()]).toEqual([1, 420_000]);
  });
});
