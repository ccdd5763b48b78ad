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

/**
 * Guarantee: over any venue messages in any order, the stream reader throws nothing. Each valid
 * book is uncrossed with all prices in range, and an invalid book gives no price. A later book
 * snapshot of venue_b makes a book valid again.
 */

const CONTRACTS = ['A0', 'A1', 'A2'];
/**
 * Draws `valid` 60 times as often as each alternative. A message has some twenty fields, and most
 * messages must be parsed.
 */
const mostlyFrom = <T>(valid: fc.Arbitrary<T>, ...others: fc.Arbitrary<T>[]): fc.Arbitrary<T> =>
  fc.oneof({ weight: 60, arbitrary: valid }, ...others.map((arbitrary) => ({ weight: 1, arbitrary })));
const priceTexts = mostlyFrom(
  fc.integer({ min: 30, max: 60 }).map((cents) => `0.${cents}`),
  fc.constantFrom('0', '1', '1.00', '-0.5', '0.1234567', '.5', '5e-1', '', 'NaN', '0x1', '9'.repeat(30), '0.50 '),
  anyText,
);
const sizeTexts = mostlyFrom(
  fc.integer({ min: 0, max: 100_000 }).map((centi) => String(centi / 100)),
  fc.constantFrom('-5', '0', '9007199254', '9007199255', '1e3', 'Infinity', '', '0.000001', '0.0000001'),
);
const contractIds = mostlyFrom(fc.constantFrom(...CONTRACTS), anyText);
const anyValue = anyJson(2);
const mostly = <T>(valid: fc.Arbitrary<T>): fc.Arbitrary<unknown> => mostlyFrom<unknown>(valid, anyValue);
const toText = (value: unknown): string => JSON.stringify(value) ?? 'undefined';
const garbage = fc.oneof(
  anyText,
  anyValue.map(toText),
  fc.constantFrom('PONG', '{', '[[', '{"type":{"toString":1}}', '{"event_type":{"valueOf":null}}'),
);

/** A pair of all contracts, so that its price update contains every book of both stores. */
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
  for (const store of [a, b]) {
    for (const contract of CONTRACTS) {
      const entry = store.get(contract);
      if (!entry || entry.invalidReason !== null) continue;
      expect(entry.book?.isCrossed).toBe(false);
      for (const side of [entry.book?.bids, entry.book?.asks]) {
        const prices = side?.prices ?? [];
        expect(prices).toEqual([...new Set(prices)].sort((x, y) => x - y));
        for (const price of prices) expect(price > 0 && price < 1_000_000 && Number.isSafeInteger(price)).toBe(true);
        for (const size of side?.sizes ?? []) expect(size > 0 && Number.isSafeInteger(size)).toBe(true);
      }
    }
  }
  const update = buildPriceUpdate(pair, { a, b }, 0);
  for (const [at, contract] of CONTRACTS.entries()) {
    if (a.get(contract)?.invalidReason !== null) expect(update?.ask_a[at] ?? null).toBeNull();
    if (b.get(contract)?.invalidReason !== null) expect(update?.ask_b[at] ?? null).toBeNull();
  }
}

const createBookStore = (venue: 'venue_a' | 'venue_b'): BookStore => {
  const store = new BookStore(venue, () => {});
  for (const contract of CONTRACTS) store.track(contract, 0);
  return store;
};

describe('venue_a books', () => {
  const levels = fc.oneof(
    fc.array(fc.tuple(mostly(priceTexts), mostly(sizeTexts)), { maxLength: 6 }),
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
        fc.record({
          market_ticker: mostly(contractIds),
          yes_dollars_fp: mostly(levels),
          no_dollars_fp: mostly(levels),
        }),
      ),
    }),
    fc.record({
      type: fc.constant('orderbook_delta'),
      sid: mostly(fc.constant(7)),
      seq,
      msg: mostly(
        fc.record({
          market_ticker: mostly(contractIds),
          price_dollars: mostly(priceTexts),
          delta_fp: mostly(sizeTexts),
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
          market_ticker: mostly(contractIds),
        }),
      ),
    }),
    fc.record({
      type: mostly(fc.constantFrom('ok', 'unsubscribed', 'trade')),
      id: anyValue,
      sid: mostly(fc.constant(7)),
      seq,
    }),
  );

  campaign(
    'venue_a: no message of its socket ends the connection, and no broken book stays valid',
    () =>
      fc.property(
        fc.array(fc.oneof({ weight: 8, arbitrary: frame }, { weight: 1, arbitrary: garbage }), { maxLength: 40 }),
        (messages) => {
          const store = createBookStore('venue_a');
          const sent: unknown[] = [];
          const stream = new VenueAStream(store, {
            send: (command) => sent.push(command),
            reconnect: () => {},
            reject: () => {},
            onKeyRejected: () => {},
            onOverflow: () => {},
          });
          stream.subscribe(CONTRACTS, 0);
          stream.onOpen(0);
          stream.receive(toText({ type: 'subscribed', id: 1, msg: { channel: 'orderbook_delta', sid: 7 } }), 1, 1);
          let lastSeq = 0;
          for (const [at, one] of messages.entries()) {
            const numbered = typeof one === 'object' && one !== null && 'seq' in one;
            if (numbered) lastSeq += one.seq === 'gap' ? 2 : 1;
            const message = numbered && (one.seq === 'next' || one.seq === 'gap') ? { ...one, seq: lastSeq } : one;
            stream.receive(typeof message === 'string' ? message : toText(message), 2 + at, 2 + at);
            expectSound(store, createBookStore('venue_b'));
          }
          stream.onTimer(60_000);
          expect(sent.length).toBeLessThan(messages.length * 4 + 20);
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
            ticker: mostly(contractIds),
            orderbook_fp: mostly(fc.record({ yes_dollars: mostly(levels), no_dollars: mostly(levels) })),
          }),
        ),
        (raw) => {
          const result = parseRestBook(raw);
          if (!result.ok) expect(result.code).toMatch(/^[a-z]+\.[a-z_]+$/);
        },
      ),
    500,
  );
});

describe('venue_b books', () => {
  const levels = fc.array(mostly(fc.record({ price: mostly(priceTexts), size: mostly(sizeTexts) })), { maxLength: 6 });
  const timestamp = mostly(
    fc.oneof(
      fc.integer({ min: 1_000, max: 1_100 }).map(String),
      fc.constantFrom('', 'soon', '1e3', '-5', '99999999999999999999'),
    ),
  );
  const change = fc.record(
    {
      asset_id: mostly(contractIds),
      price: mostly(priceTexts),
      size: mostly(sizeTexts),
      side: mostly(fc.constantFrom('BUY', 'SELL')),
      hash: mostly(anyText),
      best_bid: mostly(priceTexts),
      best_ask: mostly(priceTexts),
    },
    { requiredKeys: ['asset_id', 'price', 'size', 'side'] },
  );
  const message = fc.oneof(
    fc.record({
      event_type: fc.constant('book'),
      asset_id: mostly(contractIds),
      timestamp,
      hash: mostly(anyText),
      bids: mostly(levels),
      asks: mostly(levels),
    }),
    fc.record({
      event_type: fc.constant('price_change'),
      timestamp,
      price_changes: mostly(fc.array(change, { maxLength: 4 })),
    }),
    fc.record({
      event_type: mostly(fc.constantFrom('tick_size_change', 'price_change', 'last_trade_price', 'nonsense')),
      asset_id: mostly(contractIds),
    }),
  );
  const step = fc.oneof(
    {
      weight: 8,
      arbitrary: fc.record({
        kind: fc.constant('socket' as const),
        value: fc.oneof(message, fc.array(message, { maxLength: 3 })),
      }),
    },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('garbage' as const), value: garbage }) },
    {
      weight: 2,
      arbitrary: fc.record({
        kind: fc.constant('rest' as const),
        value: mostly(
          fc.record({ asset_id: mostly(contractIds), timestamp, bids: mostly(levels), asks: mostly(levels) }),
        ),
      }),
    },
  );

  campaign(
    'venue_b: no message of its socket or REST ends the connection, and no broken book stays valid',
    () =>
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const store = createBookStore('venue_b');
        const stream = new VenueBStream(store, { send: () => {}, reject: () => {} });
        stream.subscribe(CONTRACTS, 0);
        stream.onOpen(0);
        for (const [at, { kind, value }] of steps.entries()) {
          const now = 5_000 + at;
          if (kind === 'rest') stream.onRestBook(value, now);
          else stream.receive(typeof value === 'string' ? value : toText(value), now, now);
          stream.due(now);
          expectSound(createBookStore('venue_a'), store);
        }
        // A snapshot in order makes the book valid after any input.
        const snapshot = {
          event_type: 'book',
          asset_id: 'A0',
          timestamp: '2000',
          bids: [{ price: '0.4', size: '1' }],
          asks: [{ price: '0.5', size: '1' }],
        };
        stream.receive(toText(snapshot), 9_000, 9_000);
        const entry = store.get('A0');
        expect([
          entry?.invalidReason === null || entry?.invalidReason === 'feed.late',
          entry?.book?.ask?.price,
        ]).toEqual([true, 500_000]);
      }),
    400,
  );
});
