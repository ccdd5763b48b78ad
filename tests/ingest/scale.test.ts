import { describe, expect, it } from 'vitest';
import { bookOf } from '../../functions/ingest/venue_a/books.ts';
import { compared, inOtherScale } from '../../functions/ingest/venue_a/price_scale.ts';
import { VenueAStream } from '../../functions/ingest/venue_a/stream.ts';
import { shelved } from './shelved.ts';

/** Guarantee: no book of venue_a is believed before it is known in whose prices its NO side is written. */

describe('the scale of the NO side', () => {
  const asked = (yes: [string, string][], no: [string, string][]) => bookOf(yes, no, true);
  const rest = (yes: [string, string][], no: [string, string][]) => bookOf(yes, no, false);

  it('is as it was read, or the other, or proves nothing where the book is its own mirror', () => {
    const truth = rest([['0.20', '5']], [['0.70', '7.5']]);
    expect(compared([{ ours: asked([['0.20', '5']], [['0.30', '7.5']]), rest: truth }])).toBe('as_read');
    const wrong = asked([['0.20', '5']], [['0.70', '7.5']]);
    expect(compared([{ ours: wrong, rest: truth }])).toBe('other');
    expect(inOtherScale(wrong).equals(truth)).toBe(true);
    const mirror: [string, string][] = [
      ['0.48', '3'],
      ['0.52', '3'],
    ];
    expect(compared([{ ours: asked([], mirror), rest: rest([], mirror) }])).toBe('nothing');
    expect(compared([{ ours: asked([['0.2', '1']], []), rest: rest([['0.2', '1']], []) }])).toBe('nothing');
  });

  function started() {
    const { shelf, doubt } = shelved(['X', 'Y']);
    const compare: string[][] = [];
    const stream = new VenueAStream(shelf, {
      send() {},
      aside() {},
      restart() {},
      refused() {},
      overflow() {},
      askScale: (tickers) => compare.push([...tickers]),
    });
    stream.want(['X', 'Y'], 0);
    stream.opened(0);
    const say = (frame: unknown): void => stream.receive(JSON.stringify(frame), 1, 1);
    say({ type: 'subscribed', id: 1, msg: { channel: 'orderbook_delta', sid: 1 } });
    const snapshot = (seq: number, market_ticker: string, no: string): void =>
      say({
        type: 'orderbook_snapshot',
        sid: 1,
        seq,
        msg: { market_ticker, yes_dollars_fp: [['0.20', '5.00']], no_dollars_fp: [[no, '7.00']] },
      });
    const shown = (no: string) => rest([['0.20', '5.00']], [[no, '7.00']]);
    return { shelf, stream, compare, say, snapshot, shown, doubt };
  }

  it('is asked once, as soon as the first snapshots are here, and until then no book is believed', () => {
    const a = started();
    a.snapshot(1, 'X', '0.30');
    expect([a.compare, a.doubt('X'), a.shelf.get('X')?.decided]).toEqual([[], 'book.missing', false]);
    a.snapshot(2, 'Y', '0.35');
    expect(a.compare).toEqual([['X', 'Y']]);
    a.stream.scaleShown(new Map([['X', a.shown('0.70')]]), 2);
    expect([a.doubt('X'), a.doubt('Y'), a.shelf.get('Y')?.book?.ask?.price]).toEqual([null, null, 350_000]);
  });

  it('is the other one where all that is compared says so, for what came and for what comes', () => {
    const a = started();
    a.snapshot(1, 'X', '0.70');
    a.snapshot(2, 'Y', '0.65');
    a.say({
      type: 'orderbook_delta',
      sid: 1,
      seq: 3,
      msg: { market_ticker: 'Y', price_dollars: '0.66', delta_fp: '2.00', side: 'no' },
    });
    a.stream.scaleShown(new Map([['X', a.shown('0.70')]]), 2);
    expect([a.shelf.get('X')?.book?.ask?.price, a.shelf.get('Y')?.book?.ask?.price]).toEqual([300_000, 340_000]);
    a.say({
      type: 'orderbook_delta',
      sid: 1,
      seq: 4,
      msg: { market_ticker: 'X', price_dollars: '0.72', delta_fp: '2.00', side: 'no' },
    });
    expect([a.doubt('X'), a.shelf.get('X')?.book?.ask?.price]).toEqual([null, 280_000]);
  });

  it('is in doubt by name where books contradict each other, and asked again', () => {
    const a = started();
    a.snapshot(1, 'X', '0.30');
    a.snapshot(2, 'Y', '0.65');
    const books = new Map([
      ['X', a.shown('0.70')],
      ['Y', a.shown('0.65')],
    ]);
    a.stream.scaleShown(books, 2);
    expect([a.doubt('X'), a.doubt('Y')]).toEqual(['book.scale', 'book.scale']);
    a.stream.tick(5_000);
    expect(a.compare).toHaveLength(2);
    a.stream.scaleShown(null, 6);
    expect(a.doubt('X')).toBe('book.scale');
    a.stream.tick(9_000);
    a.stream.scaleShown(new Map([['X', a.shown('0.70')]]), 10);
    expect([a.doubt('X'), a.doubt('Y')]).toEqual([null, null]);
  });
});
