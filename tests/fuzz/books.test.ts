import fc from 'fast-check';
import { describe, expect } from 'vitest';
import { BookStore } from '../../functions/ingest/books/book_store.ts';
import { buildPriceUpdate } from '../../functions/ingest/engine/price_update.ts';
import type { WatchedPair } from '../../functions/ingest/engine/watch_list.ts';
import { parseRestBook } from '../../functions/ingest/venue_a/rest_book.ts';
import { VenueAStream } from '../../functions/ingest/venue_a/stream.ts';
import { VenueBStream } from '../../functions/ingest/venue_b/stream.ts';
import { campaign } from './support/campaign.ts';
import { anyJson, anyText } from './support/texts.ts';

// Guarantee: whatever a venue's socket says, in whatever order, the reader throws nothing; a book that is believed is uncrossed and in
// range, and one whose message could not be read is not believed. What a whole sound book says afterwards is believed again.

const CONTRACTS = ['A0', 'A1', 'A2'];
/** What is sound but once in so many: a message has some twenty parts, and most shall be read. */
const rarely = <T>(sound: fc.Arbitrary<T>, ...odd: fc.Arbitrary<T>[]): fc.Arbitrary<T> =>
  fc.oneof({ weight: 60, arbitrary: sound }, ...odd.map((arbitrary) => ({ weight: 1, arbitrary })));
const digits = rarely(
  fc.integer({ min: 30, max: 60 }).map((cents) => `0.${cents}`),
  fc.constantFrom('0', '1', '1.00', '-0.5', '0.1234567', '.5', '5e-1', '', 'NaN', '0x1', '9'.repeat(30), '0.50 '),
  anyText,
);
const amounts = rarely(
  fc.integer({ min: 0, max: 100_000 }).map((centi) => String(centi / 100)),
  fc.constantFrom('-5', '0', '9007199254', '9007199255', '1e3', 'Infinity', '', '0.000001', '0.0000001'),
);
const names = rarely(fc.constantFrom(...CONTRACTS), anyText);
const odd = anyJson(2);
const mostly = <T>(sound: fc.Arbitrary<T>): fc.Arbitrary<unknown> => rarely<unknown>(sound, odd);
const text = (value: unknown): string => JSON.stringify(value) ?? 'undefined';
const garbage = fc.oneof(
  anyText,
  odd.map(text),
  fc.constantFrom('PONG', '{', '[[', '{"type":{"toString":1}}', '{"event_type":{"valueOf":null}}'),
);

/** A pair that every book of the shelf prices, to see what would be published of it. */
const pair: WatchedPair = {
  shard: 'books:0',
  pair_id: 'p',
  outcomes: CONTRACTS.map((contract, at) => ({
    ...{ key: `o${at}`, contract_a: contract, side_a: 'yes', contract_b: contract, fee_a: null, fee_b: null },
    ...{ min_a: null, min_b: null, delay_b: null },
  })),
  ladder: null,
  arb: false,
};

function expectSound(a: BookStore, b: BookStore): void {
  for (const shelf of [a, b]) {
    for (const contract of CONTRACTS) {
      const held = shelf.get(contract);
      if (!held || held.invalidReason !== null) continue;
      expect(held.book?.isCrossed).toBe(false);
      for (const side of [held.book?.bids, held.book?.asks]) {
        const prices = side?.prices ?? [];
        expect(prices).toEqual([...new Set(prices)].sort((x, y) => x - y));
        for (const price of prices) expect(price > 0 && price < 1_000_000 && Number.isSafeInteger(price)).toBe(true);
        for (const size of side?.sizes ?? []) expect(size > 0 && Number.isSafeInteger(size)).toBe(true);
      }
    }
  }
  const frame = buildPriceUpdate(pair, { a, b }, 0);
  for (const [at, contract] of CONTRACTS.entries()) {
    if (a.get(contract)?.invalidReason !== null) expect(frame?.ask_a[at] ?? null).toBeNull();
    if (b.get(contract)?.invalidReason !== null) expect(frame?.ask_b[at] ?? null).toBeNull();
  }
}

const shelfOf = (venue: 'venue_a' | 'venue_b'): BookStore => {
  const shelf = new BookStore(venue, () => {});
  for (const contract of CONTRACTS) shelf.track(contract, 0);
  return shelf;
};

describe('venue_a books', () => {
  const levels = fc.oneof(
    fc.array(fc.tuple(mostly(digits), mostly(amounts)), { maxLength: 6 }),
    fc.constantFrom(null, []),
  );
  const seq = fc.oneof(
    { weight: 12, arbitrary: fc.constant('next') },
    { weight: 1, arbitrary: fc.constantFrom<unknown>('gap', -1, 'x', null, 1.5) },
  );
  const frame = fc.oneof(
    fc.record({
      type: fc.constant('orderbook_snapshot'),
      sid: mostly(fc.constant(7)),
      seq,
      msg: mostly(
        fc.record({ market_ticker: mostly(names), yes_dollars_fp: mostly(levels), no_dollars_fp: mostly(levels) }),
      ),
    }),
    fc.record({
      type: fc.constant('orderbook_delta'),
      sid: mostly(fc.constant(7)),
      seq,
      msg: mostly(
        fc.record({
          market_ticker: mostly(names),
          price_dollars: mostly(digits),
          delta_fp: mostly(amounts),
          side: mostly(fc.constantFrom('yes', 'no')),
          ts_ms: mostly(fc.nat()),
        }),
      ),
    }),
    fc.record({
      type: fc.constant('subscribed'),
      id: mostly(fc.nat(5)),
      msg: mostly(fc.record({ channel: mostly(fc.constant('orderbook_delta')), sid: mostly(fc.nat(9)) })),
    }),
    fc.record({
      type: fc.constant('error'),
      id: mostly(fc.nat(9)),
      msg: mostly(
        fc.record({
          code: mostly(fc.constantFrom(6, 9, 16, 25, 4)),
          msg: mostly(anyText),
          market_ticker: mostly(names),
        }),
      ),
    }),
    fc.record({
      type: mostly(fc.constantFrom('ok', 'unsubscribed', 'trade')),
      id: odd,
      sid: mostly(fc.constant(7)),
      seq,
    }),
  );

  campaign(
    'venue_a: no message of its socket ends the connection, and no broken book stays valid',
    () =>
      fc.property(
        fc.array(fc.oneof({ weight: 8, arbitrary: frame }, { weight: 1, arbitrary: garbage }), { maxLength: 40 }),
        (said) => {
          const shelf = shelfOf('venue_a');
          const sent: unknown[] = [];
          const stream = new VenueAStream(shelf, {
            send: (command) => sent.push(command),
            reconnect: () => {},
            reject: () => {},
            onKeyRejected: () => {},
            onOverflow: () => {},
          });
          stream.subscribe(CONTRACTS, 0);
          stream.onOpen(0);
          stream.receive(text({ type: 'subscribed', id: 1, msg: { channel: 'orderbook_delta', sid: 7 } }), 1, 1);
          let number = 0;
          for (const [at, one] of said.entries()) {
            const numbered = typeof one === 'object' && one !== null && 'seq' in one;
            if (numbered) number += one.seq === 'gap' ? 2 : 1;
            const told = numbered && (one.seq === 'next' || one.seq === 'gap') ? { ...one, seq: number } : one;
            stream.receive(typeof told === 'string' ? told : text(told), 2 + at, 2 + at);
            expectSound(shelf, shelfOf('venue_b'));
          }
          stream.onTimer(60_000);
          expect(sent.length).toBeLessThan(said.length * 4 + 20);
        },
      ),
    400,
  );

  campaign(
    'venue_a: a REST book is parsed exactly or rejected with a code',
    () =>
      fc.property(
        mostly(
          fc.record({
            ticker: mostly(names),
            orderbook_fp: mostly(fc.record({ yes_dollars: mostly(levels), no_dollars: mostly(levels) })),
          }),
        ),
        (raw) => {
          const reading = parseRestBook(raw);
          if (!reading.ok) expect(reading.code).toMatch(/^[a-z]+\.[a-z_]+$/);
        },
      ),
    500,
  );
});

describe('venue_b books', () => {
  const levels = fc.array(mostly(fc.record({ price: mostly(digits), size: mostly(amounts) })), { maxLength: 6 });
  const stamp = mostly(
    fc.oneof(
      fc.integer({ min: 1_000, max: 1_100 }).map(String),
      fc.constantFrom('', 'soon', '1e3', '-5', '99999999999999999999'),
    ),
  );
  const change = fc.record(
    {
      asset_id: mostly(names),
      price: mostly(digits),
      size: mostly(amounts),
      side: mostly(fc.constantFrom('BUY', 'SELL')),
      hash: mostly(anyText),
      best_bid: mostly(digits),
      best_ask: mostly(digits),
    },
    { requiredKeys: ['asset_id', 'price', 'size', 'side'] },
  );
  const message = fc.oneof(
    fc.record({
      event_type: fc.constant('book'),
      asset_id: mostly(names),
      timestamp: stamp,
      hash: mostly(anyText),
      bids: mostly(levels),
      asks: mostly(levels),
    }),
    fc.record({
      event_type: fc.constant('price_change'),
      timestamp: stamp,
      price_changes: mostly(fc.array(change, { maxLength: 4 })),
    }),
    fc.record({
      event_type: mostly(fc.constantFrom('tick_size_change', 'price_change', 'last_trade_price', 'nonsense')),
      asset_id: mostly(names),
    }),
  );
  const step = fc.oneof(
    {
      weight: 8,
      arbitrary: fc.record({
        kind: fc.constant('told' as const),
        value: fc.oneof(message, fc.array(message, { maxLength: 3 })),
      }),
    },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('garbage' as const), value: garbage }) },
    {
      weight: 2,
      arbitrary: fc.record({
        kind: fc.constant('rest' as const),
        value: mostly(
          fc.record({ asset_id: mostly(names), timestamp: stamp, bids: mostly(levels), asks: mostly(levels) }),
        ),
      }),
    },
  );

  campaign(
    'venue_b: no message of its socket or REST ends the connection, and no broken book stays valid',
    () =>
      fc.property(fc.array(step, { maxLength: 40 }), (said) => {
        const shelf = shelfOf('venue_b');
        const stream = new VenueBStream(shelf, { send: () => {}, reject: () => {} });
        stream.subscribe(CONTRACTS, 0);
        stream.onOpen(0);
        for (const [at, { kind, value }] of said.entries()) {
          const now = 5_000 + at;
          if (kind === 'rest') stream.onRestBook(value, now);
          else stream.receive(typeof value === 'string' ? value : text(value), now, now);
          stream.due(now);
          expectSound(shelfOf('venue_a'), shelf);
        }
        // A whole book in order is believed, whatever came before it.
        const sound = {
          event_type: 'book',
          asset_id: 'A0',
          timestamp: '2000',
          bids: [{ price: '0.4', size: '1' }],
          asks: [{ price: '0.5', size: '1' }],
        };
        stream.receive(text(sound), 9_000, 9_000);
        const held = shelf.get('A0');
        expect([held?.invalidReason === null || held?.invalidReason === 'feed.late', held?.book?.ask?.price]).toEqual([
          true,
          500_000,
        ]);
      }),
    400,
  );
});
