import { describe, expect, it } from 'vitest';
import { bookOf } from '../../functions/ingest/venue_a/books.ts';
import { comparePriceScale, invertPriceScale } from '../../functions/ingest/venue_a/price_scale.ts';
import { VenueAStream } from '../../functions/ingest/venue_a/stream.ts';
import { createBookStore } from './book_store_fixtures.ts';

/** Guarantee: no book of venue_a is valid before the price scale of its NO side is known. */

describe('price scale of the NO side', () => {
  const asked = (yes: [string, string][], no: [string, string][]) => bookOf(yes, no, true);
  const rest = (yes: [string, string][], no: [string, string][]) => bookOf(yes, no, false);

  it('is found as read or as the other one, and stays open when the book is its own mirror', () => {
    const truth = rest([['0.20', '5']], [['0.70', '7.5']]);
    expect(comparePriceScale([{ ownBook: asked([['0.20', '5']], [['0.30', '7.5']]), restBook: truth }])).toBe(
      'as_read',
    );
    const wrong = asked([['0.20', '5']], [['0.70', '7.5']]);
    expect(comparePriceScale([{ ownBook: wrong, restBook: truth }])).toBe('other');
    expect(invertPriceScale(wrong).equals(truth)).toBe(true);
    const mirror: [string, string][] = [
      ['0.48', '3'],
      ['0.52', '3'],
    ];
    expect(comparePriceScale([{ ownBook: asked([], mirror), restBook: rest([], mirror) }])).toBe('nothing');
    expect(comparePriceScale([{ ownBook: asked([['0.2', '1']], []), restBook: rest([['0.2', '1']], []) }])).toBe(
      'nothing',
    );
  });

  function started() {
    const { store, invalidReason } = createBookStore(['X', 'Y']);
    const compare: string[][] = [];
    const stream = new VenueAStream(store, {
      send() {},
      reject() {},
      reconnect() {},
      onKeyRejected() {},
      onOverflow() {},
      requestScaleBooks: (tickers) => compare.push([...tickers]),
    });
    stream.subscribe(['X', 'Y'], 0);
    stream.onOpen(0);
    const send = (message: unknown): void => stream.receive(JSON.stringify(message), 1, 1);
    send({ type: 'subscribed', id: 1, msg: { channel: 'orderbook_delta', sid: 1 } });
    const snapshot = (seq: number, market_ticker: string, no: string): void =>
      send({
        type: 'orderbook_snapshot',
        sid: 1,
        seq,
        msg: { market_ticker, yes_dollars_fp: [['0.20', '5.00']], no_dollars_fp: [[no, '7.00']] },
      });
    const restBook = (no: string) => rest([['0.20', '5.00']], [[no, '7.00']]);
    return { store, stream, compare, send, snapshot, restBook, invalidReason };
  }

  it('is requested once after the first snapshots, and no book is valid until then', () => {
    const a = started();
    a.snapshot(1, 'X', '0.30');
    expect([a.compare, a.invalidReason('X'), a.store.get('X')?.hasData]).toEqual([[], 'book.missing', false]);
    a.snapshot(2, 'Y', '0.35');
    expect(a.compare).toEqual([['X', 'Y']]);
    a.stream.onScaleBooks(new Map([['X', a.restBook('0.70')]]), 2);
    expect([a.invalidReason('X'), a.invalidReason('Y'), a.store.get('Y')?.book?.ask?.price]).toEqual([
      null,
      null,
      350_000,
    ]);
  });

  it('is inverted for earlier and later messages when all compared books match the other scale', () => {
    const a = started();
    a.snapshot(1, 'X', '0.70');
    a.snapshot(2, 'Y', '0.65');
    a.send({
      type: 'orderbook_delta',
      sid: 1,
      seq: 3,
      msg: { market_ticker: 'Y', price_dollars: '0.66', delta_fp: '2.00', side: 'no' },
    });
    a.stream.onScaleBooks(new Map([['X', a.restBook('0.70')]]), 2);
    expect([a.store.get('X')?.book?.ask?.price, a.store.get('Y')?.book?.ask?.price]).toEqual([300_000, 340_000]);
    a.send({
      type: 'orderbook_delta',
      sid: 1,
      seq: 4,
      msg: { market_ticker: 'X', price_dollars: '0.72', delta_fp: '2.00', side: 'no' },
    });
    expect([a.invalidReason('X'), a.store.get('X')?.book?.ask?.price]).toEqual([null, 280_000]);
  });

  it('is invalid with its own reason when books contradict each other, and is requested again', () => {
    const a = started();
    a.snapshot(1, 'X', '0.30');
    a.snapshot(2, 'Y', '0.65');
    const books = new Map([
      ['X', a.restBook('0.70')],
      ['Y', a.restBook('0.65')],
    ]);
    a.stream.onScaleBooks(books, 2);
    expect([a.invalidReason('X'), a.invalidReason('Y')]).toEqual(['book.scale', 'book.scale']);
    a.stream.onTimer(5_000);
    expect(a.compare).toHaveLength(2);
    a.stream.onScaleBooks(null, 6);
    expect(a.invalidReason('X')).toBe('book.scale');
    a.stream.onTimer(9_000);
    a.stream.onScaleBooks(new Map([['X', a.restBook('0.70')]]), 10);
    expect([a.invalidReason('X'), a.invalidReason('Y')]).toEqual([null, null]);
  });
});
