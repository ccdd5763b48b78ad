import { describe, expect, it } from 'vitest';
import { BookStore } from '../../functions/ingest/books/book_store.ts';
import type { RejectedRow } from '../../functions/ingest/listing.ts';
import { VenueAStream } from '../../functions/ingest/venue_a/stream.ts';
import { VenueBStream } from '../../functions/ingest/venue_b/stream.ts';

type Sent = { id: number; cmd: string; params: { action?: string; market_tickers: string[]; use_yes_price?: boolean } };

function venueA(tickers: string[]) {
  const store = new BookStore('venue_a', () => {});
  for (const ticker of tickers) store.track(ticker, 0);
  const sent: Sent[] = [];
  const rejected: RejectedRow[] = [];
  const calls: string[] = [];
  const stream = new VenueAStream(store, {
    send: (command) => sent.push(command as Sent),
    reject: (row) => rejected.push(row),
    reconnect: () => calls.push('restart'),
    onKeyRejected: () => calls.push('refused'),
    onOverflow: () => calls.push('overflow'),
  });
  stream.subscribe(tickers, 0);
  stream.onOpen(0);
  const send = (message: unknown, at = 1): void => stream.receive(JSON.stringify(message), at, at);
  const snapshot = (
    seq: number,
    ticker: string,
    yes: unknown = [['0.40', '5.00']],
    no: unknown = [['0.45', '7.00']],
  ): void =>
    send(
      {
        type: 'orderbook_snapshot',
        sid: 1,
        seq,
        msg: { market_ticker: ticker, yes_dollars_fp: yes, no_dollars_fp: no },
      },
      seq,
    );
  const delta = (seq: number, ticker: string, price_dollars: string, delta_fp: string, side = 'yes'): void =>
    send(
      { type: 'orderbook_delta', sid: 1, seq, msg: { market_ticker: ticker, price_dollars, delta_fp, side, ts_ms: 1 } },
      seq,
    );
  const invalidReason = (ticker: string) => store.get(ticker)?.invalidReason;
  return { store, stream, sent, rejected, calls, send, snapshot, delta, invalidReason };
}

describe('stream of venue_a', () => {
  const started = () => {
    const a = venueA(['X', 'Y']);
    a.send({ type: 'subscribed', id: a.sent[0]?.id, msg: { channel: 'orderbook_delta', sid: 1 } });
    a.snapshot(1, 'X', [['0.40', '5.00']], [['0.45', '7.00']]);
    a.snapshot(2, 'Y', [['0.40', '5.00']], [['0.45', '7.00']]);
    return a;
  };

  it('requests YES prices and reads the NO side as asks', () => {
    const a = started();
    expect(a.sent[0]).toMatchObject({ cmd: 'subscribe', params: { market_tickers: ['X', 'Y'], use_yes_price: true } });
    expect(a.store.get('X')?.book?.ask?.price).toBe(450_000);
    expect(a.invalidReason('X')).toBeNull();
  });

  it('counts `ok` in the sequence', () => {
    const a = started();
    a.send({ type: 'ok', id: 99, sid: 1, seq: 3, msg: { market_tickers: ['X', 'Y'] } });
    a.delta(4, 'X', '0.41', '2.00');
    expect([a.invalidReason('X'), a.store.get('X')?.book?.bid?.price]).toEqual([null, 410_000]);
  });

  it.each([
    ['a lost frame', 5],
    ['a repeated frame', 2],
  ])('invalidates every book of the subscription after %s, each until its own snapshot', (_what, seq) => {
    const a = started();
    a.delta(seq, 'X', '0.42', '1.00');
    expect([a.invalidReason('X'), a.invalidReason('Y')]).toEqual(['book.gap', 'book.gap']);
    expect(a.sent.at(-1)).toMatchObject({
      cmd: 'update_subscription',
      params: { action: 'get_snapshot', market_tickers: ['X', 'Y'] },
    });
    a.send({ type: 'ok', id: a.sent.at(-1)?.id, sid: 1, seq: seq + 1 });
    a.delta(seq + 2, 'X', '0.42', '1.00');
    expect(a.invalidReason('X')).toBe('book.gap');
    a.snapshot(seq + 3, 'X');
    expect([a.invalidReason('X'), a.invalidReason('Y')]).toEqual([null, 'book.gap']);
    expect(a.store.get('X')?.book?.bid?.price).toBe(400_000);
  });

  it('invalidates a crossed book and requests its snapshot', () => {
    const a = started();
    a.delta(3, 'X', '0.46', '1.00');
    expect([a.invalidReason('X'), a.invalidReason('Y')]).toEqual(['book.crossed', null]);
    expect(a.sent.at(-1)?.params).toMatchObject({ action: 'get_snapshot', market_tickers: ['X'] });
  });

  it('rejects an invalid level, invalidates that book only, and applies no further change to it', () => {
    const a = started();
    a.delta(3, 'X', '0.4123456789', '1.00');
    a.delta(4, 'X', '0.41', '1.00');
    expect([a.invalidReason('X'), a.invalidReason('Y'), a.rejected[0]?.code]).toEqual([
      'book.unreadable',
      null,
      'price.too_fine',
    ]);
  });

  it.each([
    ['renamed', { market_ticker: 'X', price: '0.41', delta_fp: '1.00', side: 'yes' }, 'message.missing_field'],
    ['null', { market_ticker: 'X', price_dollars: null, delta_fp: '1.00', side: 'yes' }, 'message.missing_field'],
    [
      'of another type',
      { market_ticker: 'X', price_dollars: 0.41, delta_fp: '1.00', side: 'yes' },
      'message.wrong_type',
    ],
  ])('treats a delta whose price is %s as a missed change', (_what, msg, code) => {
    const a = started();
    a.send({ type: 'orderbook_delta', sid: 1, seq: 3, msg });
    expect([a.invalidReason('X'), a.invalidReason('Y'), a.rejected[0]?.code]).toEqual(['book.unreadable', null, code]);
  });

  it('accepts extra fields', () => {
    const a = started();
    a.send({
      type: 'orderbook_delta',
      sid: 1,
      seq: 3,
      new: 1,
      msg: { market_ticker: 'X', price_dollars: '0.41', delta_fp: '1.00', side: 'yes', more: {} },
    });
    expect([a.invalidReason('X'), a.rejected]).toEqual([null, []]);
  });

  it('finds an unknown market by splitting the command in halves, and reads the others', () => {
    const a = venueA(['X', 'BAD', 'Y']);
    a.send({ type: 'error', id: a.sent[0]?.id, msg: { code: 16, msg: 'Market not found' } });
    a.send({ type: 'error', id: a.sent[1]?.id, msg: { code: 16, msg: 'Market not found' } });
    a.send({ type: 'subscribed', id: a.sent[2]?.id, msg: { channel: 'orderbook_delta', sid: 1 } });
    const added = a.sent.slice(3).flatMap((command) => command.params.market_tickers);
    expect([...(a.sent[2]?.params.market_tickers ?? []), ...added].sort()).toEqual(['BAD', 'X', 'Y']);
    const bad = a.sent.slice(3).find((command) => command.params.market_tickers.includes('BAD'));
    a.send({ type: 'error', id: bad?.id, msg: { code: 16, market_ticker: 'BAD' } });
    expect(a.invalidReason('BAD')).toBe('book.missing');
  });

  it('sends a failed command again without the markets that were dropped since', () => {
    const a = started();
    a.stream.subscribe(['V', 'W'], 1);
    const added = a.sent.at(-1);
    expect(added?.params.market_tickers).toEqual(['V', 'W']);
    a.stream.unsubscribe(['V'], 2);
    const removed = a.sent.at(-1);
    expect(removed?.params.market_tickers).toEqual(['V']);
    a.send({ type: 'error', id: added?.id, msg: { code: 99, msg: 'Internal error' } });
    expect(a.sent.at(-1)?.params.market_tickers).toEqual(['W']);
    a.send({ type: 'error', id: removed?.id, msg: { code: 99, msg: 'Internal error' } });
    expect(a.sent.at(-1)?.params).toMatchObject({ action: removed?.params.action, market_tickers: ['V'] });
    expect(a.rejected.map(({ code }) => code)).toEqual(['message.error', 'message.error']);
  });

  it('reports a rejected key and an overflowing connection', () => {
    const a = started();
    a.send({ type: 'error', id: 5, msg: { code: 9, msg: 'Authentication required' } });
    a.send({ type: 'error', sid: 1, msg: { code: 25, msg: 'Subscription buffer overflow' } });
    expect(a.calls).toEqual(['refused', 'overflow']);
  });

  it('requests an overdue snapshot again, and reconnects after several tries', () => {
    const a = venueA(['X']);
    a.send({ type: 'subscribed', id: a.sent[0]?.id, msg: { channel: 'orderbook_delta', sid: 1 } });
    for (let round = 1; round <= 4; round += 1) a.stream.onTimer(round * 11_000);
    expect(a.sent.length).toBeGreaterThan(2);
    expect(a.calls).toEqual(['restart']);
  });

  it('invalidates its books from the last sign of life on when the socket closes', () => {
    const seen: number[] = [];
    const store = new BookStore('venue_a', (_contract, at) => seen.push(at));
    store.track('X', 0);
    const stream = new VenueAStream(store, {
      send() {},
      reject() {},
      reconnect() {},
      onKeyRejected() {},
      onOverflow() {},
    });
    stream.subscribe(['X'], 0);
    stream.onClose('feed.disconnected', 77);
    expect([seen, store.get('X')?.invalidReason]).toEqual([[77], 'feed.disconnected']);
  });
});

function venueB(tokens: string[]) {
  const store = new BookStore('venue_b', () => {});
  for (const token of tokens) store.track(token, 0);
  const rejected: RejectedRow[] = [];
  const sent: unknown[] = [];
  const stream = new VenueBStream(store, {
    send: (command) => sent.push(command),
    reject: (row) => rejected.push(row),
  });
  stream.subscribe(tokens, 0);
  stream.onOpen(0);
  const send = (message: unknown, at = 10): void => stream.receive(JSON.stringify(message), at, at);
  const book = (asset_id: string, timestamp = '100') => ({
    event_type: 'book',
    asset_id,
    market: '0x1',
    timestamp,
    hash: 'h1',
    bids: [
      { price: '0.39', size: '10' },
      { price: '0.40', size: '5' },
    ],
    asks: [
      { price: '0.50', size: '3' },
      { price: '0.43', size: '4.5' },
    ],
  });
  const change = (rows: Record<string, unknown>[], timestamp = '110') => ({
    event_type: 'price_change',
    market: '0x1',
    timestamp,
    price_changes: rows,
  });
  return {
    store,
    stream,
    rejected,
    sent,
    send,
    book,
    change,
    invalidReason: (token: string) => store.get(token)?.invalidReason,
  };
}

describe('stream of venue_b', () => {
  it('handles arrays of messages, both tokens of a change, and absolute sizes', () => {
    const b = venueB(['1', '2']);
    b.send([b.book('1'), b.book('2')]);
    b.send([
      b.change([
        { asset_id: '1', price: '0.41', size: '7', side: 'BUY', hash: 'x', best_bid: '0.41', best_ask: '0.43' },
        { asset_id: '2', price: '0.43', size: '0', side: 'SELL', hash: 'y', best_bid: '0.4', best_ask: '0.5' },
      ]),
    ]);
    expect([b.store.get('1')?.book?.bid, b.store.get('2')?.book?.ask]).toEqual([
      { price: 410_000, size: 7_000_000 },
      { price: 500_000, size: 3_000_000 },
    ]);
    expect([b.invalidReason('1'), b.invalidReason('2'), b.rejected]).toEqual([null, null, []]);
  });

  it('detects a lost message by a different best price, and repairs the book over REST with later changes', () => {
    const b = venueB(['1']);
    b.send(b.book('1'));
    b.send(b.change([{ asset_id: '1', price: '0.30', size: '1', side: 'BUY', best_bid: '0.42', best_ask: '0.43' }]));
    expect(b.invalidReason('1')).toBe('book.gap');
    expect(b.stream.due(10)).toEqual(['1']);
    b.send(
      b.change([{ asset_id: '1', price: '0.44', size: '9', side: 'SELL', best_bid: '0.42', best_ask: '0.43' }], '105'),
    );
    b.send(
      b.change([{ asset_id: '1', price: '0.425', size: '6', side: 'BUY', best_bid: '0.425', best_ask: '0.43' }], '130'),
    );
    b.stream.onRestBook(
      { asset_id: '1', timestamp: '120', bids: [{ price: '0.42', size: '8' }], asks: [{ price: '0.43', size: '4.5' }] },
      20,
    );
    expect([b.invalidReason('1'), b.store.get('1')?.book?.bid?.price, b.store.get('1')?.book?.asks.prices]).toEqual([
      null,
      425_000,
      [430_000],
    ]);
  });

  it('invalidates a book when an older change of a deeper level arrives after a newer one', () => {
    const b = venueB(['1']);
    b.send(b.book('1'));
    const deep = (size: string) => ({
      asset_id: '1',
      price: '0.39',
      size,
      side: 'BUY',
      best_bid: '0.40',
      best_ask: '0.43',
    });
    b.send(b.change([deep('8')], '202'));
    expect(b.invalidReason('1')).toBeNull();
    // The best prices are equal. Only the order shows that 0.39 has an old size again.
    b.send(b.change([deep('9')], '201'));
    expect([b.invalidReason('1'), b.stream.due(10)]).toEqual(['book.gap', ['1']]);
  });

  it('adds a change to the book from REST that has the same venue time', () => {
    const b = venueB(['1']);
    expect(b.stream.due(4_000)).toEqual(['1']);
    b.send(
      b.change([{ asset_id: '1', price: '0.41', size: '6', side: 'BUY', best_bid: '0.41', best_ask: '0.43' }], '119'),
    );
    b.send(
      b.change([{ asset_id: '1', price: '0.42', size: '7', side: 'BUY', best_bid: '0.42', best_ask: '0.43' }], '120'),
    );
    // The timestamp of a REST book has milliseconds. The book may or may not contain a change of
    // the same millisecond, and sizes are absolute.
    b.stream.onRestBook(
      { asset_id: '1', timestamp: '120', bids: [{ price: '0.40', size: '5' }], asks: [{ price: '0.43', size: '4.5' }] },
      20,
    );
    expect(b.store.get('1')?.book?.bids.prices).toEqual([400_000, 420_000]);
    expect([b.invalidReason('1'), b.store.get('1')?.venueTime]).toEqual([null, 120]);
    // The same holds later: a change of the book's millisecond is applied, and the book already
    // contains earlier ones.
    b.send(
      b.change([{ asset_id: '1', price: '0.42', size: '8', side: 'BUY', best_bid: '0.42', best_ask: '0.43' }], '120'),
    );
    expect(b.store.get('1')?.book?.bid).toEqual({ price: 420_000, size: 8_000_000 });
  });

  it('invalidates the book on a change of tick size and reads it again', () => {
    const b = venueB(['1']);
    b.send(b.book('1'));
    b.send({
      event_type: 'tick_size_change',
      asset_id: '1',
      old_tick_size: '0.01',
      new_tick_size: '0.001',
      timestamp: '1',
    });
    expect([b.invalidReason('1'), b.stream.due(10)]).toEqual(['book.tick_change', ['1']]);
  });

  it('reads a first book over REST when the subscription sends none', () => {
    const b = venueB(['1']);
    expect([b.stream.due(1_000), b.stream.due(4_000)]).toEqual([[], ['1']]);
  });

  it('rejects messages that it cannot parse, with a code', () => {
    const b = venueB(['1']);
    b.send(b.book('1'));
    b.stream.receive('{nonsense', 1, 1);
    b.send({ event_type: 'price_change', asset_id: '1', price: '0.5', side: 'SELL', size: '1', timestamp: '1' });
    b.send({ event_type: 'never_seen', asset_id: '1' });
    expect(b.rejected.map((row) => row.code)).toEqual([
      'message.not_json',
      'message.old_shape',
      'message.unknown_type',
    ]);
    expect(b.invalidReason('1')).toBe('book.gap');
    b.stream.receive('PONG', 2, 2);
    expect(b.rejected).toHaveLength(3);
  });
});
