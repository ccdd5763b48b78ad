import { describe, expect, it } from 'vitest';
import { Book } from '../../functions/_shared/engine/book.ts';
import { Shelf } from '../../functions/_shared/engine/shelf.ts';
import { bookOf } from '../../functions/_shared/venue_a/books.ts';
import { compared, inOtherScale } from '../../functions/_shared/venue_a/scale.ts';
import { VenueAStream } from '../../functions/_shared/venue_a/stream.ts';
import { Restart } from '../../functions/_shared/venue_b/restart.ts';
import { VenueBStream } from '../../functions/_shared/venue_b/stream.ts';
import { Audit, type RestBook } from '../../functions/_shared/wire/audit.ts';
import { Lag } from '../../functions/_shared/wire/lag.ts';
import { Trust } from '../../functions/_shared/wire/trust.ts';
import { watched } from './around.ts';

/** Guarantee: a book is believed only while nothing at all speaks against it, and each reason ends by itself without bringing back another. */

const book = (bid: number, ask: number): Book => {
  const made = new Book();
  made.bids.set(bid, 1_000_000);
  made.asks.set(ask, 2_000_000);
  return made;
};

function shelved(contracts: string[]) {
  const said: (string | null)[] = [];
  const shelf: Shelf = new Shelf('venue_a', (contract) => said.push(shelf.get(contract)?.doubt ?? null));
  for (const contract of contracts) shelf.want(contract, 0);
  return { shelf, said, trust: new Trust(shelf, () => contracts), doubt: (one: string) => shelf.get(one)?.doubt };
}

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

describe('an audit of quiet books', () => {
  function audited(contracts: string[], quietMs = 10_000) {
    const { shelf, trust, doubt } = shelved(contracts);
    for (const contract of contracts) trust.put(contract, book(400_000, 450_000), 1);
    const rest = new Map<string, RestBook>(contracts.map((one) => [one, { book: book(400_000, 450_000) }]));
    const heard = new Map<string, number>();
    const calls: string[] = [];
    const world = { ...watched(), now: () => now };
    let now = 0;
    const audit = new Audit({
      line: {
        contracts: new Set(contracts),
        heardAt: (one) => heard.get(one) ?? 0,
        trust,
        renew: (some) => calls.push(`renew ${some.join(' ')}`),
        abandon: () => calls.push('abandon'),
      },
      shelf,
      around: world,
      read: async (some) => new Map([...rest].filter(([one]) => some.includes(one))),
      quietMs,
    });
    audit.opened(0);
    const at = async (ms: number): Promise<void> => {
      now = ms;
      await audit.run(ms);
    };
    return { audit, rest, heard, calls, at, doubt };
  }

  it('compares only what is quiet, and looks twice before it says frozen', async () => {
    const one = audited(['X', 'Y']);
    one.rest.set('X', { book: book(410_000, 460_000) });
    one.heard.set('Y', 9_000);
    expect(one.audit.due(9_900)).toEqual([]);
    expect(one.audit.due(10_000)).toEqual(['X']);
    await one.at(10_000);
    expect(one.doubt('X')).toBeNull();
    await one.at(12_000);
    expect([one.doubt('X'), one.doubt('Y'), one.calls]).toEqual(['feed.frozen', null, ['renew X']]);
  });

  it('does not call frozen what the socket said meanwhile', async () => {
    const one = audited(['X']);
    one.rest.set('X', { book: book(410_000, 460_000) });
    await one.at(10_000);
    one.heard.set('X', 10_050);
    await one.at(12_000);
    expect([one.doubt('X'), one.calls]).toEqual([null, []]);
  });

  it('believes a frozen book again only when it agrees with REST, and opens another socket in the end', async () => {
    const one = audited(['X', 'Y']);
    one.rest.set('X', { book: book(410_000, 460_000) });
    for (const ms of [10_000, 12_000, 14_000, 16_000, 18_000]) await one.at(ms);
    expect([one.doubt('X'), one.calls]).toEqual(['feed.frozen', ['renew X']]);
    await one.at(20_000);
    expect(one.calls).toEqual(['renew X', 'abandon']);
    one.rest.set('X', { book: book(400_000, 450_000) });
    await one.at(24_000);
    expect(one.doubt('X')).toBeNull();
  });

  it('takes three at once for a dead socket', async () => {
    const one = audited(['X', 'Y', 'Z']);
    for (const name of ['X', 'Y', 'Z']) one.rest.set(name, { book: book(410_000, 460_000) });
    await one.at(10_000);
    await one.at(12_000);
    expect(one.calls).toEqual(['abandon']);
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
